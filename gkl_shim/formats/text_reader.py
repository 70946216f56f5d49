"""What readers of text formats share."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

from gkl_shim.common._closable import Closable
from gkl_shim.errors import FormatError
from gkl_shim.formats.input import Input

__all__ = ["TextReader"]


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
            How many bytes it has now, and whether the file may have more. If not, its last line
            ends with a newline, which the file may lack.

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
