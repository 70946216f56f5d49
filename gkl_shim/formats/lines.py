"""Read text whose lines the library parses."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim._closable import Closable
from gkl_shim._read_ahead import read_ahead
from gkl_shim.errors import FormatError
from gkl_shim.formats.input import Input

__all__ = ["LINES", "LineReader"]

#: Lines parsed in one call. All threads have work, and the arrays stay in cache.
LINES = 1 << 17
_CHUNK = 1 << 24

# Parses the first lines of a text, whose first line has this number. Returns them, their number,
# their bytes, and what is wrong with the next line, or None.
_Parse: TypeAlias = Callable[[NDArray[np.uint8], int], tuple[Any, int, int, str | None]]


class LineReader(Closable):
    """Read a text in chunks of whole lines, ahead of the caller, in bounded memory.

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

    #: In bytes.
    _longest_line: int

    def __init__(
        self, source: str | Path | BinaryIO, name: str | None = None, threads: int = 0
    ) -> None:
        self._input = Input(source, name)
        self._name = self._input.name
        self._threads = threads
        self._chunks: Generator[Any, None, None] | None = None

    @property
    def bytes_read(self) -> int:
        """The bytes read from the file so far, before decompression."""
        return self._input.bytes_read

    def close(self) -> None:
        """Stop reading, and close the file if this reader opened it."""
        # Close the input first, because the background thread may be waiting for data.
        self._input.close()
        if self._chunks is not None:
            self._chunks.close()

    def error(self, line: int, message: str) -> FormatError:
        """Return an error that names this file and a line."""
        return FormatError(self._name, line, message)

    def _read(self, parse: _Parse) -> Generator[Any, None, None]:
        """Return an iterator over what `parse` returns for the parts of the text."""
        self._chunks = read_ahead(self._parsed(parse))
        return self._chunks

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
                    raise self.error(line, fault)
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
            size += self._input.readinto(buffer[size:_CHUNK])
            if size < _CHUNK:
                if size and buffer[size - 1] != ord("\n"):
                    buffer[size] = ord("\n")
                    size += 1
                if size:
                    yield buffer[:size]
                return
            tail = buffer[size - self._longest_line : size].tobytes().rfind(b"\n") + 1
            whole = size - self._longest_line + tail if tail else size
            kept = buffer[whole:size].copy()
            yield buffer[:whole]
