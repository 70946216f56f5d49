"""The workflow's plan, and the inputs that it refuses before it starts a job."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, require_package
from tests.workflow.conftest import Plan, Snakemake, write_inputs


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """Empty files in place of the inputs: a plan does not read them."""
    for name in ("q.fa", "q.fa.fai", "q.dict", "one.bam", "one.bai", "two.cram", "two.cram.crai",
                 "q.vcf.gz"):  # fmt: skip
        (tmp_path / name).touch()
    write_inputs(tmp_path, {"one": "one.bam", "two": "two.cram"}, reference="q.fa", shards=4)
    return tmp_path


def test_lint_finds_nothing(snakemake: Snakemake, inputs: Path) -> None:
    process = snakemake(inputs, "--lint")
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output


def test_the_plan_has_a_job_for_each_sample_and_shard(plan: Plan, inputs: Path) -> None:
    output = plan(inputs, "--dry-run", "--config", "backend=cuda").stdout
    counts = dict(re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE))
    assert counts == {
        "all": "1",
        "split_intervals": "1",
        "haplotypecaller": "8",
        "gather_gvcf": "2",
        "total": "12",
    }, output
    resources = re.findall(r"rule haplotypecaller:.*?resources: ([^\n]*)", output, re.DOTALL)
    assert ["gpu=1" in line for line in resources] == [True] * 8


def planned(output: str) -> dict[str, list[dict[str, list[str]]]]:
    """Return what a plan shows of each job, by rule."""
    jobs: dict[str, list[dict[str, list[str]]]] = {}
    for rule, text in re.findall(r"^rule (\w+):\n((?:    .*\n)+)", output, re.MULTILINE):
        shown = dict(re.findall(r"^    (\w+): (.*)$", text, re.MULTILINE))
        jobs.setdefault(rule, []).append({key: text.split(", ") for key, text in shown.items()})
    return jobs


@pytest.mark.parametrize(
    ("marks", "recalibrates", "called", "removed"),
    [
        (False, False, "one.bam", set()),
        (True, False, "results/reads/one.marked.bam", set()),
        (False, True, "results/reads/one.recalibrated.bam", set()),
        (
            True,
            True,
            "results/reads/one.recalibrated.bam",
            {f"results/reads/{name}.marked.{end}" for name in ("one", "two")
             for end in ("bam", "bai")},
        ),
    ],
)  # fmt: skip
def test_reads_are_prepared_if_the_configuration_says_so(
    plan: Plan, inputs: Path, marks: bool, recalibrates: bool, called: str,
    removed: set[str],
) -> None:  # fmt: skip
    sites = ["k.vcf", "k.bed.gz"] if recalibrates else []
    for name in (*sites, "k.vcf.idx", "k.bed.gz.tbi", "i.bed"):
        (inputs / name).touch()
    reads = {"one": "one.bam", "two": "two.cram"}
    write_inputs(inputs, reads, reference="q.fa", shards=1, mark_duplicates=marks, threads=3,
                 known_sites=sites, intervals="i.bed")  # fmt: skip
    output = plan(inputs, "--dry-run", "--cores", "8").stdout
    jobs = planned(output)
    expected = {"mark_duplicates"} if marks else set()
    expected |= {"base_recalibrator", "apply_bqsr"} if recalibrates else set()
    prepare = {"mark_duplicates", "base_recalibrator", "apply_bqsr"}
    assert jobs.keys() & prepare == expected, output
    for rule in expected:
        assert len(jobs[rule]) == 2
        assert all(job["threads"] == ["3"] for job in jobs[rule])
    (one,) = (job for job in jobs["haplotypecaller"] if "sample=one" in job["wildcards"])
    index = called.removesuffix(".bam") + ".bai"
    assert one["input"][:2] == [called, index]
    found = re.findall(r"^Would remove temporary output (results/reads/.*)$", output, re.MULTILINE)
    assert set(found) == removed
    if recalibrates:
        source = "results/reads/one.marked.bam" if marks else "one.bam"
        for rule in ("base_recalibrator", "apply_bqsr"):
            (one,) = (job for job in jobs[rule] if "sample=one" in job["wildcards"])
            assert one["input"][0] == source
            needed = {"k.vcf", "k.vcf.idx", "k.bed.gz", "k.bed.gz.tbi", "i.bed"}
            assert needed & set(one["input"]) == (needed if rule == "base_recalibrator" else set())


def test_another_sample_leaves_the_called_ones_as_they_are(plan: Plan, inputs: Path) -> None:
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
    write_inputs(inputs, reads, reference="q.fa", shards=4)
    output = plan(inputs, "--dry-run").stdout
    called = re.findall(r"wildcards: sample=(\w+), shard=", output)
    assert called == ["three"] * 4, output


def test_names_of_files_are_quoted_for_the_shell(plan: Plan, inputs: Path) -> None:
    reads, reference = "my $(touch found) 'reads'.bam", "a;b.fa"
    intervals, sites = "some & others.bed", "(known).vcf"
    for name in (reads, f"{reads}.bai", reference, f"{reference}.fai", "a;b.dict", intervals,
                 sites, f"{sites}.idx"):  # fmt: skip
        (inputs / name).touch()
    write_inputs(
        inputs,
        {"one": reads},
        reference=reference,
        intervals=intervals,
        shards=1,
        java_options="-Da='b c'",
        haplotypecaller="--read-filter {a}",
        mark_duplicates=True,
        markduplicates="--COMMENT {b}",
        known_sites=[sites],
    )
    done = plan(inputs, "--dry-run", "--printshellcmds")
    output = done.stdout
    assert done.returncode == 0, output
    found = {}
    for line in output.splitlines():
        if "--java-options" in line:
            words = shlex.split(line)
            tool = words[words.index("--java-options") + 2]
            options = ("-R", "-I", "-L", "--sample-name", "--known-sites", "-bqsr")
            given = [name for name in options if name in words]
            found[tool] = {name: words[words.index(name) + 1] for name in given}
            assert words[words.index("--java-options") + 1].endswith("-Da='b c'")
    assert found["SplitIntervals"] == {"-R": reference, "-L": intervals}
    assert found["MarkDuplicates"] == {"-R": reference, "-I": reads}
    marked = "results/reads/one.marked.bam"
    table = "results/reads/one.recalibration.table"
    assert found["BaseRecalibrator"] == {
        "-R": reference, "-I": marked, "-L": intervals, "--known-sites": sites,
    }  # fmt: skip
    assert found["ApplyBQSR"] == {"-R": reference, "-I": marked, "-bqsr": table}
    assert found["HaplotypeCaller"]["-R"] == reference
    assert found["HaplotypeCaller"]["-I"] == "results/reads/one.recalibrated.bam"
    assert found["HaplotypeCaller"]["--sample-name"] == "one"
    assert "--native-pair-hmm-threads 1 --read-filter {a})" in output
    assert " --COMMENT {b})" in output


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
    plan: Plan, inputs: Path, present: tuple[str, ...], taken: str
) -> None:
    """htsjdk looks for these names in this order."""
    (inputs / "one.bai").unlink()
    for name in present:
        (inputs / name).touch()
    output = plan(inputs, "--dry-run").stdout
    inputs_of_jobs = re.findall(r"^    input: (one\.bam, .*)$", output, re.MULTILINE)
    assert len(inputs_of_jobs) == 4, output
    assert all(line.startswith(f"one.bam, {taken}, ") for line in inputs_of_jobs), output


def test_a_sheet_of_a_spreadsheet_is_read(plan: Plan, inputs: Path) -> None:
    """It has a byte-order mark and CR LF."""
    text = "\N{BYTE ORDER MARK}sample\treads\r\none\tone.bam\r\n"
    (inputs / "config" / "samples.tsv").write_bytes(text.encode())
    output = plan(inputs, "--dry-run").stdout
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
        (entry("known_sites", "[x.bed]"), "x.bed: no such file; the configuration's known_sites"),
        (
            entry("known_sites", "[q.vcf.gz]"),
            "q.vcf.gz has no index; make it with: gatk IndexFeatureFile -I q.vcf.gz",
        ),
    ],
)
def test_a_wrong_input_is_named_before_any_job_starts(
    plan: Plan, inputs: Path, spoil: Callable[[Path], object], message: str
) -> None:
    spoil(inputs)
    refused_before_any_job(plan(inputs, "--cores", "1"), inputs, message)


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
    jsonschema, yaml = require_package("jsonschema"), require_package("yaml")
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
    plan: Plan, inputs: Path, gatk: str, arguments: tuple[str, ...], message: str
) -> None:
    entry("gatk", gatk)(inputs)
    done = plan(inputs, "--cores", "1", *arguments, path=os.defpath)
    refused_before_any_job(done, inputs, message)


def refused_before_any_job(
    done: subprocess.CompletedProcess[str], folder: Path, message: str
) -> None:
    assert done.returncode == 1
    assert any(line.startswith(message) for line in done.stdout.splitlines()), done.stdout
    assert not (folder / "results").exists()
    assert not (folder / "logs").exists()
