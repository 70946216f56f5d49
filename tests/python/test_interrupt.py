"""A signal handler in a native call: its exception ends the call, and it may make other calls."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np
import pytest

from gkl_shim import _native
from gkl_shim.pairhmm import PairHMM
from gkl_shim.pdhmm import PDHMM
from gkl_shim.prefilter import Prefilter
from tests.bell import Bell

LETTERS = np.frombuffer(b"ACGT", np.uint8)


class AlarmError(Exception):
    """What the signal handler raises."""


def sequences(count: int, length: int) -> list[bytes]:
    random = np.random.default_rng(count)
    return [row.tobytes() for row in LETTERS[random.integers(4, size=(count, length))]]


#: Computes pairs of reads and haplotypes.
Room: TypeAlias = Callable[..., Callable[[], Any]]


def pairhmm(factor: float, threads: int = 1, haplotypes: int = 100) -> Callable[[], Any]:
    reads = [(read, 30) for read in sequences(int(100 * factor), 150)]
    alleles = sequences(haplotypes, 400)
    engine = PairHMM(threads=threads, backend="cpu")
    return lambda: engine.likelihoods(reads, alleles)


def pdhmm(factor: float, threads: int = 1, haplotypes: int = 100) -> Callable[[], Any]:
    reads = [(read, 30) for read in sequences(int(100 * factor), 150)]
    alleles = sequences(haplotypes, 400)
    engine = PDHMM(threads=threads)
    return lambda: engine.likelihoods(reads, alleles)


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
def test_a_long_call_ends(room: Room) -> None:
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


def repeated(call: Callable[[], Any], threads: int) -> Iterator[Any]:
    """Make a call once, or often if another thread may do all tasks of one that asks nothing."""
    for _ in range(1 if threads == 1 else 1_000):
        yield call()
    pytest.fail("no signal was raised")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("factor", [2, 0.5])
@pytest.mark.parametrize("within", [pairhmm, pdhmm])
@pytest.mark.parametrize("room", [pairhmm, pdhmm])
def test_a_handler_may_compute(
    bell: Bell, handle: Any, room: Room, within: Room, factor: float, threads: int
) -> None:
    """As many pairs as the call that it interrupts, or fewer. It is interrupted itself, too."""
    outer, inner = room(2, threads, 25), within(factor, threads, 25)
    want, want_within = outer(), inner()
    found: list[Any] = []
    rings: list[int] = []

    def compute() -> None:
        rings.append(1)
        if len(rings) < 3:
            bell.ring()
        found.append(inner())

    handle(compute)
    for after in (0, 2):
        rings.clear()
        found.clear()
        bell.ring(after)
        for values in repeated(outer, threads):
            assert np.array_equal(values, want)
            if found:
                break
        assert len(found) == 3 or threads == 2
        for each in found:
            assert np.array_equal(each, want_within)


def test_a_handler_may_use_the_same_engine(bell: Bell, handle: Any) -> None:
    call = pairhmm(2, haplotypes=25)
    want, found = call(), []
    handle(lambda: found.append(call()))
    bell.ring(after=3)
    assert np.array_equal(call(), want)
    assert np.array_equal(found, [want])


@pytest.mark.parametrize("within", [pairhmm, pdhmm])
def test_a_call_ends_after_one_in_a_handler(bell: Bell, handle: Any, within: Room) -> None:
    outer, inner = pairhmm(2, haplotypes=25), within(2, haplotypes=25)
    want, want_within = outer(), inner()
    asked: list[int] = []

    def compute_first() -> None:
        if asked:
            raise AlarmError
        assert np.array_equal(inner(), want_within)
        asked.append(bell.questions)
        bell.ring()

    handle(compute_first)
    bell.ring()
    with pytest.raises(AlarmError):
        outer()
    assert bell.questions == asked[0] + 1
    assert np.array_equal(outer(), want)


def test_an_exception_in_a_handlers_call_ends_both(bell: Bell, handle: Any) -> None:
    outer, inner = pairhmm(2, haplotypes=25), pairhmm(2, haplotypes=25)
    want = outer()
    rings: list[int] = []

    def compute_or_raise() -> None:
        rings.append(1)
        if len(rings) > 1:
            raise AlarmError
        bell.ring()
        inner()

    handle(compute_or_raise)
    bell.ring()
    before = bell.questions
    with pytest.raises(AlarmError):
        outer()
    assert bell.questions == before + 2
    assert np.array_equal(outer(), want)


def test_a_short_call_in_a_handler_does_not_ask(bell: Bell, handle: Any) -> None:
    """It would end with an error of its own."""
    outer, inner = pairhmm(2, haplotypes=25), pairhmm(0.01)
    want, want_within = outer(), inner()
    before = bell.questions
    assert np.array_equal(inner(), want_within)
    assert bell.questions == before
    found: list[Any] = []

    def compute() -> None:
        before = bell.questions
        found.append(inner())
        assert bell.questions == before

    handle(compute)
    bell.ring()
    assert np.array_equal(outer(), want)
    assert np.array_equal(found, [want_within])


def test_the_function_before_is_returned() -> None:
    ffi, lib = _native.library()
    one, other = (ffi.callback("int32_t(void)", lambda: 0) for _ in range(2))
    try:
        assert lib.gkl_shim_interruptible(one, 0) == ffi.NULL
        assert lib.gkl_shim_interruptible(other, 0) == one
    finally:
        assert lib.gkl_shim_interruptible(ffi.NULL, 0) == other
