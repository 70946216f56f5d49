"""Generate reproducible regions for the benchmarks.

They follow the distributions of HaplotypeCaller on real 151-base reads. Reads are clipped to
their region: 28, 79 and 141 bases at the 10th, 50th and 90th percentile. The median haplotype has
192 bases, and four regions in five have fewer than 200 read-haplotype pairs (Ren et al.,
*Evolutionary Bioinformatics* 14, 2018).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._ragged import offsets_of
from gkl_shim.pairhmm import Batch, HaplotypeBatch, ReadBatch

# Inverse cumulative distributions of lengths, linear between these points.
_QUANTILES = (0.0, 0.1, 0.5, 0.9, 1.0)
_READ_LENGTHS = (10, 28, 79, 141, 151)
_HAPLOTYPE_LENGTHS = (120, 150, 192, 260, 350)

_READS = (10, 400)
_HAPLOTYPES = (2, 128)
# Log-normal distributions: the median, and the standard deviation of the logarithm.
_READS_SHAPE = (24.0, 0.75)
_HAPLOTYPES_SHAPE = (3.0, 0.8)

_SITE_DISTANCE = 30
_DELETION_SHARE = 0.2
_LOW_QUALITY_SHARE = 0.08
_GAP_OPEN = 45
_REPEAT_GAP_OPEN = (25, 44)
_REPEAT_SHARE = 0.1
_CONTINUATION = 10
_LETTERS = np.frombuffer(b"ACGT", np.uint8)

# Distinct reads of regions of one haplotype; the others repeat them.
_DISTINCT = 1 << 13


def regions(count: int, *, seed: int = 1, shape: tuple[int, int] | None = None) -> Batch:
    """Generate regions like HaplotypeCaller's.

    Parameters
    ----------
    count
        The number of regions.
    seed
        The same seed gives the same regions.
    shape
        The numbers of reads and haplotypes in every region. By default they are random.

    Returns
    -------
    Batch
        The haplotypes of a region are one sequence with different subsets of its variants, like
        those that assembly finds. Reads are parts of the haplotypes, with errors at the rates that
        their qualities state.
    """
    random = np.random.default_rng(seed)
    reads: list[NDArray[np.uint8]] = []
    quals: list[NDArray[np.uint8]] = []
    haplotypes: list[NDArray[np.uint8]] = []
    region_reads, region_haplotypes = [0], [0]
    for _ in range(count):
        read_count, haplotype_count = shape or (
            _drawn_count(random, _READS_SHAPE, _READS),
            _drawn_count(random, _HAPLOTYPES_SHAPE, _HAPLOTYPES),
        )
        local = _haplotypes(random, haplotype_count)
        haplotypes += local
        for _ in range(read_count):
            bases, base_quals = _read(random, local[int(random.integers(haplotype_count))])
            reads.append(bases)
            quals.append(base_quals)
        region_reads.append(len(reads))
        region_haplotypes.append(len(haplotypes))
    bases = np.concatenate(reads)
    return Batch(
        ReadBatch.from_arrays(
            offsets_of(list(map(len, reads))),
            bases,
            np.concatenate(quals),
            _gap_open(random, len(bases)),
            _gap_open(random, len(bases)),
            _CONTINUATION,
        ),
        HaplotypeBatch.from_arrays(
            offsets_of(list(map(len, haplotypes))), np.concatenate(haplotypes)
        ),
        np.array(region_reads),
        np.array(region_haplotypes),
    )


def lone_regions(pairs: int, reads: int, bases: int) -> Batch:
    """Generate regions of one haplotype, and reads that come from it, all of the same length.

    Parameters
    ----------
    pairs
        About how many pairs there are.
    reads
        The number of reads in every region: a power of 2, at most 8,192.
    bases
        The length of reads and haplotypes.
    """
    random = np.random.default_rng(1)
    times = max(1, round(pairs / _DISTINCT))
    haplotypes = _LETTERS[random.integers(0, 4, (_DISTINCT // reads, bases))]
    sequences = np.repeat(haplotypes, reads, axis=0)
    wrong = random.random(sequences.shape) < 0.01
    sequences[wrong] = _LETTERS[random.integers(0, 4, int(wrong.sum()))]
    quals = random.integers(20, 41, sequences.size).astype(np.uint8)
    count = times * _DISTINCT
    return Batch(
        ReadBatch.from_arrays(
            np.arange(count + 1) * bases,
            np.tile(sequences.ravel(), times),
            np.tile(quals, times),
            *(_GAP_OPEN, _GAP_OPEN, _CONTINUATION),
        ),
        HaplotypeBatch.from_arrays(
            np.arange(count // reads + 1) * bases, np.tile(haplotypes.ravel(), times)
        ),
        np.arange(count // reads + 1) * reads,
        np.arange(count // reads + 1),
    )


def _drawn_count(
    random: np.random.Generator, shape: tuple[float, float], limits: tuple[int, int]
) -> int:
    median, spread = shape
    return int(np.clip(np.rint(random.lognormal(np.log(median), spread)), *limits))


def _drawn_length(random: np.random.Generator, lengths: tuple[int, ...]) -> int:
    return int(np.rint(np.interp(random.random(), _QUANTILES, lengths)))


def _haplotypes(random: np.random.Generator, count: int) -> list[NDArray[np.uint8]]:
    reference = random.choice(_LETTERS, _drawn_length(random, _HAPLOTYPE_LENGTHS))
    # Enough sites for all haplotypes to differ.
    needed = max(1, (count - 1).bit_length())
    sites = max(needed, len(reference) // _SITE_DISTANCE)
    places = np.sort(random.choice(np.arange(1, len(reference) - 1), sites, replace=False))
    deleted = random.random(sites) < _DELETION_SHARE
    # The next letter of ACGT, so that every site differs from the reference.
    other = _LETTERS[(np.searchsorted(_LETTERS, reference[places]) + 1) % len(_LETTERS)]
    found = []
    for pattern in random.choice(2**sites, count, replace=False, shuffle=False):
        taken = (int(pattern) >> np.arange(sites) & 1).astype(bool)
        bases = reference.copy()
        bases[places[taken]] = other[taken]
        found.append(np.delete(bases, places[taken & deleted]))
    return found


def _read(
    random: np.random.Generator, haplotype: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    length = min(_drawn_length(random, _READ_LENGTHS), len(haplotype))
    start = int(random.integers(len(haplotype) - length + 1))
    bases = haplotype[start : start + length].copy()
    quals = random.integers(28, 41, length).astype(np.uint8)
    low = random.random(length) < _LOW_QUALITY_SHARE
    quals[low] = random.integers(6, 25, int(low.sum()))
    wrong = random.random(length) < 10.0 ** (quals / -10.0)
    bases[wrong] = random.choice(_LETTERS, int(wrong.sum()))
    return bases, quals


def _gap_open(random: np.random.Generator, length: int) -> NDArray[np.uint8]:
    quals = np.full(length, _GAP_OPEN, np.uint8)
    repeat = random.random(length) < _REPEAT_SHARE
    low, high = _REPEAT_GAP_OPEN
    quals[repeat] = random.integers(low, high + 1, int(repeat.sum()))
    return quals
