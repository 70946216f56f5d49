"""Batches of PairHMM's input: regions of reads and haplotypes.

``_convert.py`` makes batches of other forms of input.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._checks import integers
from gkl_shim.pairhmm._sequences import HaplotypeBatch, ReadBatch, cut_reads

# The least that a pair counts, in cells.
_PAIR_CELLS = 256
# A call with more takes some ten milliseconds of one thread.
_LONG_CELLS = 1 << 26


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
