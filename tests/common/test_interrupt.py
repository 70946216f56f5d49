"""A signal handler in a native call: its exception ends the call, and it may make other calls."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pytest

from gkl_shim import mem
from gkl_shim.common import _native
from gkl_shim.common._ragged import ragged
from gkl_shim.correct import Spectrum
from gkl_shim.correct._native_correct import Counter
from gkl_shim.mem import _native_mem
from gkl_shim.pairhmm import PairHMM
from gkl_shim.pdhmm import PDHMM
from gkl_shim.prefilter import Prefilter
from gkl_shim.smithwaterman import SmithWaterman
from tests.conftest import Bell

LETTERS = np.frombuffer(b"ACGT", np.uint8)


class AlarmError(Exception):
    """What the signal handler raises."""


def sequences(count: int, length: int) -> list[bytes]:
    random = np.random.default_rng(count)
    return [row.tobytes() for row in LETTERS[random.integers(4, size=(count, length))]]


def likelihoods(
    engine: Any, threads: int = 1, factor: float = 2, haplotypes: int = 25
) -> Callable[[], Any]:
    reads = [(read, 30) for read in sequences(int(100 * factor), 150)]
    alleles = sequences(haplotypes, 400)
    opened = engine(threads=threads)
    return lambda: opened.likelihoods(reads, alleles).tolist()


def pairhmm(threads: int) -> PairHMM:
    return PairHMM(threads=threads, backend="cpu")


@pytest.fixture
def alarm() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize("engine", [pairhmm, PDHMM])
def test_a_long_call_ends(engine: Any) -> None:
    call = likelihoods(engine, 1, 50, 100)
    begin = time.thread_time()
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    with pytest.raises(AlarmError):
        call()
    # Otherwise the call takes ten seconds or so.
    assert time.thread_time() - begin < 2


@pytest.mark.usefixtures("alarm")
def test_a_call_in_another_thread_does_not_end() -> None:
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(likelihoods(pairhmm, haplotypes=100))
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(AlarmError):
            found.result()
        assert len(found.result()) == 200


def test_a_handler_that_raises_nothing_changes_nothing() -> None:
    call = likelihoods(pairhmm, haplotypes=100)
    want = call()
    rings: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rings.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        assert call() == want
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
@pytest.mark.parametrize(
    ("engine", "within", "factor"), [(pairhmm, PDHMM, 2), (PDHMM, pairhmm, 0.5)]
)
def test_a_handler_may_compute(
    bell: Bell, handle: Any, engine: Any, within: Any, factor: float, threads: int
) -> None:
    """As many pairs as the call that it interrupts, or fewer. It is interrupted itself, too."""
    outer, inner = likelihoods(engine, threads), likelihoods(within, threads, factor)
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
            assert values == want
            if found:
                break
        assert len(found) == 3 or threads == 2
        assert found == [want_within] * len(found)


@pytest.mark.parametrize("within", [pairhmm, PDHMM])
def test_a_call_ends_after_one_in_a_handler(bell: Bell, handle: Any, within: Any) -> None:
    outer, inner = likelihoods(pairhmm), likelihoods(within)
    want, want_within = outer(), inner()
    asked: list[int] = []

    def compute_first() -> None:
        if asked:
            raise AlarmError
        assert inner() == want_within
        asked.append(bell.questions)
        bell.ring()

    handle(compute_first)
    bell.ring()
    with pytest.raises(AlarmError):
        outer()
    assert bell.questions == asked[0] + 1
    assert outer() == want


def test_the_function_before_is_returned() -> None:
    ffi, lib = _native.library()
    one, other = (ffi.callback("int32_t(void)", lambda: 0) for _ in range(2))
    try:
        assert lib.gkl_shim_interruptible(one, 0) == ffi.NULL
        assert lib.gkl_shim_interruptible(other, 0) == one
    finally:
        assert lib.gkl_shim_interruptible(ffi.NULL, 0) == other


def letters(count: int) -> bytes:
    return LETTERS[np.random.default_rng(count).integers(4, size=count)].tobytes()


REFERENCE = letters(1_000_000)
QUERY = letters(1_200_000) + REFERENCE[400_000:400_100]
#: Each base of the genome is in 20 reads or so, and each read has an error.
GENOME = letters(100_001)
READS = [
    GENOME[at : at + 50] + b"N" + GENOME[at + 51 : at + 100]
    for at in np.random.default_rng(5).integers(100_000 - 100, size=20_000).tolist()
]


def indexed(threads: int) -> Callable[[], Any]:
    def build() -> Any:
        with mem.Index([REFERENCE], min_length=16, threads=threads, backend="cpu") as index:
            return index.find([REFERENCE[500_000:500_040]]).tolist()

    return build


def searched(threads: int) -> Callable[[], Any]:
    index = mem.Index([REFERENCE], min_length=16, threads=threads, backend="cpu")
    return lambda: index.find([QUERY], strands="both").tolist()


def searched_in_pages(threads: int) -> Callable[[], Any]:
    index = mem.Index(
        [REFERENCE],
        min_length=16,
        threads=threads,
        backend="cpu",
        page_letters=300_000,
        memory=10**6,
    )
    assert not index.information.resident
    return lambda: index.find([QUERY], strands="both").tolist()


def counted(threads: int) -> Callable[[], Any]:
    def count() -> Any:
        made = Spectrum.from_reads(READS, k=21, threads=threads, backend="cpu")
        return made.histogram.tolist(), made._open().information().slots.tolist()

    return count


def corrected(threads: int) -> Callable[[], Any]:
    spectrum = Spectrum.from_reads(READS, k=21, threads=threads, backend="cpu")
    return lambda: spectrum.correct(READS, threads=threads).letters.tolist()


def aligned(threads: int) -> Callable[[], Any]:
    references, aligner = sequences(2_000, 120), SmithWaterman(threads=threads)
    alternatives = [each[30:60] + each[61:100] for each in references]
    return lambda: aligner.align(references, alternatives).cigars


def filtered(threads: int) -> Callable[[], Any]:
    rows = np.frombuffer(b"".join(sequences(1_000, 250)), np.uint8).reshape(1_000, 250)
    reads, segments = np.tile(rows, (100, 1)), np.tile(rows[::-1], (100, 1))
    engine = Prefilter(20, threads=threads, backend="cpu")
    return lambda: engine.edits(reads, segments).tolist()


Room: TypeAlias = Callable[[int], Callable[[], Any]]
ROOMS: list[Room] = [
    indexed, searched, searched_in_pages, counted, corrected, aligned, filtered,
    partial(likelihoods, pairhmm), partial(likelihoods, PDHMM),
]  # fmt: skip


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("room", ROOMS)
def test_a_call_ends(bell: Bell, room: Room, threads: int) -> None:
    """It asks no further question, and the next call is right."""
    call = room(threads)
    begin = bell.questions
    want = call()
    assert bell.questions - begin > 8 or threads == 2
    for after in (0, 4):
        bell.ring(after)
        begin = bell.questions
        with pytest.raises(AlarmError):
            list(repeated(call, threads))
        assert bell.questions - begin == after + 1
        assert call() == want


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("room", ROOMS)
def test_a_handler_may_make_the_same_call(
    bell: Bell, handle: Any, room: Room, threads: int
) -> None:
    call = room(threads)
    want, results = call(), []
    handle(lambda: results.append(call()))
    for after in (0, 4):
        bell.ring(after)
        for result in repeated(call, threads):
            assert result == want
            if results:
                break
        assert results.pop() == want


def test_a_handler_may_search_an_index_that_is_being_built(bell: Bell, handle: Any) -> None:
    """The first search builds it under a lock, and does not ask meanwhile."""
    sequences = [mem.native_sequences(each, "") for each in (REFERENCE, QUERY)]
    options = {"min_length": 16, "threads": 1, "deferred": 1, "borrowed": 1}
    want = mem.find(REFERENCE, QUERY, min_length=16, threads=1, backend="cpu").tolist()
    # It asks about five times while it copies the query, which comes first.
    for after in range(0, 12, 2):
        index = _native_mem.Index.build(sequences[0], **options)
        results = []

        def search(index: _native_mem.Index = index) -> Any:
            return index.find(sequences[1], 16, "mem", "forward").array().tolist()

        handle(lambda search=search, results=results: results.append(search()))
        bell.ring(after)
        assert search() == want
        assert results == [want]


@pytest.mark.usefixtures("alarm")
def test_an_interrupted_counter_is_unchanged_or_refuses(bell: Bell) -> None:
    """Reads are checked first, which changes nothing. Then they are counted."""

    def histogram(counter: Counter) -> list[int]:
        assert counter.end_pass()
        return counter.histogram()[0].tolist()

    reads = ragged(READS, "reads")
    whole = Counter(21, 1, 0)
    begin = bell.questions
    whole.count(reads)
    all_questions = bell.questions - begin
    want = histogram(whole)
    refused = 0
    for after in range(all_questions):
        counter = Counter(21, 1, 0)
        bell.ring(after)
        with pytest.raises(AlarmError):
            counter.count(reads)
        try:
            counter.count(reads)
            assert histogram(counter) == want
        except ValueError as error:
            assert str(error).startswith("an earlier call failed or is still running")
            refused += 1
    assert 0 < refused < all_questions


@pytest.mark.usefixtures("alarm")
def test_a_pass_whose_end_was_interrupted(bell: Bell) -> None:
    counter = Counter(21, 1, 0)
    counter.count(ragged(READS, "reads"))
    bell.ring(after=200)
    with pytest.raises(AlarmError):
        counter.end_pass()
    with pytest.raises(ValueError, match="the counter is incomplete; open another"):
        counter.end_pass()


def test_a_counter_refuses_a_call_within_its_call(bell: Bell, handle: Any) -> None:
    whole, counter, reads = Counter(21, 1, 0), Counter(21, 1, 0), ragged(READS, "reads")
    begin = bell.questions
    whole.count(reads)
    handle(lambda: counter.count(reads))
    # The last question of the call is asked while it counts.
    bell.ring(after=bell.questions - begin - 1)
    with pytest.raises(ValueError, match="an earlier call failed or is still running"):
        counter.count(reads)
