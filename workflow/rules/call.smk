# HaplotypeCaller gets one region thread, so a machine runs one shard on each core.


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
