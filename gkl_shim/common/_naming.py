"""Errors of the system that name a file."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator


@contextlib.contextmanager
def naming(name: str) -> Iterator[None]:
    """Add the name of this file to any OSError raised inside the ``with`` block."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        closed = error.errno == errno.EBADF
        raise OSError(error.errno, "it is closed" if closed else error.strerror, name) from None
