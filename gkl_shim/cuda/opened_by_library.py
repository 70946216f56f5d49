"""Open GPU engines for the native library when it runs Python itself (``gpu/python_host.h``).

The library starts Python inside a JVM or a C program, imports this module and calls its functions.
:func:`pairhmm` takes addresses as integers. It returns an empty string for success and otherwise a
message, so no Python exception reaches C. An engine, once open, computes without Python.

A process that shares a machine with others waits longest for its contexts. So this module imports
neither NumPy nor CuPy: both are imported while the driver creates the contexts.
"""

from __future__ import annotations

import os

from gkl_shim import _native
from gkl_shim._arguments import device_numbers
from gkl_shim.cuda import driver
from gkl_shim.errors import BackendUnavailable

__all__ = ["pairhmm", "start"]


def start() -> str:
    """Open the engine, let it compute a first batch, and return the names of its devices.

    Raises
    ------
    BackendUnavailable
        If CuPy, the driver or a device is missing or does not work.
    """
    devices = _devices()
    driver.wake(devices)
    from gkl_shim.cuda import library_engines

    return ", ".join(library_engines.proved(devices).devices)


def pairhmm(double: int, as_gkl: int, vtable: int) -> str:
    """Write the ``gkl_shim_pairhmm_cuda_vtable`` of an engine to the address `vtable`.

    There is one engine for each precision and conventions. It stays open until the process ends.
    """
    try:
        from gkl_shim.cuda import library_engines

        ffi, lib = _native.library()
        engine = library_engines.pairhmm(bool(double), bool(as_gkl), _devices())
        lib.gkl_shim_pairhmm_cuda_get_vtable(
            engine.pointer, ffi.cast("gkl_shim_pairhmm_cuda_vtable *", vtable)
        )
    except Exception as error:  # after any error, the CPU engine takes over
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def _devices() -> list[int] | None:
    chosen = os.environ.get("GKL_SHIM_DEVICES", "")
    try:
        return device_numbers(map(int, chosen.split(","))) if chosen else None
    except ValueError:
        raise BackendUnavailable(
            f"GKL_SHIM_DEVICES={chosen}: give different device numbers, separated by commas"
        ) from None
