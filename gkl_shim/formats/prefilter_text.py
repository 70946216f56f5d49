"""Read the prefilter's inputs: texts of pairs or candidates, and files of reads and contigs.

A line of pairs is ``read TAB segment``. A line of candidates is ``read TAB contig TAB position``,
and may end with ``TAB`` and the strand, ``+`` or ``-``. The read is its index in the reads file,
the contig is its name, and the position is in the contig. Indices and positions count from 0. All
files may be compressed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim.errors import FormatError
from gkl_shim.formats.lines import LINES, LineReader
from gkl_shim.formats.mem_fasta import read_reference
from gkl_shim.formats.reads import ReadsFile, chunks_of
from gkl_shim.prefilter import _native_prefilter
from gkl_shim.prefilter._sequences import MAX_CONTIG, MAX_LENGTH, Sequences

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
            self._refuse_header(text, line)
            found, used, fault = _native_prefilter.parse_pairs(text, LINES, self._threads)
            count = len(found[0])
            reads, segments = (
                Sequences.of(
                    count=count, size=len(text), letters=text, starts=starts, lengths=lengths
                )
                for starts, lengths in (found[:2], found[2:])
            )
            return Pairs(line, reads, segments), count, used, fault

        return self._read(parse)

    def candidates(
        self,
        reads: NDArray[np.integer[Any]],
        names: Sequence[str],
        lengths: NDArray[np.integer[Any]],
    ) -> Iterator[Candidates]:
        """Read candidates.

        Parameters
        ----------
        reads
            The lengths of the reads.
        names, lengths
            The names of the contigs, and their lengths in bases.

        Yields
        ------
        Candidates
            The candidates of one chunk.

        Raises
        ------
        FormatError, OSError
            As for :meth:`pairs`, if a read, contig or position does not exist, or if a read's
            length is not 1 to 10,000.
        """
        encoded = [name.encode(errors="surrogateescape") for name in names]
        impossible = (reads < 1) | (reads > MAX_LENGTH)
        bases = np.ascontiguousarray(lengths, np.int64)

        def parse(text: NDArray[np.uint8], line: int) -> tuple[Candidates, int, int, str | None]:
            found, used, fault = _native_prefilter.parse_candidates(
                text, LINES, self._threads, len(reads), encoded, bases
            )
            which, where, positions, reverse = found
            wrong = impossible[which]
            if wrong.any():
                at = int(wrong.argmax())
                read = which[at]
                what = f"read {read} has {reads[read]:,} bases, not 1 to {MAX_LENGTH:,}"
                raise self.error(line + at, what)
            backward = reverse.view(np.bool_) if reverse.any() else None
            return Candidates(line, which, where, positions, backward), len(which), used, fault

        return self._read(parse)


def read_reads(path: str, threads: int = 0) -> tuple[Sequences, NDArray[np.int64]]:
    """Read a FASTQ or FASTA file of reads.

    Returns
    -------
    reads, lengths
        The reads, and their lengths in the file. A read whose length is not 1 to 10,000 has another
        length in `reads`; :meth:`TextReader.candidates` refuses its candidates.

    Raises
    ------
    FormatError
        If the file does not follow its format, is truncated or damaged, or holds no read.
    OSError
        If the file cannot be opened or read.
    """
    with ReadsFile(path, threads, for_prefilter=True) as file:
        chunks = [chunk.reads() for chunk in chunks_of(file)]
    if not chunks:
        raise FormatError(path, None, "the file holds no read")
    lengths = np.concatenate([sizes for _, sizes in chunks], dtype=np.int64)
    return _sequences([letters for letters, _ in chunks], lengths, MAX_LENGTH), lengths


def read_contigs(path: str, threads: int = 0) -> tuple[list[str], Sequences, NDArray[np.int64]]:
    """Read a reference in FASTA.

    Returns
    -------
    names, contigs, lengths
        The name of a contig is its header up to the first white space. `lengths` are those in the
        file. An empty contig has a letter in `contigs`.

    Raises
    ------
    FormatError
        If the file does not follow its format, is truncated or damaged, holds no contig, holds one
        of 2^31 bases or more, or holds two contigs with the same name.
    OSError
        If the file cannot be opened or read.
    """
    fasta = read_reference(path, threads, strict=True)
    letters, ends = fasta.names.arrays()
    names = [
        letters[begin:end].tobytes().decode(errors="surrogateescape")
        for begin, end in itertools.pairwise(ends.tolist())
    ]
    letters, ends = fasta.sequences.arrays()
    lengths = np.diff(ends)
    seen: set[str] = set()
    for name, length in zip(names, lengths.tolist(), strict=True):
        if name in seen:
            raise FormatError(path, None, f'there are two contigs "{name}"')
        if length > MAX_CONTIG:
            raise FormatError(
                path,
                None,
                f'contig "{name}" has {length:,} bases; at most {MAX_CONTIG:,} are possible',
            )
        seen.add(name)
    return names, _sequences([letters], lengths, MAX_CONTIG), lengths


def _sequences(
    letters: list[NDArray[np.uint8]], lengths: NDArray[np.int64], most: int
) -> Sequences:
    """Make sequences of consecutive letters. An impossible length is replaced by a possible one."""
    # An empty sequence at the end gets this letter.
    together = np.concatenate([*letters, np.frombuffer(b"N", np.uint8)])
    return Sequences.of(
        count=len(lengths),
        size=len(together),
        letters=together,
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths.clip(1, most).astype(np.int32),
    )
