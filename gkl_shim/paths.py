"""Where the parts of an installed gkl-shim lie."""

from __future__ import annotations

import os
from pathlib import Path

from gkl_shim.errors import MissingComponent

__all__ = [
    "agent_jar",
    "binding",
    "classpath_jar",
    "header",
    "kernels",
    "library",
    "library_is_chosen",
]

_PACKAGE = Path(__file__).resolve().parent
_SOURCE_HEADER = _PACKAGE.parent / "kernels" / "include" / "gkl_shim.h"


def library() -> Path:
    """Return the native library: the engine, its C interface and the JNI bridge in one file.

    The environment variable ``GKL_SHIM_LIBRARY`` names another one, by its absolute path.

    Raises
    ------
    MissingComponent
        If the file does not exist, or is named by a relative path: the working directory may be
        anybody's.
    """
    if library_is_chosen():
        path = Path(os.environ["GKL_SHIM_LIBRARY"])
        if not path.is_absolute():
            raise MissingComponent(f"GKL_SHIM_LIBRARY names {path}, which is not an absolute path")
        if not path.is_file():
            raise MissingComponent(f"GKL_SHIM_LIBRARY names {path}, which is not a file")
        return path.resolve()
    return _installed(_PACKAGE / "lib" / "libgkl_shim.so", "the native library")


def library_is_chosen() -> bool:
    """Return whether ``GKL_SHIM_LIBRARY`` names the library to use."""
    return bool(os.environ.get("GKL_SHIM_LIBRARY"))


def binding() -> Path:
    """Return the Python module that knows the header, made of it when the package is built.

    Raises
    ------
    MissingComponent
        If the file does not exist.
    """
    return _installed(_PACKAGE / "_abi.py", "the binding of the native library")


def header() -> Path:
    """Return the C header ``gkl_shim.h``; in a source checkout, the one in ``kernels/include``.

    Raises
    ------
    MissingComponent
        If the file does not exist.
    """
    if _SOURCE_HEADER.is_file():
        return _SOURCE_HEADER
    return _installed(_PACKAGE / "include" / "gkl_shim.h", "the C header")


def kernels() -> Path:
    """Return the folder of the CUDA kernels; in a source checkout, ``kernels``."""
    source = _SOURCE_HEADER.parents[1]
    return source if source.is_dir() else _PACKAGE / "kernels"


def agent_jar() -> Path:
    """Return the Java agent, ``gkl-shim.jar``.

    Raises
    ------
    MissingComponent
        If the file does not exist.
    """
    return _installed(_PACKAGE / "java" / "gkl-shim.jar", "the Java agent")


def classpath_jar() -> Path:
    """Return the jar to put in front of GATK's own on a class path, ``gkl-shim-classpath.jar``.

    Raises
    ------
    MissingComponent
        If the file does not exist.
    """
    return _installed(_PACKAGE / "java" / "gkl-shim-classpath.jar", "the class-path jar")


def _installed(path: Path, name: str) -> Path:
    if path.is_file():
        return path
    if _SOURCE_HEADER.is_file():
        raise MissingComponent(
            f"{name} is missing: {_PACKAGE} is a source checkout that shadows the installed "
            f"package; run `make setup` there and use .venv/bin/gkl-shim, or start Python in "
            f"another directory"
        )
    raise MissingComponent(f"{name} is missing: {path} does not exist; reinstall gkl-shim")
