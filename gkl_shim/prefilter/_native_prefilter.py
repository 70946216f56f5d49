"""The cffi binding of the pre-alignment filter, with NumPy arrays in and out."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common import _native


@dataclasses.dataclass(frozen=True, slots=True)
class Sequences:
    """A ``gkl_shim_prefilter_sequences`` of one-dimensional C-contiguous arrays, and its count."""

    count: int
    size: int
    """The number of bases in the buffer."""
    letters: NDArray[np.uint8] | None = None
    low: NDArray[np.uint32] | None = None
    high: NDArray[np.uint32] | None = None
    undefined: NDArray[np.uint32] | None = None
    starts: NDArray[np.int64] | None = None
    """Where each sequence starts. None if sequence k starts at k * `stride`."""
    stride: int = 0
    lengths: NDArray[np.int32] | None = None
    """The length of each sequence. None if all have the length `length`."""
    length: int = 0


def constant(word: str) -> int:
    """Return the C constant for a method or a mode, such as ``"exact"`` or ``"infix"``."""
    return _native.constant(f"prefilter_{word}")


class CpuEngine(_native.CpuEngine):
    """The CPU engine of the pre-alignment filter."""

    _kind = "prefilter"

    def __init__(
        self, threads: int, method: str, mode: str, max_edits: int, build: str | None
    ) -> None:
        codes = {"method": constant(method), "mode": constant(mode)}
        super().__init__(build, threads, **codes, max_edits=max_edits)

    def compute(self, reads: Sequences, segments: Sequences, out: NDArray[np.int16]) -> None:
        """Fill `out` with the edits of every pair: -1 above the threshold, -2 if undefined.

        Raises
        ------
        ValueError
            If the engine refuses the sequences, with the engine's message.
        MemoryError
            If the engine cannot allocate its tables.
        """
        _native.run(
            self._lib.gkl_shim_prefilter_compute,
            self._handle,
            reads.count,
            sequences_pointer(reads),
            sequences_pointer(segments),
            self._ffi.from_buffer("int16_t[]", out, require_writable=True),
        )


def sequences_pointer(sequences: Sequences) -> Any:
    """Return a ``gkl_shim_prefilter_sequences *``. It does not keep the arrays alive."""
    ffi, _ = _native.library()
    struct = ffi.new("gkl_shim_prefilter_sequences *")
    for field in ("letters", "low", "high", "undefined", "starts", "lengths"):
        array = getattr(sequences, field)
        if array is not None:
            setattr(struct, field, ffi.from_buffer(f"{array.dtype}_t[]", array))
    for field in ("size", "stride", "length"):
        setattr(struct, field, getattr(sequences, field))
    return struct


def encode(
    letters: NDArray[np.uint8],
    low: NDArray[np.uint32],
    high: NDArray[np.uint32],
    undefined: NDArray[np.uint32],
    threads: int = 0,
) -> bool:
    """Encode letters as bit planes, and return whether any letter is undefined."""
    ffi, lib = _native.library()
    planes = (
        ffi.from_buffer("uint32_t[]", plane, require_writable=True)
        for plane in (low, high, undefined)
    )
    text = ffi.from_buffer("uint8_t[]", letters)
    found = ffi.new("int32_t *")
    _native.check(lib.gkl_shim_prefilter_encode(text, len(letters), threads, *planes, found))
    return bool(found[0])


def parse_pairs(
    text: NDArray[np.uint8],
    threads: int,
    read_starts: NDArray[np.int64],
    read_lengths: NDArray[np.int32],
    segment_starts: NDArray[np.int64],
    segment_lengths: NDArray[np.int32],
) -> tuple[int, int, str | None]:
    """Parse whole lines of pairs, until the text ends or the arrays are full.

    Returns
    -------
    pairs, used, fault
        The number of pairs, the number of bytes parsed, and what is wrong with the next line, or
        None.
    """
    outputs = (read_starts, read_lengths, segment_starts, segment_lengths)
    return _parse("gkl_shim_prefilter_parse_pairs", text, threads, (), outputs)


def parse_candidates(
    text: NDArray[np.uint8],
    threads: int,
    reads: int,
    names: list[bytes],
    lengths: NDArray[np.int64],
    read_indices: NDArray[np.int32],
    contig_indices: NDArray[np.int32],
    positions: NDArray[np.int64],
    reverse: NDArray[np.uint8],
) -> tuple[int, int, str | None]:
    """Parse whole lines of candidates. It returns the same values as :func:`parse_pairs`."""
    ffi, _ = _native.library()
    offsets = np.zeros(len(names) + 1, np.int64)
    np.cumsum([len(name) for name in names], out=offsets[1:])
    joined = ffi.new("char[]", b"".join(names))
    contigs = ffi.new(
        "gkl_shim_prefilter_contigs *",
        (
            len(names),
            joined,
            ffi.from_buffer("int64_t[]", offsets),
            ffi.from_buffer("int64_t[]", lengths),
        ),
    )
    outputs = (read_indices, contig_indices, positions, reverse)
    return _parse("gkl_shim_prefilter_parse_candidates", text, threads, (reads, contigs), outputs)


def _parse(
    function: str,
    text: NDArray[np.uint8],
    threads: int,
    inputs: tuple[Any, ...],
    outputs: tuple[NDArray[Any], ...],
) -> tuple[int, int, str | None]:
    ffi, lib = _native.library()
    lines, used = ffi.new("int64_t *"), ffi.new("int64_t *")
    status = getattr(lib, function)(
        ffi.from_buffer("uint8_t[]", text),
        len(text),
        len(outputs[0]),
        threads,
        *inputs,
        *(ffi.from_buffer(f"{o.dtype}_t[]", o, require_writable=True) for o in outputs),
        lines,
        used,
    )
    if status == lib.GKL_SHIM_EINVAL:
        return int(lines[0]), int(used[0]), _native.last_error()
    _native.check(status)
    return int(lines[0]), int(used[0]), None


def format_edits(edits: NDArray[np.int16], reject_undefined: bool) -> memoryview:
    """Format a line ``edits TAB verdict`` for each pair."""
    ffi, lib = _native.library()
    text = np.empty(lib.GKL_SHIM_PREFILTER_LINE_BYTES * len(edits), np.uint8)
    size = ffi.new("int64_t *")
    _native.check(
        lib.gkl_shim_prefilter_format(
            ffi.from_buffer("int16_t[]", edits),
            len(edits),
            reject_undefined,
            ffi.from_buffer("uint8_t[]", text, require_writable=True),
            size,
        )
    )
    return text[: size[0]].data
