"""``benchmarks.pairhmm_gatk``, without a GATK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks import pairhmm_gatk
from benchmarks.common import regions
from gkl_shim.bench.tables import print_table
from gkl_shim.common import _processor
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import data, replay, run, swaps
from tests.conftest import ROOT

BESIDE = replay.BesideGkl(50.0, 2.0, 25.0, "passive", True, 1e-6)


def test_threads_beside_a_loop(tmp_path: Path) -> None:
    path = tmp_path / "x.in"
    with path.open("wb") as file:
        pairhmm_in.write(file, regions.generated(2, shape=(50, 8)))
        pairhmm_in.write(file, regions.generated(2, shape=(3, 2)))
    (scaling,) = pairhmm_gatk.scaling(path, pairhmm_gatk.fma_loop(), rounds=1)
    assert (scaling["input"], scaling["regions"]) == ("x", 2)  # those of enough pairs
    assert scaling["share"] == scaling["engine"] / scaling["fma_loop"] > 0


def test_which_engines_are_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "beside_gkl", lambda *_, **__: BESIDE)
    here = _processor.Processor("a CPU", "x86_64", 8, 8, ("avx512", "avx2", "portable"))
    (_, small) = pairhmm_gatk._made(tmp_path)
    rows = list(pairhmm_gatk._rows(small, "gkl.jar", here, 1, lambda _: None))
    assert [(row["precision"], row["build"], row["threads"]) for row in rows] == [
        ("single", "avx512", 1),
        ("single", "avx2", 1),
        ("double", "avx512", 1),
        ("single", "avx512", 4),
    ]
    assert (rows[0]["input"], rows[0]["regions"]) == ("10 reads by 2 haplotypes", 200)


def test_whole_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Amdahl's law leaves of 20 s if 8 s become 3 s, whatever GATK's clock says."""
    log = b"PairHMM - Total compute time in PairHMM computeLogLikelihoods() : 8.0\n"
    own = log + b"[gkl-shim 1.0] PairHMM: 3 regions, 5 pairs, 100 cells in 3.0 s, 0.10 GCUPS\n"

    def haplotype_caller(*arguments: Any) -> run.Run:
        swap = arguments[4]
        stock = swap == swaps.STOCK
        return run.Run((), 0, 20.0 if stock else 5.0, log if stock else own, swap)

    monkeypatch.setattr(pairhmm_gatk, "haplotype_caller", haplotype_caller)
    sample = data.Sample("30x", "reads", tmp_path / "r.fa", tmp_path / "r.bam")
    row = pairhmm_gatk._whole_runs(sample, 4, "gatk.jar")
    assert (row["stock_pairhmm_seconds"], row["pairhmm_seconds"]) == (8, 3)
    assert (row["run_ratio"], row["amdahl"]) == (4, pytest.approx(20 / 15))


def test_tables() -> None:
    measured = json.loads((ROOT / "benchmarks/results/pairhmm-cpu-zen4.json").read_text())["gatk"]
    console = Console(width=100)
    with console.capture() as captured:
        for table in pairhmm_gatk.tables(measured):
            print_table(console, table)
    lines = [line.split() for line in captured.get().splitlines()]
    assert ["10s", "single", "avx512", "1", "72.67", "2.14", "34.0"] in lines
    assert ["10s", "1.88", "1.54", "1.97", "0.95"] in lines
    assert ["30x", "4", "0.77", "0.034", "1.22", "1.10"] in lines
    # A part without figures has no table.
    assert list(pairhmm_gatk.tables({"rows": [], "scaling": [], "runs": []})) == []
