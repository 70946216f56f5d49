"""The output and the exit code of the demo. ``make demo`` runs it with a real GATK."""

from __future__ import annotations

import json
import resource
import signal
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from gkl_shim.cli import demo
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import data, demonstration, fetch, run, swaps
from gkl_shim.gatk.compare import Comparison, Difference
from gkl_shim.gatk.demonstration import Result, Runs
from tests.conftest import require_tool

SAME = Comparison((3, 3))
DIFFERENT = Comparison((3, 3), [Difference("20:1 A>C", {"QUAL": ("50", "51")}, call=False)])


LOG = (
    b"PairHMM - Total compute time in PairHMM computeLogLikelihoods() : 0.25\n"
    b"SmithWatermanAligner - Total compute time in native Smith-Waterman : 0.01 sec\n"
)
# GATK's clock counts one of the threads that call regions.
SHIM_LOG = (
    b"[gkl-shim 1.0] regions: 2 threads\n"
    b"PairHMM - Total compute time in PairHMM computeLogLikelihoods() : 0.01\n"
    b"[gkl-shim 1.0] PairHMM: 3 regions, 5 pairs, 100 cells in 0.0200 s, 0.10 GCUPS\n"
)
SHIM_DRAGEN_LOG = b"[gkl-shim 1.0] PDHMM: 3 regions, 5 pairs, 100 cells in 0.0300 s, 0.10 GCUPS\n"
DRAGEN_LOG = b"PDPairHMM - Total compute time in PairHMM computeLogLikelihoods() : 1.5\n"


def _result(sample: data.Sample, comparison: Comparison, mode: str) -> Result:
    swap = swaps.Swap("agent", agent=Path("gkl-shim.jar"))
    stock, shim = run.Run((), 0, 3.0, LOG), run.Run((), 0, 2.0, SHIM_LOG, swap)
    runs = {"default settings": Runs(SAME, stock, shim)}
    stock, shim = run.Run((), 0, 4.0, DRAGEN_LOG), run.Run((), 0, 2.0, SHIM_DRAGEN_LOG, swap)
    runs["DRAGEN mode"] = Runs(SAME, stock, shim)
    runs[mode] = replace(runs[mode], vcf=comparison)
    return Result(sample, runs)


@pytest.mark.parametrize("mode", ["default settings", "DRAGEN mode"])
@pytest.mark.parametrize(("comparison", "code"), [(SAME, 0), (DIFFERENT, 1)])
def test_the_exit_code_says_whether_vcfs_differ(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, comparison: Comparison, code: int, mode: str
) -> None:
    sample = data.Sample("reads", "some reads", tmp_path / "r.fa", tmp_path / "r.bam")
    monkeypatch.setattr(fetch, "gatk_classpath", lambda *_: "")
    monkeypatch.setattr(data, "na12878_chr22", lambda *_: sample)
    monkeypatch.setattr(demonstration, "demonstrate", lambda *_: _result(sample, comparison, mode))
    result = CliRunner().invoke(demo.command, ["-o", str(tmp_path)], standalone_mode=False)
    assert result.exception is None, result.output
    assert result.return_value == code
    assert ("QUAL 50 | 51" in result.output) == bool(code)
    rows = [line.replace("│", " ").split() for line in result.output.splitlines()]
    # Times by two clocks have no ratio.
    assert ["PairHMM", "in", "GATK", "0.250", "s", "0.020", "s"] in rows
    assert ["PDHMM", "in", "GATK", "1.500", "s", "0.030", "s"] in rows
    assert ["whole", "run,", "DRAGEN", "mode", "4.000", "s", "2.000", "s", "2.0x"] in rows
    assert "its calls, summed over 2 threads that call regions. " in result.output
    document = json.loads((tmp_path / "demo.json").read_text())
    runs = document["runs"]
    assert {name: each["vcf_identical"] for name, each in runs.items()} == {
        "default settings": True,
        "DRAGEN mode": True,
    } | {mode: code == 0}
    assert runs["DRAGEN mode"]["shim"]["kernel_seconds"] == {"PDHMM": 0.03}


def test_a_shim_that_does_not_compute_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    require_tool("java")
    sample = data.Sample("reads", "some reads", tmp_path / "r.fa", tmp_path / "r.bam")
    monkeypatch.setattr(run, "gatk", lambda *_, **__: run.Run((), 0, 3.0, LOG))
    message = r"did not compute in GATK; .*shim\.default\.log says why"
    with pytest.raises(MissingComponent, match=message):
        demonstration.demonstrate(sample, "none.jar", swaps.agent(), lambda _: nullcontext())


def test_reads_that_find_no_room(tmp_path: Path) -> None:
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    try:
        with pytest.raises(OSError, match=r"File too large: '.*NA12878\.bam'"):
            data.na12878_chr22(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["q.dict", "q.fa", "q.fa.fai"]


def test_a_java_that_does_not_start_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_tool("java")
    monkeypatch.setenv("_JAVA_OPTIONS", "-agentlib:absent")
    sample = data.Sample("x", "x", tmp_path / "x.fa", tmp_path / "x.bam")
    with pytest.raises(MissingComponent, match="does not run: Could not find agent library absent"):
        demonstration.demonstrate(sample, "none.jar", swaps.STOCK, nullcontext)
