"""Read pairs of sequences to align from text, and write alignments.

A line is ``reference TAB alternative``. Two more fields may follow: the scores, such as
``200,-150,-260,-11`` (match, mismatch, gap open, gap extend), and the overhang strategy. A line of
output is ``offset TAB CIGAR``. Files may be compressed.
"""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, get_args

from gkl_shim import _native_smithwaterman
from gkl_shim._closable import Closable
from gkl_shim.errors import FormatError
from gkl_shim.formats.input import Input
from gkl_shim.smithwaterman import Alignments, Overhang, Parameters

__all__ = ["Pairs", "Reader", "formatted", "parse_parameters"]

# The letters of a chunk, about.
_CHUNK_LETTERS = 1 << 23
_OVERHANGS: dict[bytes, Overhang] = {name.encode(): name for name in get_args(Overhang)}


@dataclasses.dataclass(slots=True)
class Pairs:
    """Consecutive pairs with the same scores and overhang strategy."""

    parameters: Parameters
    overhang: Overhang
    references: list[bytes]
    alternatives: list[bytes]


class Reader(Closable):
    """Read pairs in chunks.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open binary file, which is not closed.
    parameters, overhang
        For lines that do not name their own.

    Raises
    ------
    OSError
        If the file cannot be opened.
    """

    def __init__(
        self, source: str | Path | BinaryIO, parameters: Parameters, overhang: Overhang
    ) -> None:
        self._input = Input(source)
        self._default = parameters, overhang
        self._longest = _native_smithwaterman.longest()

    @property
    def bytes_read(self) -> int:
        """The bytes read from the file so far, before decompression."""
        return self._input.bytes_read

    def close(self) -> None:
        """Close the file if this reader opened it."""
        self._input.close()

    def __iter__(self) -> Iterator[Pairs]:
        """Read pairs.

        Yields
        ------
        Pairs
            The pairs of one chunk.

        Raises
        ------
        FormatError
            If a line is wrong, or a compressed file is truncated or damaged.
        OSError
            If the file cannot be read.
        """
        lines = io.BufferedReader(self._input, 1 << 20)
        # Two sequences, TABs, scores, a strategy and a newline.
        longest_line = 2 * self._longest + 100
        chunk, letters, number = Pairs(*self._default, [], []), 0, 0
        while line := lines.readline(longest_line):
            number += 1
            if len(line) == longest_line:
                raise self._error(number, f"the line has more than {longest_line} bytes")
            reference, alternative, parameters, overhang = self._fields(line, number)
            differs = (parameters, overhang) != (chunk.parameters, chunk.overhang)
            if chunk.references and (differs or letters > _CHUNK_LETTERS):
                yield chunk
                chunk, letters = Pairs(parameters, overhang, [], []), 0
            chunk.parameters, chunk.overhang = parameters, overhang
            chunk.references.append(reference)
            chunk.alternatives.append(alternative)
            letters += len(reference) + len(alternative)
        if chunk.references:
            yield chunk

    def _fields(self, line: bytes, number: int) -> tuple[bytes, bytes, Parameters, Overhang]:
        fields = line.rstrip(b"\r\n").split(b"\t")
        if len(fields) not in (2, 4):
            raise self._error(
                number,
                f"{len(fields)} fields; expected a reference and an alternative, and optionally "
                "the scores and the overhang strategy, separated by TABs",
            )
        for name, letters in zip(("reference", "alternative"), fields, strict=False):
            if not 1 <= len(letters) <= self._longest:
                raise self._error(
                    number, f"the {name} has {len(letters)} letters, not 1 to {self._longest}"
                )
        parameters, overhang = self._default
        if len(fields) == 4:
            try:
                parameters = parse_parameters(fields[2].decode(errors="backslashreplace"))
            except ValueError as error:
                raise self._error(number, str(error)) from None
            named = _OVERHANGS.get(fields[3].lower())
            if named is None:
                text = fields[3].decode(errors="backslashreplace")
                names = ", ".join(get_args(Overhang))
                raise self._error(number, f"the overhang strategy is {text!r}, not one of {names}")
            overhang = named
        return fields[0], fields[1], parameters, overhang

    def _error(self, line: int, message: str) -> FormatError:
        return FormatError(self._input.name, line, message)


def parse_parameters(text: str) -> Parameters:
    """Parse scores such as ``200,-150,-260,-11``.

    Raises
    ------
    ValueError
        If the text is not four 32-bit whole numbers.
    """
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 4 or not all(-(2**31) <= number < 2**31 for number in numbers):
        raise ValueError(
            f"the scores are {text!r}, not four whole numbers such as 200,-150,-260,-11"
        )
    return Parameters(*numbers)


def formatted(alignments: Alignments) -> bytes:
    """Return a line ``offset TAB CIGAR`` for each pair."""
    pairs = zip(alignments.offsets.tolist(), alignments.cigars, strict=True)
    return "".join(f"{offset}\t{cigar}\n" for offset, cigar in pairs).encode("ascii")
