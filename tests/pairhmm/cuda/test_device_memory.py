"""The CUDA engine keeps to a limit on device memory, on which its results do not depend, and leaves
some regions to the CPU."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gkl_shim.errors import BackendUnavailable
from gkl_shim.pairhmm import Batch, PairHMM, Read
from gkl_shim.pairhmm import _cuda as cuda
from gkl_shim.pairhmm._convert import haplotype_batch, read_batch
from gkl_shim.pairhmm._copies import concatenated
from gkl_shim.pairhmm._cuda import Engine
from tests.pairhmm.cuda.conftest import assert_same_bits, random_region
from tests.pairhmm.cuda.test_cuda_planner import planned

MIB = 1 << 20


@pytest.fixture(scope="module")
def batch() -> Batch:
    """Return deep regions, which need more than a MiB."""
    return cuda.first_batch()[:2]


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
    opened = cuda.opened(None)
    assert opened.options.options.devices[0].memory_bytes == most * MIB


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


def test_too_many_states_are_left_to_the_cpu():
    known = ["".join(letters) for letters in itertools.product("ACGT", repeat=8)][:20_000]
    crowd = Batch(
        read_batch([("ACGT" * 5, 30)] * 3, (45, 45, 10)),
        haplotype_batch([haplotype * 2 for haplotype in known]),
    )
    small = random_region(random.Random(1), 5, 2, 100, "usual")
    values, chunks, number = planned(
        concatenated([small, crowd, small]), "single", 1 << 40, 1 << 40
    )
    assert number == 2 * small.pairs
    assert sum(chunk.missing for chunk in chunks) == crowd.pairs
    assert np.isnan(values[small.pairs : -small.pairs]).all()
    assert not np.isnan(values[: small.pairs]).any()


def test_reads_that_no_device_can_compute(fake_gpus):
    """Their states need too much memory: the CPU computes them, in either precision."""
    fake_gpus(kernels="pairhmm")
    rnd = random.Random(24)
    haplotypes = ["".join(rnd.choices("ACGT", k=900)) for _ in range(6)]
    reads = [Read(haplotypes[0][:800], 30), Read(haplotypes[1][:20], 30)]
    batch = Batch(read_batch(reads, (45, 45, 10)), haplotype_batch(haplotypes))
    for precision in ("single", "double"):
        engine = cuda.Engine(precision=precision, threads=1, most_memory=1 << 16)
        values = engine.compute(batch)
        done = engine.statistics()
        engine.close()
        assert_same_bits(values, PairHMM(backend="cpu", precision=precision).compute(batch))
        assert done["cuda_pairs"] < batch.pairs


def test_a_region_with_too_many_letters(fake_gpus):
    """The CPU computes it. It may be the first, the last, or between others."""
    fake_gpus(kernels="pairhmm")
    letters = "".join(random.Random(25).choices("ACGT", k=1000))
    crowd = Batch(
        read_batch([(letters[5 * k : 5 * k + 9], 30) for k in range(10)], (45, 45, 10)),
        haplotype_batch([letters * 9000, letters[::-1] * 9000]),
    )
    small = random_region(random.Random(2), 5, 2, 100, "usual")
    for precision in ("single", "double"):
        batch = concatenated([crowd, small, crowd, small, small, crowd])
        want = PairHMM(backend="cpu", precision=precision).compute(batch)
        engine = cuda.Engine(precision=precision)
        assert_same_bits(engine.compute(batch), want)
        assert engine.statistics()["cuda_pairs"] == 3 * small.pairs
        engine.close()


def test_very_many_short_haplotypes(fake_gpus):
    """The CPU engine computes them in pieces. Both engines leave the cuts in the middle then."""
    fake_gpus(kernels="pairhmm")
    rnd = random.Random(26)
    haplotypes = ["".join(rnd.choices("ACGT", k=6)) for _ in range(20_000)]
    batch = Batch(read_batch([("ACGTA", 30), ("TTG", 20)], (45, 45, 10)),
                  haplotype_batch(haplotypes))  # fmt: skip
    engine = cuda.Engine()
    assert_same_bits(engine.compute(batch), PairHMM(backend="cpu").compute(batch))
    assert engine.statistics()["cuda_pairs"] == batch.pairs
    engine.close()
