"""Read the prefilter's inputs: texts of pairs or candidates, and files of reads and contigs.

A line of pairs is ``read TAB segment``. A line of candidates is ``read TAB contig TAB position``,
and may end with ``TAB`` and the strand, ``+`` or ``-``. The read is its index in the reads file,
the contig is its name, and the position is in the contig. Indices and positions count from 0. All
files may be compressed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native_prefilter
from gkl_shim._sequences import MAX_CONTIG, MAX_LENGTH, Sequences, contig_sequences, sequences
from gkl_shim.errors import FormatError, MissingComponent
from gkl_shim.formats.input import Input
from gkl_shim.formats.lines import LINES, LineReader

__all__ = ["Candidates", "Pairs", "TextReader", "read_contigs", "read_reads"]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Consecutive lines of pairs."""

    first_line: int
    """The number of the first line, counted from 1."""
    reads: Sequences
    segments: Sequences


@dataclass(frozen=True, slots=True)
class Candidates:
    """Consecutive lines of candidates, for :meth:`gkl_shim.prefilter.Resident.edits`."""

    first_line: int
    """The number of the first line, counted from 1."""
    reads: NDArray[np.int32]
    contigs: NDArray[np.int32]
    positions: NDArray[np.int64]
    reverse: NDArray[np.bool_] | None
    """None if all candidates are on the forward strand."""


class TextReader(LineReader):
    """Read a text of pairs or candidates; see :class:`gkl_shim.formats.lines.LineReader`."""

    _longest_line = 1 << 16  # two sequences of the longest length and a TAB are far shorter

    def pairs(self) -> Iterator[Pairs]:
        """Read pairs.

        Yields
        ------
        Pairs
            The pairs of one chunk. Their buffer is reused when the next chunk is requested.

        Raises
        ------
        FormatError
            If a line is wrong, or a compressed file is truncated or damaged.
        OSError
            If the file cannot be read.
        """

        def parse(text: NDArray[np.uint8], line: int) -> tuple[Pairs, int, int, str | None]:
            starts = [np.empty(LINES, np.int64) for _ in range(2)]
            lengths = [np.empty(LINES, np.int32) for _ in range(2)]
            count, used, fault = _native_prefilter.parse_pairs(
                text, self._threads, starts[0], lengths[0], starts[1], lengths[1]
            )
            reads, segments = (
                Sequences(
                    _native_prefilter.Sequences(
                        count=count,
                        size=len(text),
                        letters=text,
                        starts=starts[side][:count],
                        lengths=lengths[side][:count],
                    )
                )
                for side in range(2)
            )
            return Pairs(line, reads, segments), count, used, fault

        return self._read(parse)

    def candidates(
        self, reads: int, names: Sequence[str], lengths: NDArray[np.integer[Any]]
    ) -> Iterator[Candidates]:
        """Read candidates.

        Parameters
        ----------
        reads
            The number of reads.
        names, lengths
            The names of the contigs, and their lengths in bases.

        Yields
        ------
        Candidates
            The candidates of one chunk.

        Raises
        ------
        FormatError, OSError
            As for :meth:`pairs`, and if a read, contig or position does not exist.
        """
        encoded = [name.encode() for name in names]
        bases = np.ascontiguousarray(lengths, np.int64)

        def parse(text: NDArray[np.uint8], line: int) -> tuple[Candidates, int, int, str | None]:
            which, where = (np.empty(LINES, np.int32) for _ in range(2))
            positions, reverse = np.empty(LINES, np.int64), np.empty(LINES, np.uint8)
            count, used, fault = _native_prefilter.parse_candidates(
                text, self._threads, reads, encoded, bases, which, where, positions, reverse
            )
            backward = reverse[:count].view(np.bool_)
            found = Candidates(
                line,
                which[:count],
                where[:count],
                positions[:count],
                backward if backward.any() else None,
            )
            return found, count, used, fault

        return self._read(parse)


def read_reads(path: str) -> Sequences:
    """Read a FASTQ or FASTA file of reads.

    Raises
    ------
    FormatError
        If the file does not follow its format, is truncated or damaged, holds no read, or holds a
        read whose length is not 1 to 10,000.
    OSError
        If the file cannot be opened or read.
    """
    reads = []
    for index, (name, bases) in enumerate(_records(path, "reads")):
        if not 1 <= len(bases) <= MAX_LENGTH:
            raise FormatError(
                path, None, f"read {index} ({name}) has {len(bases)} bases, not 1 to {MAX_LENGTH}"
            )
        reads.append(bases)
    if not reads:
        raise FormatError(path, None, "the file holds no read")
    return sequences(reads, "reads")


def read_contigs(path: str) -> tuple[list[str], Sequences]:
    """Read a reference in FASTA.

    Returns
    -------
    names, contigs
        The name of a contig is its header up to the first white space.

    Raises
    ------
    FormatError
        If the file does not follow its format, is truncated or damaged, holds no contig, holds an
        empty contig or one of 2^31 bases or more, or holds two contigs with the same name.
    OSError
        If the file cannot be opened or read.
    """
    contigs: dict[str, str] = {}
    for header, bases in _records(path, "contigs"):
        name = header.split(maxsplit=1)[0] if header.strip() else ""
        if name in contigs:
            raise FormatError(path, None, f'there are two contigs "{name}"')
        if not bases:
            raise FormatError(path, None, f'contig "{name}" is empty')
        if len(bases) > MAX_CONTIG:
            raise FormatError(
                path,
                None,
                f'contig "{name}" has {len(bases):,} bases; at most {MAX_CONTIG:,} are possible',
            )
        contigs[name] = bases
    if not contigs:
        raise FormatError(path, None, "the file holds no contig")
    return list(contigs), contig_sequences(contigs.values())


def _records(path: str, what: str) -> Iterator[tuple[str, str]]:
    # PyPI has no wheel of dnaio for Linux on aarch64, so the package does not require it there.
    try:
        import dnaio
        from dnaio.exceptions import FileFormatError, UnknownFileFormat
    except ImportError:
        raise MissingComponent(
            "FASTA and FASTQ files need the Python package dnaio: pip install dnaio"
        ) from None
    try:
        with Input(path) as source, dnaio.open(io.BufferedReader(source)) as file:
            for record in file:
                yield record.name, record.sequence
    except FileFormatError as error:
        line = None if error.line is None else error.line + 1
        raise FormatError(path, line, error.message) from None
    except UnknownFileFormat:
        raise FormatError(path, None, f"expected {what} in FASTA or FASTQ") from None
    except UnicodeDecodeError as error:
        raise FormatError(
            path, None, f"byte 0x{error.object[error.start]:02X} is not text"
        ) from None
