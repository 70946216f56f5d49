"""How much memory this process may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_GROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


def usable_memory(groups: Path = _GROUPS, own: Path = _OWN) -> int:
    """Return the bytes of the machine's memory, or the lowest limit of the control groups.

    Parameters
    ----------
    groups
        Where the control groups are mounted.
    own
        The file that lists the control groups of this process.
    """
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([physical, *_limits(groups, own)])


def _limits(groups: Path, own: Path) -> Iterator[int]:
    """Yield the limits from the groups of this process up to the root."""
    # In a container, the path of the group may exist only on the host. The mounted root is then the
    # container's group.
    places = {groups / "memory.max", groups / "memory" / "memory.limit_in_bytes"}
    for line in _text(own).splitlines():
        # Version 2 is "0::/path", version 1 "4:memory:/path".
        _, _, own_group = line.partition(":")
        controllers, _, path = own_group.partition(":")
        group = PurePosixPath(path)
        # A group outside the namespace of this process is "/..": its limits are not visible.
        if ".." in group.parts or not group.is_absolute():
            continue
        for level in (group, *group.parents):
            inside = level.relative_to("/")
            if controllers == "":
                places.add(groups / inside / "memory.max")
            elif "memory" in controllers.split(","):
                places.add(groups / "memory" / inside / "memory.limit_in_bytes")
    for place in places:
        text = _text(place).strip()
        if text.isdecimal():  # "max" is no limit
            yield int(text)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
