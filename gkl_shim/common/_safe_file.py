"""Find files that other users can change; ``kernels/python_host/safe_file.h`` does it, too."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_MOST_LINKS = 40  # as the kernel's


def unsafe(path: Path) -> str | None:
    """Return why code is not to be loaded from a file or folder, or None if it may be.

    A file or folder that every user can change is unsafe, and so is what lies below such a folder.
    In a folder with the sticky bit, such as /tmp, an entry can only be replaced by its owner and by
    the folder's. Both must be this user or root. Links are followed one by one by the same rules.
    The user's groups are trusted.

    Of a path that does not exist yet, the folders that exist are checked. A path that this user
    cannot look at is not unsafe: nothing is loaded from there.
    """
    try:
        return _reason(path)
    except OSError:
        return None


def _reason(path: Path) -> str | None:
    reached = Path("/")  # without links
    rest = list(path.absolute().parts[1:])
    links = 0
    while rest and links <= _MOST_LINKS:
        part = rest.pop(0)
        if part == "..":
            reached = reached.parent
            continue
        name = reached / part
        if reason := _unsafe_entry(reached, name):
            return reason
        if name.is_symlink():
            links += 1
            target = name.readlink()
            if target.is_absolute():
                reached = Path("/")
            rest[:0] = target.relative_to(target.anchor).parts
        else:
            reached = name
    return f"others can write to {reached}" if _is_writable_by_others(reached.stat()) else None


def _unsafe_entry(folder: Path, name: Path) -> str | None:
    """Return why others can replace an entry of a folder, or None if they cannot."""
    state = folder.stat()
    if not _is_writable_by_others(state):
        return None
    if not state.st_mode & stat.S_ISVTX:
        return f"others can write to {folder}"
    for place in (folder, name):
        if place.lstat().st_uid not in (0, os.geteuid()):
            return f"{place} belongs to another user"
    return None


def _is_writable_by_others(state: os.stat_result) -> bool:
    return bool(state.st_mode & stat.S_IWOTH)
