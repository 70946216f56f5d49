"""The Python interface: forms of input give the same results, and wrong input is refused."""

from __future__ import annotations

import array
import gc
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pysam
import pytest

from gkl_shim.bench.regions import regions as generated_regions
from gkl_shim.common import _native
from gkl_shim.pairhmm import (
    Batch,
    HaplotypeBatch,
    PairHMM,
    Read,
    ReadBatch,
    _stream,
    likelihoods,
    stream,
)
from gkl_shim.pairhmm._copies import concatenated

BASES = "ACGTNACG"
QUALS = [30, 31, 32, 2, 34, 35, 36, 37]
HAPLOTYPES = ["ACGTAACGTT", "ACGTACG"]


def _uint8(values: Any) -> np.ndarray:
    return np.array(list(values), np.uint8)


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    read = (BASES.encode(), bytes(QUALS), bytes([45] * 8), bytes([45] * 8), bytes([10] * 8))
    return likelihoods([read], [haplotype.encode() for haplotype in HAPLOTYPES])


@pytest.mark.parametrize(
    "read",
    [
        Read(BASES, QUALS),
        Read(BASES.lower(), QUALS),
        Read(BASES.encode(), bytes(QUALS)),
        Read(bytearray(BASES.encode()), bytearray(QUALS)),
        Read(memoryview(BASES.encode()), memoryview(bytes(QUALS))),
        Read(_uint8(BASES.encode()), np.array(QUALS)),
        Read(np.repeat(_uint8(BASES.encode()), 2)[::2], np.repeat(np.array(QUALS), 2)[::2]),
        Read(BASES, array.array("B", QUALS)),
        Read(BASES, tuple(QUALS), [45] * 8, np.full(8, 45, np.int16), np.int64(10)),
        (BASES, QUALS),
        (BASES, QUALS, 45, [45] * 8, 10),
    ],
    ids=lambda read: type(read).__name__,
)
def test_reads_in_every_form_give_the_same_likelihoods(read: Any, expected: np.ndarray) -> None:
    assert np.array_equal(likelihoods([read], HAPLOTYPES), expected)


def test_pysam_reads_give_the_same_likelihoods_and_need_qualities(expected: np.ndarray) -> None:
    read = pysam.AlignedSegment()
    read.query_sequence = BASES
    read.query_qualities = array.array("B", QUALS)
    assert np.array_equal(likelihoods([read], HAPLOTYPES), expected)
    assert np.array_equal(
        likelihoods([read], HAPLOTYPES, insertion_quals=30, deletion_quals=[31] * 8),
        likelihoods([Read(BASES, QUALS, 30, 31)], HAPLOTYPES),
    )
    read.query_qualities = None
    with pytest.raises(ValueError, match=r"^reads\[0\]\.quals: missing$"):
        likelihoods([read], HAPLOTYPES)


def test_default_gap_qualities_apply_only_to_reads_without_their_own(expected: np.ndarray) -> None:
    changed = likelihoods([(BASES, QUALS)], HAPLOTYPES, continuation_quals=20)
    assert not np.array_equal(changed, expected)
    own = [(BASES, QUALS, 45, 45, 10)]
    assert np.array_equal(likelihoods(own, HAPLOTYPES, continuation_quals=20), expected)


@pytest.mark.parametrize(
    "haplotypes",
    [
        [haplotype.encode() for haplotype in HAPLOTYPES],
        [bytearray(haplotype.lower().encode()) for haplotype in HAPLOTYPES],
        [_uint8(haplotype.encode()) for haplotype in HAPLOTYPES],
        (haplotype for haplotype in HAPLOTYPES),
        HaplotypeBatch.from_arrays(np.array([0, 10, 17]), "".join(HAPLOTYPES).encode()),
    ],
)
def test_haplotypes_in_every_form_give_the_same_likelihoods(
    haplotypes: Any, expected: np.ndarray
) -> None:
    assert np.array_equal(likelihoods([Read(BASES, QUALS)], haplotypes), expected)


@pytest.mark.parametrize(
    ("reads", "haplotypes", "shape"),
    [([], ["A"], (0, 1)), ([("A", 30)], [], (1, 0)), ([], [], (0, 0))],
)
def test_empty_lists_give_an_empty_matrix(
    reads: Any, haplotypes: Any, shape: tuple[int, int]
) -> None:
    got = likelihoods(reads, haplotypes)
    assert got.shape == shape
    assert got.dtype == np.float64


GOOD = ("ACGT", 30)


class OnGpu:
    """NumPy gets from it what a PyTorch tensor on a GPU raises."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


@pytest.mark.parametrize(
    ("reads", "haplotypes", "message"),
    [
        (None, ["A"], "reads: expected a sequence of reads, got None"),
        ("ACGT", ["A"], "reads: expected a sequence of reads, got one str"),
        (Read("A", 1), ["A"], "reads: expected a sequence of reads, got one Read"),
        (7, ["A"], "reads: expected a sequence of reads, got int"),
        ([GOOD, None], ["A"], "reads[1]: expected a Read, a pysam read or a tuple, got None"),
        ([GOOD, "A"], ["A"], "reads[1]: expected a Read, a pysam read or a tuple, got str"),
        (
            [("A",)],
            ["A"],
            "reads[0]: a tuple of 1; expected (bases, quals) or (bases, quals, "
            "insertion_quals, deletion_quals, continuation_quals)",
        ),
        (
            [GOOD, (None, 30)],
            ["A"],
            "reads[1].bases: expected bytes, str or a uint8 array, got None",
        ),
        ([("", 30)], ["A"], "reads[0].bases: is empty"),
        ([("ACXT", 30)], ["A"], "reads[0].bases: letter 'X' at base 2 is none of ACGTN"),
        ([("AC T", 30)], ["A"], "reads[0].bases: letter 0x20 at base 2 is none of ACGTN"),
        (
            [(np.array([65, 67]), 30)],
            ["A"],
            "reads[0].bases: expected a one-dimensional uint8 array, got int64 of shape (2,)",
        ),
        ([("ACGT", None)], ["A"], "reads[0].quals: missing"),
        ([("ACGT", [1, 2])], ["A"], "reads[0].quals: 2 values for 4 bases"),
        (
            [("ACGT", "IIII")],
            ["A"],
            "reads[0].quals: expected numbers, got text; take 33 off printable qualities",
        ),
        (
            [("ACGT", [1, 2, 128, 3])],
            ["A"],
            "reads[0].quals: quality 128 at base 2 is not within 0..127",
        ),
        (
            [("ACGT", [1.5, 2, 3, 4])],
            ["A"],
            "reads[0].quals: expected whole numbers in one dimension, got float64 of shape (4,)",
        ),
        ([("ACGT", [[1], [2, 3]])], ["A"], "reads[0].quals: expected one number a base"),
        ([("ACGT", OnGpu())], ["A"], "reads[0].quals: expected one number a base"),
        ([("ACGT", True)], ["A"], "reads[0].quals: quality True is not within 0..127"),
        ([GOOD, ("AC", 30, 45, [45], 10)], ["A"], "reads[1].deletion_quals: 1 values for 2 bases"),
        (
            [("AC", 30, 128, 45, 10)],
            ["A"],
            "reads[0].insertion_quals: quality 128 is not within 0..127",
        ),
        ([("AC", 30, 45, 45, None)], ["A"], "reads[0].continuation_quals: missing"),
        ([GOOD], None, "haplotypes: expected a sequence of haplotypes, got None"),
        ([GOOD], b"ACGT", "haplotypes: expected a sequence of haplotypes, got one bytes"),
        (
            [GOOD],
            np.array([65], np.uint8),
            "haplotypes: expected a sequence of haplotypes, got one ndarray",
        ),
        (
            [GOOD],
            {"A": "A"},
            "haplotypes: expected a sequence of haplotypes, got a dict; give its values",
        ),
        ([GOOD], ["A", None], "haplotypes[1]: expected bytes, str or a uint8 array, got None"),
        ([GOOD], ["A", ""], "haplotypes[1]: is empty"),
        ([GOOD], ["A", "A-"], "haplotypes[1]: letter '-' at base 1 is none of ACGTN"),
    ],
)
def test_a_wrong_read_or_haplotype_is_refused(reads: Any, haplotypes: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:
        likelihoods(reads, haplotypes)
    assert str(error.value) == message
    with pytest.raises(ValueError) as error:
        list(stream([([GOOD], ["ACGT"]), (reads, haplotypes)]))
    assert str(error.value) == f"regions[1]: {message}"


def test_another_precision_is_refused() -> None:
    message = "^precision is 'half', not one of single, double$"
    with pytest.raises(ValueError, match=message):
        PairHMM(precision="half")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        stream([], precision="half")  # type: ignore[arg-type]


def test_a_region_that_is_divided_between_haplotypes_has_the_same_bits() -> None:
    """A tile of all haplotypes would take a second. They have too many letters for chosen cuts."""
    random = np.random.default_rng(8)
    letters = np.frombuffer(b"ACGT", np.uint8)
    haplotypes = list(letters[random.integers(4, size=(60, 9_200))])
    reads = [(haplotypes[0][at : at + 500].tobytes(), 30) for at in range(0, 8_000, 500)]
    with PairHMM(backend="cpu") as engine:
        want = [engine.likelihoods(reads, haplotypes[h : h + 5]) for h in range(0, 60, 5)]
        assert np.array_equal(engine.likelihoods(reads, haplotypes), np.concatenate(want, axis=1))


def test_a_stream_may_mix_objects_and_batches() -> None:
    batch = generated_regions(3, seed=3)
    regions = [([GOOD], ["ACGT"]), batch, ([], ["A"]), (batch.reads, batch.haplotypes)]
    shapes = [values.shape for values in stream(regions)]
    want = [(1, 1), *map(tuple, batch.shapes.tolist()), (0, 1)]
    assert shapes == [*want, (len(batch.reads), len(batch.haplotypes))]


def test_an_empty_stream_gives_nothing() -> None:
    assert list(stream([])) == []


@pytest.mark.parametrize("region", [None, "A", ([GOOD],), [[GOOD], ["A"]]])
def test_a_stream_refuses_an_item_that_is_not_a_region(region: Any) -> None:
    with pytest.raises(ValueError, match=r"^regions\[0\]: expected \(reads, haplotypes\)"):
        list(stream([region]))


def test_a_stream_returns_the_results_before_an_error() -> None:
    results = stream([([GOOD], ["ACGT"]), ([GOOD], ["ACGA"]), ([GOOD], ["X"])])
    assert next(results).shape == (1, 1)
    assert next(results).shape == (1, 1)
    with pytest.raises(ValueError, match=r"^regions\[2\]: haplotypes\[0\]: letter 'X'"):
        next(results)


def test_a_stream_raises_the_error_of_its_source() -> None:
    def source() -> Iterator[Any]:
        yield [GOOD], ["ACGT"]
        raise OSError("the disk is gone")

    results = stream(source())
    next(results)
    with pytest.raises(OSError, match="the disk is gone"):
        next(results)


def test_a_stream_reads_ahead_by_only_a_few_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_stream, "_GROUP_CELLS", 1)
    taken = 0

    def source() -> Iterator[Any]:
        nonlocal taken
        for _ in range(1000):
            taken += 1
            yield [GOOD], ["ACGT"]

    results = stream(source())
    for given in range(1, 51):
        next(results)
        assert taken <= given + 4
    results.close()  # type: ignore[attr-defined]


class Refilled:
    """A region in arrays that the next region overwrites, even if its lengths differ."""

    def __init__(self) -> None:
        self.sequences = _uint8(b"A" * 8192)
        self.numbers = np.zeros((4, 4096), np.uint8)
        self.ends = np.zeros((4, 8), np.int64)

    def fill(self, batch: Batch) -> None:
        reads, haplotypes = batch.reads, batch.haplotypes
        self.bases = self._kept(self.sequences[:4096], reads.bases)
        self.quals = [
            self._kept(row, track)
            for row, track in zip(self.numbers, reads.tracks[1:], strict=True)
        ]
        self.letters = self._kept(self.sequences[4096:], haplotypes.bases)
        places = (reads.offsets, haplotypes.offsets, batch.region_reads, batch.region_haplotypes)
        self.offsets = [self._kept(*pair) for pair in zip(self.ends, places, strict=True)]

    @staticmethod
    def _kept(room: np.ndarray, values: np.ndarray) -> np.ndarray:
        room[: len(values)] = values
        return room[: len(values)]

    def reads(self) -> ReadBatch:
        return ReadBatch.from_arrays(self.offsets[0], self.bases, *self.quals)

    def haplotypes(self) -> HaplotypeBatch:
        return HaplotypeBatch.from_arrays(self.offsets[1], self.letters)

    def pieces(self, array: np.ndarray, which: int) -> list[np.ndarray]:
        ends = self.offsets[which]
        return [array[ends[k] : ends[k + 1]] for k in range(len(ends) - 1)]

    def tuples(self) -> list[Any]:
        tracks = [self.pieces(track, 0) for track in (self.bases, *self.quals)]
        return list(zip(*tracks, strict=True))


REFILLED: dict[str, Any] = {
    "a batch": lambda a: Batch(a.reads(), a.haplotypes(), *a.offsets[2:]),
    "batches of reads and haplotypes": lambda a: (a.reads(), a.haplotypes()),
    "a batch of reads": lambda a: (a.reads(), a.pieces(a.letters, 1)),
    "a batch of haplotypes": lambda a: (a.tuples(), a.haplotypes()),
    "tuples of arrays": lambda a: (a.tuples(), a.pieces(a.letters, 1)),
    "reads": lambda a: ([Read(*r) for r in a.tuples()], a.pieces(a.letters, 1)),
    "memory views": lambda a: (
        [tuple(map(memoryview, r)) for r in a.tuples()],
        list(map(memoryview, a.pieces(a.letters, 1))),
    ),
}


@pytest.mark.parametrize("form", REFILLED)
@pytest.mark.parametrize("group_cells", [1, 1 << 20, 1 << 27])
def test_a_source_may_refill_its_arrays(
    monkeypatch: pytest.MonkeyPatch, form: str, group_cells: int
) -> None:
    monkeypatch.setattr(_stream, "_GROUP_CELLS", group_cells)
    regions = [generated_regions(1, seed=seed, shape=(5, 3)) for seed in range(60)]
    with PairHMM(backend="cpu") as engine:
        want = [engine.compute(region) for region in regions]
    arrays = Refilled()

    def source() -> Iterator[Any]:
        for region in regions:
            arrays.fill(region)
            yield REFILLED[form](arrays)

    for values, right in zip(stream(source(), backend="cpu"), want, strict=True):
        assert np.array_equal(values.ravel(), right)


def test_a_source_may_yield_one_batch_again_with_new_content() -> None:
    haplotype = b"ACGT" * 15
    bases, quals = _uint8(b"A" * 40), _uint8([30] * 40)
    batch = Batch(
        ReadBatch.from_arrays(np.array([0, 40]), bases, quals),
        HaplotypeBatch.from_arrays(np.array([0, 60]), haplotype),
    )
    reads = [(b"A" * 40, 30), (b"C" * 40, 20)]
    want = [likelihoods([read], [haplotype]) for read in reads]
    assert want[0] != want[1]

    def source() -> Iterator[Batch]:
        for turn in range(20):
            bases[:], quals[:] = reads[turn % 2][0][0], reads[turn % 2][1]
            yield batch

    for turn, values in enumerate(stream(source())):
        assert values == want[turn % 2]
    with PairHMM() as engine:
        for turn, (_, values) in enumerate(engine.stream_batches(source())):
            assert values == want[turn % 2]


def test_stream_batches_returns_batches_as_they_were_when_yielded() -> None:
    regions = [generated_regions(1, seed=seed, shape=(5, 3)) for seed in range(60)]
    arrays = Refilled()

    def source() -> Iterator[Batch]:
        for region in regions:
            arrays.fill(region)
            yield REFILLED["a batch"](arrays)

    with PairHMM(backend="cpu") as engine:
        want = [engine.compute(region) for region in regions]
        streamed = list(engine.stream_batches(source()))
    for (batch, values), region, right in zip(streamed, regions, want, strict=True):
        assert np.array_equal(values, right)
        assert batch.reads.bases.tobytes() == region.reads.bases.tobytes()
        assert batch.haplotypes.offsets.tolist() == region.haplotypes.offsets.tolist()


def test_a_list_of_batches_is_not_copied() -> None:
    batches = [generated_regions(1, seed=seed) for seed in range(3)]
    with PairHMM(backend="cpu") as engine:
        for (batch, _), given in zip(engine.stream_batches(batches), batches, strict=True):
            assert batch is given


def test_read_only_arrays_of_a_generator_are_not_copied() -> None:
    """Unless they are a view of memory that can be written."""
    region = generated_regions(1, seed=3)
    frozen = region.reads.bases.copy()
    frozen.setflags(write=False)
    view = region.haplotypes.bases.copy()[:]
    view.setflags(write=False)
    given = Batch(
        ReadBatch.from_arrays(region.reads.offsets, frozen, bytes(region.reads.quals)),
        HaplotypeBatch.from_arrays(region.haplotypes.offsets, view),
        region.region_reads,
        region.region_haplotypes,
    )
    with PairHMM(backend="cpu") as engine:
        ((batch, _),) = engine.stream_batches(iter([given]))
    assert batch.reads.bases is given.reads.bases
    assert batch.reads.quals is given.reads.quals
    assert batch.reads.insertion_quals is given.reads.insertion_quals
    assert batch.haplotypes.bases is not given.haplotypes.bases
    assert batch.reads.one_gap


def test_gap_qualities_that_are_numbers_share_memory() -> None:
    """Also those of concatenated batches, which stay numbers."""
    parts = [generated_regions(1, seed=seed) for seed in range(3)]
    made = [
        Batch(ReadBatch.from_arrays(r.reads.offsets, r.reads.bases, r.reads.quals, 40, 41, 9),
              r.haplotypes)
        for r in parts
    ]  # fmt: skip
    joined = concatenated(made)
    assert joined.reads.one_gap
    for batch in (*made, joined):
        for track, quality in zip(batch.reads.tracks[2:], (40, 41, 9), strict=True):
            assert track.tolist() == [quality] * len(batch.reads.bases)
            with pytest.raises(ValueError, match="read-only"):
                track[0] = 1
    again = ReadBatch.from_arrays(np.array([0, 2]), b"AC", b"!!", 40)
    assert np.shares_memory(again.insertion_quals, joined.reads.insertion_quals)
    other = ReadBatch.from_arrays(
        parts[0].reads.offsets, parts[0].reads.bases, parts[0].reads.quals, 30
    )
    mixed = concatenated([made[0], Batch(other, parts[0].haplotypes)])
    assert not mixed.reads.one_gap
    half = len(parts[0].reads.bases)
    assert mixed.reads.insertion_quals.tolist() == [40] * half + [30] * half
    with PairHMM(backend="cpu") as engine:
        want = np.concatenate([engine.compute(batch) for batch in made])
        assert np.array_equal(engine.compute(joined), want)


def _endless(closed: threading.Event) -> Iterator[Batch]:
    try:
        while True:
            yield generated_regions(1)
    finally:
        closed.set()


def test_closing_stream_batches_closes_its_source() -> None:
    closed = threading.Event()
    kept = _endless(closed)
    with PairHMM(backend="cpu") as engine:
        results = engine.stream_batches(kept)
        next(results)
        results.close()
    assert closed.is_set()


def test_closing_a_stream_closes_its_source_and_ends_its_threads() -> None:
    closed, before = threading.Event(), threading.active_count()
    results = stream(_endless(closed))
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
    del results
    assert closed.is_set()


def test_many_threads_may_share_an_engine() -> None:
    batches = [generated_regions(4, seed=seed) for seed in range(16)]
    with PairHMM(threads=2) as engine, ThreadPoolExecutor(8) as pool:
        want = [engine.compute(batch) for batch in batches]
        got = list(pool.map(engine.compute, batches * 4))
        assert engine.statistics.pairs == 5 * sum(batch.pairs for batch in batches)
    for values, same in zip(got, want * 4, strict=True):
        assert np.array_equal(values, same)


def test_a_closed_engine_refuses_calls_and_keeps_its_statistics() -> None:
    with PairHMM() as engine:
        engine.likelihoods([GOOD], ["ACGT"])
        assert engine.backend == "cpu"
    engine.close()
    assert engine.statistics.pairs == 1
    assert engine.statistics.cells == 16
    assert engine.build == _native.builds()[0]
    with pytest.raises(ValueError, match="closed"):
        engine.likelihoods([GOOD], ["ACGT"])


def test_split_returns_views() -> None:
    batch = generated_regions(3)
    # One row, one column, nothing, and many regions.
    few = [batch[:1], Batch(batch[:1].reads, batch[:1].haplotypes), batch[1:1]]
    one = HaplotypeBatch.from_arrays(np.array([0, 2]), b"AC")
    many = concatenated([*few, Batch(batch.reads, one), *[batch] * 1000])
    values = np.arange(many.pairs, dtype=np.float64)
    found = list(many.split(values))
    assert [view.shape for view in found] == [tuple(shape) for shape in many.shapes.tolist()]
    ends = np.cumsum([view.size for view in found])
    for view, end in zip(found, ends, strict=True):
        want = values[end - view.size : end].reshape(view.shape)
        assert view.dtype == want.dtype
        assert view.flags == want.flags
        assert view.strides == want.strides
        assert np.array_equal(view, want)
        assert np.shares_memory(view, values)
    found[0][:] = -1
    assert (values < 0).sum() == found[0].size
    # A view keeps the values alive.
    (last,) = batch[2:].split(np.full(batch[2:].pairs, 3.0))
    gc.collect()
    assert (last == 3).all()
    halves = np.arange(2 * batch.pairs, dtype=np.float32)
    assert next(iter(batch.split(halves[: batch.pairs]))).dtype == np.float32
    for wrong in (halves, halves[::2], halves[: batch.pairs].reshape(1, -1)):
        with pytest.raises(ValueError, match="likelihoods: expected a contiguous array of shape"):
            batch.split(wrong)


def test_making_a_batch_copies_no_arrays() -> None:
    bases = _uint8(b"ACGTAC")
    quals = _uint8([30] * 6)
    offsets = np.array([0, 4, 6], np.int64)
    reads = ReadBatch.from_arrays(offsets, bases, quals, quals, quals)
    assert reads.offsets is offsets
    assert reads.bases is bases
    assert reads.quals is reads.insertion_quals is reads.deletion_quals is quals
    assert reads.continuation_quals.tolist() == [10] * 6
    haplotypes = HaplotypeBatch.from_arrays(offsets, bases)
    assert haplotypes.bases is bases
    got = likelihoods(reads, haplotypes)
    same = likelihoods([("ACGT", 30, 30, 30, 10), ("AC", 30, 30, 30, 10)], ["ACGT", "AC"])
    assert np.array_equal(got, same)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 2], b"AXGT", b"1111"), "offsets: end at 2, but there are 4 bases"),
        (([0, 4], b"AXGT", b"1111"), "bases: letter 'X' of read 0, base 1, is none of ACGTN"),
        (([0, 2, 2, 4], b"ACGT", b"1111"), "offsets: sequence 1 is empty"),
        (([0, 3, 2, 4], b"ACGT", b"1111"), "offsets: sequence 1 has a negative length"),
        (
            # All differences of these overflow to numbers above 0.
            ([0, 2**63 - 1, -(2**63), -1, 4], b"ACGT", b"1111"),
            "offsets: sequence 1 has a negative length",
        ),
        (([1, 4], b"ACGT", b"1111"), "offsets: start at 1, not 0"),
        (
            ([], b"", b""),
            "offsets: expected one or more whole numbers in one dimension, got float64 "
            "of shape (0,)",
        ),
        (
            ([0, 4.0], b"ACGT", b"1111"),
            "offsets: expected one or more whole numbers in one "
            "dimension, got float64 of shape (2,)",
        ),
        (
            (OnGpu(), b"ACGT", b"1111"),
            "offsets: expected one or more whole numbers in one dimension",
        ),
        (([0, 4], b"ACGT", b"111"), "quals: 3 values for 4 bases"),
        (([0, 4], b"ACGT", 30), "quals: expected a uint8 array or bytes, got int"),
        (([0, 4], b"ACGT", None), "quals: expected a uint8 array or bytes, got None"),
        (([0, 4], "ACGT", b"1111"), "bases: expected a uint8 array or bytes, got str"),
        (
            ([0, 2, 4], b"ACGT", b"111\x80"),
            "quals: quality 128 of read 1, base 1, is not within 0..127",
        ),
        (([0, 4], b"ACGT", b"1111", 128), "insertion_quals: quality 128 is not within 0..127"),
        (
            ([0, 4], b"ACGT", b"1111", 45, np.zeros(4, int)),
            "deletion_quals: expected a one-dimensional uint8 array, got int64 of shape (4,)",
        ),
    ],
)
def test_wrong_read_arrays_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:
        ReadBatch.from_arrays(*arguments)
    assert str(error.value) == message


def test_wrong_haplotype_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^bases: letter '-' of haplotype 1, base 0, is none"):
        HaplotypeBatch.from_arrays(np.array([0, 2, 4]), b"AC-T")


def test_a_wrong_batch_is_refused() -> None:
    reads = ReadBatch.from_arrays(np.array([0, 1, 2]), b"AC", b"11")
    haplotypes = HaplotypeBatch.from_arrays(np.array([0, 1, 2]), b"AC")
    for arguments, message in [
        (([], haplotypes), "reads: expected a ReadBatch, got list"),
        ((reads, None), "haplotypes: expected a HaplotypeBatch, got NoneType"),
        ((reads, haplotypes, [0, 2]), "region_reads and region_haplotypes: give both or neither"),
        ((reads, haplotypes, [0, 3], [0, 2]), "region_reads: end at 3, but there are 2 reads"),
        (
            (reads, haplotypes, [0, 2], [0, 1]),
            "region_haplotypes: end at 1, but there are 2 haplotypes",
        ),
        ((reads, haplotypes, [0, 2, 1, 2], [0, 1, 1, 2]), "region_reads: decrease at region 1"),
        (
            (reads, haplotypes, [0, 2**63 - 1, -(2**63), -1, 2], [0, 0, 0, 0, 2]),
            "region_reads: decrease at region 1",
        ),
        (
            (reads, haplotypes, [0, 1, 2], [0, 2]),
            "region_haplotypes: 2 offsets where region_reads has 3",
        ),
    ]:
        with pytest.raises(ValueError) as error:
            Batch(*arguments)  # type: ignore[arg-type]
        assert str(error.value) == message
    with pytest.raises(ValueError, match="steps of 1"):
        Batch(reads, haplotypes)[::2]
    for kind in (ReadBatch, HaplotypeBatch):
        with pytest.raises(TypeError, match="from_arrays"):
            kind()


def test_generators_may_refill_their_arrays() -> None:
    """Each read and haplotype is copied before the next one is requested."""
    sequences = [b"ACGTACGT", b"ACCTACGT", b"TTGTACGT"]
    letters, quals = np.empty(8, np.uint8), np.empty(8, np.uint8)

    def refilled() -> Iterator[np.ndarray]:
        for index, sequence in enumerate(sequences):
            letters[:], quals[:] = np.frombuffer(sequence, np.uint8), 20 + index
            yield letters

    reads = [(sequence, 20 + index) for index, sequence in enumerate(sequences)]
    want = likelihoods(reads, sequences)
    np.testing.assert_array_equal(likelihoods(reads, refilled()), want)
    np.testing.assert_array_equal(likelihoods(((a, quals) for a in refilled()), sequences), want)
