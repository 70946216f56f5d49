"""Regions like those that GATK sends, made from a seed: for benchmarks without recorded data.

The distributions are those of HaplotypeCaller on real 151-base reads: reads are clipped to the
region (28, 79 and 141 bases at the 10th, 50th and 90th percentile), haplotypes have 192 bases in
the middle, and four regions in five have fewer than 200 read-haplotype pairs (Ren et al.,
*Evolutionary Bioinformatics* 14, 2018).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gkl_shim.pairhmm import Batch, HaplotypeBatch, ReadBatch

__all__ = ["regions", "repeated", "uniform"]

# Inverse cumulative distributions, linear in between.
_QUANTILES = (0.0, 0.1, 0.5, 0.9, 1.0)
_READ_LENGTHS = (10, 28, 79, 141, 151)
_HAPLOTYPE_LENGTHS = (120, 150, 192, 260, 350)

_READS = (10, 400)
_HAPLOTYPES = (2, 128)
# Log-normal: median and spread of the logarithm.
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


def regions(count: int, *, seed: int = 1, shape: tuple[int, int] | None = None) -> Batch:
    """Make regions.

    Parameters
    ----------
    count
        How many.
    seed
        The same seed gives the same regions.
    shape
        Reads and haplotypes of every region; by default drawn as real regions are.

    Returns
    -------
    Batch
        Haplotypes of a region are one sequence with variants taken or not, as assembly finds
        them; reads are pieces of the haplotypes with the errors that their qualities announce.
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
            _offsets(reads),
            bases,
            np.concatenate(quals),
            _gap_open(random, len(bases)),
            _gap_open(random, len(bases)),
            _CONTINUATION,
        ),
        HaplotypeBatch.from_arrays(_offsets(haplotypes), np.concatenate(haplotypes)),
        np.array(region_reads),
        np.array(region_haplotypes),
    )


def uniform(count: int, shape: tuple[int, int], read: int, haplotype: int) -> Batch:
    """Make regions of reads and haplotypes of one length, where haplotypes share next to nothing.

    The ends of haplotypes tell all of a region apart, so that a trie has nothing to merge; in
    between they are alike, so that reads fit and no pair leaves single precision.

    Parameters
    ----------
    count
        How many; few different ones, over and over.
    shape
        Reads and haplotypes of every region.
    read, haplotype
        Bases of each; a read is no longer than a haplotype.
    """
    random = np.random.default_rng(1)
    count = max(count, 1)
    made = min(count, 32)
    reads, haplotypes = shape
    core = _LETTERS[random.integers(0, 4, (made, 1, haplotype))]
    bases = np.repeat(core, haplotypes, axis=1)
    for place in range(math.ceil(math.log(haplotypes, 4))):
        letter = _LETTERS[np.arange(haplotypes) // 4**place % 4]
        bases[:, :, place] = bases[:, :, haplotype - 1 - place] = letter
    starts = random.integers(0, haplotype - read + 1, (made, reads, 1))
    pieces = np.take_along_axis(core[:, 0][:, None], starts + np.arange(read), axis=2)
    shown = pieces.copy()
    wrong = random.random(shown.shape) < 0.002
    shown[wrong] = random.choice(_LETTERS, int(wrong.sum()))
    quals = random.integers(25, 41, shown.shape, np.uint8)
    gaps = random.integers(40, 46, (2, *shown.shape), np.uint8)
    units = Batch(
        ReadBatch.from_arrays(
            np.arange(made * reads + 1) * read,
            shown.ravel(),
            quals.ravel(),
            gaps[0].ravel(),
            gaps[1].ravel(),
            10,
        ),
        HaplotypeBatch.from_arrays(np.arange(made * haplotypes + 1) * haplotype, bases.ravel()),
        np.arange(made + 1) * reads,
        np.arange(made + 1) * haplotypes,
    )
    return repeated(units, -(-count // made))[:count]


def repeated(batch: Batch, copies: int) -> Batch:
    """Return so many copies of a batch's regions, one after the other."""
    if copies == 1:
        return batch
    reads, haplotypes = batch.reads, batch.haplotypes
    return Batch(
        ReadBatch.from_arrays(
            _tiled(reads.offsets, copies), *(np.tile(track, copies) for track in reads.tracks)
        ),
        HaplotypeBatch.from_arrays(
            _tiled(haplotypes.offsets, copies), np.tile(haplotypes.bases, copies)
        ),
        _tiled(batch.region_reads, copies),
        _tiled(batch.region_haplotypes, copies),
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
    # Enough sites for so many haplotypes to differ.
    needed = max(1, (count - 1).bit_length())
    sites = max(needed, len(reference) // _SITE_DISTANCE)
    places = np.sort(random.choice(np.arange(1, len(reference) - 1), sites, replace=False))
    deleted = random.random(sites) < _DELETION_SHARE
    # The next letter of ACGT: always another one.
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


def _offsets(sequences: list[NDArray[np.uint8]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(sequence) for sequence in sequences])])


def _tiled(offsets: NDArray[np.int64], copies: int) -> NDArray[np.int64]:
    lengths = np.tile(np.diff(offsets), copies)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
