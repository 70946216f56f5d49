"""List and choose CUDA devices."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from gkl_shim.common._arguments import device_numbers
from gkl_shim.cuda import driver
from gkl_shim.errors import BackendUnavailable, WrongSetting

#: If double precision is at least this many times slower than single precision on a device, the
#: CPU computes the pairs that leave the range of single precision. The ratio of NVIDIA's devices is
#: 2 or 3, or 32 or 64, and never in between. An H200 (132 multiprocessors, ratio 2) computes 900
#: cells a nanosecond in double precision. That makes about 10 for a T4 (40 multiprocessors, ratio
#: 32) and 30 for an RTX 4090 (128, ratio 64). A CPU core, which would otherwise be idle, computes 2
#: to 5.
SLOW_DOUBLE = 8

# The part of a device's free memory that an engine's buffers may take.
_MEMORY_SHARE = 0.5

# cudaDevAttrSingleToDoublePrecisionPerfRatio.
_RATIO_ATTRIBUTE = 87
# For drivers that do not report the ratio: by compute capability, from the table of arithmetic
# throughput in NVIDIA's programming guide. Other devices have the usual ratio.
_RATIOS = {"75": 32, "80": 2, "90": 2, "100": 2}
_USUAL_RATIO = 64


def import_cupy() -> Any:
    """Import CuPy on first use, and return it.

    Raises
    ------
    BackendUnavailable
        If CuPy is missing or does not load.
    """
    try:
        return importlib.import_module("cupy")
    except (ImportError, OSError) as error:
        # CuPy makes the folder of its compiled kernels when it is imported.
        if isinstance(error, OSError) and error.filename is not None:
            raise BackendUnavailable(
                f"CUDA needs CuPy, which cannot make its folder {error.filename} "
                f"({error.strerror}); set CUPY_CACHE_DIR to a folder that can be written"
            ) from error
        raise BackendUnavailable(
            f"CUDA needs CuPy, which does not load ({error}); pip install 'gkl-shim[cuda12]' or "
            "'gkl-shim[cuda13]', whichever fits the driver"
        ) from error


def device_count() -> int:
    """Return the number of CUDA devices.

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
    """Return the names of all CUDA devices. Raises like :func:`device_count`."""
    count = device_count()
    runtime = import_cupy().cuda.runtime
    return tuple(runtime.getDeviceProperties(index)["name"].decode() for index in range(count))


def double_ratio(number: int) -> int:
    """Return how many times slower double precision is than single precision on a device."""
    cupy = import_cupy()
    runtime = cupy.cuda.runtime
    try:
        reported = int(runtime.deviceGetAttribute(_RATIO_ATTRIBUTE, number))
    except runtime.CUDARuntimeError:
        reported = 0
    if reported > 0:
        return reported
    properties = runtime.getDeviceProperties(number)
    return _RATIOS.get(f"{properties['major']}{properties['minor']}", _USUAL_RATIO)


def buffer_bytes(cupy: Any, most: int | None = None) -> int:
    """Return how many bytes of the current device an engine's buffers may take.

    The environment variable ``GKL_SHIM_DEVICE_MEMORY`` states them in MiB. Otherwise they are half
    of what is free.

    Parameters
    ----------
    most
        The most bytes if the variable is not set.

    Raises
    ------
    WrongSetting
        If the variable is not a number above 0, or has more than 12 digits.
    """
    chosen = os.environ.get("GKL_SHIM_DEVICE_MEMORY", "")
    if chosen:
        number = int(chosen) if re.fullmatch("[0-9]{1,12}", chosen) else 0
        if number == 0:
            raise WrongSetting(
                f"GKL_SHIM_DEVICE_MEMORY={chosen}: give a whole number of MiB above 0, of at most "
                "12 digits"
            )
        return number << 20
    free, _ = cupy.cuda.runtime.memGetInfo()
    half = int(_MEMORY_SHARE * free)
    return half if most is None else min(half, most)


def chosen(devices: Iterable[int] | None) -> Sequence[int]:
    """Return the numbers of the devices to use, and start creating their contexts.

    Parameters
    ----------
    devices
        Device numbers, or None for all devices.

    Raises
    ------
    BackendUnavailable
        As for :func:`device_count`, and if `devices` is None and there is no device.
    ValueError
        If `devices` is wrong, or there is no device of a given number.
    """
    numbers = device_numbers(devices)
    driver.wake(numbers)
    count = device_count()
    if numbers is None:
        if count == 0:
            raise BackendUnavailable("there is no CUDA device")
        return range(count)
    for number in numbers:
        if number >= count:
            raise ValueError(f"devices: there is no CUDA device {number}; there are {count}")
    return numbers
