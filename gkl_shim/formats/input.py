"""Read a file, a pipe or a terminal as uncompressed bytes.

A file that is no text, or is compressed twice, is refused.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from gkl_shim.errors import FormatError
from gkl_shim.formats.compressed import HEAD, Members, format_of
from gkl_shim.formats.refused import refuse
from gkl_shim.formats.sources import DescriptorSource, StreamSource, fill, opened

__all__ = ["Input"]

_BUFFER = 1 << 17


class Input(io.RawIOBase):
    """The bytes of a file or stream, decompressed if it is compressed.

    It may be closed while another thread waits for data. The waiting call then fails at once.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open binary file, which is not closed.
    name
        The name in error messages. The default is the path, or the name of the open file.
    refuse_nul
        Whether to refuse content with a NUL byte, for a parser that takes any byte.

    Raises
    ------
    OSError
        If the file cannot be opened.

    Attributes
    ----------
    name
        The name in error messages.
    """

    def __init__(
        self, source: str | Path | BinaryIO, name: str | None = None, refuse_nul: bool = False
    ) -> None:
        self._raw: DescriptorSource | StreamSource
        if isinstance(source, (str, Path)):
            self.name = name or ("stdin" if source == "-" else str(source))
            self._raw = DescriptorSource(opened(source), self.name)
        else:
            self.name = name or str(getattr(source, "name", "input"))
            self._raw = StreamSource(source, self.name)
        self._refuse_nul = refuse_nul
        self._size = 0
        # The first read sets these, because it has to wait for the magic bytes.
        self._content: Callable[[memoryview], int] | None = None
        self._head = b""

    @property
    def bytes_read(self) -> int:
        """The bytes read from the file so far, before decompression."""
        return self._raw.bytes_read

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer completely, unless the file ends.

        Returns
        -------
        int
            The number of bytes read. It is less than the buffer's size only at the end of the file.

        Raises
        ------
        FormatError
            If compressed data are cut off or damaged, or the content is no text. It has no line
            number.
        OSError
            If the file cannot be read. It names the file.
        ValueError
            If this object is closed.
        """
        if self.closed:
            raise ValueError(f"{self.name} is closed")
        if self._content is None:
            self._begin()
        return fill(buffer, self._some_text if self._refuse_nul else self._some)

    def close(self) -> None:
        """Close the file if this object opened it. A read in another thread fails at once."""
        super().close()
        if hasattr(self, "_raw"):  # not set if opening failed
            self._raw.close()

    def _begin(self) -> None:
        """Find out what the file is, and read the head of its content."""
        buffer = bytearray(HEAD)
        head = bytes(buffer[: self._raw.readinto(buffer)])
        found = format_of(head)
        if found is None:
            self._content, self._head = self._raw.readinto, head
        else:
            self._content = Members(self._raw, head, found).readinto
            content = bytearray(HEAD)
            self._head = bytes(content[: fill(content, self._content)])
            again = format_of(self._head)
            if again is not None:
                what = f"it is compressed twice, with {again.name} and {found.name}; unpack it once"
                raise FormatError(self.name, None, what)
        refuse(self._head, self.name)

    def _some_text(self, view: memoryview) -> int:
        # In pieces that stay in the cache until they have been searched.
        view = view[: 8 * _BUFFER]
        got = self._some(view)
        nul = view[:got].tobytes().find(0)
        if nul >= 0:
            at = self._size + nul + 1
            raise FormatError(self.name, None, f"it is no text: byte {at:,} is NUL")
        self._size += got
        return got

    def _some(self, view: memoryview) -> int:
        if not self._head:
            assert self._content is not None
            return self._content(view)
        size = min(len(self._head), len(view))
        view[:size] = self._head[:size]
        self._head = self._head[size:]
        return size
