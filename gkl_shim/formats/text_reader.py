"""What readers of text formats share."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

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

    def error(self, line: int, message: str) -> FormatError:
        """Return an error that names this file and a line."""
        return FormatError(self._input.name, line, message)

    def fault(self, line: int, text: bytes | bytearray, message: str) -> FormatError:
        """Return the error for a line whose text cannot be parsed."""
        nul = text.find(0)
        return self.error(line, message if nul < 0 else f"it is no text: byte {nul + 1} is NUL")
