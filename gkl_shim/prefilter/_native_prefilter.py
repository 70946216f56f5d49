"""The cffi binding of the pre-alignment filter, with NumPy arrays in and out."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common import _native
from gkl_shim.common._ragged import offsets_of

Parsed: TypeAlias = tuple[list[NDArray[Any]], int, "str | None"]


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


def parse_pairs(text: NDArray[np.uint8], capacity: int, threads: int) -> Parsed:
    """Parse whole lines of pairs, at most `capacity` of them.

    Returns
    -------
    arrays, used, fault
        The starts and lengths of the reads and of the segments, the number of bytes parsed, and
        what is wrong with the next line, or None.
    """
    kinds = (np.int64, np.int32, np.int64, np.int32)
    return _parse("pairs", text, capacity, threads, (), kinds)


def parse_candidates(
    text: NDArray[np.uint8],
    capacity: int,
    threads: int,
    reads: int,
    names: list[bytes],
    lengths: NDArray[np.int64],
) -> Parsed:
    """Parse whole lines of candidates, given the number of reads and the contigs.

    It returns the same as :func:`parse_pairs`; the arrays are the indices of reads and contigs, the
    positions, and 1 for the reverse strand.
    """
    ffi, _ = _native.library()
    offsets = offsets_of(list(map(len, names)))
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
    kinds = (np.int32, np.int32, np.int64, np.uint8)
    return _parse("candidates", text, capacity, threads, (reads, contigs), kinds)


def _parse(
    what: str,
    text: NDArray[np.uint8],
    capacity: int,
    threads: int,
    inputs: tuple[Any, ...],
    kinds: tuple[type[np.integer[Any]], ...],
) -> Parsed:
    ffi, lib = _native.library()
    outputs = [np.empty(capacity, kind) for kind in kinds]
    lines, used = ffi.new("int64_t *"), ffi.new("int64_t *")
    status = getattr(lib, f"gkl_shim_prefilter_parse_{what}")(
        ffi.from_buffer("uint8_t[]", text),
        len(text),
        capacity,
        threads,
        *inputs,
        *(ffi.from_buffer(f"{o.dtype}_t[]", o, require_writable=True) for o in outputs),
        lines,
        used,
    )
    fault = _native.refusal(status)
    return [array[: lines[0]] for array in outputs], int(used[0]), fault


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
