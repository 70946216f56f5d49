"""Read and write pairs of sequences to align, and write alignments.

A line is ``reference TAB alternative``. Two more fields may follow: the scores, such as
``200,-150,-260,-11`` (match, mismatch, gap open, gap extend), and the overhang strategy. A line of
output is ``offset TAB CIGAR``. Files may be compressed.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._ragged import part
from gkl_shim.formats.lines import LINES, LineReader
from gkl_shim.smithwaterman import Alignments, Overhang, Parameters, _native_smithwaterman
from gkl_shim.smithwaterman._native_smithwaterman import PairText, overhang_code

__all__ = ["Pairs", "Reader", "formatted", "write"]

_Sequences: TypeAlias = tuple[NDArray[np.uint8], NDArray[np.int64]]


@dataclasses.dataclass(frozen=True, slots=True)
class Pairs:
    """Consecutive pairs with the same scores and overhang strategy."""

    parameters: Parameters
    overhang: Overhang
    references: _Sequences
    """All letters, and one more offset than there are sequences."""
    alternatives: _Sequences


class Reader(LineReader):
    """Iterate over the pairs of a text; see :class:`gkl_shim.formats.lines.LineReader`.

    Parameters
    ----------
    source, threads
        As there.
    parameters, overhang
        For lines that do not name their own.

    Yields
    ------
    Pairs
        Pairs of one chunk.

    Raises
    ------
    FormatError
        If a line is wrong, or a compressed file is truncated or damaged.
    OSError
        If the file cannot be opened or read.
    """

    def __init__(
        self,
        source: str | Path | BinaryIO,
        parameters: Parameters,
        overhang: Overhang,
        threads: int = 0,
    ) -> None:
        super().__init__(source, threads=threads)
        self._default = parameters, overhang_code(overhang)
        # Two sequences, TABs, scores, a strategy and a newline.
        self._longest_line = 2 * _native_smithwaterman.longest() + 100

    def __iter__(self) -> Iterator[Pairs]:
        for found in self._read(self._parse):
            yield from _runs(found)

    def _parse(self, text: NDArray[np.uint8], line: int) -> tuple[PairText, int, int, str | None]:
        self._refuse_header(text, line)
        found = _native_smithwaterman.parse_pairs(text, LINES, self._threads, *self._default)
        return found, len(found.parameters), found.used, found.fault


def _runs(found: PairText) -> Iterator[Pairs]:
    """Divide pairs where the scores or the strategy change."""
    parameters = found.parameters
    changes = np.flatnonzero((parameters[1:] != parameters[:-1]).any(axis=1)) + 1
    ends = [*changes.tolist(), len(parameters)]
    names = {overhang_code(name): name for name in get_args(Overhang)}
    first = 0
    for last in ends:
        *scores, overhang = parameters[first].tolist()
        yield Pairs(
            Parameters(*scores),
            names[overhang],
            part(found.references, first, last),
            part(found.alternatives, first, last),
        )
        first = last


def formatted(alignments: Alignments, threads: int = 0) -> memoryview:
    """Return a line ``offset TAB CIGAR`` for each pair."""
    return _native_smithwaterman.format_alignments(
        alignments.offsets, alignments.cigar_offsets, alignments.cigar_text, threads
    )


def write(file: BinaryIO, pairs: Pairs) -> None:
    """Write a line for each pair. :class:`Reader` returns the same pairs.

    Parameters
    ----------
    file
        A binary file, open for writing.
    pairs
        The pairs.
    """
    rest = f"\t{','.join(map(str, pairs.parameters))}\t{pairs.overhang}\n".encode()
    for pair in zip(_each(pairs.references), _each(pairs.alternatives), strict=True):
        file.write(b"\t".join(pair) + rest)


def _each(sequences: _Sequences) -> list[bytes]:
    letters, ends = sequences[0].tobytes(), sequences[1].tolist()
    return [letters[start:end] for start, end in itertools.pairwise(ends)]
