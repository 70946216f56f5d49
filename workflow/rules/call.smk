# Cut the genome into shards of equal size, call each shard, and join the shards of each sample.


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


# It gets one region thread, so a machine runs one shard on each core.
rule haplotypecaller:
    input:
        unpack(reads_to_call),
        reference=config["reference"],
        companions=companions_of(config["reference"]),
        intervals="results/intervals/{shard}-scattered.interval_list",
    output:
        vcf=temp("results/shards/{sample}/{shard}.g.vcf.gz"),
        index=temp("results/shards/{sample}/{shard}.g.vcf.gz.tbi"),
    log:
        "logs/haplotypecaller/{sample}/{shard}.log",
    benchmark:
        "results/times/{sample}/{shard}.tsv"
    retries: 2
    conda:
        "../envs/gatk.yaml"
    threads: 1
    resources:
        **GPU,
        mem_mb=memory_mb,
    params:
        environment=shim_environment(),
        gatk=config["gatk"],
        java=heap,
        # A function, because Snakemake takes braces in a string for its wildcards.
        extra=lambda wildcards: config["haplotypecaller"],
    shell:
        "({params.environment}; "
        "{params.gatk} --java-options {params.java:q} HaplotypeCaller -R {input.reference:q} "
        "-I {input.reads:q} --sample-name {wildcards.sample} -L {input.intervals} "
        "-O {output.vcf} -ERC GVCF "
        "--native-pair-hmm-threads {threads} {params.extra}) >{log} 2>&1"


rule gather_gvcf:
    input:
        vcfs=expand("results/shards/{{sample}}/{shard}.g.vcf.gz", shard=SHARDS),
        indexes=expand("results/shards/{{sample}}/{shard}.g.vcf.gz.tbi", shard=SHARDS),
    output:
        vcf="results/gvcf/{sample}.g.vcf.gz",
        index="results/gvcf/{sample}.g.vcf.gz.tbi",
    log:
        "logs/gather_gvcf/{sample}.log",
    conda:
        "../envs/gatk.yaml"
    resources:
        mem_mb=memory_mb,
    params:
        gatk=config["gatk"],
        java=heap,
        vcfs=lambda wildcards, input: [f"-I {vcf}" for vcf in input.vcfs],
    shell:
        "{params.gatk} --java-options {params.java:q} MergeVcfs {params.vcfs} -O {output.vcf} "
        ">{log} 2>&1"
