"""A signal handler that raises an exception ends a native call."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from gkl_shim import _native
from gkl_shim.pairhmm import PairHMM
from gkl_shim.pdhmm import PDHMM
from gkl_shim.prefilter import Prefilter

LETTERS = np.frombuffer(b"ACGT", np.uint8)


class AlarmError(Exception):
    """What the signal handler raises."""


def sequences(count: int, length: int) -> list[bytes]:
    random = np.random.default_rng(count)
    return [row.tobytes() for row in LETTERS[random.integers(4, size=(count, length))]]


def pairhmm(factor: int) -> Callable[[], Any]:
    reads = [(read, 30) for read in sequences(100 * factor, 150)]
    haplotypes = sequences(100, 400)
    engine = PairHMM(threads=1, backend="cpu")
    return lambda: engine.likelihoods(reads, haplotypes)


def pdhmm(factor: int) -> Callable[[], Any]:
    reads = [(read, 30) for read in sequences(100 * factor, 150)]
    haplotypes = sequences(100, 400)
    engine = PDHMM(threads=1)
    return lambda: engine.likelihoods(reads, haplotypes)


@pytest.fixture
def alarm() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize("room", [pairhmm, pdhmm])
def test_a_long_call_ends(room: Callable[[int], Callable[[], Any]]) -> None:
    call = room(50)
    begin = time.thread_time()
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    with pytest.raises(AlarmError):
        call()
    # Otherwise the call takes ten seconds or so.
    assert time.thread_time() - begin < 2


@pytest.mark.usefixtures("alarm")
def test_the_prefilter_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_native, "INTERVAL", 0)
    rows = np.frombuffer(b"".join(sequences(1_000, 250)), np.uint8).reshape(1_000, 250)
    reads, segments = np.tile(rows, (1_000, 1)), np.tile(rows[::-1], (1_000, 1))
    results = np.full(len(reads), 99, np.int16)
    engine = Prefilter(20, threads=1, backend="cpu")
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    with pytest.raises(AlarmError):
        engine.edits(reads, segments, out=results)
    assert results[-1] == 99


@pytest.mark.usefixtures("alarm")
def test_a_call_in_another_thread_does_not_end() -> None:
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(pairhmm(2))
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(AlarmError):
            found.result()
        assert found.result().shape == (200, 100)


def test_a_handler_that_raises_nothing_changes_nothing() -> None:
    call = pairhmm(2)
    want = call()
    rings: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rings.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        assert np.array_equal(call(), want)
        assert len(rings) > 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
