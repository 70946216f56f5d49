"""Decompress gzip, bzip2, xz and zstd: each format as its own tool reads it (`_Format`)."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, cast

from gkl_shim.errors import FormatError
from gkl_shim.formats.sources import Source

__all__ = ["HEAD", "Members", "format_of"]

HEAD = 512
"""Enough bytes to recognize a format."""

_BUFFER = 1 << 17
# A name in a header may have any length. No file has a longer one than this.
_LONGEST_HEADER = 1 << 24


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
    has_header: Callable[[bytes], bool] = lambda _: True
    """Whether a member's first bytes hold what the decompressor must get at once."""
    refused: Callable[[bytes], str] = lambda _: ""
    """Why a member is refused by its first bytes."""


# The decompressors are imported when they are needed.
def _gzip() -> _Decompressor:
    from isal import igzip_lib

    return cast(_Decompressor, igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP))


def _bzip2() -> _Decompressor:
    import bz2

    return bz2.BZ2Decompressor()


def _has_gzip_header(data: bytes) -> bool:
    """Return whether data hold a whole header and a byte behind it. igzip misreads it in pieces."""
    flags, at = (*data[3:4], 0)[0], 10
    if flags & 4:  # extra fields
        at += 2 + int.from_bytes(data[10:12], "little")
    for text in (8, 16):  # the file's name, and a comment
        if flags & text:
            end = data.find(0, at)
            if end < 0:
                return False
            at = end + 1
    if flags & 2:  # a checksum of the header
        at += 2
    return at < len(data)


def _xz() -> _Decompressor:
    import lzma

    return lzma.LZMADecompressor(lzma.FORMAT_XZ)


def _zstd() -> _Decompressor:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast(_Decompressor, zstd.ZstdDecompressor())


def _wide_zstd_window(head: bytes) -> str:
    """Return what a frame's window needs if it is too large for the decompressor, or nothing."""
    if len(head) < _ZSTD_HEADER or not head.startswith(_ZSTD_FRAME):
        return ""
    descriptor = head[4]
    if descriptor & 0x20:  # The window is the content, whose size follows the dictionary's number.
        at = 5 + (0, 1, 2, 4)[descriptor & 3]
        size = (1, 2, 4, 8)[descriptor >> 6]
        window = int.from_bytes(head[at : at + size], "little")
    else:
        power = 1 << 10 + (head[5] >> 3)
        window = power + power // 8 * (head[5] & 7)
    if window <= _ZSTD_WINDOW:
        return ""
    needed = math.ceil(window / (1 << 20))
    return (
        f"compressed with a window of {needed:,} MiB, more than the {_ZSTD_WINDOW >> 20} MiB that "
        f"are read; decompress them with zstd -d --memory={needed}MB"
    )


# Decompressors skip such frames. A file of pzstd begins with one.
_SKIPPABLE = tuple(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))
_ZSTD_FRAME = b"\x28\xb5\x2f\xfd"
_ZSTD_HEADER = 18  # at most
_ZSTD_WINDOW = 1 << 27  # the most that a decompressor takes unless it is told otherwise
_COMPRESSED = (
    _Format(
        "gzip",
        (b"\x1f\x8b",),
        _gzip,
        1,
        ends_with_padding=True,
        ignores_rest=True,
        has_header=_has_gzip_header,
    ),
    _Format("bzip2", (b"BZh",), _bzip2, ignores_rest=True),
    _Format("xz", (b"\xfd7zXZ\x00",), _xz, 4),
    _Format("zstd", (_ZSTD_FRAME, *_SKIPPABLE), _zstd, refused=_wide_zstd_window),
)


def format_of(head: bytes) -> _Format | None:
    """Return the format of a file by its first bytes, or None if it is not compressed."""
    return next((known for known in _COMPRESSED if head.startswith(known.magic)), None)


class Members:
    """Decompresses the members of a file."""

    def __init__(self, raw: Source, head: bytes, format: _Format) -> None:
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
        self._have(HEAD)
        head, magic = self._rest, self._format.magic
        if zeros % (self._format.padding or 1):
            raise self._error(f"followed by {zeros} zeros, not a multiple of 4")
        if head.startswith(magic) and not (zeros and self._format.ends_with_padding):
            # BGZF's field comes first among the extra fields of gzip.
            self._is_bgzf = head.startswith(b"\x1f\x8b\x08\x04") and head[12:14] == b"BC"
            self._begun = self._is_empty = True
            self._read_header()
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

    def _read_header(self) -> None:
        while not self._format.has_header(self._rest):
            if len(self._rest) > _LONGEST_HEADER:
                raise self._error(f"damaged: a header has more than {_LONGEST_HEADER >> 20} MiB")
            if not self._have(len(self._rest) + 1):
                raise self._error("cut off")
        refused = self._format.refused(self._rest[:HEAD])
        if refused:
            raise self._error(refused)

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
