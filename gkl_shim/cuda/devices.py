"""CUDA devices: which there are, which are asked for, and what is said of one that fails."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from gkl_shim import _native
from gkl_shim.cuda import driver
from gkl_shim.errors import BackendUnavailable

__all__ = [
    "SLOW_DOUBLE",
    "chosen",
    "describe",
    "device_count",
    "device_names",
    "double_ratio",
    "import_cupy",
    "loss",
    "one_line",
    "tell_of_losses",
    "warn_of_loss",
]

#: A device that is so many times slower in double precision than in single leaves to the CPU what
#: single precision does not hold. NVIDIA makes devices of ratio 2 or 3 and of 32 or 64, nothing in
#: between. In double an H200 (132 multiprocessors, ratio 2) computes 900 cells a nanosecond, so a
#: T4 (40, 32) some 10, an RTX 4090 (128, 64) some 30; a CPU core does 2 to 5 and would have nothing
#: else to do.
SLOW_DOUBLE = 8

_DRIVER = Path("/proc/driver/nvidia/version")
# cudaDevAttrSingleToDoublePrecisionPerfRatio.
_RATIO_ATTRIBUTE = 87
# By compute capability, from the throughput of arithmetic instructions in NVIDIA's programming
# guide. Devices that are not listed have the ratio of most.
_RATIOS = {"75": 32, "80": 2, "90": 2, "100": 2}
_USUAL_RATIO = 64


def import_cupy() -> Any:
    """Return the package, imported on first use.

    Raises
    ------
    BackendUnavailable
        If it is missing or does not load.
    """
    try:
        return importlib.import_module("cupy")
    except ImportError as error:
        raise BackendUnavailable(
            f"CUDA needs CuPy, which does not load ({error}); install cupy-cuda12x or "
            "cupy-cuda13x, whichever suits the driver"
        ) from error


def device_count() -> int:
    """Return how many CUDA devices there are.

    Raises
    ------
    BackendUnavailable
        If CuPy is missing, or the driver is missing or too old.
    """
    runtime = import_cupy().cuda.runtime
    try:
        return int(runtime.getDeviceCount())
    except runtime.CUDARuntimeError as error:
        raise BackendUnavailable(f"no CUDA device can be used: {error}") from error


def device_names() -> tuple[str, ...]:
    """Return the names of all CUDA devices; raises as :func:`device_count`."""
    count = device_count()
    runtime = import_cupy().cuda.runtime
    return tuple(runtime.getDeviceProperties(index)["name"].decode() for index in range(count))


def double_ratio(number: int) -> int:
    """Return how many times slower a device's arithmetic is in double precision than in single."""
    cupy = import_cupy()
    runtime = cupy.cuda.runtime
    try:
        told = int(runtime.deviceGetAttribute(_RATIO_ATTRIBUTE, number))
    except runtime.CUDARuntimeError:
        told = 0
    if told > 0:
        return told
    properties = runtime.getDeviceProperties(number)
    return _RATIOS.get(f"{properties['major']}{properties['minor']}", _USUAL_RATIO)


def describe() -> list[dict[str, Any]]:
    """Return what is worth saying of each device beside a measurement; raises as above."""
    count = device_count()
    cupy = import_cupy()
    runtime = cupy.cuda.runtime
    found = []
    for index in range(count):
        properties = runtime.getDeviceProperties(index)
        found.append(
            {
                "name": properties["name"].decode(),
                "compute_capability": f"{properties['major']}.{properties['minor']}",
                "multiprocessors": int(properties["multiProcessorCount"]),
                "double_ratio": double_ratio(index),
                "memory_bytes": int(properties["totalGlobalMem"]),
                "driver": _driver_version(),
                "driver_cuda": _cuda_version(runtime.driverGetVersion()),
                "cupy": str(cupy.__version__),
                "cupy_cuda": _cuda_version(runtime.runtimeGetVersion()),
            }
        )
    return found


def _cuda_version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _driver_version() -> str | None:
    """Return the kernel module's version, as ``580.159.04``; None where the system hides it."""
    try:
        words = _DRIVER.read_text(encoding="utf-8").split()
    except OSError:
        return None
    return next((word for word in words if word.replace(".", "").isdigit() and "." in word), None)


def chosen(devices: Iterable[int] | None) -> Sequence[int]:
    """Return the numbers of the devices to use, and wake these; None asks for all there are.

    Raises
    ------
    BackendUnavailable
        As for :func:`device_count`, and if all are asked for and there is none.
    ValueError
        If a number is wrong, or none is given.
    """
    numbers = None if devices is None else list(dict.fromkeys(devices))
    driver.wake(numbers)
    count = device_count()
    if numbers is None:
        if count == 0:
            raise BackendUnavailable("there is no CUDA device")
        return range(count)
    if not numbers:
        raise ValueError("devices: none given")
    for number in numbers:
        if not 0 <= number < count:
            raise ValueError(f"devices: there is no CUDA device {number}; there are {count}")
    return numbers


def warn_of_loss(number: int, name: str, error: BaseException) -> None:
    """Say that a device failed and is used no more."""
    warnings.warn(
        f"gkl-shim: GPU {number} ({name}) is no longer used: {one_line(error)}; "
        "what it leaves undone is computed elsewhere",
        RuntimeWarning,
        stacklevel=3,
    )


def tell_of_losses(
    next_loss: Callable[[Any, Any], Any], engine: Any, names: dict[int, str]
) -> None:
    """Warn of each device that a native engine has lost since the last call.

    Parameters
    ----------
    next_loss
        The engine's function in the native library that ends in ``_loss``.
    names
        The devices' names by number.
    """
    while found := loss(next_loss, engine):
        number, reason = found
        warn_of_loss(number, names[number], RuntimeError(reason))


def loss(next_loss: Callable[[Any, Any], Any], engine: Any) -> tuple[int, str] | None:
    """Return the number of a device that was lost, and why, once. None if there is no news.

    The parameters are those of :func:`tell_of_losses`.
    """
    ffi, _ = _native.library()
    number = ffi.new("int32_t *")
    reason = next_loss(engine, number)
    return (number[0], ffi.string(reason).decode(errors="replace")) if reason else None


def one_line(error: BaseException) -> str:
    """Return an error's type and words, shortened."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__
