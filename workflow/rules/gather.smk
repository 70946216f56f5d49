# Join the shards of each sample.


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
