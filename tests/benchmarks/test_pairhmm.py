"""The benchmarks of PairHMM, without a GATK."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from benchmarks import pairhmm_gatk
from benchmarks.common import regions
from gkl_shim.bench.beside_gkl import BesideGkl
from gkl_shim.bench.tables import print_table
from gkl_shim.common import _processor
from gkl_shim.pairhmm import PairHMM
from tests.conftest import ROOT


@pytest.mark.parametrize(("read", "haplotype"), [(32, 32), (128, 256)])
def test_uniform_regions_fit_and_share_nothing(read: int, haplotype: int) -> None:
    batch = regions.uniform(40, (20, 10), read, haplotype)
    assert len(batch) == 40
    assert batch.pairs == 40 * 200
    assert batch.cells == batch.pairs * read * haplotype
    with PairHMM(backend="cpu") as engine:
        values = engine.compute(batch)
        assert engine.statistics.rescued_pairs == 0
        assert engine.statistics.computed_cells > 0.9 * batch.cells
    assert np.isfinite(values).all()


BESIDE = BesideGkl(50.0, 2.0, 25.0, "passive", True, 1e-6)


def test_which_engines_are_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairhmm_gatk, "beside_gkl", lambda *_, **__: BESIDE)
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


def test_the_table_of_pairhmm_gatk() -> None:
    results = json.loads((ROOT / "benchmarks/results/pairhmm/pairhmm-cpu-zen4.json").read_text())
    console = Console(width=100)
    with console.capture() as captured:
        print_table(console, pairhmm_gatk.table(results["gatk"]["rows"]))
    lines = [line.split() for line in captured.get().splitlines()]
    assert ["10s", "single", "avx512", "1", "72.67", "2.14", "34.0"] in lines
