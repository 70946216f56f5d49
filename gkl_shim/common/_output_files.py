"""Write output files completely or not at all.

A result is written to a temporary file (``_temporary.py``), which then takes the output's name
(``_take_name.py``).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from gkl_shim.common._descriptors import Output, own_descriptor
from gkl_shim.common._naming import naming
from gkl_shim.common._take_name import take_name
from gkl_shim.common._temporary import is_unfinished, make_temporary, remove_unfinished

STANDARD_OUTPUT = "standard output"

_TWICE = "it is given twice; name another output"


class WrongName(ValueError):  # noqa: N818 - the name states the fault
    """A name that a command cannot take for a file, such as an output's that is also an input's."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(name, message)
        self.name = name
        self.message = message

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


@contextlib.contextmanager
def atomic_output(path: str | Path) -> Iterator[BinaryIO]:
    """Open an output file that appears under its name only when it is complete.

    An existing file is replaced. The new file gets its permissions, and its owner if this process
    may change owners. Other hard links keep the old content. Symbolic links are followed. If the
    file system refuses to rename, as for a mount point or another user's file in /tmp, the complete
    result is copied at the end.

    Parameters
    ----------
    path
        The output; ``-`` is standard output. Devices, pipes and open descriptors (``/dev/stdout``)
        are written directly.

    Raises
    ------
    OSError
        If the file cannot be written. If possible, this is checked before any work is done. An
        existing file keeps its content, except where the result is copied into it and the copy
        fails: then the file is incomplete. Where a complete result can be neither renamed nor
        copied, the error names the file beside it that has it. If a signal ends the copy, a warning
        does.
    """
    if str(path) == "-":
        _check_standard_output()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = _checked(path)
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
            # Renamed while it is locked, so that no other run takes it for a leftover.
            with naming(name):
                if before is not None:
                    _give_mode_and_owner(descriptor, before)
                take_name(descriptor, temporary, target, before is not None)
    finally:
        remove_unfinished(temporary)


def check_outputs(*paths: str | Path | None, inputs: Iterable[str | Path | None] = ()) -> None:
    """Check that :func:`atomic_output` can write these files, before any work is done.

    Parameters
    ----------
    paths
        The outputs of one command. None is ignored. The same output twice is refused.
    inputs
        The files that the command reads; ``-`` is standard input. An output that is one of them is
        refused, also if it is another link to the same file. So is standard output, to which every
        command may write. None is ignored.

    Raises
    ------
    WrongName
        If an output is refused for its name: it is another one, or an input, or ends with a slash.
    OSError
        If an output cannot be written.
    """
    read = [state for path in inputs if path is not None and (state := _state(path, 0))]
    for path in ("-", *paths):
        state = None if path is None else _state(path, 1)
        if state is not None and any(os.path.samestat(state, other) for other in read):
            name = STANDARD_OUTPUT if path == "-" else str(path)
            raise WrongName(name, "it is also an input; name another output")
    if [str(path) for path in paths].count("-") > 1:
        raise WrongName(STANDARD_OUTPUT, _TWICE)
    for path in paths:
        if str(path).endswith("/"):
            raise WrongName(str(path), "it names a folder; name a file")
    temporary = []
    try:
        for path in filter(None, map(_regular_file, paths)):
            with naming(str(path)):
                target, before = _place(path)
                if is_unfinished(target):
                    raise WrongName(str(path), _TWICE)
                temporary.append(_temporary_file(target, before))
    finally:
        for descriptor, made in temporary:
            os.close(descriptor)
            remove_unfinished(made)


def _regular_file(given: str | Path | None) -> Path | None:
    """Return the path if it is a regular file or does not exist yet, otherwise None."""
    if given is None:
        return None
    if str(given) == "-":
        _check_standard_output()
        return None
    path = _checked(given)
    with naming(str(path)):
        return None if own_descriptor(path) is not None or _is_special(path) else path


def _checked(given: str | Path) -> Path:
    """Return the path of an output. Refuse a name that ends with a slash, as a folder's does."""
    if str(given).endswith("/"):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(given))
    if not str(given):
        raise FileNotFoundError(errno.ENOENT, "the name of an output is empty", "")
    return Path(given)


def make_folder(folder: Path) -> None:
    """Make a folder for outputs, and those that it is in, unless it exists. Errors name it."""
    with naming(str(folder)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None


def _state(path: str | Path, standard: int) -> os.stat_result | None:
    """Return the state of a regular file, or None; ``-`` is this open descriptor."""
    try:
        number = standard if str(path) == "-" else own_descriptor(path)
        state = Path(path).stat() if number is None else os.fstat(number)
    except OSError:  # it does not exist, or cannot be reached
        return None
    return state if stat.S_ISREG(state.st_mode) else None


def _check_standard_output() -> None:
    with naming(STANDARD_OUTPUT):
        os.write(1, b"")


def _open_in_place(path: Path) -> int | None:
    """Open a device, a pipe or an own descriptor; return None for a regular or missing file."""
    number = own_descriptor(path)
    if number is not None:
        return os.dup(number)
    access = os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC
    return os.open(path, access) if _is_special(path) else None


def _is_special(path: Path) -> bool:
    """Return whether a path is a device, a pipe or a socket. Raise for a folder."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return not stat.S_ISREG(mode)


def _place(path: Path) -> tuple[Path, os.stat_result | None]:
    """Return the file to write and its current state, if any. Raise if it may not be written."""
    target = Path(os.path.realpath(path))
    try:
        # With its links: the kernel refuses those that other users have made in /tmp.
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return target, None
    try:
        return target, os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _temporary_file(target: Path, before: os.stat_result | None) -> tuple[int, Path]:
    # The permissions are never wider than those of the file that it replaces.
    mode = 0o666 if before is None else stat.S_IMODE(before.st_mode) & 0o666

    def make(path: Path) -> int:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)

    return make_temporary(target.parent, make, target)


def _give_mode_and_owner(descriptor: int, before: os.stat_result) -> None:
    with contextlib.suppress(OSError):
        os.fchown(descriptor, before.st_uid, before.st_gid)
    with contextlib.suppress(OSError):
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
