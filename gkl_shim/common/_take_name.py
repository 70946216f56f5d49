"""Give a complete temporary file or folder the name of its output.

A rename does it at once. Mount points, other users' files in a folder such as /tmp, object stores
that are mounted as folders, and shared folders of virtual machines refuse it. Then the content is
copied. If that fails, too, the temporary file stays, and the error names it: as
``.gkl-shim.<process>.<random>.complete``, which no run removes, unless that name is refused, too.
``kernels/jni/recording/output_file.cpp`` follows the same rules.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import stat
import warnings
from pathlib import Path

from gkl_shim.common._descriptors import Output
from gkl_shim.common._naming import naming
from gkl_shim.common._temporary import forget

# The file system has nothing to wait for, or no way to wait.
_NO_SYNC = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EROFS})
# What was written is not all on the disk.
_LOST = frozenset({errno.EIO, errno.ENOSPC, errno.EDQUOT})


def take_name(descriptor: int, temporary: Path, target: Path, exists: bool) -> None:
    """Give a temporary file with the whole content the name of its output.

    Parameters
    ----------
    descriptor
        The temporary file, open for reading and writing.
    temporary, target
        Its path, and the output's without links.
    exists
        Whether the output exists. Then it is written to if it cannot be replaced.

    Raises
    ------
    OSError
        If the content is not on the disk, or the output could not be made. In the second case the
        temporary file stays, and the error names it.
    """
    try:
        _sync(descriptor)
    except OSError as error:
        if error.errno in _LOST:
            raise
    else:
        with contextlib.suppress(OSError):
            temporary.replace(target)
            forget(temporary)
            return
    kept = _renamed(temporary)
    begun = False
    try:
        with _opened(target, exists) as file:
            begun = True
            _copy(descriptor, file)
    except BaseException as error:
        if begun and not exists:
            _unlink(target)
        if not os.fstat(descriptor).st_nlink:  # somebody has removed it
            raise
        told = f"{_safe(descriptor, temporary, kept)} has the complete result"
        if begun and exists:
            told = f"this file may be incomplete now, and {told}"
        if isinstance(error, OSError):
            raise OSError(error.errno, f"{error.strerror}; {told}") from error
        warnings.warn(f"gkl-shim: {target}: stopped; {told}", stacklevel=1)  # by a signal
        raise
    _unlink(kept)


def move(source: Path, target: Path) -> None:
    """Give a complete file another name. What has mapped the old file of that name keeps it.

    Raises
    ------
    OSError
        If that is not possible. It names the target.
    """
    with naming(str(target)), source.open("rb") as whole:
        try:
            source.replace(target)
            return
        except OSError:
            target.unlink(missing_ok=True)
        try:
            with _opened(target, exists=False) as file:
                _copy(whole.fileno(), file)
                with contextlib.suppress(OSError):
                    target.chmod(stat.S_IMODE(os.fstat(whole.fileno()).st_mode))
        except BaseException:
            _unlink(target)
            raise


def move_folder(source: Path, temporary: Path, target: Path) -> None:
    """Give a complete folder another name, which no file has.

    Parameters
    ----------
    source
        The folder, in `temporary` or the same.
    temporary
        The temporary folder. It stays if the folder can be neither renamed nor copied.
    target
        The new name.

    Raises
    ------
    OSError
        If that is not possible. It names the target and what has the complete result.
    """
    with contextlib.suppress(OSError):
        source.replace(target)
        return
    try:
        shutil.copytree(source, target)
    except BaseException as error:
        shutil.rmtree(target, ignore_errors=True)
        kept = _renamed(temporary) / source.relative_to(temporary)
        if isinstance(error, OSError):
            reason = error.strerror or "it cannot be copied"
            told = f"{reason}; {kept} has the complete result"
            raise OSError(error.errno or errno.EIO, told, str(target)) from error
        raise


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise


def _renamed(temporary: Path) -> Path:
    """Let no run remove a temporary path, and return its name now."""
    forget(temporary)
    kept = temporary.with_suffix(".complete")
    try:
        temporary.rename(kept)
    except OSError:
        return temporary
    return kept


def _safe(descriptor: int, temporary: Path, kept: Path) -> Path:
    """Return a path with the content that no run removes, or the temporary one if none can be."""
    if kept != temporary:
        return kept
    copy = temporary.with_suffix(".complete")
    try:
        with _opened(copy, exists=False) as file:
            _copy(descriptor, file)
    except OSError:
        _unlink(copy)
        return temporary
    _unlink(temporary)
    return copy


def _opened(path: Path, exists: bool) -> Output:
    # Not O_CREAT: a sticky folder such as /tmp may forbid it for another user's file. Links were
    # followed before. A new one may be another user's.
    made = 0 if exists else os.O_CREAT | os.O_EXCL
    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC | made
    return Output(os.open(path, flags, 0o666), str(path))


def _copy(descriptor: int, file: Output) -> None:
    """Write the content of a descriptor's file to another."""
    whole = io.FileIO(descriptor, "rb", closefd=False)
    whole.seek(0)
    file.truncate(0)
    shutil.copyfileobj(whole, file)
    _sync(file.fileno())


def _unlink(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
