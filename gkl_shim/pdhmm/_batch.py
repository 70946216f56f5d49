"""Check partially determined haplotypes, and combine regions of them into a batch."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._checks import byte_view, items_of, whole_numbers
from gkl_shim.cuda import arrays
from gkl_shim.pairhmm import _convert, _sequences
from gkl_shim.pairhmm._batch import RegionBatch
from gkl_shim.pairhmm._convert import Bases


class Flag(enum.IntFlag):
    """The flags of a haplotype's letter, as in GATK's ``PartiallyDeterminedHaplotype``."""

    SNP = 1
    """The bases given by the other flags match there too."""
    DELETION_START = 2
    """The first letter that may be absent."""
    DELETION_END = 4
    """The last letter that may be absent. A letter may be first and last."""
    A = 8
    C = 16
    G = 32
    T = 64
    N = 128
    """Changes no likelihood, as in GATK."""


#: Why flags are refused.
_WRONG_FLAGS = "the flags of other bases (8 to 128) need SNP (1), and SNP needs one of them"
_RIGHT_FLAGS = bytes(flags for flags in range(256) if bool(flags & Flag.SNP) == (flags >= Flag.A))

Flags: TypeAlias = bytes | bytearray | memoryview | Iterable[int] | NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Haplotype:
    """A partially determined haplotype.

    Parameters
    ----------
    bases
        Letters ACGTN in either case: bytes, str, or a uint8 array of NumPy or CuPy.
    flags
        A combination of :class:`Flag` for each letter, or None: no flags.
    """

    bases: Bases
    flags: Flags | None = None


class HaplotypeBatch:
    """Haplotypes as ragged arrays. :meth:`from_arrays` makes one.

    Attributes
    ----------
    offsets
        int64, shape (haplotypes + 1,).
    bases, flags
        Letters and their flags: uint8, shape (offsets[-1],).
    """

    __slots__ = ("determined", "flags")

    determined: _sequences.HaplotypeBatch
    flags: NDArray[np.uint8]

    @classmethod
    def from_arrays(
        cls,
        offsets: NDArray[np.integer[Any]],
        bases: NDArray[np.uint8] | bytes,
        flags: NDArray[np.uint8] | bytes,
    ) -> HaplotypeBatch:
        """Check arrays and combine them into a batch of haplotypes.

        Parameters
        ----------
        offsets
            Integers that start at 0 and increase, shape (haplotypes + 1,).
        bases
            Letters ACGTN in either case, shape (offsets[-1],).
        flags
            The letters' flags, in the same shape.

        Raises
        ------
        ValueError
            If an array has another type or shape, the offsets do not match the arrays, a haplotype
            is empty, a letter is not one of ACGTN, or a letter has flags of other bases without
            SNP, or SNP without another base.
        """
        determined = _sequences.HaplotypeBatch.from_arrays(offsets, bases)
        checked = _flags_array(flags, "flags")
        batch = cls.trusted(determined, checked)
        at = _first_wrong_flag(checked.tobytes())
        if at is not None:
            index = int(np.searchsorted(determined.offsets, at, "right")) - 1
            place = f"letter {at - int(determined.offsets[index])} of haplotype {index}"
            raise ValueError(f"flags: {checked[at]} at {place}: {_WRONG_FLAGS}")
        return batch

    @classmethod
    def trusted(
        cls, determined: _sequences.HaplotypeBatch, flags: NDArray[np.uint8]
    ) -> HaplotypeBatch:
        """Combine checked letters with checked flags. Only the number of flags is checked here."""
        if len(flags) != len(determined.bases):
            raise ValueError(f"flags: {len(flags)} values for {len(determined.bases)} letters")
        self = object.__new__(cls)
        self.determined = determined
        self.flags = flags
        return self

    def __init__(self) -> None:
        raise TypeError("use HaplotypeBatch.from_arrays")

    def __len__(self) -> int:
        return len(self.determined)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each haplotype begins and ends."""
        return self.determined.offsets

    @property
    def bases(self) -> NDArray[np.uint8]:
        """The letters of all haplotypes."""
        return self.determined.bases

    def cut(self, start: int, stop: int) -> HaplotypeBatch:
        """Return the haplotypes ``[start, stop)``. Letters and flags are not copied."""
        flags = self.flags[int(self.offsets[start]) : int(self.offsets[stop])]
        return HaplotypeBatch.trusted(self.determined.cut(start, stop), flags)


AnyHaplotype: TypeAlias = Haplotype | tuple[Bases, Flags | None] | Bases
Haplotypes: TypeAlias = Iterable[AnyHaplotype] | HaplotypeBatch


class Batch(RegionBatch[HaplotypeBatch]):
    """Regions of reads and haplotypes. Each read is paired with each haplotype of its region.

    Parameters
    ----------
    reads, haplotypes
        The reads and haplotypes of all regions, region after region.
    region_reads, region_haplotypes
        As in :class:`gkl_shim.pairhmm.Batch`.

    Raises
    ------
    ValueError
        If the offsets do not match the reads and haplotypes.
    """

    __slots__ = ()
    _HAPLOTYPES = HaplotypeBatch
    _HAPLOTYPES_NAME = "pdhmm.HaplotypeBatch"

    @property
    def flags(self) -> NDArray[np.uint8]:
        """The flags of all haplotypes' letters."""
        return self.haplotypes.flags


def haplotype_batch(haplotypes: Haplotypes) -> HaplotypeBatch:
    """Check haplotypes in any accepted form, and combine them into a batch."""
    if isinstance(haplotypes, HaplotypeBatch):
        return haplotypes
    if isinstance(haplotypes, Haplotype):
        raise ValueError("haplotypes: expected a sequence of haplotypes, got one Haplotype")
    letters: list[bytes] = []
    flags: list[bytes] = []
    for index, item in enumerate(items_of(haplotypes, "haplotypes", "haplotypes")):
        if isinstance(item, Haplotype):
            item = (item.bases, item.flags)
        elif not isinstance(item, tuple):
            item = (item, None)
        if len(item) != 2:
            raise ValueError(
                f"haplotypes[{index}]: a tuple of {len(item)}; expected (bases, flags)"
            )
        bases = _convert.sequence_bytes(item[0], f"haplotypes[{index}]")
        letters.append(bases)
        flags.append(_flags_bytes(item[1], len(bases), f"haplotypes[{index}].flags"))
    return HaplotypeBatch.trusted(
        _convert.haplotype_batch(letters), np.frombuffer(b"".join(flags), np.uint8)
    )


def _flags_bytes(given: Any, length: int, name: str) -> bytes:
    """Check the flags of one haplotype and return them as bytes."""
    if given is None:
        return bytes(length)
    track = given if isinstance(given, bytes) else _flags_array(given, name).tobytes()
    if len(track) != length:
        raise ValueError(f"{name}: {len(track)} values for {length} letters")
    at = _first_wrong_flag(track)
    if at is not None:
        raise ValueError(f"{name}: {track[at]} at letter {at}: {_WRONG_FLAGS}")
    return track


def _first_wrong_flag(flags: bytes) -> int | None:
    """Return the index of the first flags that contradict themselves, or None."""
    wrong = flags.translate(None, _RIGHT_FLAGS)
    return flags.index(wrong[0]) if wrong else None


def _flags_array(value: Any, name: str) -> NDArray[np.uint8]:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return byte_view(value)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name}: expected whole numbers, got {type(value).__name__}")
    given = arrays.on_host(value)
    values = whole_numbers(given if isinstance(given, np.ndarray) else list(given), name)
    wrong = (values < 0) | (values > 255)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"{name}: {values[at]} at letter {at} is not within 0..255")
    return np.ascontiguousarray(values, np.uint8)
