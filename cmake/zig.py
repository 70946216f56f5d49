"""Write cc and c++, which start zig's compiler, into a folder: python zig.py FOLDER.

CMake keeps the path of a compiler. pip installs zig, the Python package `ziglang`, into a new
folder for each build, so the two scripts stand in for it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def main(folder: str) -> None:
    """Write both, or fail where there is no zig."""
    # The working directory is not searched: it may hold anything.
    sys.path[:] = [entry for entry in sys.path if entry]
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        sys.exit("the Python package ziglang is missing")
    zig = Path(found.origin).with_name("zig")
    Path(folder).mkdir(parents=True, exist_ok=True)
    for language in ("cc", "c++"):
        script = Path(folder, language)
        script.write_text(f"#!/bin/sh\nexec '{zig}' {language} \"$@\"\n", encoding="utf-8")
        script.chmod(0o755)


if __name__ == "__main__":
    main(*sys.argv[1:])
