"""The lines in which gkl-shim says that GATK keeps its own code."""

from __future__ import annotations

import re
from typing import NamedTuple

# As Log.fallback() of java/src/main/java/org/gklshim/Log.java writes it.
_FALLBACK = re.compile(r"\[gkl-shim[^]]*\] (?:warning: )?([^:]+): ([^:]+) is used: (.+)")


class Fallback(NamedTuple):
    """A part of GATK or a kernel that gkl-shim left to the original."""

    title: str
    """Begins all of gkl-shim's lines about the part or the kernel."""
    original: str
    """What is used, such as ``GATK's own code`` or ``Intel GKL``."""
    reason: str


def fallback(line: str) -> Fallback | None:
    """Return what a line of a log says of a fallback, or None if it says something else."""
    found = _FALLBACK.fullmatch(line)
    return Fallback(*found.groups()) if found else None
