"""Concordance gets the right regions, and its summary is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from gkl_shim.errors import FormatError
from gkl_shim.validation.accuracy import (
    Score,
    concordance,
    final_jobs,
    gather_jobs,
    read_summary,
)
from gkl_shim.validation.inputs import Inputs
from gkl_shim.validation.jobs import Job
from gkl_shim.validation.modes import MODES

INPUTS = Inputs(Path("r.fa"), (Path("s.bam"),), arguments=("--mitochondria-mode",))


def test_a_summary(tmp_path: Path) -> None:
    path = tmp_path / "summary.tsv"
    path.write_text("type\tTP\tFP\tFN\tRECALL\tPRECISION\nSNP\t6\t2\t4\t0.6\t0.75\n")
    score = read_summary(path)["SNP"]
    assert score == Score(6, 2, 4)
    assert score.recall == pytest.approx(0.6)
    assert score.precision == pytest.approx(0.75)
    assert score.f1 == pytest.approx(2 * 0.6 * 0.75 / (0.6 + 0.75))
    assert score.discordance == pytest.approx(0.5)


def test_no_calls_and_no_truth() -> None:
    score = Score(0, 0, 0)
    assert (score.recall, score.precision, score.f1, score.discordance) == (None,) * 4


@pytest.mark.parametrize("text", ["", "type\tTP\nSNP\t6\n", "type\tTP\tFP\tFN\nSNP\tx\t1\t1\n"])
def test_another_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "summary.tsv"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"summary.tsv: not a summary of GATK's Concordance"):
        read_summary(path)


@pytest.mark.parametrize(
    ("called", "confident", "regions"),
    [
        (None, None, ()),
        (Path("i"), None, ("-L", "i")),
        (None, Path("c.bed"), ("-L", "c.bed")),
        (Path("i"), Path("c.bed"),
         ("-L", "i", "-L", "c.bed", "--interval-set-rule", "INTERSECTION")),
    ],
)  # fmt: skip
def test_regions(called: Path | None, confident: Path | None, regions: tuple[str, ...]) -> None:
    where = (called, confident)
    job = concordance("x", Path("f"), INPUTS, Path("c.vcf"), Path("t.vcf"), ["k"], where)
    start = ("Concordance", "-R", "r.fa", "-eval", "c.vcf", "--truth", "t.vcf", "-S",
             "{folder}/summary.tsv")  # fmt: skip
    assert job.arguments == (*start, *regions)


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        (("-normal", "N"), []),
        (("-normal", "mitochondria-mode"), []),
        (("--mitochondria-mode", "--max-reads-per-alignment-start", "0"), ["--mitochondria-mode"]),
        (("--mitochondria-mode", "false"), ["--mitochondria-mode", "false"]),
        (("-mitochondria-mode", "true", "-normal", "N"), ["-mitochondria-mode", "true"]),
    ],
)
def test_the_mode_of_a_mitochondrion(arguments: tuple[str, ...], given: list[str]) -> None:
    mode, inputs = MODES["mutect2"], Inputs(Path("r.fa"), (), arguments=arguments)
    gathered = gather_jobs(mode, "m", Path("f"), [], [])
    (final,) = final_jobs(mode, "m", Path("f"), gathered, inputs, [])
    assert list(final.arguments[final.arguments.index("f/statistics/calls.stats") + 1 :]) == given


def test_mutect2_gets_its_filters() -> None:
    """FilterMutectCalls needs the counts of all shards, and the mode of a mitochondrion."""
    mode = MODES["mutect2"]
    shards = [Job("", Path(f"s{number}"), ()) for number in range(2)]
    calls, counts = gathered = gather_jobs(mode, "m", Path("f"), shards, ["a", "b"])
    assert calls.arguments[:5] == ("MergeVcfs", "-I", "s0/out.vcf.gz", "-I", "s1/out.vcf.gz")
    assert counts.arguments[:3] == ("MergeMutectStats", "-stats", "s0/out.vcf.gz.stats")
    (final,) = final_jobs(mode, "m", Path("f"), gathered, INPUTS, ["c"])
    assert final.arguments[0] == "FilterMutectCalls"
    assert "--mitochondria-mode" in final.arguments
    assert final.arguments[final.arguments.index("--stats") + 1] == "f/statistics/calls.stats"
    assert final_jobs(MODES["vcf"], "v", Path("f"), gathered, INPUTS, []) == []
