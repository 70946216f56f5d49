"""Find files that other users can change; ``kernels/common/safe_file.h`` does it in native code."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["unsafe"]


def unsafe(path: Path) -> str | None:
    """Return why code is not to be loaded from a file or folder, or None if it may be.

    A file or folder that every user can change is unsafe, and so is what lies below such a folder.
    In a folder with the sticky bit, such as /tmp, a file can only be replaced by its owner and by
    the folder's. Both must be this user or root. The user's groups are trusted.

    Of a path that does not exist yet, the folders that exist are checked. A path that this user
    cannot look at is not unsafe: nothing is loaded from there.
    """
    try:
        return _reason(path)
    except OSError:
        return None


def _reason(path: Path) -> str | None:
    for start in (Path(os.path.realpath(path)), path.absolute()):
        for part in (start, *start.parents):
            if not os.path.lexists(part):
                continue
            mode = part.stat().st_mode
            if mode & stat.S_IWOTH and not (stat.S_ISDIR(mode) and mode & stat.S_ISVTX):
                return f"others can write to {part}"
            folder = part.parent.stat()
            if folder.st_mode & stat.S_IWOTH:
                for place, owner in ((part, part.lstat().st_uid), (part.parent, folder.st_uid)):
                    if owner not in (0, os.geteuid()):
                        return f"{place} belongs to another user"
    return None
