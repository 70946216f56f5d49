"""Find files that other users can change; ``kernels/common/safe_file.h`` does it in native code."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["unsafe"]


def unsafe(path: Path) -> str | None:
    """Return why code is not to be loaded from a file or folder, or None if it may be.

    A file or folder that every user can change is unsafe, and so is what lies below such a folder.
    In a folder with the sticky bit, such as /tmp, users can only replace their own files. So what
    lies there must belong to this user or root. The user's groups are trusted.

    Raises
    ------
    OSError
        If the path does not exist.
    """
    for start in (path.resolve(), path.absolute()):
        for part in (start, *start.parents):
            mode = part.stat().st_mode
            if mode & stat.S_IWOTH and not (stat.S_ISDIR(mode) and mode & stat.S_ISVTX):
                return f"others can write to {part}"
            if part.parent.stat().st_mode & stat.S_IWOTH:
                owner = part.lstat().st_uid
                if owner not in (0, os.geteuid()):
                    return f"{part} belongs to another user"
    return None
