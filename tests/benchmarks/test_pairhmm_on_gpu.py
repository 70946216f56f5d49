"""The benchmarks of PairHMM on a GPU, with kernels that do nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.common import regions
from benchmarks.gpu import pairhmm_lone, pairhmm_long_reads
from gkl_shim.bench import regions as generated
from gkl_shim.pairhmm import PairHMM


@pytest.fixture(autouse=True)
def small(fake_gpus: Any) -> None:
    fake_gpus(2, result=0)


def test_regions_of_one_haplotype(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"COMPARED": 64, "CALL_BASES": 1e4}.items():
        monkeypatch.setattr(pairhmm_lone, name, value)
    monkeypatch.setattr(generated, "_DISTINCT", 128)
    file = tmp_path / "report.json"
    arguments = ["--repeats", "1", "--json", str(file)]
    CliRunner().invoke(pairhmm_lone.command, arguments, catch_exceptions=False)
    rows = json.loads(file.read_text())["rows"]
    assert len(rows) == 3 * 2 * 6
    assert all(row["call_ms"] > 0 and not row["same_bits"] for row in rows)


def test_long_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairhmm_long_reads, "BASES", 600)
    monkeypatch.setattr(pairhmm_long_reads, "PAIRS", (1, 4))
    file = tmp_path / "report.json"
    CliRunner().invoke(pairhmm_long_reads.command, ["--json", str(file)], catch_exceptions=False)
    rows = json.loads(file.read_text())["rows"]
    assert [(row["pairs"], row["compared_pairs"]) for row in rows] == [(1, 1), (4, 4)]
    assert all(row["gcups"] > 0 and not row["same_bits"] for row in rows)


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
