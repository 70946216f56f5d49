"""Write the scripts cc and c++, which run zig's compiler, into a folder: python zig.py FOLDER.

CMake stores the path of the compiler, but pip installs zig (the Python package `ziglang`) into a
new folder for each build. The scripts have a fixed path.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def main(folder: str) -> None:
    """Write both scripts, or fail if zig is not installed."""
    # The working directory is not searched, because it may hold another ziglang.
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
