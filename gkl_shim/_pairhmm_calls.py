"""Divide a batch among calls of the CPU engine.

Python's signal handlers run between two calls, so Ctrl-C does not wait for a large batch.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native_pairhmm
from gkl_shim._batch import Batch, cut_haplotypes, cut_reads

__all__ = ["compute", "work_of"]

# The most cells in one native call. Ctrl-C waits until the call returns.
_CALL_CELLS = 1 << 29
# The fewest reads in one native call, if the region has as many: the engine computes reads side by
# side, and computes the shared parts of haplotypes once. A call with few long reads may therefore
# have up to _FEW_READS_CELLS cells.
_CALL_READS = 16
_FEW_READS_CELLS = 1 << 32
# A region with up to this many letters keeps its haplotypes together, because the engine chooses
# where to cut them from all of them (kMaxLetters in kernels/pairhmm/cuts.cpp). It cuts those of
# larger regions in the middle, and also those of a region with few haplotypes (kFewHaplotypes). So
# a larger region is divided into parts of few haplotypes, which are cut as in the whole region.
_CUT_TOGETHER_LETTERS = 1 << 17
_FEW_HAPLOTYPES = 7
# The least that a pair counts, in cells. It bounds the results of a call with tiny sequences.
_PAIR_CELLS = 256


def compute(engine: _native_pairhmm.CpuEngine, batch: Batch) -> NDArray[np.float64]:
    """Return the log10 likelihoods of all pairs of a batch: shape (pairs,)."""
    out = np.empty(batch.pairs, np.float64)
    if work_of(batch) <= _CALL_CELLS:
        engine.compute(_native_pairhmm.batch_pointer(*batch.arrays), out)
        return out
    for part, place in _parts(batch, out):
        if part.pairs == 0:
            continue
        whole = place.flags.c_contiguous
        values = place.reshape(-1) if whole else np.empty(part.pairs, np.float64)
        engine.compute(_native_pairhmm.batch_pointer(*part.arrays), values)
        if not whole:
            place[:] = values.reshape(place.shape)
    return out


def _work(batch: Batch) -> NDArray[np.int64]:
    """Return the cells of each region, at least `_PAIR_CELLS` for a pair: shape (regions,)."""
    reads = np.diff(batch.reads.offsets[batch.region_reads])
    haplotypes = np.diff(batch.haplotypes.offsets[batch.region_haplotypes])
    pairs = np.diff(batch.region_reads) * np.diff(batch.region_haplotypes)
    work: NDArray[np.int64] = np.maximum(reads * haplotypes, pairs * _PAIR_CELLS)
    return work


def work_of(batch: Batch) -> int:
    """Return the sum of :func:`_work`, without array arithmetic if there is only one region."""
    if len(batch.region_reads) != 2:
        return int(_work(batch).sum())
    return max(batch.cells, batch.pairs * _PAIR_CELLS)


def _parts(batch: Batch, out: NDArray[np.float64]) -> Iterator[tuple[Batch, NDArray[np.float64]]]:
    """Split a batch into native calls, each with its part of `out`.

    The batch is split between regions. A very large region is split between reads, and also between
    haplotypes if a call would have too few reads.
    """
    work = _work(batch)
    # Check the whole batch first, so that errors give indices in it and not in a part.
    _native_pairhmm.check_shape(_native_pairhmm.batch_pointer(*batch.arrays))
    first = start = 0
    while first < len(batch):
        fit = int(np.searchsorted(np.cumsum(work[first:]), _CALL_CELLS, "right"))
        last = first + max(fit, 1)
        part = batch[first:last]
        stop = start + part.pairs
        if fit:
            yield part, out[start:stop]
        else:
            yield from _blocks(part, int(work[first]), out[start:stop])
        first, start = last, stop


def _blocks(
    region: Batch, work: int, out: NDArray[np.float64]
) -> Iterator[tuple[Batch, NDArray[np.float64]]]:
    reads, haplotypes = len(region.reads), len(region.haplotypes)
    rows, columns = max(1, reads * _CALL_CELLS // work), haplotypes
    if rows < _CALL_READS:
        rows = min(reads, _CALL_READS)
        columns = max(1, haplotypes * reads * _FEW_READS_CELLS // (work * rows))
        if columns < haplotypes and len(region.haplotypes.bases) <= _CUT_TOGETHER_LETTERS:
            rows, columns = max(1, reads * _FEW_READS_CELLS // work), haplotypes
        elif columns < haplotypes:
            columns = min(columns, _FEW_HAPLOTYPES)
    values = out.reshape(reads, haplotypes)
    for read in range(0, reads, rows):
        some_reads = cut_reads(region.reads, read, min(read + rows, reads))
        for haplotype in range(0, haplotypes, columns):
            some_haplotypes = cut_haplotypes(
                region.haplotypes, haplotype, min(haplotype + columns, haplotypes)
            )
            place = values[read : read + rows, haplotype : haplotype + columns]
            yield Batch(some_reads, some_haplotypes), place
