"""The CUDA engine keeps to a limit on device memory, and its results do not depend on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gkl_shim.errors import BackendUnavailable
from gkl_shim.pairhmm import Batch, PairHMM
from gkl_shim.pairhmm import _cuda_opened as pairhmm_opened
from gkl_shim.pairhmm._batch import concatenated
from gkl_shim.pairhmm._cuda import Engine
from tests.pairhmm.cuda.conftest import assert_same_bits

MIB = 1 << 20


@pytest.fixture(scope="module")
def batch() -> Batch:
    """Return deep regions, which need more than a MiB."""
    return pairhmm_opened.first_batch()[:2]


@pytest.fixture(scope="module")
def want(batch: Batch) -> NDArray[np.float64]:
    """Return the likelihoods that the CPU engine computes."""
    with PairHMM(backend="cpu") as engine:
        return engine.compute(batch)


@pytest.mark.parametrize(("mib", "threads"), [(1, 4), (3, 1), (1000, 4)])
def test_a_limit_on_memory(
    fake_gpus: Any, batch: Batch, want: NDArray[np.float64], mib: int, threads: int
) -> None:
    driver = fake_gpus(kernels="pairhmm", slow=True)
    engine = Engine(threads=threads, most_memory=mib * MIB)
    assert_same_bits(engine.compute(batch), want)
    if mib == 1000:
        assert driver.most_memory[0] > 3 * MIB
    else:
        assert 0 < driver.most_memory[0] <= mib * MIB
    assert engine.statistics()["cuda_pairs"] == batch.pairs
    assert engine.devices == ("fake 0",)
    engine.close()


def test_chunks_that_do_not_fit_are_computed_by_the_cpu(fake_gpus: Any, batch: Batch) -> None:
    driver = fake_gpus(kernels="pairhmm")
    engine = Engine(most_memory=1 << 16)
    values = engine.compute(concatenated([batch[:1], batch[:1]]))
    assert np.isfinite(values).all()
    assert engine.statistics()["cuda_pairs"] == 0
    assert driver.most_memory == [0]
    # The device is not lost.
    assert engine.devices == ("fake 0",)
    engine.close()


@pytest.mark.parametrize(("chosen", "most"), [("", 1024), ("1500", 1500), ("3", 3)])
def test_memory_of_an_engine_of_the_library(
    fake_gpus: Any, monkeypatch: pytest.MonkeyPatch, chosen: str, most: int
) -> None:
    fake_gpus(result=-1.0)
    monkeypatch.setenv("GKL_SHIM_DEVICE_MEMORY", chosen)
    _, record, _owners = pairhmm_opened.opened(None)
    assert record.options.devices[0].memory_bytes == most * MIB


@pytest.mark.parametrize("chosen", ["0", "-1", "1.5", "2g", "٣", "9" * 13, "9" * 5000])
def test_a_wrong_limit_is_refused(
    fake_gpus: Any, monkeypatch: pytest.MonkeyPatch, chosen: str
) -> None:
    fake_gpus()
    monkeypatch.setenv("GKL_SHIM_DEVICE_MEMORY", chosen)
    with pytest.raises(BackendUnavailable) as error:
        Engine()
    assert str(error.value) == (
        f"GKL_SHIM_DEVICE_MEMORY={chosen}: give a whole number of MiB above 0, of at most 12 digits"
    )
