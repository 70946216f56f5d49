"""Bytes of a path, of standard input or of an open file, as they are."""

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

from gkl_shim.common._descriptors import own_descriptor, wait_for
from gkl_shim.common._naming import naming


class Source(io.RawIOBase):
    """A source whose reads fill the buffer unless the file ends. It counts the bytes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._ended = False
        self.bytes_read = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer completely, unless the source ends. Return the number of bytes."""
        # Do not read again after the end of the file: a terminal would go on.
        filled = 0
        if not self._ended:
            with naming(self.name):
                filled = fill(buffer, self._some)
            self._ended = filled < len(buffer)
        self.bytes_read += filled
        return filled

    def _some(self, view: memoryview) -> int:
        raise NotImplementedError


class DescriptorSource(Source):
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
        """Close the descriptor. A read in another thread fails at once."""
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
        raise ValueError(f"{self.name} is closed")


class StreamSource(Source):
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


def fill(buffer: Any, read: Callable[[memoryview], int | None]) -> int:
    """Fill a buffer by calls of `read`, unless it returns 0 or None. Return the number of bytes."""
    view = memoryview(buffer).cast("B")
    filled = 0
    while filled < len(view) and (got := read(view[filled:])):
        filled += got
    return filled


def opened(source: str | Path) -> int:
    """Open a path, or ``-`` for standard input, and return a new descriptor."""
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
