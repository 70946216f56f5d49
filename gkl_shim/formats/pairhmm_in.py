"""The ``.in`` format of PairHMM regions, plain or gzipped.

A region is a line ``R H``, then R lines ``bases quals insertion_quals deletion_quals
continuation_quals`` (qualities Phred + 33, one character a base), then H lines with a haplotype
each. The format is that of the "10s" set of the PairHMM literature
(https://github.com/MauricioCarneiro/PairHMM). A quality goes up to 127, so its character up to
byte 160.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from gkl_shim import _native
from gkl_shim._batch import Batch, HaplotypeBatch, ReadBatch
from gkl_shim._closing import Closing
from gkl_shim.errors import FormatError

__all__ = ["Reader", "write"]

_PHRED = 33
_MAX_LINE = 1 << 26

# A text is read in blocks, which grow from the first size to the second and, where a region takes
# more, beyond it.
_CHUNK = 1 << 18
_BLOCK = 1 << 21

# A batch ends with the region that reaches this, so that its results take little memory.
_BATCH_PAIRS = 1 << 18


class Reader(Closing):
    """Iterate over a file's regions in batches, in memory bounded by a batch.

    Parameters
    ----------
    source
        A path, or an open binary file, which is not closed.
    name
        What errors call the file; by default the path.
    threads
        CPU threads that read, at most; 0 for as many as the process may use.

    Yields
    ------
    Batch
        One or more whole regions.

    Raises
    ------
    FormatError
        Where the content does not follow the format, the file is cut off or holds no region.
    OSError
        If the file cannot be opened or read.
    """

    def __init__(
        self, source: str | Path | BinaryIO, name: str | None = None, threads: int = 0
    ) -> None:
        self._input = _Input(source, name)
        self._threads = threads
        self._line = 0

    @property
    def bytes_read(self) -> int:
        """How much of the file, compressed where it is, has been read."""
        return self._input.bytes_read

    def close(self) -> None:
        """Close the file if it was opened here."""
        self._input.close()

    def __iter__(self) -> Iterator[Batch]:
        text = bytearray(_CHUNK)
        size = 0
        any_region, more = False, True
        while more:
            size, more = self._filled(text, size)
            found = _native.parse_regions(text, size, _MAX_LINE, self._threads)
            if found.fault is not None:
                raise self._error(self._line + found.lines + 1, found.fault)
            batch = _batch(found)
            if len(batch):
                any_region = True
                yield from _parts(batch)
            if more:
                self._line += found.lines
                text, size = _next_block(text, found.used, size)
        if found.unfinished is not None:
            reads = f"{found.missing_reads} reads and " if found.missing_reads else ""
            raise self._error(
                self._line + text.count(b"\n", 0, size),
                f"the file ends within the region of line {self._line + found.unfinished + 1}: "
                f"{reads}{found.missing_haplotypes} haplotypes are missing",
            )
        if not any_region:
            raise self._error(1, "no regions: the file is empty")

    def _filled(self, text: bytearray, size: int) -> tuple[int, bool]:
        """Fill a block behind its first `size` bytes; say how many it has then, and if more come.

        The last line gets a newline if it has none.
        """
        room = len(text) - 1
        try:
            size += self._input.readinto(memoryview(text)[size:room])
        except FormatError as error:
            raise self._error(self._line + text.count(b"\n", 0, size) + 1, error.message) from None
        more = size == room
        if not more and size and text[size - 1] != ord("\n"):
            text[size] = ord("\n")
            size += 1
        return size, more

    def _error(self, line: int, message: str) -> FormatError:
        return FormatError(self._input.name, line, message)


def _next_block(text: bytearray, used: int, size: int) -> tuple[bytearray, int]:
    """Return a block that begins with what is left of the last one, and how much that is."""
    left = size - used
    room = min(2 * len(text), _BLOCK)
    while room <= 2 * left + 1:
        room *= 2
    block = text if room == len(text) else bytearray(room)
    memoryview(block)[:left] = memoryview(text)[used:size]
    return block, left


def _batch(found: _native.RegionText) -> Batch:
    region_reads, region_haplotypes, read_offsets, tracks, haplotype_offsets, letters = found.arrays
    return Batch(
        ReadBatch.trusted(read_offsets, *tracks),
        HaplotypeBatch.trusted(haplotype_offsets, letters),
        region_reads,
        region_haplotypes,
    )


def _parts(batch: Batch) -> Iterator[Batch]:
    """Cut a batch between regions."""
    ends = np.cumsum(np.diff(batch.region_reads) * np.diff(batch.region_haplotypes))
    first = pairs = 0
    while first < len(batch):
        last = int(np.searchsorted(ends, pairs + _BATCH_PAIRS)) + 1
        yield batch[first:last]
        first = last
        pairs = int(ends[min(last, len(batch)) - 1])


class _Input:
    """A file's content, decompressed where it is gzipped."""

    def __init__(self, source: str | Path | BinaryIO, name: str | None) -> None:
        self._close = isinstance(source, (str, Path))
        self._file: BinaryIO
        if isinstance(source, (str, Path)):
            self._file = Path(source).open("rb")  # noqa: SIM115 - closed by close()
            self.name = name or str(source)
        else:
            self._file = source
            self.name = name or str(getattr(source, "name", "input"))
        self.bytes_read = 0
        self._content = self._pieces()
        self._left = memoryview(b"")

    def close(self) -> None:
        """Close the file if it was opened here."""
        if self._close:
            self._file.close()

    def readinto(self, buffer: memoryview) -> int:
        """Fill a buffer as far as the file goes, and return how far.

        Raises
        ------
        FormatError
            If the gzip data are cut off or damaged; it names no line.
        """
        size = 0
        while size < len(buffer):
            if not self._left:
                self._left = memoryview(next(self._content, b""))
                if not self._left:
                    break
            some = self._left[: len(buffer) - size]
            buffer[size : size + len(some)] = some
            self._left = self._left[len(some) :]
            size += len(some)
        return size

    def _pieces(self) -> Iterator[bytes]:
        chunk = self._chunk()
        if not chunk.startswith(b"\x1f\x8b"):
            while chunk:
                yield chunk
                chunk = self._chunk()
            return
        inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            while chunk:
                if inflate.eof:  # another member, or the zeros that tapes and blocks end with
                    chunk = chunk.lstrip(b"\0")
                    inflate = zlib.decompressobj(zlib.MAX_WBITS | 16) if chunk else inflate
                else:
                    if piece := inflate.decompress(chunk, _CHUNK):
                        yield piece
                    chunk = inflate.unconsumed_tail or inflate.unused_data
                chunk = chunk or self._chunk()
            if piece := inflate.flush():
                yield piece
        except zlib.error as error:
            raise FormatError(self.name, None, f"the gzip data are damaged: {error}") from None
        if not inflate.eof:
            raise FormatError(self.name, None, "the gzip data are cut off")

    def _chunk(self) -> bytes:
        chunk = self._file.read(_CHUNK)
        self.bytes_read += len(chunk)
        return chunk


def write(file: BinaryIO, batch: Batch) -> None:
    """Write a batch's regions; the reader gives them back as they were.

    Parameters
    ----------
    file
        A binary file, open for writing.
    batch
        The regions.
    """
    reads, haplotypes = batch.reads, batch.haplotypes
    bases = reads.bases.tobytes()
    tracks = [bases, *((track + _PHRED).tobytes() for track in reads.tracks[1:])]
    letters = haplotypes.bases.tobytes()
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
            lines.append(letters[start:stop])
        lines.append(b"")
        file.write(b"\n".join(lines))
