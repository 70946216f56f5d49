"""Read correction on a device: the CPU engine's spectra and reads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gkl_shim.correct import CORRECTED, SHORT, SOLID, UNSOLVED, Spectrum
from gkl_shim.correct._cuda import Engine
from gkl_shim.correct._native_correct import METHODS
from gkl_shim.cuda.devices import device_count
from tests.correct.test_correct import random_reads
from tests.correct.test_cuda import (
    LIMITS,
    USUAL,
    compare_long_reads,
    counted,
    qualities_of,
    same_reads,
    same_spectrum,
)

pytestmark = pytest.mark.usefixtures("gpu")


@pytest.fixture(scope="module")
def engine():
    made = Engine()
    yield made
    made.close()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [11, 13, 16, 19, 21, 27, 31])
def test_as_the_cpu(engine, method: str, k: int) -> None:
    clean, _ = random_reads(1, genome=20_000, rate=0, depth=20)
    spectrum, passes = counted(clean, k, 3, engine)
    assert passes == 1
    same_spectrum(spectrum, Spectrum.from_reads(clean, k=k, threshold=3, backend="cpu"))
    states = []
    for rate in (0.01, 0.1):
        reads, qualities = random_reads(1, genome=20_000, depth=5, length=90, rate=rate)
        for values in (None, qualities_of(qualities)):
            for limits in LIMITS:
                states += same_reads(spectrum, reads, values, method, limits, engine).tolist()
    assert {SOLID, CORRECTED, UNSOLVED, SHORT} == set(states)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.text("ACGTNacgtn", max_size=70), max_size=12),
    st.integers(11, 14),
    st.sampled_from(METHODS),
    st.data(),
)
def test_any_reads(engine, reads, k: int, method: str, data) -> None:
    every = reads + (data.draw(st.lists(st.sampled_from(reads), max_size=12)) if reads else [])
    spectrum, _ = counted(every, k, 2, engine)
    same_spectrum(spectrum, Spectrum.from_reads(every, k=k, threshold=2, backend="cpu"))
    same_reads(spectrum, every, None, method, USUAL, engine)


@pytest.mark.parametrize("method", METHODS)
def test_long_reads(engine, method: str) -> None:
    longest = 20_000 if method == "search" else 3000
    compare_long_reads(engine, method, (511, 512, 513, 1300, longest, 5, 700))


@pytest.mark.parametrize("k", [21, 31])
def test_frequent_kmers(engine, k: int) -> None:
    """All lanes of all warps count the same k-mer."""
    reads = ["A" * 300] * 2000 + ["AC" * 150] * 2000
    for threshold in (None, 2047):
        spectrum, _ = counted(reads, k, threshold, engine)
        want = Spectrum.from_reads(reads, k=k, threshold=threshold, backend="cpu")
        same_spectrum(spectrum, want)
        assert spectrum.kmers == 3


def test_small_memory_needs_several_passes(engine) -> None:
    """Each device has this memory, and a share of the k-mers."""
    reads, _ = random_reads(6, genome=300_000 * len(engine.devices), depth=4)
    want = Spectrum.from_reads(reads, k=21, threshold=2, backend="cpu")
    spectrum, passes = counted(reads, 21, 2, engine, 3_000_000)
    same_spectrum(spectrum, want)
    assert passes > 1


@pytest.mark.parametrize("method", METHODS)
def test_every_number_of_devices(method: str) -> None:
    rng = np.random.default_rng(7)
    genome = np.frombuffer(b"ACGT", np.uint8)[rng.integers(0, 4, 300_000)]
    starts = rng.integers(0, len(genome) - 99, 60_000)
    letters = genome[starts[:, None] + np.arange(100)]
    wrong = rng.random(letters.shape) < 0.01
    letters[wrong] = np.frombuffer(b"ACGTN", np.uint8)[rng.integers(0, 5, int(wrong.sum()))]
    arrays = (letters.reshape(-1), np.arange(0, letters.size + 1, 100))
    qualities = rng.integers(2, 40, letters.size).astype(np.uint8)
    want = Spectrum.from_reads(arrays, backend="cpu")
    expected = want.correct(arrays, qualities, method=method)
    for count in range(1, device_count() + 1):
        devices = list(range(count))
        spectrum = Spectrum.from_reads(arrays, backend="cuda", devices=devices)
        same_spectrum(spectrum, want)
        found = spectrum.correct(arrays, qualities, method=method)
        for name in ("letters", "states", "begins", "ends", "changed_positions"):
            assert (getattr(found, name) == getattr(expected, name)).all()
