"""The cffi binding of Smith-Waterman, with NumPy arrays in and out."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common import _native


def longest() -> int:
    """Return the most letters that a sequence may have."""
    return _native.constant("smithwaterman_longest")


def overhang_code(overhang: str) -> int:
    """Return the C constant for an overhang strategy, such as ``"softclip"``."""
    return _native.constant(f"smithwaterman_{overhang}")


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
        _native.run(
            self._lib.gkl_shim_smithwaterman_align,
            self._handle,
            batch,
            new("gkl_shim_smithwaterman_parameters *", (*scores, overhang)),
            view("int64_t[]", offsets, require_writable=True),
            view("int64_t[]", cigar_offsets, require_writable=True),
            view("char[]", cigars, require_writable=True),
            len(cigars),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class PairText:
    """The pairs that :func:`parse_pairs` found in a text. Sequences are letters and offsets."""

    references: tuple[NDArray[np.uint8], NDArray[np.int64]]
    alternatives: tuple[NDArray[np.uint8], NDArray[np.int64]]
    parameters: NDArray[np.int32]
    """The scores of each pair and its :func:`overhang_code`, shape (pairs, 5)."""
    used: int
    """The number of bytes parsed."""
    fault: str | None
    """What is wrong with the next line, or None."""


def parse_pairs(
    text: NDArray[np.uint8], capacity: int, threads: int, scores: tuple[int, ...], overhang: int
) -> PairText:
    """Parse whole lines of pairs, at most `capacity` of them.

    Parameters
    ----------
    scores, overhang
        For lines that do not name their own.
    """
    ffi, lib = _native.library()
    parameters = np.empty((capacity, 5), np.int32)
    offsets = np.empty(2 * capacity + 2, np.int64)
    letters = np.empty(len(text), np.uint8)
    batch = ffi.new("gkl_shim_smithwaterman_batch *")
    used = ffi.new("int64_t *")
    status = lib.gkl_shim_smithwaterman_parse(
        ffi.from_buffer("uint8_t[]", text),
        len(text),
        capacity,
        threads,
        ffi.new("gkl_shim_smithwaterman_parameters *", (*scores, overhang)),
        ffi.from_buffer("gkl_shim_smithwaterman_parameters[]", parameters, require_writable=True),
        ffi.from_buffer("int64_t[]", offsets, require_writable=True),
        ffi.from_buffer("uint8_t[]", letters, require_writable=True),
        batch,
        used,
    )
    fault = _native.refusal(status)
    ends = offsets[: 2 * batch.pairs + 2].reshape(2, -1)
    letters_end = ends[:, -1].sum()
    return PairText(
        (letters[: ends[0, -1]], ends[0]),
        (letters[ends[0, -1] : letters_end], ends[1]),
        parameters[: batch.pairs],
        used[0],
        fault,
    )


def format_alignments(
    offsets: NDArray[np.int64],
    cigar_offsets: NDArray[np.int64],
    cigars: NDArray[np.uint8],
    threads: int,
) -> memoryview:
    """Format a line ``offset TAB CIGAR`` for each pair."""
    ffi, lib = _native.library()
    room = lib.GKL_SHIM_SMITHWATERMAN_LINE_BYTES * len(offsets) + len(cigars)
    text = np.empty(room, np.uint8)
    size = ffi.new("int64_t *")
    _native.check(
        lib.gkl_shim_smithwaterman_format(
            len(offsets),
            ffi.from_buffer("int64_t[]", offsets),
            ffi.from_buffer("int64_t[]", cigar_offsets),
            ffi.from_buffer("char[]", cigars),
            threads,
            ffi.from_buffer("uint8_t[]", text, require_writable=True),
            size,
        )
    )
    return text[: size[0]].data
