"""The cffi binding of PDHMM, with NumPy arrays in and out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common import _native
from gkl_shim.pairhmm import _native_pairhmm

__all__ = ["CpuEngine"]


class CpuEngine(_native.CpuEngine):
    """The CPU engine of PDHMM."""

    _kind = "pdhmm"

    def __init__(self, threads: int, build: str | None, *, as_gkl: bool = False) -> None:
        super().__init__(build, threads, conventions=_native_pairhmm.conventions_code(as_gkl))

    def compute(
        self,
        arrays: tuple[Any, ...],
        flags: NDArray[np.uint8],
        out: NDArray[np.float64],
        long: bool = False,
    ) -> None:
        """Fill `out` with the log10 likelihood of every pair.

        Parameters
        ----------
        arrays
            The arguments of :func:`gkl_shim.pairhmm._native_pairhmm.batch_pointer`.
        flags
            The flags of the haplotypes' letters.
        out
            C-contiguous, shape (pairs,).
        long
            Let signal handlers run meanwhile, which costs a microsecond.

        Raises
        ------
        ValueError
            If the engine refuses the batch, with the engine's message.
        MemoryError
            If the engine cannot allocate its tables.
        """
        pairs = _native_pairhmm.batch_pointer(*arrays)
        batch = self._ffi.new("gkl_shim_pdhmm_batch *")
        batch.pairs = pairs[0]
        batch.haplotype_flags = self._ffi.from_buffer("uint8_t[]", flags)
        values = _native_pairhmm.values_pointer(out)
        call = _native.interruptible if long else _native.direct
        function = self._lib.gkl_shim_pdhmm_compute
        _native.check(call(function, self._handle, batch, values, len(out)))

    def statistics(self) -> dict[str, int | float]:
        """Return the fields of the engine's ``gkl_shim_pdhmm_stats`` by name."""
        stats = self._ffi.new("gkl_shim_pdhmm_stats *")
        _native.check(self._lib.gkl_shim_pdhmm_statistics(self._handle, stats))
        fields = self._ffi.typeof("gkl_shim_pdhmm_stats").fields
        return {name: getattr(stats, name) for name, _ in fields}
