"""Find the GKL to measure beside."""

from __future__ import annotations

import platform
import re

from gkl_shim import paths
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch, programs, swaps

_JAR = re.compile(r"gkl-(\d[\w.]*)\.jar")


def classpath(given: str | None) -> tuple[str | None, str | None]:
    """Return a class path with GKL, or why GKL is not measured.

    Parameters
    ----------
    given
        A class path that the user names, or None for the one in the cache.
    """
    machine = platform.machine()
    if machine != "x86_64":
        return None, f"GKL has no library for {machine}"
    if named := swaps.named_classpath("--gkl", given):
        return named, None
    try:
        kept = fetch.complete(fetch.gatk_name())
        if kept is None:
            return None, "GATK is not in the cache; run `gkl-shim demo` to fetch it, or give --gkl"
        paths.bench_jar()
        programs.java()
    except MissingComponent as error:
        return None, str(error)
    return kept, None


def version(classpath: str) -> str:
    """Return the version of the GKL jar in a class path."""
    found = _JAR.search(classpath)
    return found[1] if found else "of unknown version"
