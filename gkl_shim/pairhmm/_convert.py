"""Convert reads and haplotypes in every accepted form to batches, and check them.

Lists of reads are joined track by track, because that is several times as fast as one read after
the other. Only where that does not work, each read is looked at alone, and an error names it. CuPy
arrays are copied to the host first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._checks import bytes_array, items_of, whole_numbers
from gkl_shim.common._ragged import offsets_of
from gkl_shim.cuda import arrays
from gkl_shim.pairhmm._batch import Batch
from gkl_shim.pairhmm._checks import (
    LETTERS,
    MAX_QUAL,
    QUAL_TRACKS,
    check_quals,
    checked_quality,
    first_other,
    shown,
)
from gkl_shim.pairhmm._sequences import (
    CONTINUATION_QUALS,
    DELETION_QUALS,
    INSERTION_QUALS,
    HaplotypeBatch,
    ReadBatch,
)

Bases: TypeAlias = bytes | bytearray | memoryview | str | NDArray[np.uint8]
Quals: TypeAlias = int | bytes | bytearray | memoryview | Sequence[int] | NDArray[np.integer[Any]]

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


AnyRead: TypeAlias = Read | AlignedRead | tuple[Any, ...]
Reads: TypeAlias = Iterable[AnyRead] | ReadBatch
Haplotypes: TypeAlias = Iterable[Bases] | HaplotypeBatch
Region: TypeAlias = tuple[Reads, Haplotypes] | Batch


def read_batch(reads: Reads, gaps: tuple[Quals, ...]) -> ReadBatch:
    """Convert reads to a batch.

    Parameters
    ----------
    gaps
        The insertion, deletion and continuation qualities of reads that come without these.
    """
    if isinstance(reads, ReadBatch):
        return reads
    if isinstance(reads, Read):
        raise ValueError("reads: expected a sequence of reads, got one Read")
    rows: Iterable[tuple[Any, ...]] = (
        _row(read, gaps, index) for index, read in enumerate(items_of(reads, "reads", "reads"))
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
    if 0 in lengths or letters.translate(None, LETTERS):
        return None
    return lengths, letters


def haplotype_batch(haplotypes: Haplotypes) -> HaplotypeBatch:
    """Convert haplotypes to a batch."""
    if isinstance(haplotypes, HaplotypeBatch):
        return haplotypes
    items = items_of(haplotypes, "haplotypes", "haplotypes")
    joined = _joined_letters(haplotypes) if isinstance(haplotypes, (list, tuple)) else None
    if joined is None:
        checked = [sequence_bytes(item, f"haplotypes[{index}]") for index, item in enumerate(items)]
        joined = list(map(len, checked)), b"".join(checked)
    lengths, letters = joined
    return HaplotypeBatch.trusted(offsets_of(lengths), np.frombuffer(letters, np.uint8))


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
        letters = bytes_array(value, name).tobytes()
    else:
        got = "None" if value is None else type(value).__name__
        raise ValueError(f"{name}: expected bytes, str or a uint8 array, got {got}")
    if not letters:
        raise ValueError(f"{name}: is empty")
    if letters.translate(None, LETTERS):
        at, letter = first_other(letters)
        raise ValueError(f"{name}: letter {shown(letter)} at base {at} is none of ACGTN")
    return letters


def _track(value: Any, length: int, name: str) -> bytes:
    """Check qualities and return them as bytes."""
    if isinstance(value, (int, np.integer)):
        return _SCALARS[checked_quality(value, name)] * length
    if isinstance(value, (bytes, bytearray, memoryview)):
        quals = bytes(value)
    elif value is None:
        raise ValueError(f"{name}: missing")
    elif isinstance(value, str):
        raise ValueError(f"{name}: expected numbers, got text; take 33 off printable qualities")
    else:
        try:
            numbers = np.asarray(arrays.on_host(value))
        except (TypeError, ValueError):  # such as a PyTorch tensor on a GPU
            raise ValueError(f"{name}: expected one number a base") from None
        check_quals(whole_numbers(numbers, name), name)
        quals = numbers.astype(np.uint8).tobytes()
    if len(quals) != length:
        raise ValueError(f"{name}: {len(quals)} values for {length} bases")
    if not quals.isascii():  # some byte is above 127
        check_quals(np.frombuffer(quals, np.uint8), name)
    return quals
