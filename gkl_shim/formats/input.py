"""Read a file, a pipe or a terminal as uncompressed bytes."""

from __future__ import annotations

import errno
import io
import os
import select
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from gkl_shim._output_files import naming, own_descriptor, wait_for
from gkl_shim.errors import FormatError

__all__ = ["Input"]

_BUFFER = 1 << 17
# The magic bytes of each compressed format, its name in xopen, and its name in messages.
_COMPRESSED = (
    (b"\x1f\x8b", "gz", "gzip"),
    (b"BZh", "bz2", "bzip2"),
    (b"\xfd7zXZ\x00", "xz", "xz"),
    (b"\x28\xb5\x2f\xfd", "zst", "zstd"),
)
_LONGEST_MAGIC = 6


class Input(io.RawIOBase):
    """The bytes of a file or stream, decompressed if it is compressed.

    It may be closed while another thread waits for data. The waiting call then fails at once.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open binary file, which is not closed.
    name
        The name in error messages. The default is the path, or the name of the open file.

    Raises
    ------
    OSError
        If the file cannot be opened.

    Attributes
    ----------
    name
        The name in error messages.
    """

    def __init__(self, source: str | Path | BinaryIO, name: str | None = None) -> None:
        self._raw: _Descriptor | _Stream
        if isinstance(source, (str, Path)):
            self.name = name or ("stdin" if source == "-" else str(source))
            self._raw = _Descriptor(_opened(source), self.name)
        else:
            self.name = name or str(getattr(source, "name", "input"))
            self._raw = _Stream(source, self.name)
        self._format = ""
        # The first read sets this, because it has to wait for the magic bytes.
        self._file: BinaryIO | None = None

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
            If the compressed data are truncated or damaged. It has no line number.
        OSError
            If the file cannot be read. It names the file.
        ValueError
            If this object is closed.
        """
        if self.closed:
            raise ValueError(f"{self.name} is closed")
        try:
            if self._file is None:
                self._file = self._plain()
            return _fill(buffer, self._file.readinto)  # type: ignore[attr-defined]
        except Exception as error:
            damaged = self._format and not self.closed and not isinstance(error, MemoryError)
            if not damaged or getattr(error, "errno", None) is not None:
                raise
            # Every decompressor raises different exceptions.
            what = _cut_off(self._format) if isinstance(error, EOFError) else f"damaged: {error}"
            raise FormatError(self.name, None, f"the {self._format} data are {what}") from None

    def close(self) -> None:
        """Close the file if this object opened it. A read in another thread fails at once."""
        super().close()
        if hasattr(self, "_raw"):  # not set if opening failed
            self._raw.close()

    def _plain(self) -> BinaryIO:
        file = io.BufferedReader(self._raw, _BUFFER)
        head = file.peek(_LONGEST_MAGIC)
        for magic, short, name in _COMPRESSED:
            if head.startswith(magic):
                self._format = name
                # Imported late, because xopen imports every decompressor.
                from xopen import xopen

                # threads=0 decompresses in this process. A pipe from another one is no faster.
                return xopen(file, "rb", threads=0, format=short)
        return cast(BinaryIO, file)


class _FullReads(io.RawIOBase):
    """A source whose reads fill the buffer unless the file ends. It counts the bytes."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._ended = False
        self.bytes_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # Do not read again after the end of the file: a terminal would go on.
        filled = 0
        if not self._ended:
            with naming(self._name):
                filled = _fill(buffer, self._some)
            self._ended = filled < len(buffer)
        self.bytes_read += filled
        return filled

    def _some(self, view: memoryview) -> int:
        raise NotImplementedError


class _Descriptor(_FullReads):
    """Reads a descriptor that it owns, which may be non-blocking."""

    def __init__(self, descriptor: int, name: str) -> None:
        super().__init__(name)
        self._descriptor = descriptor
        self._reading = threading.Lock()
        self._closed, self._close = os.pipe()
        self._ready = select.poll()
        self._ready.register(descriptor, select.POLLIN)
        self._ready.register(self._closed, select.POLLIN)

    def close(self) -> None:
        if self.closed:
            return
        super().close()
        os.close(self._close)
        with self._reading:
            os.close(self._descriptor)
            os.close(self._closed)

    def _some(self, view: memoryview) -> int:
        with self._reading:
            while not self.closed:
                self._ready.poll()
                if self.closed:
                    break
                try:
                    return os.readv(self._descriptor, [view])
                except BlockingIOError:
                    pass
        raise ValueError(f"{self._name} is closed")


class _Stream(_FullReads):
    """Reads an open binary file of the caller."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        super().__init__(name)
        self._file = file

    def _some(self, view: memoryview) -> int:
        while True:
            try:
                got = self._read(view)
            except BlockingIOError:
                got = None
            if got is not None:
                return got
            wait_for(self._file.fileno(), select.POLLIN)

    def _read(self, view: memoryview) -> int | None:
        if hasattr(self._file, "readinto"):
            return cast("int | None", self._file.readinto(view))
        piece = self._file.read(len(view))
        if piece is None:
            return None
        view[: len(piece)] = piece
        return len(piece)


def _cut_off(name: str) -> str:
    # Only the decompressor of gzip takes other bytes after the end for a new part.
    return "cut off, or other bytes follow them" if name == "gzip" else "cut off"


def _fill(buffer: Any, read: Callable[[memoryview], int | None]) -> int:
    view = memoryview(buffer).cast("B")
    filled = 0
    while filled < len(view) and (got := read(view[filled:])):
        filled += got
    return filled


def _opened(source: str | Path) -> int:
    """Open a path and return a new descriptor."""
    if source == "-":
        return _standard_input()
    with naming(str(source)):
        number = own_descriptor(source)
        if number is not None:
            return os.dup(number)
        descriptor = os.open(source, os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        return descriptor


def _standard_input() -> int:
    try:
        os.read(0, 0)
        return os.dup(0)
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
        raise OSError(error.errno, "standard input is closed; name a file instead of -") from None
