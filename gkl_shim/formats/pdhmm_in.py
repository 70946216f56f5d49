"""Read and write regions of partially determined haplotypes: the ``.in`` format with flags.

A region is as in :mod:`gkl_shim.formats.pairhmm_in`, but a haplotype's line has a second field: the
flags of its letters, two hexadecimal digits a letter. Files may be compressed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from gkl_shim import _batch, _native_pairhmm, _native_pdhmm
from gkl_shim._batch import ReadBatch
from gkl_shim._closable import Closable
from gkl_shim._pdhmm_batch import WRONG_FLAGS, Batch, HaplotypeBatch, first_wrong_flag
from gkl_shim.errors import FormatError
from gkl_shim.formats import pairhmm_in
from gkl_shim.formats.input import Input

__all__ = ["Reader", "write"]

_MAX_LINE = 1 << 26
# A batch ends with the region that reaches this many bytes of text.
_BATCH_BYTES = 1 << 21


class Reader(Closable):
    """Iterate over the regions of a file in batches, with one batch in memory at a time.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open binary file, which is not closed.
    name
        The name in error messages. The default is the path, or the name of the open file.
    threads
        The most CPU threads that parse. 0 uses every CPU that the process may use.

    Yields
    ------
    Batch
        One or more whole regions.

    Raises
    ------
    FormatError
        If the content does not follow the format, the file is truncated or holds no region, or
        :class:`gkl_shim.pdhmm.PDHMM` would refuse a region.
    OSError
        If the file cannot be opened or read.
    """

    def __init__(
        self, source: str | Path | BinaryIO, name: str | None = None, threads: int = 0
    ) -> None:
        self._input = Input(source, name)
        self._threads = threads
        self._limits = _native_pdhmm.limits()
        self._line = 0  # the number of lines read

    @property
    def bytes_read(self) -> int:
        """The bytes read from the file so far, before decompression."""
        return self._input.bytes_read

    def close(self) -> None:
        """Close the file if this reader opened it. A read in another thread fails at once."""
        self._input.close()

    def __iter__(self) -> Iterator[Batch]:
        lines = cast(BinaryIO, io.BufferedReader(self._input, 1 << 18))
        any_region = False
        while True:
            first = self._line
            text = bytearray()
            flags: list[bytes] = []
            # The text of whole regions without their flags has the lines that PairHMM's parser
            # expects, so it finds what is wrong in any of them.
            while len(text) < _BATCH_BYTES and self._add_region(lines, text, flags):
                pass
            if not text:
                break
            batch = self._batch(first, text, flags)
            if len(batch):
                any_region = True
                yield batch
        if not any_region:
            raise self._error(1, "no regions: the file is empty")

    def _add_region(self, lines: BinaryIO, text: bytearray, flags: list[bytes]) -> bool:
        """Add a region's lines to `text`, and its flags. Return whether there was one."""
        header = b"\n"
        while header.isspace():
            header = self._next(lines)
            text += header
        try:
            reads, haplotypes = map(int, header.split())
        except ValueError:
            # Either the file ends here, or the parser will say what is wrong.
            return False
        # At the end of the file the parser says what is missing.
        for _ in range(reads):
            line = self._next(lines)
            if not line:
                return False
            # A read has five fields of equal length.
            if len(line) > 5 * self._limits.read:
                self._check_length("read", line.split(maxsplit=1)[0], self._limits.read)
            text += line
        letters = 0
        for _ in range(haplotypes):
            line = self._next(lines)
            if not line:
                return False
            fields = line.split()
            if len(fields) != 2:
                raise self._error(
                    self._line,
                    f"a haplotype has 2 fields, its letters and their flags; here {len(fields)}",
                )
            self._check_length("haplotype", fields[0], self._limits.haplotype)
            letters += len(fields[0])
            if letters > self._limits.region:
                raise self._error(
                    self._line,
                    "with this one the region's haplotypes have more than "
                    f"{self._limits.region} letters together",
                )
            flags.append(self._flags(fields[1], len(fields[0])))
            text += fields[0] + b"\n"
        return True

    def _next(self, lines: BinaryIO) -> bytes:
        """Return the next line, or nothing at the end of the file."""
        try:
            line = lines.readline(_MAX_LINE + 1)
        except FormatError as error:
            raise self._error(self._line + 1, error.message) from None
        if line:
            self._line += 1
            if len(line) > _MAX_LINE:
                raise self._error(self._line, f"a line of more than {_MAX_LINE >> 20} MiB")
        return line if line.endswith(b"\n") or not line else line + b"\n"

    def _flags(self, field: bytes, letters: int) -> bytes:
        if len(field) != 2 * letters:
            raise self._error(
                self._line,
                f"the flags have {len(field)} digits for {letters} letters; they need two a letter",
            )
        try:
            flags = bytes.fromhex(field.decode("ascii"))
        except ValueError:
            raise self._error(self._line, "the flags are not all hexadecimal digits") from None
        at = first_wrong_flag(flags)
        if at is not None:
            raise self._error(
                self._line, f"the flags of letter {at + 1} are {flags[at]:02x}; {WRONG_FLAGS}"
            )
        return flags

    def _check_length(self, what: str, letters: bytes, most: int) -> None:
        if len(letters) > most:
            raise self._error(
                self._line, f"the {what} has {len(letters)} letters; at most {most} are allowed"
            )

    def _batch(self, first: int, text: bytearray, flags: list[bytes]) -> Batch:
        found = _native_pairhmm.parse_regions(text, len(text), _MAX_LINE, self._threads)
        if found.fault is not None:
            raise self._error(first + found.lines + 1, found.fault)
        if found.unfinished is not None:
            reads = f"{found.missing_reads} reads and " if found.missing_reads else ""
            raise self._error(
                self._line,
                f"the file ends within the region of line {first + found.unfinished + 1}: "
                f"{reads}{found.missing_haplotypes} haplotypes are missing",
            )
        regions, region_haplotypes, read_offsets, tracks, offsets, letters = found.arrays
        determined = _batch.HaplotypeBatch.trusted(offsets, letters)
        return Batch(
            ReadBatch.trusted(read_offsets, *tracks),
            HaplotypeBatch.trusted(determined, np.frombuffer(b"".join(flags), np.uint8)),
            regions,
            region_haplotypes,
        )

    def _error(self, line: int, message: str) -> FormatError:
        return FormatError(self._input.name, line, message)


def write(file: BinaryIO, batch: Batch) -> None:
    """Write the regions of a batch. :class:`Reader` returns the same regions.

    Parameters
    ----------
    file
        A binary file, open for writing.
    batch
        The regions.
    """
    plain = io.BytesIO()
    pairhmm_in.write(plain, batch.pairs_batch)
    lines = iter(plain.getvalue().splitlines(keepends=True))
    ends = batch.haplotypes.offsets.tolist()
    haplotype = 0
    for reads, haplotypes in batch.shapes.tolist():
        for _ in range(1 + reads):
            file.write(next(lines))
        for _ in range(haplotypes):
            flags = batch.flags[ends[haplotype] : ends[haplotype + 1]].tobytes().hex()
            file.write(next(lines).rstrip() + b" " + flags.encode() + b"\n")
            haplotype += 1
