# Mark duplicates and recalibrate base qualities, if the configuration asks for it. Each job has all
# reads of a sample. The reads that are called are kept and protected.


rule mark_duplicates:
    input:
        unpack(given_reads),
        reference=config["reference"],
        companions=companions_of(config["reference"]),
    output:
        # Only an intermediate result if they are recalibrated.
        bam=(temp if config["known_sites"] else protected)("results/reads/{sample}.marked.bam"),
        index=(temp if config["known_sites"] else protected)("results/reads/{sample}.marked.bai"),
        metrics="results/reads/{sample}.metrics.txt",
    log:
        "logs/mark_duplicates/{sample}.log",
    retries: 2
    conda:
        "../envs/gatk.yaml"
    threads: config["threads"]
    resources:
        mem_mb=memory_mb,
    params:
        environment=shim_environment(),
        gatk=config["gatk"],
        java=heap_and_threads,
        extra=lambda wildcards: config["markduplicates"],
    shell:
        "({params.environment}; "
        "{params.gatk} --java-options {params.java:q} MarkDuplicates -R {input.reference:q} "
        "-I {input.reads:q} -O {output.bam} -M {output.metrics} --CREATE_INDEX true "
        "--TMP_DIR {resources.tmpdir:q} {params.extra}) >{log} 2>&1"


rule base_recalibrator:
    input:
        unpack(reads_to_recalibrate),
        reference=config["reference"],
        companions=companions_of(config["reference"]),
        known_sites=config["known_sites"],
        indexes=[index_of_sites(sites) for sites in config["known_sites"]],
        intervals=config["intervals"] or [],
    output:
        "results/reads/{sample}.recalibration.table",
    log:
        "logs/base_recalibrator/{sample}.log",
    retries: 2
    conda:
        "../envs/gatk.yaml"
    threads: config["threads"]
    resources:
        mem_mb=memory_mb,
    params:
        environment=shim_environment(),
        gatk=config["gatk"],
        java=heap_and_threads,
        known_sites=lambda wildcards, input: [
            part for sites in input.known_sites for part in ("--known-sites", sites)
        ],
        intervals=lambda wildcards, input: ["-L", input.intervals] if input.intervals else [],
    shell:
        "({params.environment}; "
        "{params.gatk} --java-options {params.java:q} BaseRecalibrator -R {input.reference:q} "
        "-I {input.reads:q} {params.known_sites:q} {params.intervals:q} -O {output} "
        "--tmp-dir {resources.tmpdir:q}) >{log} 2>&1"


rule apply_bqsr:
    input:
        unpack(reads_to_recalibrate),
        reference=config["reference"],
        companions=companions_of(config["reference"]),
        table="results/reads/{sample}.recalibration.table",
    output:
        bam=protected("results/reads/{sample}.recalibrated.bam"),
        index=protected("results/reads/{sample}.recalibrated.bai"),
    log:
        "logs/apply_bqsr/{sample}.log",
    retries: 2
    conda:
        "../envs/gatk.yaml"
    threads: config["threads"]
    resources:
        mem_mb=memory_mb,
    params:
        environment=shim_environment(),
        gatk=config["gatk"],
        java=heap_and_threads,
    shell:
        "({params.environment}; "
        "{params.gatk} --java-options {params.java:q} ApplyBQSR -R {input.reference:q} "
        "-I {input.reads:q} -bqsr {input.table} -O {output.bam} "
        "--tmp-dir {resources.tmpdir:q}) >{log} 2>&1"
