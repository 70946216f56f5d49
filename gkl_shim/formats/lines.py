"""Read text in blocks, whose lines the library parses."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._closable import Closable
from gkl_shim.common._read_ahead import read_ahead
from gkl_shim.errors import FormatError
from gkl_shim.formats.input import Input

__all__ = ["LINES", "LineReader", "TextReader"]

#: Lines parsed in one call. All threads have work, and the arrays stay in cache.
LINES = 1 << 17
_CHUNK = 1 << 24
# The names of two columns, and the letters that are nucleotides, certain or not.
_WORDS = re.compile(rb"#?\s*([A-Z][\w ]*)\t([A-Z][\w ]*)[\t\r\n]")
_LONGEST_HEADER = 1000
_CODES = b"ACGTUNRYSWKMBDHVX"

# Parses the first lines of a text, whose first line has this number. Returns them, their number,
# their bytes, and what is wrong with the next line, or None.
_Parse: TypeAlias = Callable[[NDArray[np.uint8], int], tuple[Any, int, int, str | None]]


class TextReader(Closable):
    """A text file that is read, and the threads that parse it.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open binary file, which is not closed.
    name
        The name in error messages. The default is the path, or the name of the open file.
    threads
        The most CPU threads that parse. 0 uses every CPU that the process may use.

    Raises
    ------
    OSError
        If the file cannot be opened.
    """

    def __init__(
        self, source: str | Path | BinaryIO, name: str | None = None, threads: int = 0
    ) -> None:
        self._input = Input(source, name)
        self._threads = threads

    @property
    def bytes_read(self) -> int:
        """The bytes read from the file so far, before decompression."""
        return self._input.bytes_read

    def close(self) -> None:
        """Close the file if this reader opened it. A read in another thread fails at once."""
        self._input.close()

    def fill(self, block: Any, size: int) -> tuple[int, bool]:
        """Read on after the first bytes of a block, which are what was left of the one before.

        Parameters
        ----------
        block
            An array of bytes. It is filled but for its last byte.
        size
            How many bytes it has already.

        Returns
        -------
        size, more
            How many bytes it has now, and whether the file may have more. If not, the last line
            has got a newline if it had none.

        Raises
        ------
        FormatError
            If a compressed file is damaged, or the content is no text. It has no line number.
        OSError
            If the file cannot be read.
        """
        room = len(block) - 1
        size += self._input.readinto(memoryview(block)[size:room])
        if size == room:
            return size, True
        if size and block[size - 1] != ord("\n"):
            block[size] = ord("\n")
            size += 1
        return size, False

    def error(self, line: int, message: str) -> FormatError:
        """Return an error that names this file and a line."""
        return FormatError(self._input.name, line, message)

    def fault(self, line: int, text: bytes | bytearray, message: str) -> FormatError:
        """Return the error for a line whose text cannot be parsed."""
        nul = text.find(0)
        return self.error(line, message if nul < 0 else f"it is no text: byte {nul + 1} is NUL")


class LineReader(TextReader):
    """Read a text in chunks of whole lines, ahead of the caller, in bounded memory.

    The parameters and the exception are those of `TextReader`.
    """

    #: In bytes.
    _longest_line: int

    def __init__(
        self, source: str | Path | BinaryIO, name: str | None = None, threads: int = 0
    ) -> None:
        super().__init__(source, name, threads)
        self._chunks: Generator[Any, None, None] | None = None

    def close(self) -> None:
        """Stop reading, and close the file if this reader opened it."""
        # Close the input first, because the background thread may be waiting for data.
        super().close()
        if self._chunks is not None:
            self._chunks.close()

    def _read(self, parse: _Parse) -> Generator[Any, None, None]:
        """Return an iterator over what `parse` returns for the parts of the text."""
        self._chunks = read_ahead(self._parsed(parse))
        return self._chunks

    def _refuse_header(self, text: NDArray[np.uint8], line: int) -> None:
        """Refuse a header of pairs of sequences, whose words would pass for sequences."""
        if line == 1:
            words = _WORDS.match(text[:_LONGEST_HEADER].tobytes().upper())
            if words is not None and all(word.translate(None, _CODES) for word in words.groups()):
                raise self.error(1, "it is a header, not a pair of sequences; leave it out")

    def _parsed(self, parse: _Parse) -> Generator[Any, None, None]:
        line = 1
        texts = self._texts()
        while True:
            try:
                text = next(texts, None)
            except FormatError as error:
                raise self.error(line, error.message) from None
            if text is None:
                return
            at = 0
            while at < len(text):
                chunk, lines, used, fault = parse(text[at:], line)
                line += lines
                if fault is not None:
                    # At the end of a file, blank lines are ignored.
                    rest = text[at + used :].tobytes()
                    if rest.strip() or any(more.tobytes().strip() for more in texts):
                        wrong = rest.partition(b"\n")[0]
                        if b"\r" in wrong[:-1]:
                            fault = "a CR is within the line; lines must end with LF or CR LF"
                        raise self.fault(line, wrong, fault)
                    if lines:
                        yield chunk
                    return
                if used == 0:
                    raise self.error(line, f"a line of more than {self._longest_line} bytes")
                at += used
                yield chunk

    def _texts(self) -> Iterator[NDArray[np.uint8]]:
        """Yield chunks of whole lines, alternating between two buffers.

        If a line is too long, the chunk ends inside it.
        """
        buffers = [np.empty(_CHUNK + 1, np.uint8) for _ in range(2)]
        kept = np.empty(0, np.uint8)
        while True:
            buffer = buffers[0]
            buffers.reverse()
            size = len(kept)
            buffer[:size] = kept
            size, more = self.fill(buffer, size)
            if not more:
                if size:
                    yield buffer[:size]
                return
            tail = buffer[size - self._longest_line : size].tobytes().rfind(b"\n") + 1
            whole = size - self._longest_line + tail if tail else size
            kept = buffer[whole:size].copy()
            yield buffer[:whole]
