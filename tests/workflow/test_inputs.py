"""The workflow's plan, and the inputs that it refuses before it starts a job."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.workflow.conftest import Snakemake, write_inputs


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """Empty files in place of the inputs: a plan does not read them."""
    for name in ("q.fa", "q.fa.fai", "q.dict", "one.bam", "one.bai", "two.cram", "two.cram.crai"):
        (tmp_path / name).touch()
    write_inputs(tmp_path, {"one": "one.bam", "two": "two.cram"}, reference="q.fa", shards=4)
    return tmp_path


def test_lint_finds_nothing(snakemake: Snakemake, inputs: Path) -> None:
    process = snakemake(inputs, "--lint")
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output


def test_the_plan_has_a_job_for_each_sample_and_shard(snakemake: Snakemake, inputs: Path) -> None:
    arguments = ("--config", "joint=True", "backend=cuda")
    output, _ = snakemake(inputs, "--dry-run", *arguments).communicate(timeout=300)
    counts = dict(re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE))
    assert counts == {
        "all": "1",
        "split_intervals": "1",
        "haplotypecaller": "8",
        "gather_gvcf": "2",
        "import_gvcfs": "4",
        "genotype_gvcfs": "4",
        "gather_joint": "1",
        "times": "1",
        "total": "22",
    }, output
    resources = re.findall(r"rule haplotypecaller:.*?resources: ([^\n]*)", output, re.DOTALL)
    assert ["gpu=1" in line for line in resources] == [True] * 8


def test_another_sample_leaves_the_called_ones_as_they_are(
    snakemake: Snakemake, inputs: Path
) -> None:
    samples = ("one", "two")
    shards = [f"{shard:04d}" for shard in range(4)]
    made = [f"results/intervals/{shard}-scattered.interval_list" for shard in shards]
    for sample in samples:
        for shard in shards:
            made.append(f"results/times/{sample}/{shard}.tsv")
            made.append(f"logs/haplotypecaller/{sample}/{shard}.log")
    for sample in samples:
        made += [f"results/gvcf/{sample}.g.vcf.gz", f"results/gvcf/{sample}.g.vcf.gz.tbi"]
    for name in made:
        (inputs / name).parent.mkdir(parents=True, exist_ok=True)
        (inputs / name).touch()
    reads = {"one": "one.bam", "two": "two.cram", "three": "three.bam"}
    for name in ("three.bam", "three.bai"):
        (inputs / name).touch()
    write_inputs(inputs, reads, reference="q.fa", shards=4, joint=True)
    output, _ = snakemake(inputs, "--dry-run").communicate(timeout=300)
    assert re.search(r"^genotype_gvcfs +4$", output, re.MULTILINE), output
    called = re.findall(r"wildcards: sample=(\w+), shard=", output)
    assert called == ["three"] * 4, output


def test_names_of_files_are_quoted_for_the_shell(snakemake: Snakemake, inputs: Path) -> None:
    reads, reference = "my $(touch found) 'reads'.bam", "a;b.fa"
    intervals = "some & others.bed"
    for name in (reads, f"{reads}.bai", reference, f"{reference}.fai", "a;b.dict", intervals):
        (inputs / name).touch()
    write_inputs(
        inputs,
        {"one": reads},
        reference=reference,
        intervals=intervals,
        shards=1,
        joint=True,
        java_options="-Da='b c'",
        haplotypecaller="--read-filter {a}",
    )
    process = snakemake(inputs, "--dry-run", "--printshellcmds")
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    found = {}
    for line in output.splitlines():
        if "--java-options" in line:
            words = shlex.split(line)
            tool = words[words.index("--java-options") + 2]
            given = [name for name in ("-R", "-I", "-L", "--sample-name") if name in words]
            found[tool] = {name: words[words.index(name) + 1] for name in given}
            assert words[words.index("--java-options") + 1].endswith("-Da='b c'")
    assert found["SplitIntervals"] == {"-R": reference, "-L": intervals}
    assert found["HaplotypeCaller"]["-R"] == reference
    assert found["HaplotypeCaller"]["-I"] == reads
    assert found["HaplotypeCaller"]["--sample-name"] == "one"
    assert found["GenotypeGVCFs"]["-R"] == reference
    assert "--native-pair-hmm-threads 1 --read-filter {a})" in output


@pytest.mark.parametrize(
    ("present", "taken"),
    [
        (("one.bai", "one.csi", "one.bam.bai", "one.bam.csi"), "one.bai"),
        (("one.csi", "one.bam.bai", "one.bam.csi"), "one.csi"),
        (("one.bam.bai", "one.bam.csi"), "one.bam.bai"),
        (("one.bam.csi",), "one.bam.csi"),
    ],
)
def test_the_index_is_the_one_that_gatk_takes(
    snakemake: Snakemake, inputs: Path, present: tuple[str, ...], taken: str
) -> None:
    """htsjdk looks for these names in this order."""
    (inputs / "one.bai").unlink()
    for name in present:
        (inputs / name).touch()
    output, _ = snakemake(inputs, "--dry-run").communicate(timeout=300)
    inputs_of_jobs = re.findall(r"^    input: (.*one\.bam, .*)$", output, re.MULTILINE)
    assert len(inputs_of_jobs) == 4, output
    assert all(f" one.bam, {taken}, " in line for line in inputs_of_jobs), output


def test_a_sheet_of_a_spreadsheet_is_read(snakemake: Snakemake, inputs: Path) -> None:
    """It has a byte-order mark and CR LF."""
    text = "\N{BYTE ORDER MARK}sample\treads\r\none\tone.bam\r\n"
    (inputs / "config" / "samples.tsv").write_bytes(text.encode())
    output, _ = snakemake(inputs, "--dry-run").communicate(timeout=300)
    assert re.search(r"^haplotypecaller +4$", output, re.MULTILINE), output
    assert "gpu=1" not in output  # the default backend is the CPU


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def sheet(text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / "config" / "samples.tsv").write_text(text)


def entry(name: str, value: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        path = folder / "config" / "config.yaml"
        lines = [line for line in path.read_text().splitlines() if not line.startswith(name)]
        path.write_text("\n".join([*lines, f"{name}: {value}"]) + "\n")

    return change


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (remove("q.fa.fai"), "q.fa.fai: no such file; make it with: samtools faidx q.fa"),
        (
            remove("q.dict"),
            "q.dict: no such file; make it with: gatk CreateSequenceDictionary -R q.fa",
        ),
        (
            remove("one.bai"),
            "config/samples.tsv, line 2: one.bam has no index; "
            "make it with: samtools index one.bam",
        ),
        (remove("two.cram"), "two.cram: no such file; config/samples.tsv, line 3 names it"),
        (
            sheet("sample\treads\none\tone.bam\none\tone.bam\n"),
            "config/samples.tsv, line 3: two lines have sample one; give each its own name",
        ),
        (
            sheet("sample,reads\none,one.bam\n"),
            "config/samples.tsv, line 2: 'sample' is a required property",
        ),
        (sheet("sample\treads\n"), "config/samples.tsv: no samples; write a line for each"),
        (entry("shards", "many"), "config: shards: 'many' is not of type 'integer'"),
        (entry("intervals", "x.bed"), "x.bed: no such file; the configuration's intervals names"),
    ],
    ids=[
        "no index of the reference",
        "no dictionary",
        "no index of the reads",
        "no reads",
        "a sample twice",
        "no column sample",
        "no samples",
        "a word for a number",
        "no intervals",
    ],
)
def test_a_wrong_input_is_named_before_any_job_starts(
    snakemake: Snakemake, inputs: Path, spoil: Callable[[Path], object], message: str
) -> None:
    spoil(inputs)
    refused_before_any_job(snakemake(inputs, "--cores", "1"), inputs, message)


@pytest.mark.parametrize(
    ("schema", "name", "value"),
    [
        ("samples", "sample", "a/b"),
        ("samples", "sample", "one\n"),
        ("samples", "sample", "a" * 201),
        ("samples", "reads", "one.bam\n"),
        ("samples", "reads", "{sample}.bam"),
        ("config", "reference", "{x}.fa"),
    ],
)
def test_a_name_that_a_rule_cannot_use_is_refused(schema: str, name: str, value: str) -> None:
    # Snakemake brings both packages.
    jsonschema, yaml = pytest.importorskip("jsonschema"), pytest.importorskip("yaml")
    text = (ROOT / "workflow" / "schemas" / f"{schema}.schema.yaml").read_text()
    validator = jsonschema.Draft202012Validator(yaml.safe_load(text))
    right = {"sample": "one", "reads": "one.bam"}
    if schema == "config":
        right = {"samples": "config/samples.tsv", "reference": "q.fa"}
    validator.validate(right)
    (error,) = validator.iter_errors({**right, name: value})
    assert list(error.path) == [name]


NEEDS = "no such program; the configuration's"


@pytest.mark.parametrize(
    ("gatk", "arguments", "message"),
    [
        ("A=b 'no gatk' --stock", (), f"no gatk: {NEEDS} gatk needs it; install it"),
        # Without an image, jobs run outside of containers.
        ("no-gatk", ("--sdm", "apptainer"), f"no-gatk: {NEEDS} gatk needs it; install it"),
        ("sh", (), f"gkl-shim: {NEEDS} backend needs it; install it"),
    ],
)
def test_a_missing_program_is_named_before_any_job_starts(
    snakemake: Snakemake, inputs: Path, gatk: str, arguments: tuple[str, ...], message: str
) -> None:
    entry("gatk", gatk)(inputs)
    process = snakemake(inputs, "--cores", "1", *arguments, path=os.defpath)
    refused_before_any_job(process, inputs, message)


def refused_before_any_job(process: subprocess.Popen[str], folder: Path, message: str) -> None:
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 1
    assert any(line.startswith(message) for line in output.splitlines()), output
    assert not (folder / "results").exists()
    assert not (folder / "logs").exists()
