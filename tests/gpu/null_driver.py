"""The CUDA driver's functions as the PairHMM engine calls them, with kernels that compute nothing.

Device memory is host memory and nothing is asynchronous. By default every result is NaN, as for
pairs outside the device's range, so the final results are those of the CPU engine. Any function
can be made to fail.
"""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import numpy as np

from gkl_shim import _native

# : Handles of the kernels.
SINGLE, DOUBLE = 1, 5
OK, NOT_KNOWN, OUT_OF_MEMORY, NO_CONTEXT, LOST = 0, 1, 2, 201, 719
_ERRORS = {OUT_OF_MEMORY: b"CUDA_ERROR_OUT_OF_MEMORY", LOST: b"CUDA_ERROR_LAUNCH_FAILED"}
# : The functions that may fail, as far as the engine can see.
FALLIBLE = (
    "cuCtxPushCurrent_v2", "cuMemAlloc_v2", "cuMemHostAlloc", "cuStreamCreate", "cuStreamQuery",
    "cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async", "cuLaunchKernel", "cuStreamSynchronize",
)  # fmt: skip


def kernel_handle(name: str) -> int:
    """Return the handle of a kernel by its name."""
    return DOUBLE if name.startswith("pairhmm_double") else SINGLE


class NullDriver:
    """A driver of any number of devices, whose contexts are numbered from 1.

    Parameters
    ----------
    fail
        Functions, and how many calls of each go well; after these the device whose context is
        current is lost for good, or what is asked for is out of memory.
    device
        The only one to fail; None for all.
    result
        What kernels make of every pair; several are repeated, pair by pair.
    double_result
        What those for double precision make of it, where that is something else.
    slow
        Whether results come only once the host waits for the driver.
    """

    def __init__(
        self,
        fail: dict[str, int] | None = None,
        *,
        device: int | None = None,
        result: float | tuple[float, ...] = np.nan,
        double_result: float | tuple[float, ...] | None = None,
        slow: bool = False,
    ) -> None:
        self.fail = fail or {}
        self.device = device
        self.slow = slow
        self._results = {
            handle: np.atleast_1d(np.asarray(made, np.float64))
            for handle, made in (
                (SINGLE, result),
                (DOUBLE, result if double_result is None else double_result),
            )
        }
        # For a slow device: outstanding results by stream, and the stream that an event waits for.
        self._to_come: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
        self._events: dict[int, Any] = {}
        self.calls: Counter[str] = Counter()
        self.launches: Counter[int] = Counter()  # by device
        self.launched: list[tuple[int, int]] = []  # device and kernel
        self.threads: set[int] = set()
        self.live: dict[int, Any] = {}  # memory, streams and events, by address or handle
        self.misused: list[str] = []
        self._lost: set[int] = set()
        self._handles = 0
        self._lock = threading.Lock()
        self._here = threading.local()
        self._ffi, _ = _native.library()
        self._table = self._ffi.new("gkl_shim_cuda_driver *")
        self._callbacks = []
        for name, field in self._ffi.typeof("gkl_shim_cuda_driver").fields:
            function = self._ffi.callback(field.type, self._called(name), error=LOST)
            self._callbacks.append(function)
            setattr(self._table, name, function)

    def functions(self) -> Any:
        """Stands in for :func:`gkl_shim.cuda.driver.functions`."""
        return self._table

    @property
    def contexts(self) -> list[int]:
        """The contexts that are current in this thread, the top of the stack last."""
        if not hasattr(self._here, "contexts"):
            self._here.contexts = []
        found: list[int] = self._here.contexts
        return found

    def _called(self, name: str) -> Any:
        def call(*arguments: Any) -> int:
            function = getattr(self, f"_{name}")
            with self._lock:
                self.calls[name] += 1
                self.threads.add(threading.get_ident())
                if name.startswith("cuGetError"):
                    return int(function(*arguments) or OK)
                if name == "cuCtxPushCurrent_v2":
                    device = int(self._ffi.cast("intptr_t", arguments[0])) - 1
                elif self.contexts:
                    device = self.contexts[-1] - 1
                else:
                    self.misused.append(f"{name} without a context")
                    return NO_CONTEXT
                frees = "Free" in name or "Destroy" in name or "Pop" in name
                if not frees and self._fails(name, device):
                    return OUT_OF_MEMORY if "Alloc" in name else LOST
                return int(function(*arguments) or OK)

        return call

    def _fails(self, name: str, device: int) -> bool:
        if device in self._lost:
            return True
        if name not in self.fail or self.device not in (None, device):
            return False
        self.fail[name] -= 1
        if self.fail[name] >= 0:
            return False
        if "Alloc" not in name:
            self._lost.add(device)
        return True

    def _number(self, handle: Any) -> int:
        return int(self._ffi.cast("intptr_t", handle))

    def _handle(self, place: Any) -> None:
        self._handles += 1
        self.live[self._handles] = None
        place[0] = self._ffi.cast("void *", self._handles)

    def _free(self, what: Any) -> None:
        address = int(self._ffi.cast("intptr_t", what))
        if address not in self.live:
            self.misused.append(f"{address:#x} is freed, which is none")
        self.live.pop(address, None)

    def _memory(self, size: int) -> int:
        if size <= 0:
            self.misused.append(f"{size} bytes are asked for")
        memory = np.full(size + 256, 0xA5, np.uint8)
        address = -(-memory.ctypes.data // 256) * 256
        self.live[address] = (memory, address, size)
        return int(address)

    def _within(self, address: int, size: int) -> None:
        if not any(
            kept is not None and kept[1] <= address and address + size <= kept[1] + kept[2]
            for kept in self.live.values()
        ):
            self.misused.append(f"{size} bytes at {address:#x} are none of ours")

    def _cuCtxPushCurrent_v2(self, context: Any) -> None:  # noqa: N802
        self.contexts.append(int(self._ffi.cast("intptr_t", context)))

    def _cuCtxPopCurrent_v2(self, context: Any) -> None:  # noqa: N802
        context[0] = self._ffi.cast("void *", self.contexts.pop())

    def _cuMemAlloc_v2(self, place: Any, size: int) -> None:  # noqa: N802
        place[0] = self._memory(size)

    def _cuMemHostAlloc(self, place: Any, size: int, flags: int) -> None:  # noqa: N802
        place[0] = self._ffi.cast("void *", self._memory(size))

    def _cuStreamCreate(self, place: Any, flags: int) -> None:  # noqa: N802
        self._handle(place)

    def _cuEventCreate(self, place: Any, flags: int) -> None:  # noqa: N802
        self._handle(place)

    def _cuMemFree_v2(self, address: int) -> None:  # noqa: N802
        self._free(address)

    def _cuMemFreeHost(self, memory: Any) -> None:  # noqa: N802
        self._free(memory)

    def _cuStreamDestroy_v2(self, stream: Any) -> None:  # noqa: N802
        self._free(stream)

    def _cuEventDestroy_v2(self, event: Any) -> None:  # noqa: N802
        self._free(event)

    def _cuStreamQuery(self, stream: Any) -> int:  # noqa: N802
        return 600 if self.slow else OK

    def _cuStreamSynchronize(self, stream: Any) -> None:  # noqa: N802
        for values, made in self._to_come.pop(self._number(stream), []):
            for place in range(len(made)):
                values[place :: len(made)] = made[place]

    def _cuEventRecord(self, event: Any, stream: Any) -> None:  # noqa: N802
        self._events[self._number(event)] = stream

    def _cuEventSynchronize(self, event: Any) -> None:  # noqa: N802
        self._cuStreamSynchronize(self._events[self._number(event)])

    def _cuEventElapsedTime(self, place: Any, begin: Any, end: Any) -> None:  # noqa: N802
        place[0] = 1.0

    def _cuMemcpyHtoDAsync_v2(self, to: int, at: Any, size: int, stream: Any) -> None:  # noqa: N802
        self._within(to, size)
        self._within(int(self._ffi.cast("intptr_t", at)), size)
        self._ffi.memmove(self._ffi.cast("void *", to), at, size)

    def _cuMemcpyDtoHAsync_v2(self, to: Any, at: int, size: int, stream: Any) -> None:  # noqa: N802
        self._within(at, size)
        self._ffi.memmove(to, self._ffi.cast("void *", at), size)

    def _cuPointerGetAttribute(self, value: Any, attribute: int, address: int) -> int:  # noqa: N802
        return NOT_KNOWN

    def _cuMemsetD8Async(self, to: int, value: int, size: int, stream: Any) -> None:  # noqa: N802
        self._within(to, size)
        self._ffi.buffer(self._ffi.cast("void *", to), size)[:] = bytes([value]) * size

    def _cuLaunchKernel(self, kernel: Any, *arguments: Any) -> None:  # noqa: N802
        self.launches[self.contexts[-1] - 1] += 1
        parameters, stream = arguments[-2], arguments[-3]
        handle = self._number(kernel)
        self.launched.append((self.contexts[-1] - 1, handle))
        results = int(self._ffi.cast("intptr_t *", parameters[3])[0])
        if results not in self.live:
            self.misused.append("a kernel's results are none of ours")
            return
        memory, address, size = self.live[results]
        start = address - memory.ctypes.data
        values = memory[start : start + size // 8 * 8].view(np.float64)
        to_come = self._to_come.setdefault(self._number(stream), [])
        to_come.append((values, self._results[handle]))
        if not self.slow:
            self._cuStreamSynchronize(stream)

    def _cuGetErrorName(self, error: int, place: Any) -> None:  # noqa: N802
        place[0] = self._text(_ERRORS.get(error))

    def _cuGetErrorString(self, error: int, place: Any) -> None:  # noqa: N802
        place[0] = self._text(None)

    def _text(self, text: bytes | None) -> Any:
        if text is None:
            return self._ffi.NULL
        kept = self._ffi.new("char[]", text)
        self._callbacks.append(kept)
        return kept
