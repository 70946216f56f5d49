"""``benchmarks.pairhmm_gatk``, without a GATK."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import pairhmm_gatk
from benchmarks.common import regions
from gkl_shim import machine
from gkl_shim.cli._bench import print_table
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import replay

BESIDE = replay.BesideGkl(50.0, 2.0, 25.0, "passive", True, 1e-6)


def test_threads_beside_a_loop(tmp_path: Path) -> None:
    path = tmp_path / "x.in"
    with path.open("wb") as file:
        pairhmm_in.write(file, regions.generated(2, shape=(50, 8)))
        pairhmm_in.write(file, regions.generated(2, shape=(3, 2)))
    (scaling,) = pairhmm_gatk.scaling(path, pairhmm_gatk.fma_loop(), rounds=1)
    assert (scaling.input, scaling.regions) == ("x", 2)  # those of enough pairs
    assert scaling.share == scaling.engine / scaling.fma_loop > 0


def test_which_engines_are_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "beside_gkl", lambda *_, **__: BESIDE)
    here = machine.Machine("a CPU", "x86_64", 8, 8, ("avx512", "avx2", "portable"))
    (_, small) = pairhmm_gatk._made(tmp_path)
    rows = list(pairhmm_gatk._rows(small, "gkl.jar", here, 1, lambda _: None))
    assert [(row.precision, row.build, row.threads) for row in rows] == [
        ("single", "avx512", 1),
        ("single", "avx2", 1),
        ("double", "avx512", 1),
        ("single", "avx512", 4),
    ]
    assert (rows[0].input, rows[0].regions) == ("10 reads by 2 haplotypes", 200)


def test_tables() -> None:
    report = pairhmm_gatk.Report(
        (pairhmm_gatk.Row("10s", 7, 62380634, 1, "single", "avx512", BESIDE),),
        (pairhmm_gatk.Scaling("10s", 3, 1.9, 1.5, 2.0, 0.95),),
        (pairhmm_gatk.WholeRun("30x", 4, 3, 22.0, 1.0, 22.0, 80.0, 60.0, 1.3333, 1.3559, 0.983),),
    )
    console = Console(width=100)
    with console.capture() as captured:
        for table in pairhmm_gatk.tables(report):
            print_table(console, table)
    lines = [line.split() for line in captured.get().splitlines()]
    assert ["10s", "single", "avx512", "1", "50.00", "2.00", "25.0"] in lines
    assert ["10s", "1.90", "1.50", "2.00", "0.95"] in lines
    assert ["30x", "4", "22.0", "1.33", "0.98"] in lines
    # A part without figures has no table.
    assert list(pairhmm_gatk.tables(pairhmm_gatk.Report((), (), ()))) == []


def test_reference_too_short(tmp_path: Path) -> None:
    (tmp_path / "r.fa").write_text(">r\n" + "ACGT" * 100 + "\n")
    with pytest.raises(ValueError, match=r"has 400 bases without an N; give one of 100,000"):
        pairhmm_gatk.sequence(tmp_path / "r.fa")
