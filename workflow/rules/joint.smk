# Genotype all samples together, shard by shard.


rule import_gvcfs:
    input:
        # Not the shards, which are temporary: another sample would have them all computed again.
        vcfs=expand("results/gvcf/{sample}.g.vcf.gz", sample=SAMPLES),
        indexes=expand("results/gvcf/{sample}.g.vcf.gz.tbi", sample=SAMPLES),
        intervals="results/intervals/{shard}-scattered.interval_list",
    output:
        temp(directory("results/genomicsdb/{shard}")),
    log:
        "logs/import_gvcfs/{shard}.log",
    retries: 2
    conda:
        "../envs/gatk.yaml"
    resources:
        mem_mb=memory_mb,
    params:
        gatk=config["gatk"],
        java=heap,
        vcfs=lambda wildcards, input: [f"-V {vcf}" for vcf in input.vcfs],
    shell:
        "{params.gatk} --java-options {params.java:q} GenomicsDBImport {params.vcfs} "
        "-L {input.intervals} --merge-input-intervals --genomicsdb-workspace-path {output} "
        "--batch-size 50 >{log} 2>&1"


rule genotype_gvcfs:
    input:
        reference=config["reference"],
        companions=companions_of(config["reference"]),
        database="results/genomicsdb/{shard}",
        intervals="results/intervals/{shard}-scattered.interval_list",
    output:
        vcf=temp("results/joint/{shard}.vcf.gz"),
        index=temp("results/joint/{shard}.vcf.gz.tbi"),
    log:
        "logs/genotype_gvcfs/{shard}.log",
    retries: 2
    conda:
        "../envs/gatk.yaml"
    resources:
        mem_mb=memory_mb,
    params:
        gatk=config["gatk"],
        java=heap,
    shell:
        "{params.gatk} --java-options {params.java:q} GenotypeGVCFs -R {input.reference:q} "
        "-V gendb://{input.database} -L {input.intervals} -O {output.vcf} >{log} 2>&1"


rule gather_joint:
    input:
        vcfs=expand("results/joint/{shard}.vcf.gz", shard=SHARDS),
        indexes=expand("results/joint/{shard}.vcf.gz.tbi", shard=SHARDS),
    output:
        vcf="results/joint.vcf.gz",
        index="results/joint.vcf.gz.tbi",
    log:
        "logs/gather_joint.log",
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
