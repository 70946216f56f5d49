"""Convert every form of PairHMM input into ragged arrays, and check it.

A :class:`Batch` holds letters ACGTN in either case, qualities 0 to 127, and no empty sequence. CuPy
arrays are copied to the host first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native_pairhmm
from gkl_shim.cuda import arrays

Bases: TypeAlias = bytes | bytearray | memoryview | str | NDArray[np.uint8]
Quals: TypeAlias = int | bytes | bytearray | memoryview | Sequence[int] | NDArray[np.integer[Any]]

INSERTION_QUALS = 45
DELETION_QUALS = 45
CONTINUATION_QUALS = 10

MAX_QUAL = 127
QUAL_TRACKS = ("quals", "insertion_quals", "deletion_quals", "continuation_quals")
_SCALARS = [bytes([qual]) for qual in range(MAX_QUAL + 1)]


@dataclass(frozen=True, slots=True)
class Read:
    """A read with its four quality tracks.

    Parameters
    ----------
    bases
        Letters ACGTN in either case: bytes, str, or a uint8 array of NumPy or CuPy.
    quals
        Base qualities, Phred 0 to 127: one a base, or one number for all bases. Bytes hold the
        numbers themselves, not printable characters.
    insertion_quals, deletion_quals
        Gap-open qualities, in the same forms.
    continuation_quals
        Gap-continuation qualities, in the same forms.
    """

    bases: Bases
    quals: Quals
    insertion_quals: Quals = INSERTION_QUALS
    deletion_quals: Quals = DELETION_QUALS
    continuation_quals: Quals = CONTINUATION_QUALS


class AlignedRead(Protocol):
    """The attributes of a pysam ``AlignedSegment`` that are used. Any object may have them."""

    @property
    def query_sequence(self) -> str | None: ...

    @property
    def query_qualities(self) -> Any: ...


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
                 "quals")  # fmt: skip

    offsets: NDArray[np.int64]
    bases: NDArray[np.uint8]
    quals: NDArray[np.uint8]
    insertion_quals: NDArray[np.uint8]
    deletion_quals: NDArray[np.uint8]
    continuation_quals: NDArray[np.uint8]

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
        copied to the host.

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
        letters = _bytes_array(bases, "bases")
        ends = _checked_offsets(offsets, len(letters))
        tracks = [letters]
        for name, track in zip(QUAL_TRACKS, quals_given, strict=True):
            if isinstance(track, (int, np.integer)) and name != "quals":
                tracks.append(np.full(len(letters), _scalar(track, name), np.uint8))
                continue
            values = _bytes_array(track, name)
            if len(values) != len(letters):
                raise ValueError(f"{name}: {len(values)} values for {len(letters)} bases")
            tracks.append(values)
        _check_contents(ends, "read", *tracks)
        return cls.trusted(ends, *tracks)

    @classmethod
    def trusted(cls, offsets: NDArray[np.int64], *tracks: NDArray[np.uint8]) -> ReadBatch:
        self = object.__new__(cls)
        self.offsets = offsets
        self.bases, self.quals, self.insertion_quals, self.deletion_quals = tracks[:4]
        self.continuation_quals = tracks[4]
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
        letters = _bytes_array(bases, "bases")
        ends = _checked_offsets(offsets, len(letters))
        _check_contents(ends, "haplotype", letters)
        return cls.trusted(ends, letters)

    @classmethod
    def trusted(cls, offsets: NDArray[np.int64], bases: NDArray[np.uint8]) -> HaplotypeBatch:
        self = object.__new__(cls)
        self.offsets = offsets
        self.bases = bases
        return self

    def __init__(self) -> None:
        raise TypeError("use HaplotypeBatch.from_arrays")

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Batch:
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

    __slots__ = ("haplotypes", "reads", "region_haplotypes", "region_reads")

    def __init__(
        self,
        reads: ReadBatch,
        haplotypes: HaplotypeBatch,
        region_reads: NDArray[np.integer[Any]] | None = None,
        region_haplotypes: NDArray[np.integer[Any]] | None = None,
    ) -> None:
        if not isinstance(reads, ReadBatch):
            raise ValueError(f"reads: expected a ReadBatch, got {type(reads).__name__}")
        if not isinstance(haplotypes, HaplotypeBatch):
            raise ValueError(
                f"haplotypes: expected a HaplotypeBatch, got {type(haplotypes).__name__}"
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
    def arrays(self) -> tuple[Any, ...]:
        """The arrays themselves, in the order of the native library's batch."""
        return (
            self.region_reads,
            self.region_haplotypes,
            self.reads.offsets,
            self.reads.tracks,
            self.haplotypes.offsets,
            self.haplotypes.bases,
        )

    def __getitem__(self, index: slice) -> Batch:
        """Return consecutive regions. The sequences are not copied."""
        first, last, step = index.indices(len(self))
        if step != 1:
            raise ValueError(f"a batch is cut in steps of 1, not {step}")
        last = max(first, last)
        return Batch(
            cut_reads(self.reads, *map(int, self.region_reads[[first, last]])),
            cut_haplotypes(self.haplotypes, *map(int, self.region_haplotypes[[first, last]])),
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


AnyRead: TypeAlias = Read | AlignedRead | tuple[Any, ...]
Reads: TypeAlias = Iterable[AnyRead] | ReadBatch
Haplotypes: TypeAlias = Iterable[Bases] | HaplotypeBatch
Region: TypeAlias = tuple[Reads, Haplotypes] | Batch


def copied(batch: Batch) -> Batch:
    """Return a copy of a batch that shares no array with it."""
    reads, haplotypes = batch.reads, batch.haplotypes
    copy = object.__new__(Batch)
    copy.reads = ReadBatch.trusted(reads.offsets.copy(), *(track.copy() for track in reads.tracks))
    copy.haplotypes = HaplotypeBatch.trusted(haplotypes.offsets.copy(), haplotypes.bases.copy())
    copy.region_reads = batch.region_reads.copy()
    copy.region_haplotypes = batch.region_haplotypes.copy()
    return copy


def concatenated(batches: list[Batch]) -> Batch:
    if len(batches) == 1:
        return batches[0]
    tracks = zip(*(batch.reads.tracks for batch in batches), strict=True)
    return Batch(
        ReadBatch.trusted(
            _joined([batch.reads.offsets for batch in batches]), *map(np.concatenate, tracks)
        ),
        HaplotypeBatch.trusted(
            _joined([batch.haplotypes.offsets for batch in batches]),
            np.concatenate([batch.haplotypes.bases for batch in batches]),
        ),
        _joined([batch.region_reads for batch in batches]),
        _joined([batch.region_haplotypes for batch in batches]),
    )


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


def offsets_of(lengths: list[int]) -> NDArray[np.int64]:
    return np.fromiter(itertools.accumulate(lengths, initial=0), np.int64, len(lengths) + 1)


def cut_reads(reads: ReadBatch, start: int, stop: int) -> ReadBatch:
    ends = reads.offsets[start : stop + 1]
    first, last = int(ends[0]), int(ends[-1])
    return ReadBatch.trusted(ends - first, *(track[first:last] for track in reads.tracks))


def cut_haplotypes(haplotypes: HaplotypeBatch, start: int, stop: int) -> HaplotypeBatch:
    ends = haplotypes.offsets[start : stop + 1]
    return HaplotypeBatch.trusted(ends - ends[0], haplotypes.bases[int(ends[0]) : int(ends[-1])])


def read_batch(reads: Reads, gaps: tuple[Quals, ...]) -> ReadBatch:
    if isinstance(reads, ReadBatch):
        return reads
    rows: Iterable[tuple[Any, ...]] = (
        _row(read, gaps, index) for index, read in enumerate(_items(reads, "reads"))
    )
    joined = None
    if isinstance(reads, (list, tuple)):
        rows = list(rows)
        joined = _joined_rows(rows)
    if joined is None:
        # Some track has another form or is wrong, or a generator may refill the arrays of a read
        # for the next one.
        joined = _joined_rows([_bytes_row(row, index) for index, row in enumerate(rows)])
    offsets, *tracks = joined or [offsets_of([]), *[np.empty(0, np.uint8)] * 5]
    return ReadBatch.trusted(offsets, *tracks)


def _row(read: Any, gaps: tuple[Quals, ...], index: int) -> tuple[Any, ...]:
    """Return the bases and the qualities of a read in any accepted form, not yet checked."""
    if isinstance(read, tuple):
        if len(read) == 5:
            return read
        if len(read) == 2:
            return (*read, *gaps)
        raise ValueError(
            f"reads[{index}]: a tuple of {len(read)}; expected (bases, quals) or (bases, "
            "quals, insertion_quals, deletion_quals, continuation_quals)"
        )
    if isinstance(read, Read):
        return (read.bases, read.quals, read.insertion_quals, read.deletion_quals,
                read.continuation_quals)  # fmt: skip
    if hasattr(read, "query_sequence"):
        return (read.query_sequence, read.query_qualities, *gaps)
    raise ValueError(
        f"reads[{index}]: expected a Read, a pysam read or a tuple, got "
        f"{'None' if read is None else type(read).__name__}"
    )


def _bytes_row(row: tuple[Any, ...], index: int) -> tuple[bytes, ...]:
    """Check the tracks of a read and return them as bytes."""
    bases = sequence_bytes(row[0], f"reads[{index}].bases")
    named = zip(QUAL_TRACKS, row[1:], strict=True)
    return (bases, *[_track(t, len(bases), f"reads[{index}].{name}") for name, t in named])


def _joined_rows(rows: list[tuple[Any, ...]]) -> list[NDArray[Any]] | None:
    """Check and join the tracks of all reads at once, which is faster than one after the other.

    Returns
    -------
    list of arrays, or None
        The offsets and the tracks. None if there is no read, if a track is neither bytes nor one
        number, or if anything is wrong.
    """
    if not rows:
        return None
    sequences, *tracks = zip(*rows, strict=True)
    joined = _joined_letters(sequences)
    if joined is None:
        return None
    lengths, letters = joined
    result: list[NDArray[Any]] = [offsets_of(lengths), np.frombuffer(letters, np.uint8)]
    for track in tracks:
        kinds = set(map(type, track))
        if kinds == {bytes}:
            quals = b"".join(track)
            if list(map(len, track)) != lengths or not quals.isascii():  # 128 or more
                return None
        elif kinds == {int} and len(set(track)) == 1 and 0 <= track[0] <= MAX_QUAL:
            quals = _SCALARS[track[0]] * len(letters)
        else:
            return None
        result.append(np.frombuffer(quals, np.uint8))
    return result


def _joined_letters(sequences: Sequence[Any]) -> tuple[list[int], bytes] | None:
    """Check and join sequences, and return their lengths too; None as in `_joined_rows`."""
    if set(map(type, sequences)) != {bytes}:
        return None
    lengths, letters = list(map(len, sequences)), b"".join(sequences)
    if 0 in lengths or letters.translate(None, _native_pairhmm.letters()):
        return None
    return lengths, letters


def haplotype_batch(haplotypes: Haplotypes) -> HaplotypeBatch:
    if isinstance(haplotypes, HaplotypeBatch):
        return haplotypes
    items = _items(haplotypes, "haplotypes")
    joined = _joined_letters(haplotypes) if isinstance(haplotypes, (list, tuple)) else None
    if joined is None:
        checked = [sequence_bytes(item, f"haplotypes[{index}]") for index, item in enumerate(items)]
        joined = list(map(len, checked)), b"".join(checked)
    lengths, letters = joined
    return HaplotypeBatch.trusted(offsets_of(lengths), np.frombuffer(letters, np.uint8))


def _items(value: Any, name: str) -> Iterable[Any]:
    kind = name.removesuffix("s")
    if value is None or isinstance(value, (str, bytes, bytearray, memoryview, Read)):
        got = "None" if value is None else f"one {type(value).__name__}"
        raise ValueError(f"{name}: expected a sequence of {kind}s, got {got}")
    try:
        items: Iterable[Any] = iter(value)
        return items
    except TypeError:
        got = type(value).__name__
        raise ValueError(f"{name}: expected a sequence of {kind}s, got {got}") from None


def sequence_bytes(value: Any, name: str) -> bytes:
    """Check letters and return them as bytes."""
    if isinstance(value, str):
        if not value.isascii():
            at = next(at for at, letter in enumerate(value) if not letter.isascii())
            raise ValueError(f"{name}: letter {value[at]!r} at base {at} is none of ACGTN")
        letters = value.encode()
    elif isinstance(value, bytes):
        letters = value
    elif isinstance(value, (bytearray, memoryview)):
        letters = bytes(value)
    elif isinstance(value, np.ndarray) or arrays.is_cupy_array(value):
        letters = _bytes_array(value, name).tobytes()
    else:
        got = "None" if value is None else type(value).__name__
        raise ValueError(f"{name}: expected bytes, str or a uint8 array, got {got}")
    if not letters:
        raise ValueError(f"{name}: is empty")
    if letters.translate(None, _native_pairhmm.letters()):
        at, letter = _first_other(letters)
        raise ValueError(f"{name}: letter {shown(letter)} at base {at} is none of ACGTN")
    return letters


def _track(value: Any, length: int, name: str) -> bytes:
    """Check qualities and return them as bytes."""
    if isinstance(value, (int, np.integer)):
        return _SCALARS[_scalar(value, name)] * length
    if isinstance(value, (bytes, bytearray, memoryview)):
        quals = bytes(value)
    elif value is None:
        raise ValueError(f"{name}: missing")
    elif isinstance(value, str):
        raise ValueError(f"{name}: expected numbers, got text; take 33 off printable qualities")
    else:
        try:
            numbers = np.asarray(arrays.on_host(value))
        except ValueError:
            raise ValueError(f"{name}: expected one number a base") from None
        if numbers.ndim != 1 or (len(numbers) and numbers.dtype.kind not in "iu"):
            raise ValueError(
                f"{name}: expected whole numbers in one dimension, got {numbers.dtype} in "
                f"{numbers.ndim}"
            )
        _check_quals(numbers, name)
        quals = numbers.astype(np.uint8).tobytes()
    if len(quals) != length:
        raise ValueError(f"{name}: {len(quals)} values for {length} bases")
    if not quals.isascii():  # some byte is above 127
        _check_quals(np.frombuffer(quals, np.uint8), name)
    return quals


def _scalar(value: Any, name: str) -> int:
    if isinstance(value, bool) or not 0 <= value <= MAX_QUAL:
        raise ValueError(f"{name}: quality {value} is not within 0..{MAX_QUAL}")
    return int(value)


def _check_quals(quals: NDArray[Any], name: str) -> None:
    wrong = (quals < 0) | (quals > MAX_QUAL)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"{name}: quality {quals[at]} at base {at} is not within 0..{MAX_QUAL}")


def byte_view(value: bytes | bytearray | memoryview) -> NDArray[np.uint8]:
    """Return the bytes as an array, without a copy if they are contiguous."""
    return np.frombuffer(value if memoryview(value).c_contiguous else bytes(value), np.uint8)


def _bytes_array(value: Any, name: str) -> NDArray[np.uint8]:
    """Return a C-contiguous array."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        value = byte_view(value)
    value = arrays.on_host(value)
    if not isinstance(value, np.ndarray):
        got = "None" if value is None else type(value).__name__
        raise ValueError(f"{name}: expected a uint8 array or bytes, got {got}")
    if value.dtype != np.uint8 or value.ndim != 1:
        raise ValueError(
            f"{name}: expected a one-dimensional uint8 array, got {value.dtype} of shape "
            f"{value.shape}"
        )
    return np.ascontiguousarray(value)


def _checked_offsets(value: Any, size: int) -> NDArray[np.int64]:
    offsets = _integers(value, "offsets")
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
    offsets = _integers(value, name)
    if offsets[-1] != count:
        what = name.removeprefix("region_")
        raise ValueError(f"{name}: end at {offsets[-1]}, but there are {count} {what}")
    wrong = offsets[1:] < offsets[:-1]
    if wrong.any():
        raise ValueError(f"{name}: decrease at region {int(np.argmax(wrong))}")
    return offsets


def _integers(value: Any, name: str) -> NDArray[np.int64]:
    array = np.asarray(arrays.on_host(value))
    if array.ndim != 1 or array.dtype.kind not in "iu" or not len(array):
        raise ValueError(
            f"{name}: expected one or more whole numbers in one dimension, got {array.dtype} of "
            f"shape {array.shape}"
        )
    if array[0] != 0:
        raise ValueError(f"{name}: start at {array[0]}, not 0")
    return np.ascontiguousarray(array, np.int64)


def _check_contents(ends: NDArray[np.int64], kind: str, *tracks: NDArray[np.uint8]) -> None:
    """Check a track of letters, and then any tracks of qualities."""
    wrong = _first_wrong(*tracks)
    if wrong is None:
        return
    which, at = wrong
    value = int(tracks[which][at])
    index = int(np.searchsorted(ends, at, "right")) - 1
    place = f"{kind} {index}, base {at - int(ends[index])},"
    if which == 0:
        raise ValueError(f"bases: letter {shown(value)} of {place} is none of ACGTN")
    name = QUAL_TRACKS[which - 1]
    raise ValueError(f"{name}: quality {value} of {place} is not within 0..{MAX_QUAL}")


def _first_wrong(bases: NDArray[np.uint8], *quals: NDArray[np.uint8]) -> tuple[int, int] | None:
    """Return the track (0 for the bases) and index of the first wrong value, or None."""
    text = bases.tobytes()
    if text.translate(None, _native_pairhmm.letters()):
        return 0, _first_other(text)[0]
    for which, track in enumerate(quals, 1):
        if len(track) and track.max() > MAX_QUAL:
            return which, int(np.argmax(track > MAX_QUAL))
    return None


def _first_other(text: bytes) -> tuple[int, int]:
    """Return the index and the value of the first byte that is not one of ACGTN."""
    letter = text.translate(None, _native_pairhmm.letters())[0]
    return text.index(letter), letter


def shown(letter: int) -> str:
    return repr(chr(letter)) if 32 < letter < 127 else f"0x{letter:02X}"
