"""``benchmarks.pdhmm_gatk``, without a GATK."""

from __future__ import annotations

import json

import pytest
from rich.console import Console

from benchmarks import pdhmm_gatk
from gkl_shim.bench.tables import print_table
from gkl_shim.gatk import run
from tests.conftest import ROOT

LOG = b"""
VectorLoglessPairPDHMM - Time spent in setup for JNI call : 0.5
VectorLoglessPairPDHMM - Time spent in JNI call : %b
PDPairHMM - Total compute time in PairHMM computeLogLikelihoods() : 0.0
SmithWatermanAligner - Total compute time in native Smith-Waterman : %b sec
"""


def done(seconds: float, pdhmm: bytes, smithwaterman: bytes) -> run.Run:
    return run.Run((), 0, seconds, LOG % (pdhmm, smithwaterman))


def test_figures() -> None:
    """The medians, and what Amdahl's law leaves of 20 s if 10 s become 2 s."""
    stock = [done(20, b"8.5", b"1.0"), done(10, b"0.5", b"1.0"), done(30, b"9.0", b"1.5")]
    shim = [done(15, b"1.0", b"0.5"), done(16, b"1.0", b"0.5"), done(14, b"1.0", b"0.5")]
    row = pdhmm_gatk.figures(stock, shim)
    assert row["stock"] == {"run": 20, "PDHMM": 9.0, "Smith-Waterman": 1.0, "call": 8.5}
    assert row["pdhmm_ratio"] == 6
    assert row["call_ratio"] == 8.5
    assert row["run_ratio"] == 20 / 15
    assert row["amdahl"] == 20 / 12
    assert row["share_of_amdahl"] == pytest.approx(12 / 15)
    assert row["limit"] == 2


def test_figures_of_a_java_pdhmm() -> None:
    log = b"PDPairHMM - Total compute time in PairHMM computeLogLikelihoods() : %b\n"
    log += b"SmithWatermanAligner - Total compute time in native Smith-Waterman : 1.0 sec\n"
    stock, shim = (run.Run((), 0, 20, log % seconds) for seconds in (b"9.0", b"1.5"))
    row = pdhmm_gatk.figures([stock], [shim])
    assert row["pdhmm_ratio"] == 6
    assert row["stock"]["call"] is row["shim"]["call"] is row["call_ratio"] is None


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
