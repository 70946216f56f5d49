"""Convert sequences to ragged arrays: all letters in one array, and offsets."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._checks import bytes_array, items_of


def offsets_of(lengths: list[int]) -> NDArray[np.int64]:
    """Return where sequences of these lengths start, and where the last ends."""
    return np.fromiter(itertools.accumulate(lengths, initial=0), np.int64, len(lengths) + 1)


def ragged(value: Any, name: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Convert sequences to letters and offsets.

    Parameters
    ----------
    value
        A list of bytes, str or uint8 arrays, or a tuple of all letters and one more offset than
        there are sequences.
    name
        The name of the argument, for errors.

    Raises
    ------
    ValueError
        If the value has another type, or an offset is wrong.
    """
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], np.ndarray):
        letters, ends = bytes_array(value[0], name), _offsets(value[1], name)
        if ends[-1] > len(letters):
            raise ValueError(f"{name}: offsets up to {ends[-1]}, but {len(letters)} letters")
    else:
        items = [_item(item, name, index) for index, item in enumerate(items_of(value, name))]
        letters, ends = np.frombuffer(b"".join(items), np.uint8), offsets_of(list(map(len, items)))
    return letters, ends


def part(
    sequences: tuple[NDArray[np.uint8], NDArray[np.int64]], first: int, last: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return consecutive sequences of ragged arrays. Letters are not copied."""
    letters, ends = sequences
    start, end = ends[first], ends[last]
    return letters[start:end], ends[first : last + 1] - start


def _item(item: Any, name: str, index: int) -> bytes:
    if isinstance(item, bytes):
        return item
    if isinstance(item, str):
        try:
            return item.encode("latin-1")
        except UnicodeEncodeError:
            raise ValueError(
                f"{name}: sequence {index} has a letter that is not one byte"
            ) from None
    if isinstance(item, (bytearray, memoryview)):
        return bytes(item)
    if isinstance(item, np.ndarray) and item.dtype == np.uint8 and item.ndim == 1:
        return item.tobytes()
    got = type(item).__name__
    raise ValueError(f"{name}: sequence {index}: expected bytes, str or a uint8 array, got {got}")


def _offsets(value: NDArray[Any], name: str) -> NDArray[np.int64]:
    if value.ndim != 1 or value.dtype.kind not in "iu" or not len(value):
        raise ValueError(f"{name}: the offsets must be whole numbers, one more than sequences")
    ends = np.ascontiguousarray(value, np.int64)
    if ends[0] != 0 or (ends[1:] < ends[:-1]).any():
        raise ValueError(f"{name}: the offsets must start at 0 and never decrease")
    return ends
