"""The one stand-in for CuPy: the part that gkl_shim and its benchmarks use, without a device.

Arrays are in this machine's memory. The devices and kernels are those of a stand-in driver.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from gkl_shim.cuda import driver as cuda_driver
from gkl_shim.cuda import kernels
from tests.fakes import driver as fakes

__all__ = ["CuPy", "PerThreadStream", "install"]


def install(
    devices: int = 1, *, double_ratio: Sequence[int] = (2,), patch: Any = None, **options: Any
) -> fakes.Driver:
    """Put the stand-ins for CuPy and the driver in place, and return the driver.

    Parameters
    ----------
    devices
        The number of devices.
    double_ratio
        How many times slower each device is in double precision, repeated as needed.
    patch
        A ``pytest.MonkeyPatch``, which removes the stand-ins. By default they stay.
    **options
        Of :class:`tests.fakes.driver.Driver`.
    """
    made = fakes.Driver(devices, **options)
    cupy = CuPy(made, double_ratio)
    if patch is None:
        sys.modules["cupy"] = cupy
        cuda_driver._LIBRARY = str(fakes.library())
    else:
        patch.setitem(sys.modules, "cupy", cupy)
        patch.setattr(cuda_driver, "_LIBRARY", str(fakes.library()))
    return made


class _Error(RuntimeError):
    """An error of the driver or the runtime."""


class _Thread(threading.local):
    def __init__(self) -> None:
        self.device = 0
        self.streams = [_NULL_STREAM]


class Stream:
    """A stream that does nothing before somebody waits for it."""

    ptr = 1

    def __init__(self, non_blocking: bool = False) -> None:
        self._work: list[Callable[[], None]] = []

    def __enter__(self) -> Stream:
        _thread.streams.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _thread.streams.pop()

    def add(self, work: Callable[[], None]) -> None:
        """Add work, to be done later."""
        self._work.append(work)

    def synchronize(self) -> None:
        """Do the work."""
        while self._work:
            self._work.pop(0)()


class PerThreadStream(Stream):
    """The per-thread default stream, which is another one in each thread that uses it."""

    ptr = 2
    _all: ClassVar[list[Stream]] = []

    def __init__(self) -> None:
        self._thread = threading.local()

    def _own(self) -> Stream:
        if not hasattr(self._thread, "stream"):
            self._thread.stream = Stream()
            self._all.append(self._thread.stream)
        return self._thread.stream

    def add(self, work: Callable[[], None]) -> None:
        self._own().add(work)

    def synchronize(self) -> None:
        self._own().synchronize()

    @classmethod
    def synchronize_all(cls) -> None:
        """Do the work of all threads."""
        for stream in cls._all:
            stream.synchronize()


_NULL_STREAM = Stream()
_thread = _Thread()


class Device:
    """A device, which is current in the thread while it is entered."""

    compute_capability = "0"  # nothing is compiled ahead for it

    def __init__(self, number: int) -> None:
        self.id = number
        self._before: list[int] = []

    def __enter__(self) -> Device:
        self._before.append(_thread.device)
        _thread.device = self.id
        return self

    def __exit__(self, *_: object) -> None:
        _thread.device = self._before.pop()

    def synchronize(self) -> None:
        """Do the work of the per-thread streams. The tests need no other stream here."""
        PerThreadStream.synchronize_all()


class Array:
    """``cupy.ndarray``: NumPy cannot look into it."""

    __array__ = None

    def __init__(self, values: np.ndarray, device: int) -> None:
        self._values = values
        self.device = Device(device)
        self.data = SimpleNamespace(ptr=values.ctypes.data)
        self.transfers = 0

    def __getitem__(self, key: Any) -> Array:
        return Array(self._values[key], self.device.id)

    def set(self, values: np.ndarray) -> None:
        """Write values when the current stream gets there."""
        _thread.streams[-1].add(lambda: np.copyto(self._values, values))

    def get(self) -> np.ndarray:
        """Copy to the host, after the current stream's work."""
        assert _thread.device == self.device.id, "another device is current"
        _thread.streams[-1].synchronize()
        self.transfers += 1
        return self._values.copy()


class CuPy:
    """``import cupy``.

    Parameters
    ----------
    driver
        The stand-in driver; None if no kernel is loaded.
    double_ratio
        As for :func:`install`.
    refused
        The endings of module files that the driver does not load.
    """

    __version__ = "0"
    ndarray = Array

    def __init__(
        self,
        driver: fakes.Driver | None = None,
        double_ratio: Sequence[int] = (2,),
        refused: tuple[str, ...] = (),
    ) -> None:
        self.loaded: list[str] = []
        """The files of the modules that were loaded."""
        self.compiled: list[tuple[str, ...] | None] = []
        """The name expressions of each module that was compiled."""
        self._driver = driver
        self._refused = refused
        count = driver.devices if driver else 1
        self.cuda = SimpleNamespace(
            Device=Device,
            Stream=Stream,
            get_current_stream=lambda: _thread.streams[-1],
            driver=SimpleNamespace(
                CUDADriverError=_Error,
                ctxGetCurrent=lambda: driver.context(_thread.device) if driver else 0,
            ),
            runtime=SimpleNamespace(
                CUDARuntimeError=_Error,
                deviceGetAttribute=lambda attribute, number: {
                    87: double_ratio[number % len(double_ratio)]
                }[attribute],
                deviceSynchronize=lambda: None,
                driverGetVersion=lambda: 13000,
                runtimeGetVersion=lambda: 13000,
                getDeviceCount=lambda: count,
                getDeviceProperties=_properties,
                memGetInfo=lambda: (1 << 33, 1 << 34),
            ),
        )

    def asarray(self, values: Any) -> Array:
        return Array(np.array(values), _thread.device)

    def RawModule(  # noqa: N802
        self,
        *,
        path: str | None = None,
        code: str = "",
        options: tuple[str, ...] = (),
        name_expressions: tuple[str, ...] | None = None,
    ) -> Any:
        def load() -> None:
            assert path is not None
            if path.endswith(self._refused):
                raise _Error("no kernel image is available for execution on the device")
            self.loaded.append(path)

        def get_function(name: str) -> Any:
            pointer = self._driver.kernel(name) if self._driver else 0
            kernel = SimpleNamespace(ptr=pointer)
            return SimpleNamespace(name=name, path=path, num_regs=40, kernel=kernel)

        if path is None:
            assert options == kernels.OPTIONS
            self.compiled.append(name_expressions)
        return SimpleNamespace(
            path=path, code=code, options=options, compile=load, get_function=get_function
        )


def _properties(number: int) -> dict[str, Any]:
    return {
        "name": f"fake {number}".encode(),
        "major": 0,
        "minor": 0,
        "multiProcessorCount": 132,
        "regsPerMultiprocessor": 65536,
        "sharedMemPerMultiprocessor": 233472,
        "totalGlobalMem": 1 << 34,
    }
