"""Where the native library reaches the GPU engines (``gpu/python_host.h``).

Imported in a process that the native library has put Python into, its functions take addresses and
return a message: empty for success, so that nothing that Python raises crosses into C. Python opens
an engine; it computes without Python.
"""

from __future__ import annotations

import os
import threading

from gkl_shim import _native, traffic
from gkl_shim.cuda import pairhmm as cuda_pairhmm
from gkl_shim.errors import BackendUnavailable

__all__ = ["pairhmm", "start"]

# More than a region of an amplicon at 1,500x has.
_WARM_SHAPE, _WARM_COPIES = (50, 100), 60

_engines: dict[tuple[bool, bool], cuda_pairhmm.Engine] = {}
_opening = threading.Lock()


def start() -> str:
    """Open the engine and prove it; return what it runs on, in a line.

    Raises
    ------
    BackendUnavailable
        If CuPy, a driver or a device is missing or does not work.
    """
    engine = _engine(False, True)
    # First launches load the kernels, and memory grows to what a deep region needs: no call of the
    # host's should wait for that. What is lost meanwhile the host tells after its own first call.
    engine.prove(traffic.repeated(traffic.regions(1, shape=_WARM_SHAPE), _WARM_COPIES))
    return ", ".join(engine.devices)


def pairhmm(double: int, as_gkl: int, vtable: int) -> str:
    """Write the ``gkl_shim_cuda_vtable`` for a precision and conventions to an address.

    The engine lasts as long as the process.
    """
    try:
        ffi, lib = _native.library()
        engine = _engine(bool(double), bool(as_gkl))
        lib.gkl_shim_cuda_engine_vtable(engine.pointer, ffi.cast("gkl_shim_cuda_vtable *", vtable))
    except Exception as error:  # whatever it is, the CPU engine can do the work
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def _engine(double: bool, as_gkl: bool) -> cuda_pairhmm.Engine:
    with _opening:
        engine = _engines.get((double, as_gkl))
        if engine is None:
            engine = cuda_pairhmm.Engine(
                _devices(), precision="double" if double else "single", as_gkl=as_gkl
            )
            _engines[double, as_gkl] = engine
        return engine


def _devices() -> list[int] | None:
    chosen = os.environ.get("GKL_SHIM_DEVICES", "")
    try:
        return [int(number) for number in chosen.split(",")] if chosen else None
    except ValueError:
        raise BackendUnavailable(
            f"GKL_SHIM_DEVICES={chosen}: numbers of devices, separated by commas, are wanted"
        ) from None
