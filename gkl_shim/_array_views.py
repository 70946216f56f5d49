"""Views of an array, made by the thousand in C.

There are millions of regions a second, each with an array of its own: NumPy's constructor, called
from Python, takes longer than a GPU takes to compute the region.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim import paths

__all__ = ["array_views"]

# So many are made at once: little enough that other threads get the interpreter lock in between.
_AT_ONCE = 1024

# Places in the table of NumPy's C interface, the same in every version.
_NUMPY = {"PyArray_Type": 2, "PyArray_NewFromDescr": 94, "PyArray_SetBaseObject": 282}
_PYTHON = ("PyList_SetItem", "Py_IncRef", "Py_DecRef")


def array_views(
    array: NDArray[Any], region_reads: NDArray[np.int64], region_haplotypes: NDArray[np.int64]
) -> Iterator[list[NDArray[Any]]]:
    """Yield lists of views of shape (reads, haplotypes), one a region, together all of an array.

    Parameters
    ----------
    array
        Contiguous, one-dimensional: the regions' values, one region after the other.
    region_reads, region_haplotypes
        As of :class:`gkl_shim.pairhmm.Batch`.
    """
    make, interface = _maker()
    data = array.ctypes.data
    reads, haplotypes = region_reads.ctypes.data, region_haplotypes.ctypes.data
    regions = len(region_reads) - 1
    for first in range(0, regions, _AT_ONCE):
        views: list[Any] = [None] * min(_AT_ONCE, regions - first)
        offset = first * region_reads.itemsize
        data += make(
            interface, array, data, array.dtype, array.itemsize,
            reads + offset, haplotypes + offset, len(views), views,
        )  # fmt: skip
        yield views


@functools.cache
def _maker() -> tuple[Any, Any]:
    """Return the function of the native library, and the functions that it calls."""
    # Not through cffi, which lets go of the interpreter lock.
    function = ctypes.PyDLL(str(paths.library())).gkl_shim_array_views
    pointer, number, anything = ctypes.c_void_p, ctypes.c_int64, ctypes.py_object
    function.restype = number
    function.argtypes = [pointer, anything, pointer, anything, number, pointer, pointer, number,
                         anything]  # fmt: skip
    table = ctypes.cast(_numpy_interface(), ctypes.POINTER(pointer))
    python = [ctypes.cast(getattr(ctypes.pythonapi, name), pointer).value for name in _PYTHON]
    called = [*(table[place] for place in _NUMPY.values()), *python]
    return function, (pointer * len(called))(*called)


def _numpy_interface() -> int:
    """Return where the table of NumPy's C interface is."""
    try:
        module = importlib.import_module("numpy._core._multiarray_umath")
    except ModuleNotFoundError:  # before NumPy 2
        module = importlib.import_module("numpy.core._multiarray_umath")
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(address(module._ARRAY_API, None))
