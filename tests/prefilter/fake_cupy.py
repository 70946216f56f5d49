"""As much of CuPy as the launcher uses, over this machine's memory; kernels are host code.

Memory is filled with rubbish, so that what was not written is seen. Nothing is asynchronous.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

_EDGE = 256


class _Memory:
    def __init__(self, size: int) -> None:
        self.size = size
        # Deliberately unaligned, with guard bytes that must not change.
        self.bytes = np.full(size + 2 * _EDGE, 0xA5, np.uint8)

    @property
    def start(self) -> int:
        return int(self.bytes.ctypes.data) + _EDGE

    def __del__(self) -> None:
        assert (self.bytes[:_EDGE] == 0xA5).all(), "written before a buffer"
        assert (self.bytes[_EDGE + self.size :] == 0xA5).all(), "written beyond a buffer"


class _Pointer:
    def __init__(self, size: int) -> None:
        self.mem = _Memory(size)
        self.ptr = self.mem.start


class _Array:
    """A device array: only what the launcher does with one."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
        self.data = SimpleNamespace(ptr=values.ctypes.data)

    def __getitem__(self, part: slice) -> _Array:
        return _Array(self.values[part])

    def set(self, values: np.ndarray) -> None:
        self.values[:] = values


class FakeCuPy:
    """``import cupy`` as the launcher sees it, with so many devices.

    Parameters
    ----------
    library
        What ``cuda_on_host.cpp`` was compiled to.
    devices
        How many there are.
    fails
        Called with a device's number before each launch; what it raises, the launch raises.
    """

    def __init__(
        self, library: Path, devices: int = 1, fails: Callable[[int], None] | None = None
    ) -> None:
        self._library = ctypes.CDLL(str(library))
        self._fails = fails
        self.launched: list[tuple[int, str]] = []
        self._names: list[str] = []
        self._thread = threading.local()
        fake = self

        class Device:
            compute_capability = "0"  # for which nothing is compiled ahead

            def __init__(self, number: int) -> None:
                self.number = number

            def __enter__(self) -> Device:
                fake._thread.device = self.number
                return self

            def __exit__(self, *_: object) -> None:
                pass

        class Error(RuntimeError):
            pass

        class Event:
            def record(self, stream: Any) -> None:
                self.time = time.perf_counter()

            def synchronize(self) -> None:
                pass

        stream = SimpleNamespace(ptr=0, synchronize=lambda: None)
        self.cuda = SimpleNamespace(
            Device=Device,
            Event=Event,
            get_elapsed_time=lambda begin, end: 1e3 * (end.time - begin.time),
            Stream=lambda non_blocking: stream,
            get_current_stream=lambda: stream,
            alloc=_Pointer,
            malloc_managed=_Pointer,
            alloc_pinned_memory=lambda size: np.full(size, 0x5A, np.uint8),
            runtime=SimpleNamespace(
                CUDARuntimeError=Error,
                getDeviceCount=lambda: devices,
                getDeviceProperties=lambda number: {
                    "name": f"fake {number}".encode(),
                    "maxThreadsPerMultiProcessor": 2048,
                },
                memGetInfo=lambda: (1 << 30, 1 << 30),
                memcpyAsync=lambda to, at, size, kind, on: ctypes.memmove(to, at, size),
                memsetAsync=lambda to, value, size, on: ctypes.memset(to, value, size),
                memAdvise=lambda at, size, advice, device: None,
                memPrefetchAsync=lambda at, size, device, on: None,
                pointerGetAttributes=lambda at: SimpleNamespace(type=0),
            ),
            driver=SimpleNamespace(
                launchKernel=self._launch,
                occupancyMaxActiveBlocksPerMultiprocessor=lambda kernel, threads, shared: 8,
            ),
        )

    def get_default_memory_pool(self) -> Any:
        return SimpleNamespace(free_bytes=lambda: 0)

    def zeros(self, count: int, kind: Any) -> _Array:
        return _Array(np.zeros(count, kind))

    def asarray(self, values: np.ndarray) -> _Array:
        return _Array(values.copy())

    def RawModule(self, code: str, options: Any, name_expressions: tuple[str, ...]) -> Any:  # noqa: N802
        assert "__global__" in code
        name = name_expressions[0].removeprefix("gkl_shim::prefilter::")
        self._names.append(name)
        handle = len(self._names)
        kernel = SimpleNamespace(num_regs=40, kernel=SimpleNamespace(ptr=handle))
        return SimpleNamespace(get_function=lambda full: kernel)

    def _launch(self, function: int, blocks: int, *rest: Any) -> None:
        name, parameters = self._names[function - 1], rest[-2]
        if self._fails is not None:
            self._fails(self._thread.device)
        self.launched.append((self._thread.device, name))
        assert self._library.launch(name.encode(), blocks, ctypes.c_void_p(parameters)) == 0, name
