"""Batches of PairHMM's input: regions of reads and haplotypes as ragged arrays.

A :class:`Batch` holds letters ACGTN in either case, qualities 0 to 127, and no empty sequence.
``_convert.py`` makes batches of other forms of input.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._checks import bytes_array, integers
from gkl_shim.pairhmm._checks import QUAL_TRACKS, check_contents, checked_quality

_Number = TypeVar("_Number", np.uint8, np.int64)

INSERTION_QUALS = 45
DELETION_QUALS = 45
CONTINUATION_QUALS = 10

# The least that a pair counts, in cells.
_PAIR_CELLS = 256
# A call with more takes some ten milliseconds of one thread.
_LONG_CELLS = 1 << 26
# Gap qualities that are one number for all bases: an array for each, and how long these are.
_SHARED: dict[int, NDArray[np.uint8]] = {}
_LEAST_SHARED, _MOST_SHARED = 1 << 12, 1 << 26


class ReadBatch:
    """Reads as ragged arrays, without a Python object for each read.

    :meth:`from_arrays` makes one. Read ``k`` is ``[offsets[k], offsets[k + 1])`` of each track.

    Attributes
    ----------
    offsets
        int64, shape (reads + 1,).
    bases, quals, insertion_quals, deletion_quals, continuation_quals
        Letters and Phred qualities: uint8, shape (offsets[-1],).
    """

    __slots__ = ("bases", "continuation_quals", "deletion_quals", "insertion_quals", "offsets",
                 "one_gap", "quals")  # fmt: skip

    offsets: NDArray[np.int64]
    bases: NDArray[np.uint8]
    quals: NDArray[np.uint8]
    insertion_quals: NDArray[np.uint8]
    deletion_quals: NDArray[np.uint8]
    continuation_quals: NDArray[np.uint8]
    #: Whether all bases are known to have the same gap qualities. The arrays are read-only then.
    one_gap: bool

    @classmethod
    def from_arrays(
        cls,
        offsets: NDArray[np.integer[Any]],
        bases: NDArray[np.uint8] | bytes,
        quals: NDArray[np.uint8] | bytes,
        insertion_quals: NDArray[np.uint8] | bytes | int = INSERTION_QUALS,
        deletion_quals: NDArray[np.uint8] | bytes | int = DELETION_QUALS,
        continuation_quals: NDArray[np.uint8] | bytes | int = CONTINUATION_QUALS,
    ) -> ReadBatch:
        """Check arrays and combine them into a batch of reads.

        NumPy arrays are not copied if the tracks are uint8 and the offsets int64. CuPy arrays are
        copied to the host. Gap qualities that are numbers take a GPU less time than arrays. Large
        arrays in pinned memory, which ``cupyx.empty_pinned`` makes, are sent to a GPU without a
        copy on the host, if all five tracks are arrays there.

        Parameters
        ----------
        offsets
            Integers that start at 0 and increase, shape (reads + 1,).
        bases
            Letters ACGTN in either case, shape (offsets[-1],).
        quals, insertion_quals, deletion_quals, continuation_quals
            Phred qualities 0 to 127, one a base. The last three may be one number for all bases.

        Raises
        ------
        ValueError
            If an array has another type or shape, the offsets do not match the arrays, a read is
            empty, or a letter or quality is out of range.
        """
        quals_given = (quals, insertion_quals, deletion_quals, continuation_quals)
        letters = bytes_array(bases, "bases")
        ends = _checked_offsets(offsets, len(letters))
        tracks = [letters]
        numbers = 0
        for name, track in zip(QUAL_TRACKS, quals_given, strict=True):
            if isinstance(track, (int, np.integer)) and name != "quals":
                tracks.append(_same(checked_quality(track, name), len(letters)))
                numbers += 1
                continue
            values = bytes_array(track, name)
            if len(values) != len(letters):
                raise ValueError(f"{name}: {len(values)} values for {len(letters)} bases")
            tracks.append(values)
        check_contents(ends, "read", *tracks)
        self = cls.trusted(ends, *tracks)
        self.one_gap = numbers == 3
        return self

    @classmethod
    def trusted(cls, offsets: NDArray[np.int64], *tracks: NDArray[np.uint8]) -> ReadBatch:
        """Combine arrays that need no check: the offsets, and the tracks in their order."""
        self = object.__new__(cls)
        self.offsets = offsets
        self.bases, self.quals, self.insertion_quals, self.deletion_quals = tracks[:4]
        self.continuation_quals = tracks[4]
        self.one_gap = False
        return self

    def __init__(self) -> None:
        raise TypeError("use ReadBatch.from_arrays")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def tracks(self) -> tuple[NDArray[np.uint8], ...]:
        """The bases, and the base, insertion, deletion and continuation qualities."""
        return (self.bases, self.quals, self.insertion_quals, self.deletion_quals,
                self.continuation_quals)  # fmt: skip


class HaplotypeBatch:
    """Haplotypes as ragged arrays. :meth:`from_arrays` makes one.

    Attributes
    ----------
    offsets
        int64, shape (haplotypes + 1,).
    bases
        Letters: uint8, shape (offsets[-1],).
    """

    __slots__ = ("bases", "offsets")

    offsets: NDArray[np.int64]
    bases: NDArray[np.uint8]

    @classmethod
    def from_arrays(
        cls, offsets: NDArray[np.integer[Any]], bases: NDArray[np.uint8] | bytes
    ) -> HaplotypeBatch:
        """Check arrays and combine them into a batch of haplotypes.

        :meth:`ReadBatch.from_arrays` says which arrays are copied.

        Parameters
        ----------
        offsets
            Integers that start at 0 and increase, shape (haplotypes + 1,).
        bases
            Letters ACGTN in either case, shape (offsets[-1],).

        Raises
        ------
        ValueError
            If an array has another type or shape, the offsets do not match the arrays, a haplotype
            is empty, or a letter is not one of ACGTN.
        """
        letters = bytes_array(bases, "bases")
        ends = _checked_offsets(offsets, len(letters))
        check_contents(ends, "haplotype", letters)
        return cls.trusted(ends, letters)

    @classmethod
    def trusted(cls, offsets: NDArray[np.int64], bases: NDArray[np.uint8]) -> HaplotypeBatch:
        """Combine arrays that need no check."""
        self = object.__new__(cls)
        self.offsets = offsets
        self.bases = bases
        return self

    def __init__(self) -> None:
        raise TypeError("use HaplotypeBatch.from_arrays")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def cut(self, start: int, stop: int) -> HaplotypeBatch:
        """Return the haplotypes ``[start, stop)``. The letters are not copied."""
        ends = self.offsets[start : stop + 1]
        return HaplotypeBatch.trusted(ends - ends[0], self.bases[int(ends[0]) : int(ends[-1])])


class _Haplotypes(Protocol):
    """The haplotypes of PairHMM or of PDHMM, as ragged arrays."""

    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def bases(self) -> NDArray[np.uint8]: ...
    def __len__(self) -> int: ...
    def cut(self: _H, start: int, stop: int) -> _H: ...


_H = TypeVar("_H", bound=_Haplotypes)
_B = TypeVar("_B", bound="RegionBatch[Any]")


class RegionBatch(Generic[_H]):
    """Regions of reads and of one kind of haplotypes: the base of PairHMM's and PDHMM's batches."""

    __slots__ = ("haplotypes", "reads", "region_haplotypes", "region_reads")

    #: The class of the haplotypes, and its name in messages.
    _HAPLOTYPES: ClassVar[type]
    _HAPLOTYPES_NAME: ClassVar[str]

    def __init__(
        self,
        reads: ReadBatch,
        haplotypes: _H,
        region_reads: NDArray[np.integer[Any]] | None = None,
        region_haplotypes: NDArray[np.integer[Any]] | None = None,
    ) -> None:
        if not isinstance(reads, ReadBatch):
            raise ValueError(f"reads: expected a ReadBatch, got {type(reads).__name__}")
        if not isinstance(haplotypes, self._HAPLOTYPES):
            raise ValueError(
                f"haplotypes: expected a {self._HAPLOTYPES_NAME}, got {type(haplotypes).__name__}"
            )
        if (region_reads is None) != (region_haplotypes is None):
            raise ValueError("region_reads and region_haplotypes: give both or neither")
        self.reads = reads
        self.haplotypes = haplotypes
        self.region_reads = _region_offsets(region_reads, len(reads), "region_reads")
        self.region_haplotypes = _region_offsets(
            region_haplotypes, len(haplotypes), "region_haplotypes"
        )
        if len(self.region_reads) != len(self.region_haplotypes):
            raise ValueError(
                f"region_haplotypes: {len(self.region_haplotypes)} offsets where region_reads "
                f"has {len(self.region_reads)}"
            )

    def __len__(self) -> int:
        return len(self.region_reads) - 1

    @property
    def shapes(self) -> NDArray[np.int64]:
        """The numbers of reads and haplotypes of each region: shape (regions, 2)."""
        return np.stack([np.diff(self.region_reads), np.diff(self.region_haplotypes)], axis=1)

    @property
    def pairs(self) -> int:
        """The number of read-haplotype pairs."""
        if len(self) == 1:
            return len(self.reads) * len(self.haplotypes)
        return int(np.diff(self.region_reads) @ np.diff(self.region_haplotypes))

    @property
    def cells(self) -> int:
        """Read length x haplotype length, summed over all pairs."""
        if len(self) == 1:
            return len(self.reads.bases) * len(self.haplotypes.bases)
        reads = np.diff(self.reads.offsets[self.region_reads])
        return int((reads * np.diff(self.haplotypes.offsets[self.region_haplotypes])).sum())

    @property
    def unflagged_arrays(self) -> tuple[Any, ...]:
        """The arrays, in the order of the native library's batch, without PDHMM's flags."""
        return (
            self.region_reads,
            self.region_haplotypes,
            self.reads.offsets,
            self.reads.tracks,
            self.haplotypes.offsets,
            self.haplotypes.bases,
        )

    def __getitem__(self: _B, index: slice) -> _B:
        """Return consecutive regions. The sequences are not copied."""
        first, last, step = index.indices(len(self))
        if step != 1:
            raise ValueError(f"a batch is cut in steps of 1, not {step}")
        last = max(first, last)
        return type(self)(
            cut_reads(self.reads, *map(int, self.region_reads[[first, last]])),
            self.haplotypes.cut(*map(int, self.region_haplotypes[[first, last]])),
            self.region_reads[first : last + 1] - self.region_reads[first],
            self.region_haplotypes[first : last + 1] - self.region_haplotypes[first],
        )

    def split(self, likelihoods: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Split the values of all pairs, shape (pairs,), into one (R, H) view for each region.

        Raises
        ------
        ValueError
            If the values have another shape or are not contiguous.
        """
        if likelihoods.shape != (self.pairs,) or not likelihoods.flags.c_contiguous:
            raise ValueError(f"likelihoods: expected a contiguous array of shape ({self.pairs},)")
        return self._views(likelihoods)

    def _views(self, likelihoods: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        first = 0
        for reads, haplotypes in self.shapes.tolist():
            end = first + reads * haplotypes
            yield likelihoods[first:end].reshape(reads, haplotypes)
            first = end


class Batch(RegionBatch[HaplotypeBatch]):
    """Regions of reads and haplotypes. Each read is paired with each haplotype of its region.

    Parameters
    ----------
    reads, haplotypes
        The reads and haplotypes of all regions, region after region.
    region_reads, region_haplotypes
        Integers that start at 0 and do not decrease, shape (regions + 1,). Region ``g`` has the
        reads ``[region_reads[g], region_reads[g + 1])``, and its haplotypes likewise. By default
        there is one region.

    Raises
    ------
    ValueError
        If the offsets do not match the reads and haplotypes.
    """

    __slots__ = ()
    _HAPLOTYPES = HaplotypeBatch
    _HAPLOTYPES_NAME = "HaplotypeBatch"

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The arrays themselves, in the order of the native library's batch."""
        return self.unflagged_arrays


def copied(batch: Batch) -> Batch:
    """Return a batch that shares no array with this one whose content may change."""
    reads, haplotypes = batch.reads, batch.haplotypes
    copy = object.__new__(Batch)
    copy.reads = ReadBatch.trusted(_kept(reads.offsets), *map(_kept, reads.tracks))
    copy.reads.one_gap = reads.one_gap
    copy.haplotypes = HaplotypeBatch.trusted(_kept(haplotypes.offsets), _kept(haplotypes.bases))
    copy.region_reads = _kept(batch.region_reads)
    copy.region_haplotypes = _kept(batch.region_haplotypes)
    return copy


def copied_bytes(batch: Batch) -> int:
    """Return how many bytes :func:`copied` copies."""
    *ends, tracks, haplotype_offsets, letters = batch.arrays
    arrays = (*ends, *tracks, haplotype_offsets, letters)
    return sum(array.nbytes for array in arrays if not _is_constant(array))


def _kept(array: NDArray[_Number]) -> NDArray[_Number]:
    return array if _is_constant(array) else array.copy()


def _is_constant(array: NDArray[Any]) -> bool:
    """Return whether an array and all that it is a view of are read-only."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and not owner.flags.writeable:
        owner = owner.base
    return owner is None or isinstance(owner, bytes)


def concatenated(batches: list[Batch]) -> Batch:
    """Return one batch with the regions of all."""
    if len(batches) == 1:
        return batches[0]
    return Batch(
        _concatenated_reads([batch.reads for batch in batches]),
        HaplotypeBatch.trusted(
            _joined([batch.haplotypes.offsets for batch in batches]),
            np.concatenate([batch.haplotypes.bases for batch in batches]),
        ),
        _joined([batch.region_reads for batch in batches]),
        _joined([batch.region_haplotypes for batch in batches]),
    )


def _concatenated_reads(reads: list[ReadBatch]) -> ReadBatch:
    offsets = _joined([each.offsets for each in reads])
    tracks = list(zip(*(each.tracks for each in reads), strict=True))
    gaps = {tuple(track[:1].tobytes() for track in each.tracks[2:]) for each in reads}
    one_gap = len(gaps) == 1 and offsets[-1] > 0 and all(each.one_gap for each in reads)
    joined = [np.concatenate(track) for track in (tracks[:2] if one_gap else tracks)]
    if one_gap:
        joined += [_same(quality[0], int(offsets[-1])) for quality in gaps.pop()]
    made = ReadBatch.trusted(offsets, *joined)
    made.one_gap = bool(one_gap)
    return made


def _joined(offsets: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    # Adding to each array in turn would be slow. Concatenate all of them, add to every element the
    # total of the arrays before its own, and drop the zeros that the arrays start with.
    joined = np.concatenate(offsets)
    sizes = np.array([len(each) for each in offsets])
    ends = np.cumsum(sizes)
    firsts = ends - sizes
    starts = np.cumsum(joined[ends - 1])
    joined[firsts[1] :] += np.repeat(starts[:-1], sizes[1:])
    return np.delete(joined, firsts[1:])


def _same(quality: int, count: int) -> NDArray[np.uint8]:
    """Return a read-only array with the same quality `count` times.

    Up to a limit, all arrays with a quality share memory: new memory would cost more than its use.
    """
    shared = _SHARED.get(quality)
    if shared is None or len(shared) < count:
        room = min(max(2 * count, _LEAST_SHARED), _MOST_SHARED)
        shared = np.full(max(room, count), quality, np.uint8)
        shared.setflags(write=False)
        if room >= count:
            _SHARED[quality] = shared
    return shared[:count]


def work_of(batch: RegionBatch[Any]) -> int:
    """Return the cells of a batch, at least 256 for a pair: tiny pairs take time and memory too."""
    if len(batch) == 1:  # without array arithmetic
        return max(batch.cells, batch.pairs * _PAIR_CELLS)
    reads = np.diff(batch.reads.offsets[batch.region_reads])
    haplotypes = np.diff(batch.haplotypes.offsets[batch.region_haplotypes])
    pairs = np.diff(batch.region_reads) * np.diff(batch.region_haplotypes)
    return int(np.maximum(reads * haplotypes, pairs * _PAIR_CELLS).sum())


def is_long(batch: RegionBatch[Any]) -> bool:
    """Return whether signal handlers should run during a native call for a batch."""
    return work_of(batch) > _LONG_CELLS


def cut_reads(reads: ReadBatch, start: int, stop: int) -> ReadBatch:
    """Return the reads ``[start, stop)``. The tracks are not copied."""
    ends = reads.offsets[start : stop + 1]
    first, last = int(ends[0]), int(ends[-1])
    part = ReadBatch.trusted(ends - first, *(track[first:last] for track in reads.tracks))
    part.one_gap = reads.one_gap
    return part


def _checked_offsets(value: Any, size: int) -> NDArray[np.int64]:
    offsets = integers(value, "offsets")
    if offsets[-1] != size:
        raise ValueError(f"offsets: end at {offsets[-1]}, but there are {size} bases")
    wrong = offsets[1:] <= offsets[:-1]  # a difference could overflow
    if wrong.any():
        at = int(np.argmax(wrong))
        what = "is empty" if offsets[at + 1] == offsets[at] else "has a negative length"
        raise ValueError(f"offsets: sequence {at} {what}")
    return offsets


def _region_offsets(value: Any, count: int, name: str) -> NDArray[np.int64]:
    if value is None:
        return np.array([0, count], np.int64)
    offsets = integers(value, name)
    if offsets[-1] != count:
        what = name.removeprefix("region_")
        raise ValueError(f"{name}: end at {offsets[-1]}, but there are {count} {what}")
    wrong = offsets[1:] < offsets[:-1]
    if wrong.any():
        raise ValueError(f"{name}: decrease at region {int(np.argmax(wrong))}")
    return offsets
