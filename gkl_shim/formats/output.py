"""Write a file that appears when it is complete, compressed if its name asks for it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

from gkl_shim.common._output_files import atomic_output

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

__all__ = ["OutputFile", "open_output"]

# Bytes that are compressed together.
_BLOCK = 1 << 20
# The fastest level. Its files are a little larger than those of the usual one.
_GZIP_LEVEL = 1
_GZIP_HEADER = 31  # and the largest window, in zlib's terms


class OutputFile(Protocol):
    """What the commands do with an output."""

    def write(self, data: Any, /) -> int:
        """Write bytes-like data."""


class _Compressor(Protocol):
    def compress(self, data: memoryview) -> bytes: ...
    def flush(self) -> bytes: ...


# The compressors are imported when they are needed.
def _gzip() -> _Compressor:
    from isal import isal_zlib

    return cast(_Compressor, isal_zlib.compressobj(_GZIP_LEVEL, wbits=_GZIP_HEADER))


def _bzip2() -> _Compressor:
    import bz2

    return bz2.BZ2Compressor()


def _xz() -> _Compressor:
    import lzma

    return lzma.LZMACompressor()


def _zstd() -> _Compressor:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast(_Compressor, zstd.ZstdCompressor())


_COMPRESSORS: dict[str, Callable[[], _Compressor]] = {
    ".gz": _gzip,
    ".bz2": _bzip2,
    ".xz": _xz,
    ".zst": _zstd,
}


@contextlib.contextmanager
def open_output(path: str, threads: int) -> Iterator[OutputFile]:
    """Open an output that appears when it is complete.

    It is compressed if its name ends with ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.

    Parameters
    ----------
    path
        As in :func:`gkl_shim.common._output_files.atomic_output`.
    threads
        The most threads to use. Unless it is 1, a separate thread compresses.

    Raises
    ------
    OSError
        As there.
    """
    with atomic_output(path) as file:
        made = _COMPRESSORS.get(Path(path).suffix)
        if made is None:
            yield file
        elif threads == 1:
            compressed = _Compressed(file, made(), None)
            yield compressed
            compressed.finish()
        else:
            # Imported late, because threads take a while to import.
            from gkl_shim.common._read_ahead import background

            with background(1) as pool:
                compressed = _Compressed(file, made(), pool)
                yield compressed
                compressed.finish()


class _Compressed:
    """Compresses what is written to a file, block by block, in the thread of a pool if given."""

    def __init__(
        self, file: BinaryIO, compressor: _Compressor, pool: ThreadPoolExecutor | None
    ) -> None:
        self._file = file
        self._compressor = compressor
        self._pool = pool
        # One is filled while the other is compressed.
        self._blocks = [memoryview(bytearray(_BLOCK)) for _ in range(2)]
        self._size = 0
        self._pending: Future[None] | None = None

    def write(self, data: Any, /) -> int:
        """Write bytes-like data. An error of one call may be raised by the next one."""
        view = memoryview(data).cast("B")
        at = 0
        while at < len(view):
            piece = view[at : at + _BLOCK - self._size]
            self._blocks[0][self._size : self._size + len(piece)] = piece
            self._size += len(piece)
            at += len(piece)
            if self._size == _BLOCK:
                self._end_block()
        return len(view)

    def finish(self) -> None:
        """Write what is left."""
        self._end_block()
        self._wait()
        self._file.write(self._compressor.flush())

    def _end_block(self) -> None:
        self._wait()
        block = self._blocks[0][: self._size]
        self._blocks.reverse()
        self._size = 0
        if self._pool is None:
            self._compress(block)
        else:
            self._pending = self._pool.submit(self._compress, block)

    def _compress(self, block: memoryview) -> None:
        self._file.write(self._compressor.compress(block))

    def _wait(self) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()
