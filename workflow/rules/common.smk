# Read and check the configuration, the samples sheet and the files they name, before any job starts.
import csv
import os
import re
import shlex
import shutil
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.settings.types import DeploymentMethod
from snakemake.utils import validate


def check_config():
    try:
        validate(config, schema="../schemas/config.schema.yaml")
    except WorkflowError as error:
        raise WorkflowError(f"config: {summary(error)}") from None


def read_samples(sheet):
    """Return the files of reads in a samples sheet, by sample."""
    reads = {}
    for line, row in rows(sheet):
        where = f"{sheet}, line {line}"
        try:
            validate(row, schema="../schemas/samples.schema.yaml")
        except WorkflowError as error:
            raise WorkflowError(f"{where}: {summary(error)}") from None
        sample = row["sample"]
        if sample in reads:
            raise WorkflowError(f"{where}: two lines have sample {sample}; give each its own name")
        check_reads(where, row["reads"])
        reads[sample] = row["reads"]
    if not reads:
        raise WorkflowError(f"{sheet}: no samples; write a line for each")
    return reads


def rows(sheet):
    """Yield the number and the fields of each line of a tab-separated file."""
    if not os.path.isfile(sheet):
        raise WorkflowError(f"{sheet}: no such file; the configuration's samples names it")
    # Spreadsheets may put a byte-order mark in front.
    with open(sheet, newline="", encoding="utf-8-sig") as stream:
        lines = csv.DictReader(stream, delimiter="\t")
        try:
            for row in lines:
                if None in row:
                    raise WorkflowError(
                        f"{sheet}, line {lines.line_num}: more fields than the first line has"
                    )
                yield lines.line_num, {key: text for key, text in row.items() if text}
        except (UnicodeDecodeError, csv.Error) as error:
            raise WorkflowError(f"{sheet}: not tab-separated text: {error}") from None


def check_reads(where, reads):
    require(reads, where)
    if not exists(index_of(reads)):
        raise WorkflowError(f"{where}: {reads} has no index; make it with: samtools index {reads}")


def index_of(reads):
    """Return the index that GATK takes: of sample.bam, sample.bai, .csi, .bam.bai or .bam.csi."""
    path = Path(reads)
    suffixes = {".bam": (".bai", ".csi"), ".cram": (".crai",)}[path.suffix]
    names = [str(path.with_suffix(suffix)) for suffix in suffixes]
    names += [f"{path}{suffix}" for suffix in suffixes]
    return next(filter(os.path.exists, names), f"{path}{suffixes[0]}")


def given_reads(wildcards):
    """Return a sample's reads in the samples sheet, and their index."""
    reads = READS[wildcards.sample]
    return {"reads": reads, "index": index_of(reads)}


def reads_to_recalibrate(wildcards):
    """Return a sample's reads and their index, of those with marked duplicates if there are any."""
    return made_reads(wildcards, "marked") if config["mark_duplicates"] else given_reads(wildcards)


def reads_to_call(wildcards):
    """Return a sample's reads and their index, of the recalibrated ones if there are any."""
    if config["known_sites"]:
        return made_reads(wildcards, "recalibrated")
    return reads_to_recalibrate(wildcards)


def made_reads(wildcards, step):
    stem = f"results/reads/{wildcards.sample}.{step}"
    return {"reads": f"{stem}.bam", "index": f"{stem}.bai"}


def check_known_sites(sites):
    require(sites, "the configuration's known_sites")
    if not exists(index_of_sites(sites)):
        maker = f"gatk IndexFeatureFile -I {sites}"
        raise WorkflowError(f"{sites} has no index; make it with: {maker}")


def index_of_sites(sites):
    """Return the index that GATK takes of a file of variants or intervals."""
    return f"{sites}.tbi" if sites.endswith(".gz") else f"{sites}.idx"


def check_reference(reference):
    require(reference, "the configuration's reference")
    makers = {
        ".fai": f"samtools faidx {reference}",
        ".gzi": f"samtools faidx {reference}",
        ".dict": f"gatk CreateSequenceDictionary -R {reference}",
    }
    for path in companions_of(reference):
        if not exists(path):
            maker = makers[Path(path).suffix]
            raise WorkflowError(f"{path}: no such file; make it with: {maker}")


def companions_of(reference):
    """Return the files that GATK reads with a reference: its indexes and its dictionary."""
    dictionary = str(Path(reference.removesuffix(".gz")).with_suffix(".dict"))
    block_index = [f"{reference}.gzi"] if reference.endswith(".gz") else []
    return [f"{reference}.fai", dictionary, *block_index]


def require(path, where):
    if not exists(path):
        raise WorkflowError(f"{path}: no such file; {where} names it")


def exists(path):
    """Return whether an input exists. Snakemake itself checks those in an object store."""
    stored = workflow.storage_settings.default_storage_provider is not None
    return stored or os.path.isfile(path)


def summary(error):
    """Return a validation error as one line: the entry, and what is wrong with it."""
    text = str(error)
    what = re.search(r"^ValidationError: (.*)$", text, re.MULTILINE)
    entry = re.search(r"^On instance\['(.*)'\]:$", text, re.MULTILINE)
    return ": ".join(match[1] for match in (entry, what) if match) or text


def shim_environment():
    """Return the shell commands that put gkl-shim in front of GATK, or leave it out."""
    if config["backend"] == "stock":
        return "export GKL_SHIM_BACKEND=off"
    # As two commands: the shell ignores the exit code of a command inside `eval "$(...)"`.
    return (
        f"export GKL_SHIM_BACKEND={config['backend']}; "
        'variables=$(gkl-shim env); eval "$variables"'
    )


def check_programs():
    """Check that the programs exist that jobs run, if jobs run with what is installed here."""
    deployed = workflow.deployment_settings.deployment_method
    in_image = config["image"] and DeploymentMethod.APPTAINER in deployed
    if workflow.non_local_exec or in_image or DeploymentMethod.CONDA in deployed:
        return
    commands = {"gatk": config["gatk"]}
    if config["backend"] != "stock":
        commands["backend"] = "gkl-shim"
    for entry, command in commands.items():
        # Variables may be set in front.
        program = next((word for word in shlex.split(command) if "=" not in word), command)
        if shutil.which(os.path.expanduser(os.path.expandvars(program))) is None:
            raise WorkflowError(
                f"{program}: no such program; the configuration's {entry} needs it; install it, "
                "or run jobs with --sdm conda, or with --sdm apptainer in the configuration's image"
            )


def memory_mb(wildcards, attempt):
    """Return the memory of a job. A retry gets more, because the first may have run out of it."""
    return config["memory_mb"] * attempt


def heap(wildcards, resources):
    """Return Java's heap for a job. The JVM and native code need the rest of its memory."""
    return f"-Xmx{resources.mem_mb * 3 // 4}m {config['java_options']}"


def heap_and_threads(wildcards, resources, threads):
    """Return Java's heap and CPUs for a job, from which gkl-shim takes the number of its threads."""
    return f"-XX:ActiveProcessorCount={threads} {heap(wildcards, resources)}"


check_config()
check_reference(config["reference"])
if config["intervals"]:
    require(config["intervals"], "the configuration's intervals")
for sites in config["known_sites"]:
    check_known_sites(sites)

READS = read_samples(config["samples"])
SAMPLES = list(READS)
# SplitIntervals numbers its files from 0000.
SHARDS = [f"{shard:04d}" for shard in range(config["shards"])]
GPU = {"gpu": 1, "gpu_manufacturer": "nvidia"} if config["backend"] in ("cuda", "auto") else {}


wildcard_constraints:
    sample="|".join(map(re.escape, SAMPLES)),
    shard="[0-9]{4}",
