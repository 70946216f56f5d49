"""Open the GPU engine step by step, as the native library does in a JVM, and time each step.

gpu_sharing.py runs ``python -m benchmarks.common.start_steps BEGIN serial|together|context``. BEGIN
is the time of the process's start. The output is JSON: a list of steps. With ``context`` it is the
time of creating a context.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from pathlib import Path
from typing import Any

__all__: list[str] = []


def _host_bytes() -> int:
    """Return the memory of this process that no file backs."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    fields = dict(line.split(":", 1) for line in text.splitlines())
    return 1024 * int(fields["RssAnon"].split()[0])


class _Steps:
    def __init__(self, begin: float) -> None:
        self._last = begin
        self.found: list[dict[str, Any]] = []
        self._driver = ctypes.CDLL("libcuda.so.1")

    def done(self, step: str, context: bool = True) -> None:
        """Record a step that has just ended; `context`: whether the process has a context."""
        seconds = time.time() - self._last
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        if context:
            self._driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
        self.found.append(
            {
                "step": step,
                "seconds": seconds,
                "device_bytes_used": total.value - free.value if context else None,
                "host_bytes": _host_bytes(),
            }
        )
        self._last = time.time()


def _serial(steps: _Steps) -> None:
    """Open the engine with one step after the other."""
    steps.done("start Python", context=False)
    from gkl_shim import _native
    from gkl_shim.cuda import devices, driver, kernels
    from gkl_shim.cuda import pairhmm as cuda_pairhmm

    _native.library()
    steps.done("import gkl_shim and NumPy, load the native library", context=False)
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    cuda.cuInit(0)
    steps.done("cuInit", context=False)
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    cuda.cuCtxSetCurrent(context)
    steps.done("create the context")
    cupy = devices.import_cupy()
    steps.done("import CuPy")
    with cupy.cuda.Device(0) as first:
        architecture = first.compute_capability
        steps.done("first use of CuPy")
        kernels.load(cupy, "pairhmm/cuda/kernels/kernels.cu", architecture)
        steps.done("load the kernels")
    driver.functions()
    engine = cuda_pairhmm.Engine([0], as_gkl=True)
    steps.done("open the engine, with the kernels again")
    from gkl_shim.cuda import pairhmm_opened

    batch = pairhmm_opened.first_batch()
    steps.done("make the first batch")
    engine.compute(batch)
    steps.done("compute the first batch")
    engine.compute(batch)
    steps.done("compute it again")


def _together(steps: _Steps) -> None:
    """Open the engine as the native library does."""
    steps.done("start Python", context=False)
    from gkl_shim import _native
    from gkl_shim.cuda import devices, opened_by_library

    steps.done("import gkl_shim and NumPy", context=False)
    opened_by_library.opened("pairhmm", _native.version())
    devices.import_cupy().cuda.Device(0).use()
    steps.done("opened()")


def _context() -> None:
    """Once a line comes in, create a context and print how many seconds it takes."""
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    print("ready", flush=True)
    sys.stdin.readline()
    begin = time.perf_counter()
    cuda.cuInit(0)
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    print(time.perf_counter() - begin)


if __name__ == "__main__":
    if sys.argv[2] == "context":
        _context()
    else:
        _steps = _Steps(float(sys.argv[1]))
        {"serial": _serial, "together": _together}[sys.argv[2]](_steps)
        print(json.dumps(_steps.found))
