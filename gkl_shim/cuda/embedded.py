"""The door through which the native library reaches the GPU engines (``python_host.h``).

Run as a program, it says where the interpreter's shared library is. Imported in a process that the
native library has put Python into, its functions take addresses and return a message: empty for
success, so that nothing that Python raises crosses into C. Python opens an engine; it computes
without Python.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
from pathlib import Path

from gkl_shim import _native, traffic
from gkl_shim.cuda import pairhmm as cuda_pairhmm
from gkl_shim.errors import BackendUnavailable, MissingComponent

__all__ = ["libpython", "pairhmm", "start"]

_engines: dict[tuple[bool, bool], cuda_pairhmm.Engine] = {}
_opening = threading.Lock()


def libpython() -> Path:
    """Return this interpreter's shared library.

    Raises
    ------
    MissingComponent
        If the interpreter was built without one, or it is not installed.
    """
    name = sysconfig.get_config_var("INSTSONAME") or sysconfig.get_config_var("LDLIBRARY") or ""
    places = (sysconfig.get_config_var("LIBDIR"), f"{sys.base_prefix}/lib")
    for place in places:
        if place and ".so" in name and Path(place, name).is_file():
            return Path(place, name)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    raise MissingComponent(
        f"{sys.executable} has no shared library here (Debian: apt install libpython{version})"
    )


def start() -> str:
    """Open the engine and prove it on a small region; return what it runs on, in a line.

    Raises
    ------
    BackendUnavailable
        If CuPy, a driver or a device is missing or does not work.
    """
    engine = _engine(False, True)
    # The first launch loads the kernels: no call of the host's should wait for that.
    engine.compute(traffic.regions(1, shape=(10, 2)))
    return ", ".join(engine.devices)


def pairhmm(double: int, as_gkl: int, door: int) -> str:
    """Write the ``gkl_shim_cuda_door`` for a precision and conventions to an address.

    The engine lasts as long as the process.
    """
    try:
        ffi, lib = _native.library()
        engine = _engine(bool(double), bool(as_gkl))
        lib.gkl_shim_cuda_engine_door(engine.pointer, ffi.cast("gkl_shim_cuda_door *", door))
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


if __name__ == "__main__":
    try:
        print(libpython(), sys.executable, sep="\n")
    except MissingComponent as missing:
        sys.exit(str(missing))
