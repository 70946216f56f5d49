# Cut the genome into shards of equal size.


rule split_intervals:
    input:
        reference=config["reference"],
        companions=companions_of(config["reference"]),
        intervals=config["intervals"] or [],
    output:
        expand("results/intervals/{shard}-scattered.interval_list", shard=SHARDS),
    log:
        "logs/split_intervals.log",
    conda:
        "../envs/gatk.yaml"
    resources:
        mem_mb=memory_mb,
    params:
        gatk=config["gatk"],
        java=heap,
        folder=lambda wildcards, output: Path(output[0]).parent,
        shards=config["shards"],
        intervals=lambda wildcards, input: ["-L", input.intervals] if input.intervals else [],
    shell:
        "{params.gatk} --java-options {params.java:q} SplitIntervals -R {input.reference:q} "
        "{params.intervals:q} --scatter-count {params.shards} -O {params.folder} >{log} 2>&1"
