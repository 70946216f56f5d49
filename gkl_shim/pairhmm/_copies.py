"""Batches that are copied or joined."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gkl_shim.pairhmm._batch import Batch
from gkl_shim.pairhmm._sequences import HaplotypeBatch, ReadBatch, same_quality

_Number = TypeVar("_Number", np.uint8, np.int64)


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
        joined += [same_quality(quality[0], int(offsets[-1])) for quality in gaps.pop()]
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
