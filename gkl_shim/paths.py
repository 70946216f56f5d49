"""The paths of the files that gkl-shim installs.

A function raises :class:`gkl_shim.errors.MissingComponent` if its file does not exist.
"""

from __future__ import annotations

import os
from pathlib import Path

import gkl_shim
from gkl_shim.common._safe_file import unsafe
from gkl_shim.errors import MissingComponent

__all__ = [
    "agent_jar",
    "bench_jar",
    "binding",
    "header",
    "kernels",
    "library",
    "library_is_chosen",
]

_PACKAGE = Path(__file__).resolve().parent
_SOURCE_HEADER = _PACKAGE.parent / "kernels" / "include" / "gkl_shim.h"


def library() -> Path:
    """Return the native library, which holds the engines, the C API and the JNI bridge.

    The environment variable ``GKL_SHIM_LIBRARY`` replaces it with another absolute path.

    Raises
    ------
    MissingComponent
        If the file does not exist, if ``GKL_SHIM_LIBRARY`` is a relative path, or if other users
        can change that file. A relative path could load code from a working directory that another
        user controls.
    """
    if library_is_chosen():
        path = Path(os.environ["GKL_SHIM_LIBRARY"])
        if not path.is_absolute():
            raise MissingComponent(f"GKL_SHIM_LIBRARY names {path}, which is not an absolute path")
        if not path.is_file():
            raise MissingComponent(f"GKL_SHIM_LIBRARY names {path}, which is not a file")
        if reason := unsafe(path):
            raise MissingComponent(f"GKL_SHIM_LIBRARY names {path}, which is not loaded: {reason}")
        return path.resolve()
    return _installed("lib/libgkl_shim.so", "the native library")


def library_is_chosen() -> bool:
    """Return whether ``GKL_SHIM_LIBRARY`` is set."""
    return bool(os.environ.get("GKL_SHIM_LIBRARY"))


def binding() -> Path:
    """Return the cffi module, which the build generates from the header."""
    return _installed("_abi.py", "the binding of the native library")


def header() -> Path:
    """Return the C header ``gkl_shim.h``, in ``kernels/include`` of a source checkout."""
    if _SOURCE_HEADER.is_file():
        return _SOURCE_HEADER
    return _installed("include/gkl_shim.h", "the C header")


def kernels() -> Path:
    """Return the folder of the CUDA kernel sources, ``kernels`` in a source checkout."""
    # An installed package may have a foreign package `kernels` beside it.
    return _SOURCE_HEADER.parents[1] if _SOURCE_HEADER.is_file() else _PACKAGE / "kernels"


def agent_jar() -> Path:
    """Return the Java agent, ``gkl-shim.jar``."""
    return _installed("java/gkl-shim.jar", "the Java agent")


def bench_jar() -> Path:
    """Return ``gkl-shim-bench.jar``, which times calls of native kernels in a JVM."""
    return _installed("java/gkl-shim-bench.jar", "the jar for benchmarks")


def _installed(file: str, name: str) -> Path:
    """Return a file of the package."""
    # An editable install has its modules in a checkout, and all that is built in another folder.
    for folder in (_PACKAGE, *map(Path, gkl_shim.__path__)):
        if (folder / file).is_file():
            return folder.resolve() / file
    if _SOURCE_HEADER.is_file():
        raise MissingComponent(
            f"{name} is missing: {_PACKAGE} is a source checkout that shadows the installed "
            f"package; run `make setup` there and use .venv/bin/gkl-shim, or start Python in "
            f"another directory"
        )
    raise MissingComponent(
        f"{name} is missing: {_PACKAGE / file} does not exist; reinstall gkl-shim"
    )
