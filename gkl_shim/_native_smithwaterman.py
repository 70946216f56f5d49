"""The cffi binding of Smith-Waterman, with NumPy arrays in and out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native

__all__ = ["CpuEngine", "longest", "overhang_code"]


def longest() -> int:
    """Return the most letters that a sequence may have."""
    _, lib = _native.library()
    return int(lib.GKL_SHIM_SMITHWATERMAN_LONGEST)


def overhang_code(overhang: str) -> int:
    """Return the C constant for an overhang strategy, such as ``"softclip"``."""
    _, lib = _native.library()
    return int(getattr(lib, f"GKL_SHIM_SMITHWATERMAN_{overhang.upper()}"))


class CpuEngine(_native.CpuEngine):
    """The CPU engine of Smith-Waterman."""

    _kind = "smithwaterman"

    def __init__(self, threads: int, build: str | None) -> None:
        super().__init__(build, threads)

    def align(
        self,
        references: tuple[NDArray[np.uint8], NDArray[np.int64]],
        alternatives: tuple[NDArray[np.uint8], NDArray[np.int64]],
        scores: tuple[int, int, int, int],
        overhang: int,
        offsets: NDArray[np.int64],
        cigar_offsets: NDArray[np.int64],
        cigars: NDArray[np.uint8],
    ) -> None:
        """Align pairs of sequences. Sequences are letters and offsets.

        Parameters
        ----------
        references, alternatives
            The letters of all sequences, and one more offset than there are sequences.
        scores
            Match, mismatch, gap open and gap extend.
        overhang
            A result of :func:`overhang_code`.
        offsets, cigar_offsets, cigars
            The outputs, as ``gkl_shim_smithwaterman_align`` describes them.

        Raises
        ------
        ValueError
            If the engine refuses the sequences, with the engine's message.
        MemoryError
            If the engine cannot allocate its tables.
        """
        view, new = self._ffi.from_buffer, self._ffi.new
        batch = new(
            "gkl_shim_smithwaterman_batch *",
            (
                len(offsets),
                view("int64_t[]", references[1]),
                view("uint8_t[]", references[0]),
                view("int64_t[]", alternatives[1]),
                view("uint8_t[]", alternatives[0]),
            ),
        )
        status = self._lib.gkl_shim_smithwaterman_align(
            self._handle,
            batch,
            new("gkl_shim_smithwaterman_parameters *", (*scores, overhang)),
            view("int64_t[]", offsets, require_writable=True),
            view("int64_t[]", cigar_offsets, require_writable=True),
            view("char[]", cigars, require_writable=True),
            len(cigars),
        )
        _native.check(status)
