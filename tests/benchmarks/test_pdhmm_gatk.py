"""``benchmarks.pdhmm_gatk``, without a GATK."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import pdhmm_gatk
from gkl_shim.bench.tables import print_table
from gkl_shim.gatk import run, swaps
from tests.conftest import ROOT

LOG = b"""
VectorLoglessPairPDHMM - Time spent in setup for JNI call : 0.5
VectorLoglessPairPDHMM - Time spent in JNI call : %b
PDPairHMM - Total compute time in PairHMM computeLogLikelihoods() : 0.0
SmithWatermanAligner - Total compute time in native Smith-Waterman : %b sec
"""


# GATK's clock does not count all threads.
SHIM_LOG = b"""
[gkl-shim 1.0] regions: 4 threads
SmithWatermanAligner - Total compute time in native Smith-Waterman : 0.01 sec
[gkl-shim 1.0] PDHMM: 20 regions, 13977 pairs, 353049574 cells in 1.5 s, 2.42 GCUPS
[gkl-shim 1.0] Smith-Waterman: 21 alignments, 1384886 cells in 0.5 s, 5.77 GCUPS
"""


def stock_run(seconds: float, pdhmm: bytes, smithwaterman: bytes) -> run.Run:
    return run.Run((), 0, seconds, LOG % (pdhmm, smithwaterman))


def shim_run(seconds: float) -> run.Run:
    return run.Run((), 0, seconds, SHIM_LOG, swaps.Swap("agent", agent=Path("gkl-shim.jar")))


def test_figures() -> None:
    """The medians, and what Amdahl's law leaves of 20 s if 10 s become 2 s."""
    stock = [stock_run(20, b"8.5", b"1.0"), stock_run(10, b"0.5", b"1.0"),
             stock_run(30, b"9.0", b"1.5")]  # fmt: skip
    row = pdhmm_gatk.figures(stock, [shim_run(seconds) for seconds in (15, 16, 14)])
    assert row["stock"] == {"run": 20, "PDHMM": 9.0, "Smith-Waterman": 1.0, "call": 8.5}
    assert row["shim"] == {"run": 15, "PDHMM": 1.5, "Smith-Waterman": 0.5}
    assert row["call_ratio"] == 8.5 / 1.5
    assert row["run_ratio"] == 20 / 15
    assert row["amdahl"] == 20 / 12
    assert row["share_of_amdahl"] == pytest.approx(12 / 15)
    assert row["limit"] == 2


def test_figures_of_a_java_pdhmm() -> None:
    log = b"PDPairHMM - Total compute time in PairHMM computeLogLikelihoods() : 9.0\n"
    log += b"SmithWatermanAligner - Total compute time in native Smith-Waterman : 1.0 sec\n"
    row = pdhmm_gatk.figures([run.Run((), 0, 20, log)], [shim_run(20)])
    assert (row["stock"]["PDHMM"], row["shim"]["PDHMM"]) == (9.0, 1.5)
    assert row["stock"]["call"] is row["call_ratio"] is None


def test_table() -> None:
    rows = json.loads((ROOT / "benchmarks/results/pdhmm-gatk-xeon.json").read_text())["rows"]
    versions = ["4.6.2.0", "4.7.0.0"] * 2
    assert [row["gatk"] for row in rows] == versions
    assert all(row["vcf"].startswith("same, ") for row in rows)
    console = Console(width=170)
    with console.capture() as captured:
        print_table(console, pdhmm_gatk.table(rows))
    lines = [line.split() for line in captured.get().splitlines()]
    assert [line[1] for line in lines if len(line) > 1 and line[1][:2] == "4."] == versions
