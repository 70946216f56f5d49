"""Outputs that are whole or not there, and temporary files that a killed run may leave.

A temporary file or folder is called ``.gkl-shim.<process>.<random>.partial`` and lies beside what
it is for. The process that made it holds a lock on it (``flock``) for as long as it lives. One
without a lock was left by a run that was killed; the next run that writes into the folder removes
it. Where the file system has no locks, nothing is removed. A lock, unlike a process number, also
holds for another container or another host that shares the folder.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import os
import re
import secrets
import select
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

__all__ = [
    "STANDARD_OUTPUT",
    "Output",
    "atomic_output",
    "check_outputs",
    "naming",
    "own_descriptor",
    "remove_unfinished",
    "scratch",
    "wait_for",
]

STANDARD_OUTPUT = "standard output"

_PARTIAL = re.compile(r"\.gkl-shim\.\d+\.[0-9a-f]+\.partial")
_MOST_LINKS = 40
# What this process has to remove if it ends early, and the file that each is for.
_unfinished: dict[Path, Path | None] = {}


class Output(io.FileIO):
    """A file open for writing, without a buffer.

    A write is whole: it waits where a non-blocking pipe is full. What fails names the file.
    """

    def __init__(self, descriptor: int, name: str, closefd: bool = True) -> None:
        super().__init__(descriptor, "wb", closefd=closefd)
        self._name = name

    def write(self, data: Any) -> int:
        """Write all of it."""
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
    """Wait until a descriptor is ready: ``select.POLLIN`` to be read, ``POLLOUT`` written."""
    ready = select.poll()
    ready.register(descriptor, event)
    ready.poll()


@contextlib.contextmanager
def naming(name: str) -> Iterator[None]:
    """Let a failure of the operating system name this file."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        closed = error.errno == errno.EBADF
        raise OSError(error.errno, "it is closed" if closed else error.strerror, name) from None


@contextlib.contextmanager
def atomic_output(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file that appears under its name only once it is complete.

    A file of that name is replaced and keeps its permissions, and its owner where this process may
    give files away. Other hard links to it keep the old content. A symbolic link is followed.
    Where a file can be written but not replaced (a mount point, another user's in a folder such as
    /tmp), the content is copied into it at the end.

    Parameters
    ----------
    path
        The output; ``-`` is standard output. A device, a pipe or an open descriptor
        (``/dev/stdout``) is written to as it is.

    Raises
    ------
    OSError
        If it cannot be written, at once where that can be known; what was there before is left as
        it was.
    """
    if str(path) == "-":
        _check_standard_output()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(path)
    name = str(path)
    with naming(name):
        descriptor = _open_in_place(path)
    if descriptor is not None:
        with Output(descriptor, name) as file:
            yield file
        return
    with naming(name):
        target, before = _place(path)
        descriptor, temporary = _temporary_file(target, before)
    try:
        with Output(descriptor, name) as file:
            yield file
            # Under its lock until it has its name.
            with naming(name):
                if before is not None:
                    _give_mode_and_owner(descriptor, before)
                os.fsync(descriptor)
                _take_name(temporary, target, before)
    finally:
        _remove(temporary)


def check_outputs(*paths: str | Path | None) -> None:
    """Refuse what :func:`atomic_output` would, before work is done that would be lost.

    Parameters
    ----------
    paths
        Outputs of one command; None for one that is not wanted.
    """
    temporary = []
    try:
        for path in filter(None, map(_regular, paths)):
            with naming(str(path)):
                temporary.append(_temporary_file(*_place(path)))
    finally:
        for descriptor, made in temporary:
            os.close(descriptor)
            _remove(made)


def _regular(given: str | Path | None) -> Path | None:
    """Return the path of a regular file, there or to be made; None for any other output."""
    if given is None:
        return None
    if str(given) == "-":
        _check_standard_output()
        return None
    path = Path(given)
    with naming(str(path)):
        return None if own_descriptor(path) is not None or _is_special(path) else path


@contextlib.contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Give a fresh folder inside `parent`, private to this process, and remove it afterwards."""

    def make(folder: Path) -> int:
        folder.mkdir(0o700)
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    descriptor, folder = _temporary(parent, make)
    try:
        yield folder
    finally:
        _remove(folder)
        os.close(descriptor)


def remove_unfinished() -> None:
    """Remove all temporary files and folders of this process, which is about to end."""
    for path in list(_unfinished):
        _remove(path)


def own_descriptor(path: str | Path) -> int | None:
    """Return which open descriptor of this process a path names, such as ``/dev/stdin``, or None.

    Opening such a path again would fail for a socket, and start a file from its beginning.
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


def _check_standard_output() -> None:
    with naming(STANDARD_OUTPUT):
        os.write(1, b"")


def _open_in_place(path: Path) -> int | None:
    """Open what is written to as it is; None for a regular file, or where there is nothing yet."""
    number = own_descriptor(path)
    if number is not None:
        return os.dup(number)
    access = os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC
    return os.open(path, access) if _is_special(path) else None


def _is_special(path: Path) -> bool:
    """Whether it is a device, pipe or socket; raise for a folder."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return not stat.S_ISREG(mode)


def _place(path: Path) -> tuple[Path, os.stat_result | None]:
    """Return the file to make or replace, and its state; raise where it must not be written."""
    target = Path(os.path.realpath(path))
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return target, None
    try:
        return target, os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _temporary_file(target: Path, before: os.stat_result | None) -> tuple[int, Path]:
    # Never more open than the file that it replaces.
    mode = 0o666 if before is None else stat.S_IMODE(before.st_mode) & 0o666

    def make(path: Path) -> int:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)

    if target in _unfinished.values():
        raise OSError(errno.EBUSY, "it is given for two outputs")
    return _temporary(target.parent, make, target)


def _temporary(
    folder: Path, make: Callable[[Path], int], target: Path | None = None
) -> tuple[int, Path]:
    """Make and lock a temporary file or folder, after removing what killed runs have left."""
    _remove_leftovers(folder)
    while True:
        path = folder / f".gkl-shim.{os.getpid()}.{secrets.token_hex(4)}.partial"
        _unfinished[path] = target
        try:
            descriptor = make(path)
        except FileExistsError:
            del _unfinished[path]
            continue
        except BaseException:
            _remove(path)
            raise
        # Another run may take it for a leftover before it is locked.
        if _lock(descriptor, without=True) and os.fstat(descriptor).st_nlink:
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
    # Network file systems lock only what is open for writing; a folder cannot be.
    access = os.O_RDONLY | os.O_DIRECTORY if entry.is_dir(follow_symlinks=False) else os.O_RDWR
    descriptor = os.open(entry.path, access | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if _lock(descriptor, without=False):
            _remove(Path(entry.path))
    finally:
        os.close(descriptor)


def _lock(descriptor: int, without: bool) -> bool:
    """Lock an open file; `without` is the answer where the file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return without
    return True


def _give_mode_and_owner(descriptor: int, before: os.stat_result) -> None:
    with contextlib.suppress(OSError):
        os.fchown(descriptor, before.st_uid, before.st_gid)
    with contextlib.suppress(OSError):
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def _take_name(temporary: Path, target: Path, before: os.stat_result | None) -> None:
    try:
        temporary.replace(target)
    except OSError as error:
        if before is None or error.errno not in (errno.EBUSY, errno.EPERM):
            raise
        # Without O_CREAT, which a folder such as /tmp may forbid for another user's file.
        descriptor = os.open(target, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
        with temporary.open("rb") as whole, os.fdopen(descriptor, "wb") as file:
            shutil.copyfileobj(whole, file)
            file.flush()
            os.fsync(descriptor)


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except IsADirectoryError:
        shutil.rmtree(path, ignore_errors=True)
    except OSError:
        pass
    _unfinished.pop(path, None)
