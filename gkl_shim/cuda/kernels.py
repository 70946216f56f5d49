"""Load the CUDA kernels, as the build compiled them, or compile them with NVRTC.

A package holds compiled kernels beside each kernel file. They are for the GPUs of the machine that
built it, or for every architecture in :data:`ARCHITECTURES`, with PTX that a driver compiles for
newer ones (docs/build.md). A compiled file has the fingerprint of its source and options in its
name, so a file of another version is never loaded.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from gkl_shim import paths

#: These give the CPU's bits: subnormal float32 numbers are zero, division follows IEEE, and the
#: compiler may not fuse multiplications and additions.
OPTIONS = ("-std=c++17", "-ftz=true", "-fmad=false", "-prec-div=true")

#: Compute capabilities, times 10, that the build compiles machine code for: Turing to Blackwell.
#: The code also runs on later minor versions: that for 10.0 on 10.3, that for 12.0 on 12.1.
ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
#: The PTX runs on this compute capability and all later ones.
PTX_ARCHITECTURE = 80

_WORDS = ("unsigned int", "unsigned long long")
_TEMPLATES = (
    *(f"exact<{word}, {mode}>" for word in _WORDS for mode in range(3)),
    *(f"exact_words<{words}, {mode}>" for words in (4, 8) for mode in range(3)),
    *(f"exact_blocks<{mode}>" for mode in (1, 2)),
    *(f"estimate<{words}>" for words in (4, 8, 16, 320)),
)
_CORRECT = ("count_kmers", "move_entries", "finish_tables", "search_reads", "vote_reads")
_MEM = (
    "make_text", "count_parts", "divide_seeds", "sort_parts", "sum_values", "scan_values",
    "count_matches", "place_matches", "fill_matches", "order_matches",
)  # fmt: skip
#: The kernels with C++ names that the build compiles, for each kernel file that has any. Other
#: instances of a template are compiled on first use.
EXPRESSIONS: dict[str, tuple[str, ...]] = {
    "correct/cuda/kernels.cu": tuple(f"gkl_shim::correct::{name}" for name in _CORRECT),
    "mem/cuda/kernels.cu": tuple(f"gkl_shim::mem::{name}" for name in _MEM),
    "prefilter/cuda/kernels.cu": tuple(
        f"gkl_shim::prefilter::{name}" for name in (*_TEMPLATES, "encode")
    ),
}

_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def files() -> list[str]:
    """Return all kernel files, relative to ``kernels/``."""
    folder = paths.kernels()
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.cu"))


def expressions(name: str) -> tuple[str, ...]:
    """Return the kernels of a file with C++ names, or none: its kernels have C names."""
    return EXPRESSIONS.get(name, ())


def source(name: str) -> str:
    """Return the text of a kernel file, with the project's headers in place of their includes.

    CuPy caches compiled code by the text of the source. If a header were not part of the text, a
    change to it would not be compiled.

    Parameters
    ----------
    name
        The path relative to ``kernels/``, for example ``hmm/cuda/kernels/kernels.cu``.
    """
    seen: set[str] = set()

    def text(path: str) -> str:
        if path in seen:
            return ""
        seen.add(path)
        return _INCLUDE.sub(lambda match: text(match[1]), _code(path).replace("#pragma once\n", ""))

    return text(name)


def included(name: str) -> list[str]:
    """Return the paths of the headers that a kernel file or a header includes itself."""
    return _INCLUDE.findall(_code(name))


def _code(path: str) -> str:
    """Return the text of a file, without the include that only a host compiler needs."""
    code = (paths.kernels() / path).read_text(encoding="utf-8")
    return code.replace('#include "common/simd.h"\n', "")


def fingerprint(name: str) -> str:
    """Return a hash of a kernel file, its headers, its options and its compiled kernels."""
    made_of = json.dumps([source(name), OPTIONS, expressions(name)])
    return hashlib.sha256(made_of.encode()).hexdigest()[:16]


class Kernels:
    """The kernels of one file for the current device.

    Parameters
    ----------
    cupy
        The imported CuPy package.
    name
        The kernel file, as in :func:`source`.
    architecture
        The device's compute capability, for example ``"90"``.
    """

    def __init__(self, cupy: Any, name: str, architecture: str) -> None:
        self._cupy = cupy
        self._name = name
        self._made: dict[str, Any] = {}
        self._symbols: dict[str, str] = {}
        self._ahead: Any = None
        folder, stem = (paths.kernels() / name).parent, f"{Path(name).stem}.{fingerprint(name)}"
        for target in suitable(int(architecture)):
            path = folder / f"{stem}.{target}"
            if not path.is_file():
                continue
            # An older driver may refuse the output of a newer compiler.
            with contextlib.suppress(cupy.cuda.driver.CUDADriverError):
                module = cupy.RawModule(path=str(path))
                module.compile()
                self._ahead = module
                symbols = folder / f"{stem}.symbols.json"
                self._symbols = json.loads(symbols.read_text(encoding="utf-8"))
                return

    def get_function(self, kernel: str) -> Any:
        """Return a kernel as a ``cupy.cuda.Function``. It is compiled now if the build did not.

        Parameters
        ----------
        kernel
            The kernel's name. A template's name includes namespaces and arguments, as in
            :data:`EXPRESSIONS`.
        """
        named = bool(expressions(self._name))
        if self._ahead is not None and (not named or kernel in self._symbols):
            return self._ahead.get_function(self._symbols.get(kernel, kernel))
        # Kernels with C++ names are compiled one at a time, because a call needs only a few.
        wanted = (kernel,) if named else ()
        key = kernel if wanted else ""
        if key not in self._made:
            self._made[key] = self._cupy.RawModule(
                code=source(self._name), options=OPTIONS, name_expressions=wanted or None
            )
        return self._made[key].get_function(kernel)


def suitable(architecture: int) -> list[str]:
    """Return the endings of the compiled files that may run on an architecture, best first."""
    same = [a for a in ARCHITECTURES if a // 10 == architecture // 10 and a <= architecture]
    found = [f"sm_{a}.cubin" for a in reversed(same)]
    if architecture >= PTX_ARCHITECTURE:
        found.append(f"compute_{PTX_ARCHITECTURE}.ptx")
    return found
