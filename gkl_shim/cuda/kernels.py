"""Loading of the CUDA kernels: compiled ahead where the package has them, else by NVRTC, once.

A package holds, beside each kernel file, machine code for the GPUs of the machine that built it, or
for every architecture in :data:`ARCHITECTURES` and PTX, which a driver compiles for newer ones
(docs/build.md). Their names carry the fingerprint of what they were made of, so that none but the
source's own is ever loaded.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from gkl_shim import paths

__all__ = [
    "ARCHITECTURES",
    "EXPRESSIONS",
    "OPTIONS",
    "PTX_ARCHITECTURE",
    "Kernels",
    "fingerprint",
    "load",
    "source",
]

#: The same bits as the CPU's: float32 below the normal numbers is zero, IEEE division, and no
#: multiply-add but those written out.
OPTIONS = ("-std=c++17", "-ftz=true", "-fmad=false", "-prec-div=true")

#: Compute capabilities, times 10, with machine code of their own: Turing to Blackwell. It serves
#: later minor versions too: 10.0 for 10.3, 12.0 for 12.1.
ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
#: What the PTX is for: this and all later ones.
PTX_ARCHITECTURE = 80

_WORDS = ("unsigned int", "unsigned long long")
_TEMPLATES = (
    *(f"exact<{word}, {mode}>" for word in _WORDS for mode in range(3)),
    *(f"exact_words<{words}, {mode}>" for words in (4, 8) for mode in range(3)),
    *(f"exact_blocks<{mode}>" for mode in (1, 2)),
    *(f"estimate<{words}>" for words in (4, 8, 16, 320)),
)
#: By kernel file, the kernels with C++ names that are compiled ahead; others when asked for.
EXPRESSIONS: dict[str, tuple[str, ...]] = {
    "pairhmm/cuda/kernels.cu": (),
    "prefilter/cuda/kernels.cu": tuple(
        f"gkl_shim::prefilter::{name}" for name in (*_TEMPLATES, "encode")
    ),
}

_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def source(name: str) -> str:
    """Return a kernel file with the project's headers put in, so that it stands alone.

    CuPy keeps what it has compiled under the source's own text: a header left outside could
    change without being compiled again.

    Parameters
    ----------
    name
        Relative to ``kernels/``, for example ``pairhmm/cuda/kernels.cu``.
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


def fingerprint(name: str) -> str:
    """Return what tells a kernel file, its headers and its options from any other version."""
    made_of = json.dumps([source(name), OPTIONS, EXPRESSIONS[name]])
    return hashlib.sha256(made_of.encode()).hexdigest()[:16]


def load(cupy: Any, name: str, architecture: str) -> Kernels:
    """Return a file's kernels for the current device.

    Parameters
    ----------
    cupy
        The imported package.
    name
        As for :func:`source`.
    architecture
        The device's compute capability, for example ``"90"``.
    """
    return Kernels(cupy, name, int(architecture))


class Kernels:
    """A kernel file on a device; see :func:`load`."""

    def __init__(self, cupy: Any, name: str, architecture: int) -> None:
        self._cupy = cupy
        self._name = name
        self._made: dict[str, Any] = {}
        self._symbols: dict[str, str] = {}
        self._ahead: Any = None
        folder, stem = (paths.kernels() / name).parent, f"{Path(name).stem}.{fingerprint(name)}"
        for target in _suitable(architecture):
            path = folder / f"{stem}.{target}"
            if not path.is_file():
                continue
            # An older driver may refuse what a newer compiler made.
            with contextlib.suppress(cupy.cuda.driver.CUDADriverError):
                module = cupy.RawModule(path=str(path))
                module.compile()
                self._ahead = module
                symbols = folder / f"{stem}.symbols.json"
                self._symbols = json.loads(symbols.read_text(encoding="utf-8"))
                return

    def get_function(self, kernel: str) -> Any:
        """Return a kernel, as a ``cupy.cuda.Function``; where need be, it is compiled now.

        Parameters
        ----------
        kernel
            Its name: of a template, with its arguments and namespaces, as in
            :data:`EXPRESSIONS`.
        """
        named = bool(EXPRESSIONS[self._name])
        if self._ahead is not None and (not named or kernel in self._symbols):
            return self._ahead.get_function(self._symbols.get(kernel, kernel))
        # Kernels with C++ names one by one, since a call needs but a few of them.
        wanted = (kernel,) if named else ()
        key = kernel if wanted else ""
        if key not in self._made:
            self._made[key] = self._cupy.RawModule(
                code=source(self._name), options=OPTIONS, name_expressions=wanted or None
            )
        return self._made[key].get_function(kernel)


def _suitable(architecture: int) -> list[str]:
    """Return the endings of what may run on an architecture, the best first."""
    same = [a for a in ARCHITECTURES if a // 10 == architecture // 10 and a <= architecture]
    found = [f"sm_{a}.cubin" for a in reversed(same)]
    if architecture >= PTX_ARCHITECTURE:
        found.append(f"compute_{PTX_ARCHITECTURE}.ptx")
    return found
