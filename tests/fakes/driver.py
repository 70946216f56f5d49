"""The stand-in driver of ``driver.cpp``, as tests control it."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from tests.conftest import ROOT, alone, require_tool

__all__ = ["FALLIBLE", "Driver", "compiled", "host_kernels", "library"]

#: The driver's functions that can fail.
FALLIBLE = (
    "cuCtxPushCurrent_v2", "cuMemAlloc_v2", "cuMemHostAlloc", "cuStreamCreate", "cuStreamQuery",
    "cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2", "cuMemsetD8Async", "cuLaunchKernel", "cuStreamSynchronize",
)  # fmt: skip

_Fact = TypeVar("_Fact")

_HERE = Path(__file__).parent
_Hook = ctypes.CFUNCTYPE(None, ctypes.c_int)
_UNDEFINED = ("-fsanitize=undefined", "-fno-sanitize-recover=all", "-static-libubsan")


def compiled(source: Path, *flags: str, others: Sequence[Path] = ()) -> Path:
    """Compile C++ files to a shared library, once, and keep the library in build/.

    They are compiled again when any file that they may include has changed. The library is named
    after `source`.
    """
    made_of = hashlib.sha256(" ".join(flags).encode())
    headers = [path for path in (ROOT / "kernels").rglob("*") if path.suffix in (".cu", ".h")]
    files = [source, *others]
    for path in sorted([*headers, *_HERE.glob("*.h"), *source.parent.glob("*.h"), *files]):
        made_of.update(path.read_bytes())
    target = ROOT / "build" / "tests" / "fakes" / f"{source.stem}-{made_of.hexdigest()[:16]}.so"
    # A complete library needs no lock, which another process may hold for as long as it compiles.
    if target.exists():
        return target
    with alone(target.parent):
        if not target.exists():
            usual = ("-std=gnu++17", "-fPIC", "-shared", "-pthread", "-I", ROOT / "kernels")
            warnings = ("-Wall", "-Werror", "-Wno-unknown-pragmas")
            unfinished = target.with_suffix(".unfinished")
            command = [require_tool("c++"), *usual, *warnings, *flags, *files, "-o", unfinished]
            subprocess.run(command, check=True)
            shutil.move(unfinished, target)
    return target


@functools.cache
def library() -> Path:
    """Return the stand-in for ``libcuda.so.1``."""
    return compiled(_HERE / "driver.cpp", "-O2", "-g")


@functools.cache
def host_kernels(algorithm: str) -> ctypes.CDLL:
    """Return the CUDA kernels of an algorithm, compiled for the host."""
    source = ROOT / "tests" / algorithm / "cuda_on_host.cpp"
    flags: tuple[str, ...] = ("-O1", *_UNDEFINED)
    if algorithm == "pairhmm":
        flags = ("-O2", "-ffp-contract=off")
    found = ctypes.CDLL(str(compiled(source, *flags)))
    found.find_kernel.restype = ctypes.c_void_p
    return found


@functools.cache
def _functions() -> ctypes.CDLL:
    found = ctypes.CDLL(str(library()))
    for name in ("fake_driver", "fake_context", "fake_kernel", "fake_report"):
        getattr(found, name).restype = ctypes.c_void_p
    return found


class _Reported(Generic[_Fact]):
    """What the driver reports under the name of the attribute."""

    def __init__(self, convert: Callable[[Any], _Fact]) -> None:
        self._convert = convert

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, driver: Driver, owner: type) -> _Fact:
        return self._convert(driver._report()[self._name])


class Driver:
    """A driver with a number of devices; ``driver.cpp`` says what it does and checks.

    Parameters
    ----------
    devices
        The number of devices.
    kernels
        The algorithm whose kernels run on the host. By default kernels compute nothing, and make
        every result `result`; these are PairHMM's.
    result
        What kernels make of every pair; several are repeated, pair by pair. By default NaN, as for
        pairs outside the device's range, so that the final results are those of the CPU engine.
    double_result
        What kernels for double precision make of it, if that is something else.
    slow
        Whether work is done only once the host waits for it.
    fail
        Functions, and how many calls of each succeed; see :meth:`fail`.
    device
        The only device to fail; None for all.
    """

    def __init__(
        self,
        devices: int = 1,
        *,
        kernels: str | None = None,
        result: float | tuple[float, ...] = np.nan,
        double_result: float | tuple[float, ...] | None = None,
        slow: bool = False,
        fail: dict[str, int] | None = None,
        device: int | None = None,
    ) -> None:
        self.devices = devices
        self._functions = _functions()
        self._driver = ctypes.c_void_p(self._functions.fake_driver(devices, slow))
        self._kernels = kernels
        single = np.atleast_1d(np.asarray(result, np.float64))
        double = single if double_result is None else np.atleast_1d(double_result).astype(float)
        self._results = {"single": single, "double": double}
        self._made: dict[str, int] = {}
        self._hooks: list[Any] = []
        self._pinned: list[Any] = []
        for name, after in (fail or {}).items():
            self.fail(name, after, device)

    def context(self, device: int) -> int:
        """Return the handle of a device's context."""
        return int(self._functions.fake_context(self._driver, device))

    def kernel(self, name: str) -> int:
        """Return the handle of a kernel."""
        if name not in self._made:
            self._made[name] = self._kernel(name.rpartition("::")[2])
        return self._made[name]

    def _kernel(self, name: str) -> int:
        host, values = None, np.empty(0)
        if self._kernels is None:
            values = self._results["double" if name.startswith("pairhmm_double") else "single"]
        else:
            host = host_kernels(self._kernels).find_kernel(name.encode())
            assert host, f"there is no kernel {name}"
        handle: int = self._functions.fake_kernel(
            self._driver, name.encode(), ctypes.c_void_p(host),
            ctypes.c_void_p(values.ctypes.data), len(values),
        )  # fmt: skip
        return handle

    def fail(self, name: str, after: int, device: int | None = None, *, loses: bool = True) -> None:
        """Let a function fail once it has been called `after` times more.

        If it allocates, memory is exhausted. Otherwise the device whose context is current is lost
        for good; unless it `loses` nothing: then the device does what was asked for before.
        """
        number = -1 if device is None else device
        count = ctypes.c_int64(after)
        self._functions.fake_fail(self._driver, name.encode(), count, number, loses)

    def before(self, name: str, hook: Callable[[int], object]) -> None:
        """Call a function of the test, with the number of the device whose context is used,
        whenever a function of the driver is called, before it."""
        self._hooks.append(_Hook(lambda device: (hook(device), None)[1]))
        self._functions.fake_hook(self._driver, name.encode(), self._hooks[-1])

    def pin(self, array: np.ndarray) -> None:
        """Let an array's memory count as pinned."""
        self._pinned.append(array)
        address = ctypes.c_void_p(array.ctypes.data)
        self._functions.fake_pin(self._driver, address, ctypes.c_size_t(array.nbytes))

    def forget_calls(self) -> None:
        """Begin to count calls and launches anew."""
        self._functions.fake_forget_calls(self._driver)

    def _report(self) -> dict[str, Any]:
        text = ctypes.c_void_p(self._functions.fake_report(self._driver))
        try:
            found: dict[str, Any] = json.loads(ctypes.string_at(text))
        finally:
            ctypes.CDLL(None).free(text)
        return found

    @property
    def launches(self) -> Counter[int]:
        """How many kernels each device was given."""
        return Counter(device for device, _ in self.launched)

    calls = _Reported(lambda rows: Counter(dict(rows)))
    """How often each function was called."""
    launched = _Reported(lambda rows: [(int(device), str(name)) for device, name in rows])
    """The device and the name of each kernel that was launched."""
    live = _Reported(list[str])
    """What is allocated: memory, streams and events."""
    most_in_flight = _Reported(list[int])
    """The most streams of each device with work in flight, of a slow driver."""
    most_memory = _Reported(list[int])
    """The most bytes of each device's memory that were ever allocated."""
    most_pinned = _Reported(int)
    """The most bytes of pinned memory that were ever allocated."""
    fills = _Reported(list[int])
    """The size of each fill of device memory."""
    in_flight = _Reported(int)
    """How many streams have work in flight."""
    pageable = _Reported(list[int])
    """The size of each copy to a device from memory that is not pinned."""
    failed = _Reported(set[str])
    """The functions that have failed as they were told to."""
    misused = _Reported(list[str])
    """What the caller has done wrong."""
    pushed = _Reported(int)
    """How many contexts are current in all threads."""
