"""Reading a file, a pipe or a terminal as plain bytes."""

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

from gkl_shim._files import naming, own_descriptor, wait_for
from gkl_shim.errors import FormatError

__all__ = ["Input"]

_BUFFER = 1 << 17
# What a compressed file begins with, what xopen calls the format, and what messages call it.
_COMPRESSED = (
    (b"\x1f\x8b", "gz", "gzip"),
    (b"BZh", "bz2", "bzip2"),
    (b"\xfd7zXZ\x00", "xz", "xz"),
    (b"\x28\xb5\x2f\xfd", "zst", "zstd"),
)
_LONGEST_MAGIC = 6


class Input(io.RawIOBase):
    """A file or stream as plain bytes, decompressed where it is compressed.

    It may be closed while another thread waits for data: that thread's call then ends at once.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open binary file, which is not closed.
    name
        What errors call it; by default the path, or the file's name.

    Raises
    ------
    OSError
        If the file cannot be opened.

    Attributes
    ----------
    name : str
        What errors call it.
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
        # Opened by the first read, which waits for what the file begins with.
        self._file: BinaryIO | None = None

    @property
    def bytes_read(self) -> int:
        """How much of the file, compressed where it is, has been read."""
        return self._raw.bytes_read

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as the file goes.

        Returns
        -------
        int
            How many bytes there are now; fewer than fit in, and at last 0, only at the end.

        Raises
        ------
        FormatError
            If the compressed data are cut off or damaged; it names no line.
        OSError
            If the file cannot be read; it names the file.
        ValueError
            If it is closed.
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
            # Every decompressor has errors of its own.
            what = "cut off" if isinstance(error, EOFError) else f"damaged: {error}"
            raise FormatError(self.name, None, f"the {self._format} data are {what}") from None

    def close(self) -> None:
        """Close the file if it was opened here, and end a read that is under way."""
        super().close()
        if hasattr(self, "_raw"):  # it could be opened
            self._raw.close()

    def _plain(self) -> BinaryIO:
        file = io.BufferedReader(self._raw, _BUFFER)
        head = file.peek(_LONGEST_MAGIC)
        for magic, short, name in _COMPRESSED:
            if head.startswith(magic):
                self._format = name
                # Imported where it is used: it loads every decompressor there is.
                from xopen import xopen

                # In this process: a pipe from another would be no faster.
                return xopen(file, "rb", threads=0, format=short)
        return cast(BinaryIO, file)


class _Filling(io.RawIOBase):
    """Reads until a buffer is full or the file ends, and counts."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._ended = False
        self.bytes_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # A terminal goes on after its end.
        filled = 0
        if not self._ended:
            with naming(self._name):
                filled = _fill(buffer, self._some)
            self._ended = filled < len(buffer)
        self.bytes_read += filled
        return filled

    def _some(self, view: memoryview) -> int:
        raise NotImplementedError


class _Descriptor(_Filling):
    """Of a descriptor of its own, blocking or not."""

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


class _Stream(_Filling):
    """Of an open binary file of the caller's, which blocks as it does."""

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


def _fill(buffer: Any, read: Callable[[memoryview], int | None]) -> int:
    view = memoryview(buffer).cast("B")
    filled = 0
    while filled < len(view) and (got := read(view[filled:])):
        filled += got
    return filled


def _opened(source: str | Path) -> int:
    """Return a descriptor of its own."""
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
