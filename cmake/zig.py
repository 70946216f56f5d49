"""Write the scripts cc and c++, which run zig's compiler, into a folder: python zig.py FOLDER.

pip installs zig (the Python package `ziglang`) into a new folder for each build. CMake, ninja and
zig's own cache remember paths, and would compile everything again. The scripts therefore run a copy
of zig in FOLDER.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from importlib import metadata
from pathlib import Path


def main(folder: str) -> None:
    """Write both scripts, or fail if zig is not installed."""
    # The working directory is not searched, because it may hold another ziglang.
    sys.path[:] = [entry for entry in sys.path if entry]
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        sys.exit("the Python package ziglang is missing")
    copy = Path(folder, metadata.version("ziglang")).absolute()
    if not copy.is_dir():
        partial = copy.with_name("partial")
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(Path(found.origin).parent, partial, copy_function=link)
        partial.rename(copy)
    for language in ("cc", "c++"):
        script = Path(folder, language)
        script.write_text(f"#!/bin/sh\nexec '{copy / 'zig'}' {language} \"$@\"\n", encoding="utf-8")
        script.chmod(0o755)


def link(source: str, target: str) -> None:
    """Link a file, or copy it from another file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
