"""CuPy's arrays, as much of them as is used, in this machine's memory.

With null_driver.py in the place of the driver everything but PairHMM's own kernels is real.
"""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.gpu.null_cupy import NullCuPy


class Array:
    """``cupy.ndarray``. It has no buffer, and NumPy cannot look into it."""

    __array__ = None

    def __init__(self, values: np.ndarray, device: int) -> None:
        self._values = values
        self.device = Device(device)
        self.data = SimpleNamespace(ptr=values.ctypes.data)
        self.dtype, self.shape = values.dtype, values.shape
        self.ndim, self.size = values.ndim, values.size
        self.flags = values.flags

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, key: Any) -> Array:
        found = self._values[key]
        return Array(np.asarray(found) if np.isscalar(found) else found, self.device.id)

    def __int__(self) -> int:
        return int(self._values)

    def set(self, values: np.ndarray) -> None:
        self._values[:] = values

    def get(self) -> np.ndarray:
        assert Device.thread.device == self.device.id
        return self._values.copy()


class _Thread(threading.local):
    device = 0


class Device:
    thread = _Thread()
    compute_capability = "0"  # for which nothing is compiled ahead
    attributes = {"MultiProcessorCount": 2}  # noqa: RUF012

    def __init__(self, number: int) -> None:
        self.id = number
        self._before = 0

    def __enter__(self) -> Device:
        self._before, self.thread.device = self.thread.device, self.id
        return self

    def __exit__(self, *_: object) -> None:
        self.thread.device = self._before


class NullArrays(NullCuPy):
    """``import cupy``, with so many devices."""

    ndarray = Array

    def __init__(self, devices: int = 1) -> None:
        super().__init__(devices)
        self.cuda.Device = Device
        self.cuda.driver.ctxGetCurrent = lambda: Device.thread.device + 1
        self.cuda.get_current_stream = lambda device=None: SimpleNamespace(
            ptr=0, synchronize=lambda: None
        )

    def asarray(self, values: Any) -> Array:
        if isinstance(values, Array):
            assert values.device.id == Device.thread.device
            return values
        return self._new(np.array(values))

    def ascontiguousarray(self, array: Array) -> Array:
        values = array._values
        return array if values.flags.c_contiguous else self._new(values.copy())

    def concatenate(self, arrays: list[Array]) -> Array:
        assert {array.device.id for array in arrays} == {Device.thread.device}
        return self._new(np.concatenate([array._values for array in arrays]))

    def full(self, size: int, value: int, dtype: Any) -> Array:
        return self._new(np.full(size, value, dtype))

    def empty(self, size: int, dtype: Any) -> Array:
        return self._new(np.frombuffer(bytes([0xA5]) * (size * np.dtype(dtype).itemsize), dtype))

    def zeros(self, size: int, dtype: Any) -> Array:
        return self._new(np.zeros(size, dtype))

    def _new(self, values: np.ndarray) -> Array:
        return Array(values if values.flags.writeable else values.copy(), Device.thread.device)
