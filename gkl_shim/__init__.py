"""gkl-shim: GATK's native kernels, faster and with the same results, and algorithms for reads.

:mod:`gkl_shim.pairhmm` computes read-haplotype likelihoods, and :mod:`gkl_shim.pdhmm` those of
partially determined haplotypes. :mod:`gkl_shim.smithwaterman` aligns sequences to references as
GATK does. :mod:`gkl_shim.prefilter` reports which reads are within a number of edits of a reference
segment. :mod:`gkl_shim.mem` finds the maximal exact matches between a reference and queries.
:mod:`gkl_shim.correct` corrects sequencing errors in short reads. :mod:`gkl_shim.formats` reads and
writes files of regions. :mod:`gkl_shim.paths` returns the paths of the native library, the header
and the jars.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gkl_shim import correct, errors, mem, pairhmm, paths, pdhmm, prefilter, smithwaterman

__all__ = [
    "__version__",
    "correct",
    "errors",
    "mem",
    "pairhmm",
    "paths",
    "pdhmm",
    "prefilter",
    "smithwaterman",
]

__version__: str


def __getattr__(name: str) -> Any:
    # A module is imported on first use: NumPy alone takes a tenth of a second, and a process that
    # waits for a GPU does not need every algorithm.
    if name != "__version__" and name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Looked up on first use, because it takes longer than all other imports together.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gkl-shim")
    except PackageNotFoundError:  # a source checkout that was never installed
        return "0+unknown"
