"""Write a file that appears when it is complete, compressed if its name asks for it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gkl_shim._output_files import atomic_output

__all__ = ["open_output"]

# The endings of names, and the formats' names in xopen.
_COMPRESSED = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".zst": "zst"}
# The fastest level. Its files are a little larger than those of the usual one.
_GZIP_LEVEL = 1


@contextlib.contextmanager
def open_output(path: str, threads: int) -> Iterator[BinaryIO]:
    """Open an output that appears when it is complete.

    It is compressed if its name ends with ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.

    Parameters
    ----------
    path
        As in :func:`gkl_shim._output_files.atomic_output`.
    threads
        The most threads to use. Unless it is 1, a separate thread compresses to gzip.

    Raises
    ------
    OSError
        As there.
    """
    with atomic_output(path) as file:
        compression = _COMPRESSED.get(Path(path).suffix)
        if compression is None:
            yield file
            return
        # Imported late, because xopen imports every decompressor.
        from xopen import xopen

        zipped = xopen(
            file,
            "wb",
            format=compression,
            compresslevel=_GZIP_LEVEL if compression == "gz" else None,
            # xopen uses at most one thread for gzip. For other formats, it would run a program.
            threads=int(compression == "gz" and threads != 1),
        )
        try:
            yield zipped
        except BaseException:
            # After a failed write, closing raises the same exception object again. As its own
            # context, it would make contextlib loop forever.
            with contextlib.suppress(OSError):
                zipped.close()
            raise
        zipped.close()
