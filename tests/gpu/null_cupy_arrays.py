"""CuPy's arrays and streams, in this machine's memory, as far as input for PairHMM needs them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np


class _Thread(threading.local):
    def __init__(self) -> None:
        self.device = 0
        self.streams = [NULL_STREAM]


class Stream:
    """A stream that does nothing before somebody waits for it."""

    def __init__(self) -> None:
        self._work: list[Callable[[], None]] = []

    def __enter__(self) -> Stream:
        _thread.streams.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _thread.streams.pop()

    def add(self, work: Callable[[], None]) -> None:
        self._work.append(work)

    def synchronize(self) -> None:
        while self._work:
            self._work.pop(0)()


NULL_STREAM = Stream()
_thread = _Thread()


class Array:
    """``cupy.ndarray``: NumPy cannot look into it."""

    __array__ = None

    def __init__(self, values: np.ndarray, device: int) -> None:
        self._values = values
        self.device = Device(device)
        self.transfers = 0

    def __getitem__(self, key: Any) -> Array:
        return Array(self._values[key], self.device.id)

    def set(self, values: np.ndarray) -> None:
        """Write values when the current stream gets there."""
        _thread.streams[-1].add(lambda: np.copyto(self._values, values))

    def get(self) -> np.ndarray:
        assert _thread.device == self.device.id, "another device is current"
        _thread.streams[-1].synchronize()
        self.transfers += 1
        return self._values.copy()


class Device:
    def __init__(self, number: int) -> None:
        self.id = number
        self._before = 0

    def __enter__(self) -> Device:
        self._before, _thread.device = _thread.device, self.id
        return self

    def __exit__(self, *_: object) -> None:
        _thread.device = self._before


class NullCuPyArrays:
    """``import cupy``, where only arrays are used."""

    ndarray = Array

    def __init__(self) -> None:
        self.cuda = SimpleNamespace(
            Device=Device,
            Stream=Stream,
            get_current_stream=lambda: _thread.streams[-1],
            runtime=SimpleNamespace(CUDARuntimeError=RuntimeError),
        )

    def asarray(self, values: Any) -> Array:
        return Array(np.array(values), _thread.device)
