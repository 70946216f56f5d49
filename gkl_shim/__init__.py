"""gkl-shim: GATK's native PairHMM, the same answers and faster.

:mod:`gkl_shim.pairhmm` computes read-haplotype likelihoods from Python, :mod:`gkl_shim.prefilter`
says whether reads are within so many edits of segments of a reference,
:mod:`gkl_shim.formats.pairhmm_in` reads and writes the ``.in`` files of PairHMM regions, and
:mod:`gkl_shim.paths` says where the native library, header and jars are.
"""

from gkl_shim import errors, pairhmm, paths, prefilter

__all__ = ["__version__", "errors", "pairhmm", "paths", "prefilter"]

__version__: str


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Found when it is asked for: that takes longer than all other imports together.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gkl-shim")
    except PackageNotFoundError:  # a source checkout that was never installed
        return "0+unknown"
