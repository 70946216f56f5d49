"""Read FASTA for maximal exact matches, as mummer reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gkl_shim.errors import FormatError
from gkl_shim.formats.input import Input
from gkl_shim.formats.refused import refuse_cr
from gkl_shim.mem._native_mem import Fasta

__all__ = ["BlockSize", "QueryReader", "read_reference"]

# The least that is read of a reference in one step.
_LEAST_READ = 1 << 20


class BlockSize:
    """How many bytes of queries are searched together.

    Memory holds all matches of a block. So the size is adapted to the matches of earlier blocks,
    which may be those of another file.

    Parameters
    ----------
    resident
        Whether the whole index is in memory. If not, each block builds it again, which takes longer
        than to search a small block. Blocks are then large: one and its matches take a gigabyte or
        two.
    """

    def __init__(self, resident: bool = True) -> None:
        if resident:
            self.bytes, self._least, self._most, self._matches = 1 << 20, 1 << 16, 1 << 24, 1 << 18
        else:
            self.bytes, self._least, self._most, self._matches = 1 << 24, 1 << 24, 1 << 28, 1 << 24

    def adapt(self, matches: int) -> None:
        """Adapt the size to the matches of a block."""
        size = self.bytes * self._matches // max(matches, 1)
        self.bytes = min(max(size, self._least), self._most)


def read_reference(source: str | Path | BinaryIO, threads: int = 0, strict: bool = False) -> Fasta:
    """Read all sequences of a file.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open binary file. It may be compressed.
    threads
        The most CPU threads to use. 0 uses every CPU that the process may use.
    strict
        Refuse letters before the first description, and a description that does not begin a line.
        mummer takes both.

    Raises
    ------
    FormatError
        If the file is damaged, is no FASTA, or has no sequence.
    OSError
        If the file cannot be read.
    """
    with Input(source, refuse_nul=True) as file:
        text = _all(file)
        refuse_cr(text, file.name)
        _refuse_fastq(text, file.name)
        if strict and _first_letter(text) not in b">":
            raise FormatError(file.name, None, "expected FASTA, which begins with >")
        if _ends_with_name(text):
            # As in mummer, the name lacks its last letter then. Its sequence is empty, but the
            # longest name is the width of a column.
            del text[-1:]
        fasta = Fasta(text, threads)
        _check(fasta, file.name, ended=True)
        if strict and text.startswith(b">") + text.count(b"\n>") != len(fasta.sequences):
            raise FormatError(file.name, None, "a > is within a line; it must begin one")
    return fasta


class QueryReader:
    """The queries of a file, in blocks of whole sequences.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open binary file. It may be compressed.
    threads
        The most CPU threads to use. 0 uses every CPU that the process may use.
    size
        The size of the blocks, which may change between them. A block has at least one sequence.
    """

    def __init__(
        self, source: str | Path | BinaryIO, threads: int = 0, size: BlockSize | None = None
    ) -> None:
        self._file = Input(source, refuse_nul=True)
        self._threads = threads
        self._size = size or BlockSize()

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
            If the file is damaged, is no FASTA, or has no sequence.
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
                ended = _more(self._file, text, self._size.bytes)
                end = _end_of_block(text, before)
            if ended:
                end = len(text)
            if first:
                refuse_cr(text, self._file.name)
                _refuse_fastq(text, self._file.name)
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
    # Memory that a file does not fill takes time, too, because the system sets it to zero.
    while not _more(file, text, max(len(text) // 4, _LEAST_READ)):
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


def _ends_with_name(text: bytearray) -> bool:
    """Return whether a name of one letter or more goes on to the end of a text."""
    begin = text.find(b">", text.rfind(b"\n") + 1)
    name = text[begin + 1 :] if begin >= 0 else b""
    return name.split() == [name]


def _first_letter(text: bytearray) -> bytes:
    """Return the first letter of a text, or nothing if there is none."""
    blank = len(text) - len(text.lstrip()) if text[:1].isspace() else 0
    return bytes(text[blank : blank + 1])


def _refuse_fastq(text: bytearray, name: str) -> None:
    """Refuse FASTQ. Where a quality is ">", mummer would take the rest of the line for a name."""
    if _first_letter(text) == b"@":
        raise FormatError(name, None, "it is FASTQ; convert it to FASTA, as seqtk seq -A does")


def _check(fasta: Fasta, name: str, ended: bool) -> None:
    """Refuse what mummer refuses: no sequence, or an empty one alone."""
    if not len(fasta.sequences):
        raise FormatError(name, None, "there is no sequence; expected FASTA, with a line of >name")
    if ended and len(fasta.sequences) == 1 and not fasta.sequences.letters:
        raise FormatError(name, None, "its only sequence is empty")
