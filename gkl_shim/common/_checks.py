"""Check arrays of letters and of whole numbers that callers pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim.cuda import arrays


def byte_view(value: bytes | bytearray | memoryview) -> NDArray[np.uint8]:
    """Return the bytes as an array, without a copy if they are contiguous."""
    return np.frombuffer(value if memoryview(value).c_contiguous else bytes(value), np.uint8)


def items_of(value: Any, name: str, kind: str = "them") -> Iterator[Any]:
    """Return an iterator over the sequences of an argument.

    Parameters
    ----------
    value
        The argument.
    name
        Its name, for errors.
    kind
        What it is a sequence of, for errors.

    Raises
    ------
    ValueError
        If it is one sequence, a mapping (whose items would be its names), or not iterable.
    """
    if isinstance(value, Mapping):
        raise ValueError(
            f"{name}: expected a sequence of {kind}, got a {type(value).__name__}; give its values"
        )
    one = isinstance(value, (str, bytes, bytearray, memoryview)) or (
        isinstance(value, np.ndarray) and value.dtype == np.uint8 and value.ndim == 1
    )
    try:
        if not one:
            return iter(value)
    except TypeError:
        pass
    got = "None" if value is None else f"{'one ' if one else ''}{type(value).__name__}"
    raise ValueError(f"{name}: expected a sequence of {kind}, got {got}")


def bytes_array(value: Any, name: str) -> NDArray[np.uint8]:
    """Convert bytes, or a NumPy or CuPy array of them, to a C-contiguous array."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        value = byte_view(value)
    value = arrays.on_host(value)
    if not isinstance(value, np.ndarray):
        got = "None" if value is None else type(value).__name__
        raise ValueError(f"{name}: expected a uint8 array or bytes, got {got}")
    if value.dtype != np.uint8 or value.ndim != 1:
        raise ValueError(
            f"{name}: expected a one-dimensional uint8 array, got {value.dtype} of shape "
            f"{value.shape}"
        )
    return np.ascontiguousarray(value)


def integers(value: Any, name: str) -> NDArray[np.int64]:
    """Convert offsets, of which the first is 0, to a C-contiguous array."""
    try:
        array = np.asarray(arrays.on_host(value))
    except (TypeError, ValueError):  # such as a PyTorch tensor on a GPU
        raise ValueError(f"{name}: expected one or more whole numbers in one dimension") from None
    if array.ndim != 1 or array.dtype.kind not in "iu" or not len(array):
        raise ValueError(
            f"{name}: expected one or more whole numbers in one dimension, got {array.dtype} of "
            f"shape {array.shape}"
        )
    if array[0] != 0:
        raise ValueError(f"{name}: start at {array[0]}, not 0")
    return np.ascontiguousarray(array, np.int64)


def whole_numbers(value: Any, name: str) -> NDArray[Any]:
    """Return a one-dimensional array of whole numbers, which may be empty."""
    array = np.asarray(value)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
        raise ValueError(
            f"{name}: expected whole numbers in one dimension, got {array.dtype} of shape "
            f"{array.shape}"
        )
    return array
