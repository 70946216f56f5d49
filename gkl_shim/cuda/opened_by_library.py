"""Open GPUs for the native library when it runs Python itself (``python_host/python_host.h``).

The library starts Python inside a JVM or a C program, and calls :func:`opened`. After that, its
engines compute without Python.

A process that shares a machine with others waits longest for its contexts. So this module imports
neither NumPy nor CuPy: both are imported while the driver creates the contexts.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from gkl_shim.common import _native
from gkl_shim.common._arguments import device_numbers
from gkl_shim.cuda import driver
from gkl_shim.errors import BackendUnavailable

# What native code uses until the process ends.
_kept: list[Any] = []


def opened(algorithm: str, version: str, chosen: str = "") -> int:
    """Open the GPUs of an algorithm, and return the address of a ``gkl_shim_opened``.

    Parameters
    ----------
    algorithm
        The function ``opened`` of the module ``_cuda`` in its folder opens the devices and kernels.
    version
        The version of the library that asks. It may be another copy than Python's.
    chosen
        The numbers of the devices, separated by commas. "" means those of GKL_SHIM_DEVICES, or all.

    Raises
    ------
    BackendUnavailable
        If CuPy, the driver or a device is missing or does not work, or Python has another version
        of gkl-shim.
    """
    devices = _devices(chosen)
    driver.wake(devices)
    if version != _native.version():
        raise BackendUnavailable(
            f"Python has gkl-shim {_native.version()}, this is {version}: install the same"
        )
    made = importlib.import_module(f"gkl_shim.{algorithm}._cuda").opened(devices)
    ffi, _ = _native.library()
    text = ffi.new("char[]", ", ".join(device.name for device in made.devices).encode())
    found = ffi.new("gkl_shim_opened *", {"devices": text, "record": made.options})
    _kept.extend((text, made, found))
    return int(ffi.cast("intptr_t", found))


def _devices(chosen: str) -> list[int] | None:
    name = "devices" if chosen else "GKL_SHIM_DEVICES"
    chosen = chosen or os.environ.get(name, "")
    try:
        return device_numbers(map(int, chosen.split(","))) if chosen else None
    except ValueError:
        raise BackendUnavailable(
            f"{name}={chosen}: give different device numbers, separated by commas"
        ) from None
