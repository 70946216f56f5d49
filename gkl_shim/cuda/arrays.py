"""CuPy arrays as PairHMM's input: bases and qualities that are in a device's memory stay there.

What they are checked for, and what a region's haplotypes have in common, a device finds out; only
places, lengths and counts travel. CuPy is imported by nobody but who has such arrays.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native
from gkl_shim.cuda import driver, kernels
from gkl_shim.cuda.devices import one_line
from gkl_shim.errors import BackendUnavailable

__all__ = [
    "SOURCE",
    "DeviceArray",
    "OnGpu",
    "current_stream",
    "device_of",
    "filled",
    "first_wrong",
    "is_device_array",
    "joined",
    "on_device",
    "on_gpu",
    "on_host",
]

#: A ``cupy.ndarray``.
DeviceArray: TypeAlias = Any

SOURCE = "pairhmm/cuda/arrays.cu"
_KERNELS = ("first_wrong", "common_prefixes", "fetch")


def is_device_array(value: Any) -> bool:
    """Whether a value is a CuPy array."""
    # Another thread may be in the middle of importing it.
    return isinstance(value, getattr(sys.modules.get("cupy"), "ndarray", ()))


def device_of(*values: Any) -> int | None:
    """Return the number of the device that holds those that are CuPy arrays; None if none is.

    Raises
    ------
    ValueError
        If there are several such devices.
    """
    numbers = {int(value.device.id) for value in values if is_device_array(value)}
    if len(numbers) > 1:
        raise ValueError(f"arrays on GPUs {sorted(numbers)}: copy them to one of these")
    return numbers.pop() if numbers else None


def on_device(value: Any, name: str, device: int) -> DeviceArray:
    """Return a one-dimensional, contiguous uint8 array on a device; from the host it is copied.

    What is copied is there when this returns.

    Raises
    ------
    ValueError
        If the array has another type or shape.
    """
    if value.dtype != np.uint8 or value.ndim != 1:
        raise ValueError(
            f"{name}: expected a one-dimensional uint8 array, got {value.dtype} of shape "
            f"{value.shape}"
        )
    # The usual case, in which each microsecond counts.
    if is_device_array(value) and value.flags.c_contiguous and value.device.id == device:
        return value
    cupy = sys.modules["cupy"]
    with cupy.cuda.Device(device):
        found = cupy.ascontiguousarray(cupy.asarray(value))
        cupy.cuda.get_current_stream().synchronize()
        return found


def on_host(value: Any) -> NDArray[Any]:
    """Return an array, which may be a CuPy array, in the host's memory."""
    if not is_device_array(value):
        return np.asarray(value)
    with value.device:
        found: NDArray[Any] = value.get()
        return found


def filled(size: int, value: int, device: int) -> DeviceArray:
    """Return a uint8 array on a device; it is filled when this returns."""
    cupy = sys.modules["cupy"]
    with cupy.cuda.Device(device):
        array = cupy.full(size, value, np.uint8)
        cupy.cuda.get_current_stream().synchronize()
        return array


def joined(parts: Sequence[Any], device: int) -> DeviceArray:
    """Put bytes and uint8 arrays together on a device; it is done when this returns."""
    cupy = sys.modules["cupy"]
    with cupy.cuda.Device(device):
        arrays = [
            part if is_device_array(part) else cupy.asarray(np.frombuffer(part, np.uint8))
            for part in parts
        ]
        whole = cupy.concatenate(arrays)
        cupy.cuda.get_current_stream().synchronize()
        return whole


def first_wrong(bases: DeviceArray, *quals: DeviceArray) -> tuple[int, int] | None:
    """Find the first letter that is none of ACGTN in either case, or the first quality above 127.

    What the current stream has under way is waited for.

    Parameters
    ----------
    bases, *quals
        Arrays of one size, as :func:`on_device` makes them.

    Returns
    -------
    which, at
        In which array it is, 0 being the bases, and where; None where there is none.

    Raises
    ------
    BackendUnavailable
        If the device fails.
    """
    size = len(bases)
    if not size:
        return None
    ffi, lib = _native.library()
    addresses = [track.data.ptr for track in (bases, *quals)]
    places = ffi.new("int64_t[]", len(addresses))
    device = int(bases.device.id)
    _native.check(
        lib.gkl_shim_cuda_check(
            on_gpu(device).checker, len(addresses), addresses, size, current_stream(device), places
        )
    )
    return next(((which, at) for which, at in enumerate(places) if at < size), None)


def current_stream(device: int) -> Any:
    """Return the ``void *`` of the stream of a device that is current in this thread."""
    ffi, _ = _native.library()
    return ffi.cast("void *", sys.modules["cupy"].cuda.get_current_stream(device).ptr)


@functools.cache
def on_gpu(device: int) -> OnGpu:
    """Return what serves arrays in the memory of a device, loaded on first use.

    Raises
    ------
    BackendUnavailable
        If it does not load.
    """
    return OnGpu(device)


class OnGpu:
    """The kernels of :data:`SOURCE` on a device; see :func:`on_gpu`.

    Attributes
    ----------
    kernels
        A ``gkl_shim_cuda_array_kernels *``.
    checker
        A ``gkl_shim_cuda_checker *``.
    """

    def __init__(self, device: int) -> None:
        ffi, _ = _native.library()
        cupy = sys.modules["cupy"]
        try:
            with cupy.cuda.Device(device) as opened:
                self._module = kernels.load(cupy, SOURCE, opened.compute_capability)
                self._functions = [self._module.get_function(f"pairhmm_{n}") for n in _KERNELS]
                self.kernels = ffi.new(
                    "gkl_shim_cuda_array_kernels *",
                    (
                        device,
                        ffi.cast("void *", cupy.cuda.driver.ctxGetCurrent()),
                        int(opened.attributes["MultiProcessorCount"]),
                        *(ffi.cast("void *", each.kernel.ptr) for each in self._functions),
                    ),
                )
            functions = driver.functions()
        except Exception as error:
            raise BackendUnavailable(f"GPU {device} cannot be used: {one_line(error)}") from error
        self.checker = _native.opened("cuda_checker", functions, self.kernels)
