"""Read FASTA for maximal exact matches, as mummer reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gkl_shim._native_mem import Fasta
from gkl_shim.errors import FormatError
from gkl_shim.formats.input import Input

__all__ = ["QueryReader", "read_reference"]

# Queries of this many bytes are searched together. The number is adapted to the matches: memory
# holds those of a block.
_FIRST_BYTES = 1 << 20
_LEAST_BYTES, _MOST_BYTES, _MATCHES = 1 << 16, 1 << 24, 1 << 18
# The same where each search builds the pages of the index, which takes longer than to search a
# small block. Such a block and its matches take a gigabyte or two.
_PAGED_LEAST_BYTES, _PAGED_MOST_BYTES, _PAGED_MATCHES = 1 << 24, 1 << 28, 1 << 24


def read_reference(source: str | Path | BinaryIO, threads: int = 0) -> Fasta:
    """Read all sequences of a file.

    Raises
    ------
    FormatError
        If the file is damaged or has no sequence.
    OSError
        If the file cannot be read.
    """
    with Input(source) as file:
        text = _all(file)
        fasta = Fasta(text, threads)
        _check(fasta, file.name, ended=True)
    return fasta


class QueryReader:
    """The queries of a file, in blocks of whole sequences.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open binary file. It may be compressed.
    threads
        The most CPU threads to use. 0 uses every CPU that the process may use.
    block_bytes
        The first block has about this many bytes, or one sequence.
    """

    def __init__(
        self, source: str | Path | BinaryIO, threads: int = 0, block_bytes: int = _FIRST_BYTES
    ) -> None:
        self._file = Input(source)
        self._threads = threads
        self._block_bytes = block_bytes

    def found(self, matches: int, resident: bool = True) -> None:
        """Adapt the size of later blocks to the matches of one.

        Parameters
        ----------
        matches
            How many matches the last block had.
        resident
            Whether the whole index is in memory, so that a search need not build it.
        """
        least, most, wanted = _LEAST_BYTES, _MOST_BYTES, _MATCHES
        if not resident:
            least, most, wanted = _PAGED_LEAST_BYTES, _PAGED_MOST_BYTES, _PAGED_MATCHES
        if matches > wanted:
            size = self._block_bytes * wanted // matches
        else:
            size = self._block_bytes * (4 if matches < wanted // 4 else 1)
        self._block_bytes = min(max(size, least), most)

    @property
    def bytes_read(self) -> int:
        """The bytes read from the file so far, before decompression."""
        return self._file.bytes_read

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __iter__(self) -> Iterator[Fasta]:
        """Yield the blocks.

        Raises
        ------
        FormatError
            If the file is damaged or has no sequence.
        OSError
            If the file cannot be read.
        """
        text = bytearray()
        first = True
        ended = False
        while not ended:
            end = -1
            while end < 0 and not ended:
                before = len(text)
                ended = _more(self._file, text, self._block_bytes)
                end = _end_of_block(text, before)
            if ended:
                end = len(text)
            with memoryview(text) as view, view[:end] as block:
                fasta = Fasta(block, self._threads)
            if first:
                _check(fasta, self._file.name, ended)
            first = False
            if len(fasta.sequences):
                yield fasta
            del text[:end]


def _end_of_block(text: bytearray, searched: int) -> int:
    """Return where the last sequence begins if there is one before it, otherwise -1."""
    # A description begins at the beginning of a line, or within a sequence.
    end = text.rfind(b"\n>", max(searched - 1, 0)) + 1
    return end if end and text.find(b">", 0, end) >= 0 else -1


def _all(file: Input) -> bytearray:
    text = bytearray()
    while not _more(file, text, max(len(text), _MOST_BYTES)):
        pass
    return text


def _more(file: Input, text: bytearray, size: int) -> bool:
    """Append at most `size` bytes, and return whether the file has ended."""
    before = len(text)
    text.extend(bytes(size))
    with memoryview(text) as view, view[before:] as rest:
        got = file.readinto(rest)
    del text[before + got :]
    return got < size


def _check(fasta: Fasta, name: str, ended: bool) -> None:
    """Refuse what mummer refuses: a file without a sequence, or with an empty one alone."""
    if not len(fasta.sequences):
        raise FormatError(name, None, "there is no sequence; expected FASTA, with a line of >name")
    if ended and len(fasta.sequences) == 1 and not fasta.sequences.letters:
        raise FormatError(name, None, "its only sequence is empty")
