"""The cffi binding of PDHMM, with NumPy arrays in and out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common import _native
from gkl_shim.pairhmm import _native_pairhmm


def batch_pointer(arrays: tuple[Any, ...], flags: NDArray[np.uint8]) -> Any:
    """Return a ``gkl_shim_pdhmm_batch *`` to C-contiguous arrays, which must outlive it.

    Parameters
    ----------
    arrays
        The arguments of :func:`gkl_shim.pairhmm._native_pairhmm.batch_pointer`.
    flags
        The flags of the haplotypes' letters.
    """
    ffi, _ = _native.library()
    batch = ffi.new("gkl_shim_pdhmm_batch *")
    batch.pairs = _native_pairhmm.batch_pointer(*arrays)[0]
    batch.haplotype_flags = ffi.from_buffer("uint8_t[]", flags)
    return batch


class CpuEngine(_native_pairhmm.Engine):
    """The CPU engine of PDHMM."""

    _kind = "pdhmm"

    def __init__(self, threads: int, build: str | None, *, as_gkl: bool = False) -> None:
        super().__init__(build, threads, conventions=_native_pairhmm.conventions_code(as_gkl))
