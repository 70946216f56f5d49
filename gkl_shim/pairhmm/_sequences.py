"""Reads and haplotypes as ragged arrays.

They hold letters ACGTN in either case, qualities 0 to 127, and no empty sequence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._checks import bytes_array, integers
from gkl_shim.pairhmm._checks import QUAL_TRACKS, check_contents, checked_quality

INSERTION_QUALS = 45
DELETION_QUALS = 45
CONTINUATION_QUALS = 10
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
                tracks.append(same_quality(checked_quality(track, name), len(letters)))
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


def same_quality(quality: int, count: int) -> NDArray[np.uint8]:
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
