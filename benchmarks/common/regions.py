"""Read, generate and repeat PairHMM regions for measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from gkl_shim.bench.regions import regions as generated
from gkl_shim.formats import pairhmm_in
from gkl_shim.pairhmm import Batch, HaplotypeBatch, ReadBatch
from gkl_shim.pairhmm._copies import concatenated

__all__ = ["copies", "generated", "read", "read_all", "repeated", "uniform"]

# The number of different regions that `uniform` generates and then repeats.
_UNIFORM_REGIONS = 32
_LETTERS = np.frombuffer(b"ACGT", np.uint8)


def read(path: str | Path) -> Batch:
    """Read all regions of a ``.in`` file."""
    with pairhmm_in.Reader(path) as reader:
        return concatenated(list(reader))


def read_all(paths: Sequence[str]) -> dict[str, Batch]:
    """Return the regions of each file, by the file's name without its suffix."""
    if len({Path(path).stem for path in paths}) < len(paths):
        raise click.UsageError("two inputs have the same file name")
    return {Path(path).stem: read(path) for path in paths}


def uniform(count: int, shape: tuple[int, int], read_length: int, haplotype_length: int) -> Batch:
    """Generate regions of equal shape whose haplotypes have almost no shared parts.

    The two ends of each haplotype differ from the ends of all others in its region, so that a trie
    has nothing to merge. Between the ends the haplotypes are equal, so that every read fits every
    haplotype and no pair leaves single precision.

    Parameters
    ----------
    count
        The number of regions. At least one is generated.
    shape
        The number of reads and of haplotypes in every region.
    read_length, haplotype_length
        The lengths in bases. A read may not be longer than a haplotype.
    """
    random = np.random.default_rng(1)
    count = max(count, 1)
    made = min(count, _UNIFORM_REGIONS)
    reads, haplotypes = shape
    core = _LETTERS[random.integers(0, 4, (made, 1, haplotype_length))]
    bases = np.repeat(core, haplotypes, axis=1)
    for place in range(math.ceil(math.log(haplotypes, 4))):
        letter = _LETTERS[np.arange(haplotypes) // 4**place % 4]
        bases[:, :, place] = bases[:, :, haplotype_length - 1 - place] = letter
    starts = random.integers(0, haplotype_length - read_length + 1, (made, reads, 1))
    pieces = np.take_along_axis(core[:, 0][:, None], starts + np.arange(read_length), axis=2)
    shown = pieces.copy()
    wrong = random.random(shown.shape) < 0.002
    shown[wrong] = random.choice(_LETTERS, int(wrong.sum()))
    quals = random.integers(25, 41, shown.shape, np.uint8)
    gaps = random.integers(40, 46, (2, *shown.shape), np.uint8)
    units = Batch(
        ReadBatch.from_arrays(
            np.arange(made * reads + 1) * read_length,
            shown.ravel(),
            quals.ravel(),
            gaps[0].ravel(),
            gaps[1].ravel(),
            10,
        ),
        HaplotypeBatch.from_arrays(
            np.arange(made * haplotypes + 1) * haplotype_length, bases.ravel()
        ),
        np.arange(made + 1) * reads,
        np.arange(made + 1) * haplotypes,
    )
    return repeated(units, -(-count // made))[:count]


def copies(batch: Batch, cells: float) -> int:
    """Return how many copies of a batch have about the given number of cells; at least one."""
    return max(1, round(cells / batch.cells))


def repeated(batch: Batch, copies: int) -> Batch:
    """Return a batch that repeats the regions of another one."""
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


def _tiled(offsets: NDArray[np.int64], copies: int) -> NDArray[np.int64]:
    lengths = np.tile(np.diff(offsets), copies)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
