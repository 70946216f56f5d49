"""Read a file, a pipe or a terminal as uncompressed bytes.

A compressed file is read as the format's own tool reads it (`_Format`). A file that is no text, or
is compressed again, is refused by its name (`_OTHERS`).
"""

from __future__ import annotations

import errno
import io
import os
import re
import select
import stat
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol, cast

from gkl_shim.common._descriptors import own_descriptor, wait_for
from gkl_shim.common._naming import naming
from gkl_shim.errors import FormatError

__all__ = ["Input", "refuse_cr"]

_BUFFER = 1 << 17
# Enough to recognize a format.
_HEAD = 512


class _Decompressor(Protocol):
    """Decompresses one member: a gzip member, a bzip2 or xz stream, or a zstd frame."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: Any, max_length: int) -> bytes: ...


class _Format(NamedTuple):
    """A compressed format: a file has any number of members."""

    name: str
    magic: tuple[bytes, ...]
    """How members begin."""
    decompressor: Callable[[], _Decompressor]
    padding: int = 0
    """Zeros after a member are ignored if their number is a multiple of this."""
    ends_with_padding: bool = False
    """Whether no member may follow zeros."""
    ignores_rest: bool = False
    """Whether bytes that begin no member are ignored, with a warning."""


# The decompressors are imported when they are needed.
def _gzip() -> _Decompressor:
    from isal import igzip_lib

    return cast(_Decompressor, igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP))


def _bzip2() -> _Decompressor:
    import bz2

    return bz2.BZ2Decompressor()


def _xz() -> _Decompressor:
    import lzma

    return lzma.LZMADecompressor(lzma.FORMAT_XZ)


def _zstd() -> _Decompressor:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast(_Decompressor, zstd.ZstdDecompressor())


# Decompressors skip such frames. A file of pzstd begins with one.
_SKIPPABLE = tuple(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))
_COMPRESSED = (
    _Format("gzip", (b"\x1f\x8b",), _gzip, 1, ends_with_padding=True, ignores_rest=True),
    _Format("bzip2", (b"BZh",), _bzip2, ignores_rest=True),
    _Format("xz", (b"\xfd7zXZ\x00",), _xz, 4),
    _Format("zstd", (b"\x28\xb5\x2f\xfd", *_SKIPPABLE), _zstd),
)
# How other files begin, or what they have at a place near the beginning, and what they are.
_SAM = "SAM text; convert it with samtools fastq or samtools fasta"
# A line of a header. A comment may also be the name of a read of FASTQ: then letters follow it.
_SAM_BEGINS = re.compile(
    rb"@(?:(?:HD|SQ|RG|PG)\t[A-Za-z][A-Za-z0-9]:|CO\t[^\n]*(?:\Z|\n(?![A-Za-z.*-]*\r?(?:\n|\Z))))"
)
_PAGE = "a page of the web, perhaps the error of a download"
_PAGE_BEGINS = (b"<!doctype", b"<html", b"<head", b"<?xml")
_OTHERS = (
    (30, b"facts.npy\x01\0", "a spectrum of correct; give it with --spectrum"),
    (0, b"gklmem\x01\0", "an index of mem; give it with -load"),
    (0, b"PK\x03\x04", "a zip archive; unpack it first"),
    (0, b"\x5d\x00\x00", "lzma data; unpack it with xz -d"),
    (0, b"\x04\x22\x4d\x18", "lz4 data; unpack it with lz4 -d"),
    (0, b"\x1f\x9d", "data of compress; unpack it with gzip -d"),
    (257, b"ustar", "a tar archive; unpack it first"),
    (0, b"BAM\x01", "a BAM file; convert it with samtools fastq or samtools fasta"),
    (0, b"CRAM\x02", "a CRAM file; convert it with samtools fastq or samtools fasta"),
    (0, b"CRAM\x03", "a CRAM file; convert it with samtools fastq or samtools fasta"),
    (0, b"\xef\xbb\xbf", "text with a byte order mark; save it without one"),
    (0, b"\xff\xfe\0\0", "UTF-32 text; save it as ASCII"),
    (0, b"\0\0\xfe\xff", "UTF-32 text; save it as ASCII"),
    (0, b"\xff\xfe", "UTF-16 text; save it as ASCII"),
    (0, b"\xfe\xff", "UTF-16 text; save it as ASCII"),
)


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
        self._raw: _Descriptor | _Stream
        if isinstance(source, (str, Path)):
            self.name = name or ("stdin" if source == "-" else str(source))
            self._raw = _Descriptor(_opened(source), self.name)
        else:
            self.name = name or str(getattr(source, "name", "input"))
            self._raw = _Stream(source, self.name)
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
        return _fill(buffer, self._some_text if self._refuse_nul else self._some)

    def close(self) -> None:
        """Close the file if this object opened it. A read in another thread fails at once."""
        super().close()
        if hasattr(self, "_raw"):  # not set if opening failed
            self._raw.close()

    def _begin(self) -> None:
        """Find out what the file is, and read the head of its content."""
        head = bytearray(_HEAD)
        head = head[: self._raw.readinto(head)]
        found = next((known for known in _COMPRESSED if head.startswith(known.magic)), None)
        if found is None:
            self._content, self._head = self._raw.readinto, bytes(head)
        else:
            self._content = _Members(self._raw, bytes(head), found).readinto
            content = bytearray(_HEAD)
            self._head = bytes(content[: _fill(content, self._content)])
            again = next((one for one in _COMPRESSED if self._head.startswith(one.magic)), None)
            if again is not None:
                what = f"it is compressed twice, with {again.name} and {found.name}; unpack it once"
                raise FormatError(self.name, None, what)
        for at, magic, kind in _OTHERS:
            if self._head.startswith(magic, at):
                raise FormatError(self.name, None, f"it is {kind}")
        if _SAM_BEGINS.match(self._head):
            raise FormatError(self.name, None, f"it is {_SAM}")
        # White space may be before a page, and its tags may be in either case.
        if self._head.lstrip().lower().startswith(_PAGE_BEGINS):
            raise FormatError(self.name, None, f"it is {_PAGE}")

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


def refuse_cr(text: Any, name: str) -> None:
    """Refuse a text whose first bytes show that its lines end with CR alone."""
    head = bytes(text[:_HEAD])
    if b"\r" in head[:-1] and b"\n" not in head:
        what = "its lines end with CR alone; they must end with LF or CR LF"
        raise FormatError(name, None, what)


class _Members:
    """Decompresses the members of a file."""

    def __init__(self, raw: _FullReads, head: bytes, format: _Format) -> None:
        self._raw = raw
        self._format = format
        # What was read and belongs to no member yet.
        self._rest = head
        self._buffer = memoryview(bytearray(_BUFFER))
        self._begun = self._ended = False
        self._member: _Decompressor | None = None
        self._is_bgzf = self._is_empty = False

    def readinto(self, view: memoryview) -> int:
        """Fill a part of a buffer, nothing only at the end."""
        while not self._ended:
            if self._member is None:
                self._next_member()
                continue
            data: Any = self._rest
            self._rest = b""
            if not data and self._member.needs_input:
                data = self._buffer[: self._raw.readinto(self._buffer)]
                if not data:
                    raise self._error("cut off")
            piece = self._decompressed(self._member, data, min(len(view), _BUFFER))
            if self._member.eof:
                self._rest = self._member.unused_data
                self._member = None
            if piece:
                self._is_empty = False
                view[: len(piece)] = piece
                return len(piece)
        return 0

    def _decompressed(self, member: _Decompressor, data: Any, most: int) -> bytes:
        try:
            return member.decompress(data, most)
        except MemoryError:
            raise
        except Exception as error:
            # Every decompressor raises another exception.
            raise self._error(f"damaged: {error}") from None

    def _next_member(self) -> None:
        """Begin the next member, or end with the file."""
        zeros = self._skip_zeros() if self._begun and self._format.padding else 0
        self._have(_HEAD)
        head, magic = self._rest, self._format.magic
        if zeros % (self._format.padding or 1):
            raise self._error(f"followed by {zeros} zeros, not a multiple of 4")
        if head.startswith(magic) and not (zeros and self._format.ends_with_padding):
            # BGZF's field comes first among the extra fields of gzip.
            self._is_bgzf = head.startswith(b"\x1f\x8b\x08\x04") and head[12:14] == b"BC"
            self._begun = self._is_empty = True
            self._member = self._format.decompressor()
            return
        self._ended = True
        if head and not zeros and any(begin.startswith(head) for begin in magic):
            raise self._error("cut off")
        if head and not self._format.ignores_rest:
            raise self._error("followed by other bytes")
        if head:
            self._warn(f"what follows the {self._format.name} data is ignored")
        elif self._is_bgzf and not self._is_empty:
            self._warn("the end marker of BGZF is absent; the file may be cut off")

    def _skip_zeros(self) -> int:
        count = 0
        while self._have(1):
            after = self._rest.lstrip(b"\0")
            count += len(self._rest) - len(after)
            self._rest = after
            if after:
                break
        return count

    def _have(self, size: int) -> bool:
        """Read on until this many bytes belong to no member. Return whether the file has them."""
        if len(self._rest) < size:
            self._rest += self._buffer[: self._raw.readinto(self._buffer)]
        return len(self._rest) >= size

    def _error(self, what: str) -> FormatError:
        return FormatError(self._raw.name, None, f"the {self._format.name} data are {what}")

    def _warn(self, message: str) -> None:
        warnings.warn(f"gkl-shim: {self._raw.name}: {message}", RuntimeWarning, stacklevel=1)


class _FullReads(io.RawIOBase):
    """A source whose reads fill the buffer unless the file ends. It counts the bytes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._ended = False
        self.bytes_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # Do not read again after the end of the file: a terminal would go on.
        filled = 0
        if not self._ended:
            with naming(self.name):
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
        raise ValueError(f"{self.name} is closed")


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
