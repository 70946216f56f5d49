"""``gkl-shim validate`` on real reads; tests/cli/test_cli_validate.py has the rest."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pysam
import pytest

from benchmarks import validate_ours
from gkl_shim.gatk import data
from gkl_shim.validation.steps import STEPS
from tests.cli.shim_command import run
from tests.conftest import shared_data
from tests.gatk.conftest import QUICK

pytestmark = pytest.mark.gatk


def test_real_reads_with_their_truth(classpath: str, chr22: data.Sample, tmp_path: Path) -> None:
    """GATK's own tools take all arguments, and GVCFs get their final calls."""
    giab = shared_data("na12878_chr22", "NA12878.chr22.tiny.giab.vcf")
    truth = validate_ours.giab_truth(giab, chr22, classpath)
    (tmp_path / "c.bed").write_text("q\t0\t4000\n")
    done = run(
        tmp_path, "validate", "-R", chr22.reference, "-I", chr22.reads, "-L", "q:1-6000",
        "--truth", truth, "--confident", "c.bed", "-c", classpath, "-o", "out", "--mode", "gvcf",
        "--java-options", shlex.join(["-Xmx2g", *QUICK]), env={"JAVA_TOOL_OPTIONS": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    mode = json.loads((tmp_path / "out" / "validation.json").read_text())["modes"]["gvcf"]
    assert mode["records"] > 1000 and mode["calls_that_differ"] == 0
    assert mode["final_calls"]["records"] > 5
    assert "PairHMM" in mode["kernels"]["gkl-shim"]
    # The truth has five SNPs in the first 4,000 bases.
    score = mode["scores"]["gkl-shim"]["SNP"]
    assert score["true_positives"] + score["false_negatives"] == 5
    assert mode["beside_stock"]["gkl-shim"]["SNP"]["discordance"] == 0


def test_steps_around_the_callers(classpath: str, hg002: data.Sample, tmp_path: Path) -> None:
    """GATK's own tools take all arguments, and write the same bytes in two folders with a space.

    The reads are in two files.
    """
    with pysam.FastaFile(str(hg002.reference)) as fasta:
        (contig,) = fasta.references
        letters = {place: fasta.fetch(contig, place - 1, place) for place in (2000, 5000, 9000)}
    lines = ["##fileformat=VCFv4.2", f"##contig=<ID={contig}>",
             '##INFO=<ID=AF,Number=A,Type=Float,Description="frequency">',
             "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"]  # fmt: skip
    for place, letter in letters.items():
        other = "A" if letter.upper() == "C" else "C"
        lines.append(f"{contig}\t{place}\t.\t{letter}\t{other}\t.\t.\tAF=0.1")
    (tmp_path / "sites.vcf").write_text("\n".join(lines) + "\n")
    pysam.tabix_index(str(tmp_path / "sites.vcf"), preset="vcf")
    inputs = [str(tmp_path / f"{k}.bam") for k in range(2)]
    for k, path in enumerate(inputs):
        with (
            pysam.AlignmentFile(str(hg002.reads)) as reads,
            pysam.AlignmentFile(path, "wb", template=reads) as half,
        ):
            for read in reads:
                if sum(map(ord, read.query_name or "")) % 2 == k:
                    half.write(read)
        pysam.index(path)
    done = run(
        tmp_path, "validate", "-R", hg002.reference, "-I", inputs[0], "-I", inputs[1],
        "-L", f"{contig}:1-3000", "-L", f"{contig}:4000-8000",
        *(part for tool in STEPS for part in ("--tool", tool)),
        "--known-sites", "sites.vcf.gz", "--common-variants", "sites.vcf.gz", "-c", classpath,
        "-o", "my out", "--java-options", shlex.join(["-Xmx2g", *QUICK]),
        env={"JAVA_TOOL_OPTIONS": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    steps = json.loads((tmp_path / "my out" / "validation.json").read_text())["steps"]
    files = {(tool, file["name"]): file["how"] for tool in steps for file in steps[tool]["files"]}
    assert files.pop(("MarkDuplicates", "metrics.txt")) == "the same but for the lines with dates"
    bams = {(tool, name) for tool in ("MarkDuplicates", "ApplyBQSR")
            for name in ("out.bam", "out.bai", "out.bam.md5")}  # fmt: skip
    tables = {("BaseRecalibrator", "recalibration.table"), ("GetPileupSummaries", "pileups.table")}
    assert set(files) == bams | tables
    assert {files[file] for file in tables} == {"the same bytes"}
    table = tmp_path / "my out" / "GetPileupSummaries" / "stock" / "pileups.table"
    assert [line.split("\t")[1] for line in table.read_text().splitlines()[2:]] == ["2000", "5000"]
