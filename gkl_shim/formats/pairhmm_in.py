"""The ``.in`` format of PairHMM regions, plain or compressed.

A region is a line ``R H``, then R lines ``bases quals insertion_quals deletion_quals
continuation_quals`` (qualities Phred + 33, one character a base), then H lines with a haplotype
each. The format is that of the "10s" set of the PairHMM literature
(https://github.com/MauricioCarneiro/PairHMM). A quality goes up to 127, so its character up to
byte 160.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn, TypeAlias

import numpy as np

from gkl_shim._batch import (
    LETTERS,
    MAX_QUAL,
    QUAL_TRACKS,
    Batch,
    HaplotypeBatch,
    ReadBatch,
    offsets_of,
    shown,
)
from gkl_shim._closing import Closing
from gkl_shim.errors import FormatError
from gkl_shim.formats.input import Input

__all__ = ["Reader", "write"]

_Fault: TypeAlias = Callable[[bytes], str | None]

_PHRED = 33
_QUAL_CHARACTERS = bytes(range(_PHRED, _PHRED + MAX_QUAL + 1))
_CHUNK = 1 << 18
_MAX_LINE = 1 << 26
_MAX_DIGITS = 9

# A batch ends with the region that reaches either: cells for one native call, text for memory.
_BATCH_CELLS = 1 << 27
_BATCH_TEXT = 1 << 23


class Reader(Closing):
    """Iterate over a file's regions in batches, in memory bounded by a batch.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open binary file, which is not closed.
    name
        What errors call the file; by default the path, or the file's name.

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

    def __init__(self, source: str | Path | BinaryIO, name: str | None = None) -> None:
        self._input = Input(source, name)
        self._name = self._input.name
        self._line = 0

    @property
    def bytes_read(self) -> int:
        """How much of the file, compressed where it is, has been read."""
        return self._input.bytes_read

    def close(self) -> None:
        """Close the file if it was opened here; a thread that waits for it stops waiting."""
        self._input.close()

    def __iter__(self) -> Iterator[Batch]:
        regions = _Regions()
        reads_left = haplotypes_left = header = 0
        any_region = False
        for lines in self._lines():
            at = 0
            while at < len(lines):
                first = self._line + 1
                if reads_left:
                    part = lines[at : at + reads_left]
                    if not regions.add_reads(part):
                        self._refuse(first, part, _read_fault)
                    reads_left -= len(part)
                elif haplotypes_left:
                    part = lines[at : at + haplotypes_left]
                    if not regions.add_haplotypes(part):
                        self._refuse(first, part, _haplotype_fault)
                    haplotypes_left -= len(part)
                else:
                    part = lines[at : at + 1]
                    fields = part[0].split()
                    if fields:
                        if not _is_header(fields):
                            self._refuse(first, part, _header_fault)
                        reads_left, haplotypes_left = int(fields[0]), int(fields[1])
                        header = first
                        any_region = True
                at += len(part)
                self._line += len(part)
                if header and not reads_left and not haplotypes_left:
                    header = 0
                    regions.end_region()
                    if regions.cells >= _BATCH_CELLS or regions.text >= _BATCH_TEXT:
                        yield regions.batch()
                        regions = _Regions()
        if header:
            missing = f"{reads_left} reads and " if reads_left else ""
            raise FormatError(
                self._name,
                max(self._line, 1),
                f"the file ends within the region of line {header}: {missing}{haplotypes_left} "
                "haplotypes are missing",
            )
        if not any_region:
            raise FormatError(self._name, 1, "no regions: the file is empty")
        if regions.count:
            yield regions.batch()

    def _lines(self) -> Iterator[list[bytes]]:
        """Give lists of whole lines, without their newlines."""
        rest = b""
        for chunk in self._text():
            head, newline, tail = chunk.rpartition(b"\n")
            if newline:
                yield (rest + head).split(b"\n")
                rest = tail
            else:
                rest += chunk
            if len(rest) > _MAX_LINE:
                raise FormatError(
                    self._name, self._line + 1, f"a line of more than {_MAX_LINE >> 20} MiB"
                )
        if rest:
            yield [rest]

    def _text(self) -> Iterator[bytes]:
        """Give the file's content in pieces, decompressed where it is compressed."""
        buffer = memoryview(bytearray(_CHUNK))
        while size := self._chunk(buffer):
            yield bytes(buffer[:size])

    def _chunk(self, buffer: memoryview) -> int:
        try:
            return self._input.readinto(buffer)
        except FormatError as error:
            raise FormatError(self._name, self._line + 1, error.message) from None

    def _refuse(self, first: int, lines: list[bytes], fault: _Fault) -> NoReturn:
        for number, line in enumerate(lines, first):
            message = fault(line)
            if message:
                raise FormatError(self._name, number, message)
        raise AssertionError(f"lines {first} and on were refused for no reason")


class _Regions:
    """Regions on their way into a batch."""

    def __init__(self) -> None:
        self.count = 0
        self.cells = 0
        self.text = 0
        self._tracks: list[list[bytes]] = [[] for _ in range(5)]
        self._read_lengths: list[int] = []
        self._haplotypes: list[bytes] = []
        self._haplotype_lengths: list[int] = []
        self._region_reads: list[int] = [0]
        self._region_haplotypes: list[int] = [0]
        self._read_bases = self._haplotype_bases = 0

    def add_reads(self, lines: list[bytes]) -> bool:
        """Take read lines, or say that some line is wrong."""
        try:
            columns = list(zip(*map(bytes.split, lines), strict=True))
        except ValueError:
            return False
        if len(columns) != 5:
            return False
        lengths = list(map(len, columns[0]))
        tracks = list(map(b"".join, columns))
        if any(list(map(len, column)) != lengths for column in columns[1:]):
            return False
        if tracks[0].translate(None, LETTERS):
            return False
        if any(track.translate(None, _QUAL_CHARACTERS) for track in tracks[1:]):
            return False
        for pieces, track in zip(self._tracks, tracks, strict=True):
            pieces.append(track)
        self._read_lengths += lengths
        self._read_bases += len(tracks[0])
        return True

    def add_haplotypes(self, lines: list[bytes]) -> bool:
        """Take haplotype lines, or say that some line is wrong."""
        try:
            columns = list(zip(*map(bytes.split, lines), strict=True))
        except ValueError:
            return False
        if len(columns) != 1:
            return False
        letters = b"".join(columns[0])
        if letters.translate(None, LETTERS):
            return False
        self._haplotypes.append(letters)
        self._haplotype_lengths += map(len, columns[0])
        self._haplotype_bases += len(letters)
        return True

    def end_region(self) -> None:
        self.count += 1
        self.cells += self._read_bases * self._haplotype_bases
        self.text += 5 * self._read_bases + self._haplotype_bases
        self._read_bases = self._haplotype_bases = 0
        self._region_reads.append(len(self._read_lengths))
        self._region_haplotypes.append(len(self._haplotype_lengths))

    def batch(self) -> Batch:
        bases, *quals = (np.frombuffer(b"".join(pieces), np.uint8) for pieces in self._tracks)
        return Batch(
            ReadBatch.trusted(
                offsets_of(self._read_lengths), bases, *(track - _PHRED for track in quals)
            ),
            HaplotypeBatch.trusted(
                offsets_of(self._haplotype_lengths),
                np.frombuffer(b"".join(self._haplotypes), np.uint8),
            ),
            np.array(self._region_reads),
            np.array(self._region_haplotypes),
        )


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


def _is_header(fields: list[bytes]) -> bool:
    return len(fields) == 2 and all(
        field.isdigit() and len(field) <= _MAX_DIGITS for field in fields
    )


def _header_fault(line: bytes) -> str | None:
    fields = line.split()
    if _is_header(fields):
        return None
    return (
        "expected a region's first line, the number of its reads and of its haplotypes, got "
        f"{_excerpt(line)}"
    )


def _read_fault(line: bytes) -> str | None:
    fields = line.split()
    if len(fields) != 5:
        return (
            "a read has 5 fields (bases, base, insertion, deletion and continuation qualities), "
            f"here {len(fields)}"
        )
    bases, *tracks = fields
    for name, track in zip(QUAL_TRACKS, tracks, strict=True):
        if len(track) != len(bases):
            return f"{name}: {len(track)} qualities for {len(bases)} bases"
    wrong = bases.translate(None, LETTERS)
    if wrong:
        return f"letter {shown(wrong[0])} of the read is none of ACGTN"
    for name, track in zip(QUAL_TRACKS, tracks, strict=True):
        wrong = track.translate(None, _QUAL_CHARACTERS)
        if wrong:
            return f"{name}: {shown(wrong[0])} is no quality (Phred + 33, from '!')"
    return None


def _haplotype_fault(line: bytes) -> str | None:
    fields = line.split()
    if len(fields) != 1:
        return f"a haplotype has 1 field, here {len(fields)}"
    wrong = fields[0].translate(None, LETTERS)
    return f"letter {shown(wrong[0])} of the haplotype is none of ACGTN" if wrong else None


def _excerpt(line: bytes) -> str:
    text = line[:30].decode("ascii", "backslashreplace")
    return repr(text) + ("…" if len(line) > 30 else "")
