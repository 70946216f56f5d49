"""Descriptors: complete writes, waiting, and paths that name an open descriptor."""

from __future__ import annotations

import io
import os
import select
from pathlib import Path
from typing import Any

from gkl_shim.common._naming import naming

_MOST_LINKS = 40


class Output(io.FileIO):
    """An unbuffered file, open for writing.

    A write always writes everything: it waits if a non-blocking pipe is full. Errors name the file.
    """

    def __init__(self, descriptor: int, name: str, closefd: bool = True) -> None:
        super().__init__(descriptor, "wb", closefd=closefd)
        self._name = name

    def write(self, data: Any) -> int:
        """Write all of `data`."""
        view = memoryview(data).cast("B")
        left = view
        with naming(self._name):
            while left:
                written = super().write(left)
                if written is None:
                    wait_for(self.fileno(), select.POLLOUT)
                else:
                    left = left[written:]
        return len(view)


def wait_for(descriptor: int, event: int) -> None:
    """Wait until a descriptor is ready for reading (``POLLIN``) or writing (``POLLOUT``)."""
    ready = select.poll()
    ready.register(descriptor, event)
    ready.poll()


def own_descriptor(path: str | Path) -> int | None:
    """Return the open descriptor of this process that a path such as ``/dev/stdin`` names, or None.

    Such a path must not be opened again: this would fail for a socket, and would restart a file
    from its beginning.
    """
    path = Path(path)
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(path.parent)
        if folder == f"/proc/{os.getpid()}/fd" and path.name.isdigit():
            return int(path.name)
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return None
