"""Read and write the ``.in`` format of PairHMM regions.

A region is a line ``R H``, R lines ``bases quals insertion_quals deletion_quals
continuation_quals``, and H lines with a haplotype each. A quality is one character, Phred + 33.
Qualities go up to 127, so characters go up to byte 160. The "10s" data set of the PairHMM
literature has this format (https://github.com/MauricioCarneiro/PairHMM). Files may be compressed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from gkl_shim.errors import FormatError
from gkl_shim.formats.lines import TextReader
from gkl_shim.pairhmm import _native_pairhmm
from gkl_shim.pairhmm._batch import Batch, RegionBatch
from gkl_shim.pairhmm._sequences import HaplotypeBatch, ReadBatch

__all__ = ["Reader", "RegionReader", "write"]

_PHRED = 33
_MAX_LINE = 1 << 26

# The first block and the usual block, in bytes. Blocks grow from the first size to the second. They
# grow further only if a region is larger.
_CHUNK = 1 << 18
_BLOCK = 1 << 21

# A batch ends with the region that reaches this number of pairs. It bounds the memory for results.
_BATCH_PAIRS = 1 << 18


_B = TypeVar("_B", bound=RegionBatch[Any])


class RegionReader(TextReader, Generic[_B]):
    """Iterate over the regions of a file in batches, with one batch in memory at a time.

    Parameters
    ----------
    source, name, threads
        As for :class:`gkl_shim.formats.lines.TextReader`.

    Yields
    ------
    _B
        One or more whole regions.

    Raises
    ------
    FormatError
        If the content does not follow the format, the file is truncated or holds no region, or
        the engine would refuse a region.
    OSError
        If the file cannot be opened or read.
    """

    #: The format, as :func:`gkl_shim.pairhmm._native_pairhmm.parse_regions` names it.
    _KIND: str

    def __init__(
        self, source: str | Path | BinaryIO, name: str | None = None, threads: int = 0
    ) -> None:
        super().__init__(source, name, threads)
        self._line = 0

    def _batch(
        self, reads: ReadBatch, haplotypes: HaplotypeBatch, found: _native_pairhmm.RegionText
    ) -> _B:
        """Return the regions that were found in a part of the text."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[_B]:
        text = bytearray(_CHUNK)
        size = 0
        any_region, more = False, True
        while more:
            try:
                size, more = self.fill(text, size)
            except FormatError as error:
                line = self._line + text.count(b"\n", 0, size) + 1
                raise self.error(line, error.message) from None
            found = _native_pairhmm.parse_regions(text, size, _MAX_LINE, self._threads, self._KIND)
            if found.fault is not None:
                raise self._fault(text, size, found.lines, found.fault)
            _, _, read_offsets, tracks, offsets, letters = found.arrays
            batch = self._batch(
                ReadBatch.trusted(read_offsets, *tracks),
                HaplotypeBatch.trusted(offsets, letters),
                found,
            )
            if len(batch):
                any_region = True
                yield from _parts(batch)
            if more:
                self._line += found.lines
                text, size = _next_block(text, found.used, size)
        if found.unfinished is not None:
            reads = f"{found.missing_reads} reads and " if found.missing_reads else ""
            raise self.error(
                self._line + text.count(b"\n", 0, size),
                f"the file ends within the region of line {self._line + found.unfinished + 1}: "
                f"{reads}{found.missing_haplotypes} haplotypes are missing",
            )
        if not any_region:
            raise self.error(1, "no regions: the file is empty")

    def _fault(self, text: bytearray, size: int, lines: int, message: str) -> FormatError:
        """Return the error for the line of a block that comes after this many lines."""
        begin = 0
        for _ in range(lines):
            begin = text.index(b"\n", begin, size) + 1
        end = text.find(b"\n", begin, size)
        end = size if end < 0 else end
        if end - begin > _MAX_LINE:
            return self.error(self._line + lines + 1, message)
        wrong = text[begin:end]
        what = message if wrong.strip() else "a blank line is within a region"
        return self.fault(self._line + lines + 1, wrong, what)


def _next_block(text: bytearray, used: int, size: int) -> tuple[bytearray, int]:
    """Return a block that begins with the unused bytes of the last one, and their number."""
    left = size - used
    room = min(2 * len(text), _BLOCK)
    while room <= 2 * left + 1:
        room *= 2
    block = text if room == len(text) else bytearray(room)
    memoryview(block)[:left] = memoryview(text)[used:size]
    return block, left


class Reader(RegionReader[Batch]):
    """Iterate over the regions of a file as :class:`gkl_shim.pairhmm.Batch` objects."""

    _KIND = "pairhmm"

    def _batch(
        self, reads: ReadBatch, haplotypes: HaplotypeBatch, found: _native_pairhmm.RegionText
    ) -> Batch:
        return Batch(reads, haplotypes, *found.arrays[:2])


def _parts(batch: _B) -> Iterator[_B]:
    """Split a batch between regions into batches of about `_BATCH_PAIRS` pairs."""
    ends = np.cumsum(batch.shapes.prod(axis=1))
    first = pairs = 0
    while first < len(batch):
        last = int(np.searchsorted(ends, pairs + _BATCH_PAIRS)) + 1
        yield batch[first:last]
        first = last
        pairs = int(ends[min(last, len(batch)) - 1])


def write(file: BinaryIO, batch: RegionBatch[Any], flags: NDArray[np.uint8] | None = None) -> None:
    """Write the regions of a batch. :class:`Reader` returns the same regions.

    Parameters
    ----------
    file
        A binary file, open for writing.
    batch
        The regions.
    flags
        The flags of the haplotypes' letters, for :mod:`gkl_shim.formats.pdhmm_in`.
    """
    reads, haplotypes = batch.reads, batch.haplotypes
    bases = reads.bases.tobytes()
    tracks = [bases, *((track + _PHRED).tobytes() for track in reads.tracks[1:])]
    letters = haplotypes.bases.tobytes()
    digits = None if flags is None else flags.tobytes().hex().encode()
    read_ends = reads.offsets.tolist()
    haplotype_ends = haplotypes.offsets.tolist()
    region_reads = batch.region_reads.tolist()
    region_haplotypes = batch.region_haplotypes.tolist()
    for region in range(len(batch)):
        first_read, last_read = region_reads[region : region + 2]
        first, last = region_haplotypes[region : region + 2]
        lines = [b"%d %d" % (last_read - first_read, last - first)]
        for read in range(first_read, last_read):
            start, stop = read_ends[read : read + 2]
            lines.append(b" ".join([track[start:stop] for track in tracks]))
        for haplotype in range(first, last):
            start, stop = haplotype_ends[haplotype : haplotype + 2]
            fields = [letters[start:stop]]
            if digits is not None:
                fields.append(digits[2 * start : 2 * stop])
            lines.append(b" ".join(fields))
        lines.append(b"")
        file.write(b"\n".join(lines))
