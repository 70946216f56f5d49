"""Split an array into many views, in C.

A stream yields millions of regions a second, and each gets its own array. NumPy's constructor,
called from Python, takes longer than a GPU takes to compute the region.
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

# Views made in one native call. Other threads can take the interpreter lock between two calls.
_VIEWS_A_CALL = 1024

# Indices in the function table of NumPy's C API. They are the same in every version.
_NUMPY_FUNCTIONS = {"PyArray_Type": 2, "PyArray_NewFromDescr": 94, "PyArray_SetBaseObject": 282}
_PYTHON_FUNCTIONS = ("PyList_SetItem", "Py_IncRef", "Py_DecRef")


def array_views(
    array: NDArray[Any], region_reads: NDArray[np.int64], region_haplotypes: NDArray[np.int64]
) -> Iterator[list[NDArray[Any]]]:
    """Split an array into one view of shape (reads, haplotypes) for each region.

    Parameters
    ----------
    array
        The values of all regions, region after region: one-dimensional, C-contiguous.
    region_reads, region_haplotypes
        The offsets of :class:`gkl_shim.pairhmm.Batch`.

    Yields
    ------
    list of ndarray
        The views of consecutive regions.
    """
    make_views, c_functions = _view_maker()
    data = array.ctypes.data
    reads, haplotypes = region_reads.ctypes.data, region_haplotypes.ctypes.data
    regions = len(region_reads) - 1
    for first in range(0, regions, _VIEWS_A_CALL):
        views: list[Any] = [None] * min(_VIEWS_A_CALL, regions - first)
        offset = first * region_reads.itemsize
        data += make_views(
            c_functions, array, data, array.dtype, array.itemsize,
            reads + offset, haplotypes + offset, len(views), views,
        )  # fmt: skip
        yield views


@functools.cache
def _view_maker() -> tuple[Any, Any]:
    """Return the native library's function, and the table of C functions that it calls."""
    # cffi would release the interpreter lock, which this function needs.
    function = ctypes.PyDLL(str(paths.library())).gkl_shim_array_views
    pointer, int64, py_object = ctypes.c_void_p, ctypes.c_int64, ctypes.py_object
    function.restype = int64
    function.argtypes = [pointer, py_object, pointer, py_object, int64, pointer, pointer, int64,
                         py_object]  # fmt: skip
    table = ctypes.cast(_numpy_c_api(), ctypes.POINTER(pointer))
    called = [table[index] for index in _NUMPY_FUNCTIONS.values()]
    for name in _PYTHON_FUNCTIONS:
        called.append(ctypes.cast(getattr(ctypes.pythonapi, name), pointer).value)
    return function, (pointer * len(called))(*called)


def _numpy_c_api() -> int:
    """Return the address of the function table of NumPy's C API."""
    try:
        module = importlib.import_module("numpy._core._multiarray_umath")
    except ModuleNotFoundError:  # before NumPy 2
        module = importlib.import_module("numpy.core._multiarray_umath")
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(address(module._ARRAY_API, None))
