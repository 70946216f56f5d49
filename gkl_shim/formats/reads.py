"""Files of reads, FASTQ or FASTA, in pieces that native code parses, counts and corrects."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._closable import Closable
from gkl_shim.common._read_ahead import read_ahead
from gkl_shim.correct._native_correct import Chunk
from gkl_shim.errors import FormatError
from gkl_shim.formats.input import Input
from gkl_shim.formats.refused import refuse_cr

__all__ = ["ReadsFile", "chunks_of", "pairs_of"]

_CHUNK = 1 << 23
# Room before each piece for what is left of the one before. It nearly always suffices.
_HEADROOM = 1 << 16


class ReadsFile(Closable):
    """The records of a file, which may be compressed. It reads one piece ahead, in a thread.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    threads
        The most threads to use.
    for_prefilter
        The prefilter's reads may have other letters than ACGTN.

    Raises
    ------
    OSError
        If the file cannot be opened.
    """

    def __init__(self, path: str | Path, threads: int, for_prefilter: bool = False) -> None:
        self._input = Input(path, refuse_nul=True)
        self._threads = threads
        self._any_letters = for_prefilter
        self._pieces = read_ahead(self._read())
        self._rest = np.empty(0, np.uint8)
        self._chunk: Chunk | None = None
        self._ended = False
        self._mark: str | None = None
        self.name = self._input.name
        self.records = 0
        """The number of records that were returned."""

    @property
    def bytes_read(self) -> int:
        """The bytes read from the file so far, before decompression."""
        return self._input.bytes_read

    def close(self) -> None:
        """Close the file. A read in another thread fails at once."""
        self.stop_reading()
        self._pieces.close()

    def stop_reading(self) -> None:
        """Let a thread that waits for data fail at once. :meth:`close` must follow."""
        self._input.close()

    def next_chunk(self, least: int = 1) -> Chunk | None:
        """Return the next records, or None at the end of the file.

        The caller may cut the chunk before the next call. Its records come again then.

        Parameters
        ----------
        least
            How many records to return, unless the file ends before.

        Raises
        ------
        FormatError
            If a record is malformed. It names the record.
        OSError
            If the file cannot be read.
        """
        if self._chunk is not None:
            self.records += self._chunk.records
            self._rest = self._chunk.text[self._chunk.end :]
        chunk = Chunk(self._threads, self._any_letters)
        text = self._rest
        try:
            # If the last chunk was cut, its records come first: the file is read on only after
            # them, so that the text in memory does not grow.
            if len(text):
                self._parse(chunk, text)
            while chunk.records < least and not self._ended:
                text = self._longer(text)
                if self._mark is None:
                    text = _without_blank_lines(text)
                if len(text):
                    self._parse(chunk, text)
        except ValueError as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(self.name, None, str(error)) from None
        self._chunk = chunk
        return chunk if chunk.records else None

    def _parse(self, chunk: Chunk, text: NDArray[np.uint8]) -> None:
        if self._mark is None:
            refuse_cr(text, self.name)
        # A piece's first letter says whether it is FASTQ or FASTA. All pieces must be the same.
        # Blank lines have none.
        mark = chr(text[0])
        if self._mark is None and not mark.isspace():
            self._mark = mark
        elif mark != self._mark and not mark.isspace():
            raise ValueError(
                f"record {self.records + 1}: its first line does not start with {self._mark}"
            )
        chunk.parse(text, self._ended, self.records)

    def _longer(self, rest: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return what is left of the last piece, and the next piece."""
        piece = next(self._pieces, None)
        if piece is None:
            self._ended = True
            # The last line may lack its newline.
            lacking = len(rest) and rest[-1] != ord("\n")
            return np.append(rest, np.uint8(ord("\n"))) if lacking else rest
        if len(rest) > _HEADROOM:
            return np.concatenate((rest, piece[_HEADROOM:]))
        begin = _HEADROOM - len(rest)
        piece[begin:_HEADROOM] = rest
        return piece[begin:]

    def _read(self) -> Generator[NDArray[np.uint8], None, None]:
        while True:
            piece = np.empty(_HEADROOM + _CHUNK, np.uint8)
            size = self._input.readinto(piece[_HEADROOM:])
            if size:
                yield piece[: _HEADROOM + size]
            if size < _CHUNK:
                return


def _without_blank_lines(text: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return FASTA without its first lines if they are blank, and any other text as it is."""
    if not len(text) or not chr(text[0]).isspace():
        return text
    rest = text.tobytes().lstrip()
    first = len(text) - len(rest)
    return text[first:] if rest.startswith(b">") and text[first - 1] == ord("\n") else text


def chunks_of(file: ReadsFile) -> Generator[Chunk, None, None]:
    """Yield all chunks of a file."""
    while (chunk := file.next_chunk()) is not None:
        yield chunk


def pairs_of(files: list[ReadsFile], interleaved: bool) -> Generator[list[Chunk], None, None]:
    """Yield chunks with whole pairs: one chunk of each file, with the same number of records.

    Parameters
    ----------
    files
        One file, or two with the mates of each pair.
    interleaved
        Whether the mates follow each other in one file.

    Raises
    ------
    FormatError
        If a read has no mate, and as for :meth:`ReadsFile.next_chunk`.
    """
    while True:
        chunks = [file.next_chunk(2 if interleaved else 1) for file in files]
        found = [chunk for chunk in chunks if chunk is not None]
        if not found:
            return
        if len(found) < len(files):
            ended = files[chunks.index(None)]
            raise FormatError(
                ended.name, None, f"it ends after {ended.records} reads, but its mate file does not"
            )
        records = min(chunk.records for chunk in found)
        if interleaved:
            if records == 1:
                raise FormatError(
                    files[0].name, None, f"read {files[0].records + 1}, the last one, has no mate"
                )
            records -= records % 2
        for chunk in found:
            if chunk.records > records:
                chunk.cut(records)
        yield found
