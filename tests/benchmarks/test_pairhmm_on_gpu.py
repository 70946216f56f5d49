"""The benchmarks of PairHMM on a GPU, with kernels that do nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import pairhmm_callers, pairhmm_double, pairhmm_lone, pairhmm_long_reads
from benchmarks.common import regions
from gkl_shim._convert import haplotype_batch, read_batch
from gkl_shim.bench import regions as generated
from gkl_shim.pairhmm import Batch, PairHMM, Read
from tests.conftest import DATA


@pytest.fixture(autouse=True)
def small(fake_gpus: Any) -> None:
    fake_gpus(2, result=0)


def test_callers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairhmm_callers, "_CALLERS", (1, 3))
    file = tmp_path / "report.json"
    arguments = ["--seconds", "0.01", "--json", str(file), "--table", "callers", "--table", "gatk"]
    CliRunner().invoke(pairhmm_callers.command, arguments, catch_exceptions=False)
    report = json.loads(file.read_text())
    assert [device["name"] for device in report["devices"]] == ["fake 0", "fake 1"]
    rows = report["tables"]["callers"]["rows"]
    assert len(rows) == 2 * 2 * 2
    for row in rows:
        calls = row["microseconds_a_call"] * row["regions_a_second"]
        assert calls == pytest.approx(1e6 * row["callers"])
    assert report["tables"]["gatk"]["absent"] == "give --reference and --reads"


INPUT = DATA / "10s_three_regions.in"


def test_double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "GENERATED_REGIONS": 3,
        "STREAMED_CELLS": 1e7,
        "UNRELATED_CELLS": 1e6,
        "UNRELATED_SHAPES": (((4, 2), 100, 200),),
    }.items():
        monkeypatch.setattr(pairhmm_double, name, value)
    file = tmp_path / "report.json"
    arguments = [str(INPUT), "--json", str(file)]
    CliRunner().invoke(pairhmm_double.command, arguments, catch_exceptions=False)
    tables = json.loads(file.read_text())["tables"]
    ratios = ["the device's", "64"]
    counted = [row for row in tables["counts"]["rows"] if row["input"] == INPUT.stem]
    assert [row.get("double_ratio") for row in counted] == [None, *ratios]
    assert len({row["pairs"] for row in counted}) == 1
    streamed = tables["streams"]["rows"]
    assert [row["double_ratio"] for row in streamed] == ratios * 2
    unrelated = tables["unrelated"]["rows"]
    assert [row["engine"] for row in unrelated] == ["GPU", "GPU", "CPU, single", "CPU, double"]


def test_replacing_reads_that_have_rescued_pairs() -> None:
    fits = "ACGTTGCAACGGTACTGA"
    reads = [Read(fits, 30), Read("T" * 150, 60), Read(fits[2:], 30)]
    haplotypes = [f"CC{fits}GG", f"CA{fits}GA"]
    batch = Batch(read_batch(reads, (45, 45, 10)), haplotype_batch(haplotypes))
    replaced = pairhmm_double.with_rescued_reads_replaced(batch)
    starts = replaced.reads.offsets
    assert np.array_equal(starts, batch.reads.offsets)
    bases = replaced.reads.bases.tobytes().decode()
    assert bases[: starts[1]] == fits
    assert bases[starts[1] : starts[2]] == (fits * 9)[:150]
    assert bases[starts[2] :] == fits[2:]


@pytest.mark.usefixtures("measurements")
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
