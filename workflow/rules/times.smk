# Show which shards take long, and how long they spend in the kernels that gkl-shim replaces.


rule times:
    input:
        gvcfs=expand("results/gvcf/{sample}.g.vcf.gz", sample=SAMPLES),
        benchmarks=expand("results/times/{sample}/{shard}.tsv", sample=SAMPLES, shard=SHARDS),
        logs=expand("logs/haplotypecaller/{sample}/{shard}.log", sample=SAMPLES, shard=SHARDS),
    output:
        table="results/times.tsv",
        page=report("results/times.html", caption="../report/times.rst", category="Times"),
    log:
        "logs/times.log",
    container:
        None  # GATK's image lacks Python packages that the page needs
    conda:
        "../envs/times.yaml"
    params:
        shards=[(sample, shard) for sample in SAMPLES for shard in SHARDS],
    script:
        "../scripts/times.py"
