"""As much of CuPy as the PairHMM engine needs to be opened, and its benchmark to run.

Memory is this machine's and nothing is asynchronous.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.gpu.null_driver import kernel_handle


class _Memory:
    def __init__(self, size: int) -> None:
        self.mem = SimpleNamespace(size=size)
        self._bytes = np.zeros(size + 256, np.uint8)
        self.ptr = -(-self._bytes.ctypes.data // 256) * 256


class _Device:
    current = 0
    compute_capability = "0"  # for which nothing is compiled ahead

    def __init__(self, number: int) -> None:
        self.number = number

    def __enter__(self) -> _Device:
        _Device.current = self.number
        return self

    def __exit__(self, *_: object) -> None:
        pass


class _Stream:
    ptr = 1

    def __init__(self, non_blocking: bool = False) -> None:
        pass

    def synchronize(self) -> None:
        pass


class _Error(RuntimeError):
    pass


class NullCuPy:
    """``import cupy`` with a number of devices, each with the given slowness in double
    precision."""

    __version__ = "0"

    def __init__(self, devices: int = 1, double_ratio: tuple[int, ...] = (2,)) -> None:
        properties = {
            "name": b"Null",
            "major": 0,
            "minor": 0,
            "multiProcessorCount": 132,
            "regsPerMultiprocessor": 65536,
            "sharedMemPerMultiprocessor": 233472,
            "totalGlobalMem": 1 << 34,
        }
        self.cuda = SimpleNamespace(
            Device=_Device,
            Stream=_Stream,
            alloc=_Memory,
            alloc_pinned_memory=_Memory,
            driver=SimpleNamespace(
                CUDADriverError=_Error, ctxGetCurrent=lambda: _Device.current + 1
            ),
            runtime=SimpleNamespace(
                CUDARuntimeError=_Error,
                deviceGetAttribute=lambda attribute, number: {
                    87: double_ratio[number % len(double_ratio)]
                }[attribute],
                deviceGetPCIBusId=lambda number: "0000:00:00.0",
                deviceSynchronize=lambda: None,
                driverGetVersion=lambda: 13000,
                runtimeGetVersion=lambda: 13000,
                getDeviceCount=lambda: devices,
                getDeviceProperties=lambda number: properties,
                memGetInfo=lambda: (1 << 33, 1 << 34),
                memcpyAsync=lambda to, at, size, kind, on: ctypes.memmove(to, at, size),
            ),
        )

    def asarray(self, values: np.ndarray) -> Any:
        return SimpleNamespace(data=SimpleNamespace(ptr=values.ctypes.data), kept=values)

    def RawModule(self, **_: Any) -> Any:  # noqa: N802
        return SimpleNamespace(get_function=lambda name: SimpleNamespace(
            num_regs=168, kernel=SimpleNamespace(ptr=kernel_handle(name))
        ))  # fmt: skip
