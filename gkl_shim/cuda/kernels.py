"""Loading of the CUDA kernels: compiled ahead where the package has them, else by NVRTC, once."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

from gkl_shim import paths

__all__ = ["OPTIONS", "load", "source"]

#: The same bits as the CPU's: float32 below the normal numbers is zero, IEEE division, and no
#: multiply-add but those written out.
OPTIONS = ("-std=c++17", "-ftz=true", "-fmad=false", "-prec-div=true")

_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def source(name: str) -> str:
    """Return a kernel file with the project's headers put in, so that it stands alone.

    CuPy keeps what it has compiled under the source's own text: a header left outside could
    change without being compiled again.

    Parameters
    ----------
    name
        Relative to ``kernels/``, for example ``pairhmm/cuda.cu``.
    """
    seen: set[str] = set()

    def text(path: str) -> str:
        if path in seen:
            return ""
        seen.add(path)
        code = (paths.kernels() / path).read_text(encoding="utf-8").replace("#pragma once\n", "")
        return _INCLUDE.sub(lambda match: text(match[1]), _without_host(code))

    return text(name)


def _without_host(code: str) -> str:
    """Drop what only a host compiler sees, lest its includes be followed."""
    return code.replace('#include "common/simd.h"\n', "")


def load(cupy: Any, name: str, architecture: str) -> Any:
    """Return the module of a kernel file for a device, as a ``cupy.RawModule``.

    Parameters
    ----------
    cupy
        The imported package.
    name
        As for :func:`source`.
    architecture
        The device's, for example ``"90"``.
    """
    compiled = _compiled(name, architecture)
    if compiled is not None:
        # An older driver may refuse what a newer compiler made.
        with contextlib.suppress(cupy.cuda.driver.CUDADriverError):
            module = cupy.RawModule(path=str(compiled))
            module.compile()
            return module
    return cupy.RawModule(code=source(name), options=OPTIONS)


def _compiled(name: str, architecture: str) -> Path | None:
    path = paths.kernels() / Path(name).with_suffix(f".sm_{architecture}.cubin")
    return path if path.is_file() else None
