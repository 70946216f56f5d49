"""Use the CUDA driver without CuPy: look up its functions, and create contexts early."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Sequence
from typing import Any

from gkl_shim.common import _native

_LIBRARY = "libcuda.so.1"


def functions() -> Any:
    """Return a ``gkl_shim_cuda_driver *``: the addresses of the driver's functions.

    Raises
    ------
    OSError
        If the driver's library does not load.
    AttributeError
        If the driver is too old to have one of the functions.
    """
    ffi, _ = _native.library()
    library = ctypes.CDLL(_LIBRARY)
    table = ffi.new("gkl_shim_cuda_driver *")
    for name, field in ffi.typeof("gkl_shim_cuda_driver").fields:
        address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        setattr(table, name, ffi.cast(field.type, address))
    return table


def wake(devices: Sequence[int] | None) -> None:
    """Start to create the devices' contexts in the background, unless CuPy is imported already.

    A context takes a few tenths of a second. CuPy is imported meanwhile, and then uses these
    contexts. Errors are ignored here, because CuPy meets and reports them.

    Parameters
    ----------
    devices
        Device numbers, or None for all devices.
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
        # CuPy uses primary contexts too. They are never released: CuPy keeps them for the whole
        # process anyway.
        if not library.cuDeviceGet(ctypes.byref(device), number):
            library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
