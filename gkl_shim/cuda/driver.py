"""The CUDA driver's functions, for native code that launches kernels without Python."""

from __future__ import annotations

import ctypes
from typing import Any

from gkl_shim import _native

__all__ = ["functions"]

_LIBRARY = "libcuda.so.1"


def functions() -> Any:
    """Return a ``gkl_shim_cuda_driver *``: where the driver's library has each function.

    Raises
    ------
    OSError
        If the library does not load.
    AttributeError
        If it is too old to have one of them.
    """
    ffi, _ = _native.library()
    library = ctypes.CDLL(_LIBRARY)
    table = ffi.new("gkl_shim_cuda_driver *")
    for name, field in ffi.typeof("gkl_shim_cuda_driver").fields:
        address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        setattr(table, name, ffi.cast(field.type, address))
    return table
