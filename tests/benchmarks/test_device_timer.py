"""The timers of kernels and transfers, with a stand-in driver: all that it times takes 1 ms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.common import prefilter_rates
from benchmarks.common.device_timer import timed
from benchmarks.gpu.call_parts import TimedEngine
from gkl_shim.bench.regions import regions as generated_regions
from gkl_shim.errors import BackendUnavailable
from gkl_shim.pairhmm import Batch, PairHMM
from gkl_shim.pairhmm import _cuda as cuda
from gkl_shim.prefilter import Prefilter, Sequences
from tests.pairhmm.cuda.conftest import assert_same_bits


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
