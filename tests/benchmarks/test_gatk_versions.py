"""``benchmarks.gatk_versions``, without a GATK."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import gatk_versions
from gkl_shim.gatk import compare, programs, run, swaps
from tests.conftest import ROOT

SAME = compare.Comparison((3, 3))
IN_QUAL = compare.Difference("20:1 A>C", {"QUAL": ("50", "51")}, call=False)
IN_CALL = compare.Difference("20:1 A>C", {"x/GT": ("0/1", "1/1")}, call=True)
LOG = b"""
[gkl-shim 1.0] Smith-Waterman: avx2 build (the best for this CPU); Intel GKL replaced (agent)
[gkl-shim 1.0] PairHMM: avx2 build, double precision, 2 threads; Intel GKL replaced (agent)
[gkl-shim 1.0] PairHMM: initialized, but no region was computed
[gkl-shim 1.0] Smith-Waterman: 21 alignments, 1384886 cells in 0.0005 s
[gkl-shim 1.0] PDHMM: 1 region, 758 pairs, 2022716 cells in 0.0021 s
"""
# Lines of -Xlog:class+load.
CLASSES = """
[0.9s][info][class,load] org.gklshim.gatk.walk.RegionWalk source: file:/gkl-shim.jar
[0.9s][info][class,load] org.gklshim.gatk.regions.SharedReference source: file:/gkl-shim.jar
[0.9s][info][class,load] org.gklshim.gatk.assembly.ChainGraphs source: file:/gkl-shim.jar
[0.9s][info][class,load] org.gklshim.gatk.confidence.ReferenceConfidence source: file:/gkl-shim.jar
[0.9s][info][class,load] org.gklshim.gatk.likelihoods.Likelihoods source: file:/gkl-shim.jar
"""


def test_only_kernels_that_computed_are_named() -> None:
    assert gatk_versions.kernels(LOG) == ["PDHMM", "Smith-Waterman"]
    assert gatk_versions.kernels(b"") == []


def test_each_part_of_gatk_has_a_class() -> None:
    """The part is the name of the package in java/, and the class is there."""
    java = ROOT / "java" / "src" / "main" / "java"
    folders = (java / "org" / "gklshim" / "gatk").iterdir()
    packages = {folder.name for folder in folders if folder.is_dir()}
    # The callers do not have these steps.
    assert set(gatk_versions._PARTS.values()) == packages - {
        "duplicates", "pileups", "recalibration", "records", "threads"
    }  # fmt: skip
    for name, part in gatk_versions._PARTS.items():
        assert name.split(".")[-2] == part
        assert (java / f"{name.replace('.', '/')}.java").is_file()


@pytest.mark.parametrize(
    ("differences", "text"),
    [
        ([], "same, 3 records"),
        ([IN_QUAL], "same calls; 1 of 3 records differ"),
        ([IN_QUAL, IN_CALL], "differs: 2 records differ, the first 20:1 A>C: QUAL 50 | 51"),
    ],
)
def test_the_verdict(differences: list[compare.Difference], text: str) -> None:
    assert gatk_versions.verdict(compare.Comparison((3, 3), differences)) == text


@pytest.mark.parametrize(("found", "code"), [(SAME, 0), (compare.Comparison((3, 3), [IN_CALL]), 1)])
def test_the_table(
    found: compare.Comparison, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tools = []

    def gatk(
        arguments: list[str], classpath: str, swap: swaps.Swap, *, java_options: Sequence[str],
        environment: Mapping[str, str],
    ) -> run.Run:  # fmt: skip
        (option,) = java_options
        Path(option.partition("file=")[2]).write_text(CLASSES)
        assert environment == {"GKL_SHIM_REGION_THREADS": "4"}
        if swap.name == "stock":
            tools.append((arguments[0], *arguments[7:]))
        if classpath == "4.5.0.0":
            return run.Run((), 1, 1.0, b"no such tool")
        return run.Run((), 0, 1.0, LOG if swap.name == "agent" else b"")

    monkeypatch.setattr(run, "gatk", gatk)
    monkeypatch.setattr(programs, "java_version", lambda: "17.0.15")
    monkeypatch.setattr(gatk_versions.gatk_versions, "classpath", lambda version: version)
    monkeypatch.setattr(compare, "compare", lambda *_: found)
    arguments = [str(tmp_path), "--gatk", "4.3.0.0", "--gatk", "4.7.0.0"]
    result = CliRunner().invoke(gatk_versions.command, arguments)
    assert result.exit_code == code, result.output
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in result.output.splitlines()]
    dragen, native = "--dragen-378-concordance-mode", "--smith-waterman"
    assert tools == [
        ("HaplotypeCaller",),
        ("HaplotypeCaller", native, "FASTEST_AVAILABLE"),
        ("Mutect2",),
        ("HaplotypeCaller",),
        ("HaplotypeCaller", dragen),
        ("Mutect2",),
    ]
    assert len(rows) == 2 + len(tools)
    assert rows[2][:4] == ["4.3.0.0", "none", "17.0.15", "HaplotypeCaller"]
    assert rows[2][4:6] == ["PDHMM, Smith-Waterman", "regions, walk, likelihoods"]
    arguments = [str(tmp_path), "--gatk", "4.5.0.0", "--tool", "Mutect2"]
    failed = CliRunner().invoke(gatk_versions.command, arguments)
    assert "| not run: Mutect2 failed, stock: exit code 1 |" in failed.output
    assert failed.exit_code == 1
