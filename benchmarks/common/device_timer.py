"""Time what an engine does on a GPU, with events of the CUDA driver."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray

from gkl_shim.common import _native
from gkl_shim.cuda import driver
from gkl_shim.cuda.engine import DeviceEngine
from gkl_shim.errors import BackendUnavailable

# The driver's functions that are timed, and which argument of each is the stream.
_TIMED = {"cuLaunchKernel": 8, "cuMemcpyHtoDAsync_v2": 3}


class DeviceTimer:
    """A table of the driver's functions, of which two are timed: kernels and copies to a device.

    An event is recorded before and after each. Chunks that are in flight at the same time delay
    each other, so the engine should have one chunk in flight.

    Parameters
    ----------
    functions
        The ``gkl_shim_cuda_driver *`` whose functions are called.
    """

    def __init__(self, functions: Any) -> None:
        self._ffi, _ = _native.library()
        self._functions = functions
        self._free: list[Any] = []
        self._recorded: list[tuple[str, Any, Any, int]] = []
        self.launches = 1
        """How often each kernel is launched, one launch after another. The time that
        :meth:`take` returns is the mean of them. Kernels that read what they write may not be
        launched again."""
        self.bytes = 0
        """Bytes that were copied to devices, since the timer was made."""
        self.functions = self._ffi.new("gkl_shim_cuda_driver *", functions[0])
        """The table for the engine."""
        types = dict(self._ffi.typeof("gkl_shim_cuda_driver").fields)
        self._callbacks = {
            name: self._ffi.callback(types[name].type, self._timed(name, stream))
            for name, stream in _TIMED.items()
        }
        for name, callback in self._callbacks.items():
            setattr(self.functions, name, callback)

    def take(self, engine: DeviceEngine) -> tuple[float, float]:
        """Return the seconds of kernels and of copies since the last time.

        No call may be running. The engine has one device.

        Raises
        ------
        BackendUnavailable
            If the device has failed.
        """
        (device,) = engine._devices
        self._check(self._functions.cuCtxPushCurrent_v2(device.record["context"]))
        try:
            seconds = dict.fromkeys(_TIMED, 0.0)
            for name, begin, end, times in self._recorded:
                self._check(self._functions.cuEventSynchronize(end))
                seconds[name] += self._seconds(begin, end) / times
                self._free += begin, end
            self._recorded.clear()
        finally:
            self._functions.cuCtxPopCurrent_v2(self._ffi.new("void **"))
        kernels, copies = seconds.values()
        return kernels, copies

    def _timed(self, name: str, stream_at: int) -> Any:
        function = getattr(self._functions, name)

        def call(*arguments: Any) -> int:
            begin, end, stream = self._event(), self._event(), arguments[stream_at]
            times = self.launches if name == "cuLaunchKernel" else 1
            self._functions.cuEventRecord(begin, stream)
            status = max(int(function(*arguments)) for _ in range(times))
            self._functions.cuEventRecord(end, stream)
            self._recorded.append((name, begin, end, times))
            if name != "cuLaunchKernel":
                self.bytes += arguments[2]
            return status

        return call

    def _event(self) -> Any:
        if self._free:
            return self._free.pop()
        made = self._ffi.new("void **")
        self._functions.cuEventCreate(made, 0)
        return made[0]

    def _seconds(self, begin: Any, end: Any) -> float:
        milliseconds = ctypes.c_float()
        events = [ctypes.c_void_p(int(self._ffi.cast("uintptr_t", each))) for each in (begin, end)]
        library = ctypes.CDLL(driver._LIBRARY)
        self._check(library.cuEventElapsedTime(ctypes.byref(milliseconds), *events))
        return milliseconds.value / 1e3

    @staticmethod
    def _check(status: int) -> None:
        if status:
            raise BackendUnavailable(f"the GPU has failed: the CUDA driver returns {status}")


@contextmanager
def timed() -> Iterator[DeviceTimer]:
    """Time the engines that are opened in this block."""
    usual = driver.functions
    timer = DeviceTimer(usual())
    driver.functions = lambda: timer.functions
    try:
        yield timer
    finally:
        driver.functions = usual


def pinned(array: NDArray[Any]) -> NDArray[Any]:
    """Copy an array into pinned memory."""
    copy: NDArray[Any] = importlib.import_module("cupyx").empty_pinned(array.shape, array.dtype)
    copy[...] = array
    return copy
