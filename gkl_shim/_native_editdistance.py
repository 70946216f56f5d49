"""The cffi binding of the edit distance, with NumPy arrays in and out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native

__all__ = ["CpuEngine"]


class CpuEngine(_native.CpuEngine):
    """The CPU engine of the edit distance."""

    _kind = "editdistance"

    def __init__(self, threads: int, build: str | None) -> None:
        super().__init__(build, threads=threads)

    def compute(
        self,
        first_offsets: NDArray[np.int64],
        first: NDArray[np.uint8],
        second_offsets: NDArray[np.int64],
        second: NDArray[np.uint8],
        out: NDArray[np.int32],
    ) -> None:
        """Fill `out` with the edit distance of every pair.

        Raises
        ------
        ValueError
            If the engine refuses the sequences, with the engine's message.
        MemoryError
            If the engine cannot allocate its tables.
        """
        view = self._ffi.from_buffer
        _native.check(
            self._lib.gkl_shim_editdistance_compute(
                self._handle,
                len(out),
                view("int64_t[]", first_offsets),
                view("uint8_t[]", first),
                view("int64_t[]", second_offsets),
                view("uint8_t[]", second),
                view("int32_t[]", out, require_writable=True),
            )
        )
