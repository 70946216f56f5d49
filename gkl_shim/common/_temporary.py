"""Temporary files and folders that no killed run leaves behind.

A temporary file or folder is named ``.gkl-shim.<process>.<random>.partial``, and lies in the folder
of its output. The process that made it holds a lock on it (``flock``) while the process lives. A
temporary file without a lock is from a killed run, and the next run that writes to the folder
removes it. If the file system has no locks, nothing is removed. Unlike a process number, a lock
also works across containers and hosts that share the folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

_PARTIAL = re.compile(r"\.gkl-shim\.\d+\.[0-9a-f]+\.partial")
# The temporary paths of this process, each with the output that will replace it.
_unfinished: dict[Path, Path | None] = {}


@contextlib.contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Make a private folder inside `parent`, and remove it at the end."""

    def make(folder: Path) -> int:
        folder.mkdir(0o700)
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    descriptor, folder = make_temporary(parent, make)
    try:
        yield folder
    finally:
        remove_unfinished(folder)
        os.close(descriptor)


def remove_all_unfinished() -> None:
    """Remove all temporary files and folders of this process, before it exits."""
    for path in list(_unfinished):
        _remove(path)


def remove_unfinished(path: Path) -> None:
    """Remove a temporary file or folder, unless it has its name or is to stay."""
    if path in _unfinished:
        _remove(path)


def forget(path: Path) -> None:
    """Leave a temporary file or folder where it is, because it has its name or is to stay."""
    _unfinished.pop(path, None)


def is_unfinished(target: Path) -> bool:
    """Return whether this process is writing a temporary file for an output."""
    return target in _unfinished.values()


def make_temporary(
    folder: Path, make: Callable[[Path], int], target: Path | None = None
) -> tuple[int, Path]:
    """Make and lock a temporary file or folder, after removing those of killed runs.

    Parameters
    ----------
    folder
        Where to make it.
    make
        Makes a path and returns a descriptor of it. Raises FileExistsError if the path exists.
    target
        The output that will be replaced, for :func:`is_unfinished`.

    Returns
    -------
    tuple
        The descriptor, which holds the lock, and the path.
    """
    _remove_leftovers(folder)
    while True:
        path = folder / f".gkl-shim.{os.getpid()}.{os.urandom(4).hex()}.partial"
        _unfinished[path] = target
        try:
            descriptor = make(path)
        except FileExistsError:
            del _unfinished[path]
            continue
        except BaseException:
            _remove(path)
            raise
        # Before it was locked, another run may have removed it as a leftover.
        if _lock(descriptor, if_unsupported=True) and os.fstat(descriptor).st_nlink:
            return descriptor, path
        os.close(descriptor)
        del _unfinished[path]


def _remove_leftovers(folder: Path) -> None:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _PARTIAL.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _remove_if_unlocked(entry)


def _remove_if_unlocked(entry: os.DirEntry[str]) -> None:
    # Network file systems lock only files that are open for writing. A folder cannot be.
    access = os.O_RDONLY | os.O_DIRECTORY if entry.is_dir(follow_symlinks=False) else os.O_RDWR
    descriptor = os.open(entry.path, access | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if _lock(descriptor, if_unsupported=False):
            _remove(Path(entry.path))
    finally:
        os.close(descriptor)


def _lock(descriptor: int, if_unsupported: bool) -> bool:
    """Try to lock an open file. Return `if_unsupported` if the file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return if_unsupported
    return True


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except IsADirectoryError:
        shutil.rmtree(path, ignore_errors=True)
    except OSError:
        pass
    _unfinished.pop(path, None)
