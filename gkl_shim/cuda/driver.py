"""The CUDA driver, without CuPy: its functions for native code, and its waking."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Sequence
from typing import Any

from gkl_shim import _native

__all__ = ["functions", "wake"]

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


def wake(devices: Sequence[int] | None) -> None:
    """Begin to make devices ready, by default all, where CuPy is still to be imported.

    Each takes some tenths of a second: they are done at once. What goes wrong is left for CuPy to
    find.
    """
    if "cupy" not in sys.modules:
        threading.Thread(target=_wake, args=(devices,), name="gkl-shim-wake", daemon=True).start()


def _wake(devices: Sequence[int] | None) -> None:
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError:
        return
    count, device, context = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
    if library.cuInit(0) or library.cuDeviceGetCount(ctypes.byref(count)):
        return
    for number in range(count.value):
        if devices is not None and number not in devices:
            continue
        # The contexts that CuPy will use; they last as long as the process in any case.
        if not library.cuDeviceGet(ctypes.byref(device), number):
            library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
