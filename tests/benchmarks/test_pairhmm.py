"""The benchmarks of PairHMM, without a GATK and with a stand-in for a GPU.

All that the driver's events time takes 1 ms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from benchmarks import pairhmm_gatk
from benchmarks.common import prefilter_rates, regions
from benchmarks.common.device_timer import timed
from benchmarks.gpu import pairhmm_lone, pairhmm_long_reads
from benchmarks.gpu.call_parts import TimedEngine
from gkl_shim.bench import regions as generated
from gkl_shim.bench.regions import regions as generated_regions
from gkl_shim.bench.tables import print_table
from gkl_shim.common import _processor
from gkl_shim.errors import BackendUnavailable
from gkl_shim.gatk import replay
from gkl_shim.pairhmm import Batch, PairHMM
from gkl_shim.pairhmm import _cuda as cuda
from gkl_shim.prefilter import Prefilter, Sequences
from tests.conftest import ROOT
from tests.pairhmm.cuda.conftest import assert_same_bits


@pytest.fixture
def two_gpus(fake_gpus: Any) -> None:
    fake_gpus(2, result=0)


@pytest.mark.usefixtures("two_gpus")
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


@pytest.mark.usefixtures("two_gpus")
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


BESIDE = replay.BesideGkl(50.0, 2.0, 25.0, "passive", True, 1e-6)


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


def test_the_table_of_pairhmm_gatk() -> None:
    results = json.loads((ROOT / "benchmarks/results/pairhmm/pairhmm-cpu-zen4.json").read_text())
    console = Console(width=100)
    with console.capture() as captured:
        print_table(console, pairhmm_gatk.table(results["gatk"]["rows"]))
    lines = [line.split() for line in captured.get().splitlines()]
    assert ["10s", "single", "avx512", "1", "72.67", "2.14", "34.0"] in lines


@pytest.fixture(scope="module")
def batch() -> Batch:
    return generated_regions(12)


def test_parts_of_a_call(fake_gpus: Any, batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "_CHUNK_CELLS", {"single": 1 << 18, "double": 1 << 18})
    driver = fake_gpus(slow=True, result=-1.5)
    engine = TimedEngine()
    driver.forget_calls()
    parts = engine.parts(batch, 3)
    calls = driver.calls
    launches, copies = calls["cuLaunchKernel"] / 4, calls["cuMemcpyHtoDAsync_v2"] / 4
    assert copies > 1
    assert parts.kernel == pytest.approx(launches * 1e-3)
    assert parts.transfer == pytest.approx(copies * 1e-3)
    assert parts.cells == batch.cells
    assert 0 < parts.computed_cells <= parts.cells
    assert parts.bytes > 5 * len(batch.reads.bases)
    assert driver.most_in_flight == [1]
    engine.close()


def test_a_timed_engine_computes_the_same(fake_gpus: Any, batch: Batch) -> None:
    fake_gpus(kernels="pairhmm")
    with timed():
        engine = cuda.Engine([0])
    assert_same_bits(engine.compute(batch), PairHMM(backend="cpu").compute(batch))
    engine.close()


def test_a_device_that_fails(fake_gpus: Any, batch: Batch) -> None:
    fake_gpus(fail={"cuLaunchKernel": 2})
    engine = TimedEngine()
    with pytest.raises(BackendUnavailable), pytest.warns(RuntimeWarning, match="cuLaunchKernel"):
        engine.parts(batch)


def test_the_filter_s_kernel(fake_gpus: Any) -> None:
    driver = fake_gpus(kernels="prefilter")
    letters = np.random.default_rng(1).choice(np.frombuffer(b"ACGT", np.uint8), (2, 64, 50))
    sides = [Sequences.from_matrix(side).encoded() for side in letters]
    assert prefilter_rates._kernel_rate(sides, "exact", 2) == pytest.approx(64 * 5 / 1e3)
    assert len(driver.launched) == 1 + 5
    with timed() as timer, Prefilter(2, backend="cuda") as prefilter:
        timer.launches = 3
        found = prefilter.edits(letters[0], letters[1])
    with Prefilter(2, backend="cpu") as prefilter:
        assert np.array_equal(found, prefilter.edits(letters[0], letters[1]))
