"""The cffi binding to the native library. Nothing else in the package sees a pointer."""

from __future__ import annotations

import threading
from typing import Any

import cffi
import numpy as np
from numpy.typing import NDArray

from gkl_shim import paths
from gkl_shim.errors import BackendUnavailable, MissingComponent

__all__ = ["PairHmmEngine", "batch_pointer", "builds", "check", "cpu_count", "library", "version"]

_BEGIN, _END = "/* cffi: begin", "/* cffi: end"

_loading = threading.Lock()
_loaded: tuple[Any, Any] | None = None


def library() -> tuple[Any, Any]:
    """Return the cffi instance and the opened library, on first use.

    Raises
    ------
    MissingComponent
        If the library or its header is not there, or the system cannot load it.
    """
    global _loaded
    with _loading:
        if _loaded is None:
            path = paths.library()
            text = paths.header().read_text(encoding="ascii")
            declarations = text.split(_BEGIN, 1)[1].split("\n", 1)[1].split(_END, 1)[0]
            ffi = cffi.FFI()
            ffi.cdef(declarations.replace("GKL_SHIM_API ", ""))
            try:
                _loaded = ffi, ffi.dlopen(str(path))
            except OSError as error:
                raise MissingComponent(f"the native library does not load: {error}") from error
        return _loaded


def version() -> str:
    """Return the library's version."""
    ffi, lib = library()
    return str(ffi.string(lib.gkl_shim_version()).decode())


def cpu_count() -> int:
    """Return how many CPUs this process may use, by affinity and control group."""
    _, lib = library()
    return int(lib.gkl_shim_cpu_count())


def builds() -> tuple[str, ...]:
    """Return the engine's builds that this CPU can run, the best first."""
    ffi, lib = library()
    return tuple(ffi.string(lib.gkl_shim_builds()).decode().split())


def batch_pointer(
    region_reads: NDArray[np.int64],
    region_haplotypes: NDArray[np.int64],
    read_offsets: NDArray[np.int64],
    read_tracks: tuple[NDArray[np.uint8], ...],
    haplotype_offsets: NDArray[np.int64],
    haplotype_bases: NDArray[np.uint8],
) -> Any:
    """Return a ``gkl_shim_pairhmm_batch *`` of C-contiguous arrays, which must outlive it.

    Parameters
    ----------
    read_tracks
        Bases, base, insertion, deletion and continuation qualities.
    """
    ffi, _ = library()
    address = ffi.from_buffer
    return ffi.new(
        "gkl_shim_pairhmm_batch *",
        (
            len(region_reads) - 1,
            address("int64_t[]", region_reads),
            address("int64_t[]", region_haplotypes),
            address("int64_t[]", read_offsets),
            *(address("uint8_t[]", track) for track in read_tracks),
            address("int64_t[]", haplotype_offsets),
            address("uint8_t[]", haplotype_bases),
        ),
    )


def check(status: int) -> None:
    """Raise what a status other than ``GKL_SHIM_OK`` stands for, in the library's words."""
    ffi, lib = library()
    if status == lib.GKL_SHIM_OK:
        return
    message = ffi.string(lib.gkl_shim_last_error()).decode()
    if status == lib.GKL_SHIM_ENOMEM:
        raise MemoryError(message)
    if status == lib.GKL_SHIM_EUNAVAILABLE:
        raise BackendUnavailable(message)
    raise ValueError(message)


class PairHmmEngine:
    """A handle of the CPU engine.

    Thread-safe; the handle is closed when the last use of it has ended. The interpreter lock is
    released while the engine computes.

    Raises
    ------
    BackendUnavailable
        If this CPU cannot run `build`.
    ValueError
        If an option is out of range.
    """

    def __init__(
        self, threads: int, precision: str, build: str | None, *, as_gkl: bool = False
    ) -> None:
        self._ffi, self._lib = library()
        name = self._ffi.NULL if build is None else self._ffi.new("char[]", build.encode())
        options = self._ffi.new(
            "gkl_shim_pairhmm_options *",
            {
                "threads": threads,
                "precision": {
                    "single": self._lib.GKL_SHIM_SINGLE,
                    "double": self._lib.GKL_SHIM_DOUBLE,
                }[precision],
                "conventions": self._lib.GKL_SHIM_AS_GKL if as_gkl else self._lib.GKL_SHIM_STRICT,
                "build": name,
            },
        )
        handle = self._ffi.new("gkl_shim_pairhmm **")
        check(self._lib.gkl_shim_pairhmm_open(options, handle))
        self._handle = self._ffi.gc(handle[0], self._lib.gkl_shim_pairhmm_close)

    @property
    def build(self) -> str:
        """The build in use."""
        return str(self._ffi.string(self._lib.gkl_shim_pairhmm_build(self._handle)).decode())

    def compute(self, batch: Any, out: NDArray[np.float64]) -> None:
        """Fill `out` with every pair's log10 likelihood.

        Parameters
        ----------
        batch
            From :func:`batch_pointer`.
        out
            C-contiguous, shape (pairs,).

        Raises
        ------
        ValueError
            What the engine refuses, in its own words.
        MemoryError
            If the engine's memory does not suffice.
        """
        values = self._ffi.from_buffer("double[]", out, require_writable=True)
        check(self._lib.gkl_shim_pairhmm_compute(self._handle, batch, values, len(out)))

    def complete(self, batch: Any, out: NDArray[np.float64]) -> None:
        """Compute the pairs that are NaN in `out`, in double precision; otherwise as above."""
        values = self._ffi.from_buffer("double[]", out, require_writable=True)
        check(self._lib.gkl_shim_pairhmm_complete(self._handle, batch, values, len(out)))

    def statistics(self) -> dict[str, int | float]:
        """Return the fields of ``gkl_shim_pairhmm_stats`` by name."""
        stats = self._ffi.new("gkl_shim_pairhmm_stats *")
        self._lib.gkl_shim_pairhmm_statistics(self._handle, stats)
        fields = self._ffi.typeof("gkl_shim_pairhmm_stats").fields
        return {name: getattr(stats, name) for name, _ in fields}
