"""CUDA devices: which there are, which are asked for, and what is said of one that fails."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from gkl_shim.errors import BackendUnavailable

__all__ = ["chosen", "device_count", "device_names", "import_cupy", "one_line", "warn_of_loss"]


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


def chosen(devices: Iterable[int] | None) -> Sequence[int]:
    """Return the numbers of the devices to use; None asks for all there are.

    Raises
    ------
    BackendUnavailable
        As for :func:`device_count`, and if all are asked for and there is none.
    ValueError
        If a number is wrong, or none is given.
    """
    count = device_count()
    if devices is None:
        if count == 0:
            raise BackendUnavailable("there is no CUDA device")
        return range(count)
    numbers = list(dict.fromkeys(devices))
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


def one_line(error: BaseException) -> str:
    """Return an error's type and words, shortened."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__
