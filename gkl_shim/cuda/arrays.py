"""CuPy arrays as PairHMM's input: bases and qualities that are in a device's memory stay there.

What they are checked for, and what a region's haplotypes have in common, a device finds out; only
places, lengths and counts travel. CuPy is imported by nobody but who has such arrays.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native
from gkl_shim.cuda import kernels

if TYPE_CHECKING:
    from gkl_shim._batch import Batch

__all__ = [
    "SOURCE",
    "DeviceArray",
    "common_prefixes",
    "device_of",
    "filled",
    "first_wrong",
    "is_device_array",
    "joined",
    "on_device",
    "on_host",
]

#: A ``cupy.ndarray``.
DeviceArray: TypeAlias = Any

SOURCE = "pairhmm/cuda_arrays.cu"
# As cuda_arrays.h has them.
_THREADS, _COMPARE_FEW, _COMPARE_MANY = 256, 32, 256
# Blocks of a multiprocessor that reads memory.
_BLOCKS = 8
# 64-bit words of a Parting.
_PARTING_WORDS = 3
_NO_REGION = np.iinfo(np.int32).max
_NOWHERE = np.iinfo(np.uint64).max


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
    cupy = sys.modules["cupy"]
    with cupy.cuda.Device(device):
        found = cupy.ascontiguousarray(cupy.asarray(value))
        if found is not value:
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
    """
    cupy = sys.modules["cupy"]
    size = len(bases)
    if not size:
        return None
    with bases.device as device:
        kernel = _kernel(device.id, "pairhmm_first_wrong")
        blocks = min(_BLOCKS * _multiprocessors(device.id), -(-size // (8 * _THREADS)))
        places = cupy.full(1 + len(quals), _NOWHERE, np.uint64)
        for index, array in enumerate((bases, *quals)):
            arguments = (array, np.int64(size), np.int32(index == 0), _word_of(places, index))
            kernel((blocks,), (_THREADS,), arguments)
        found = places.get()
    wrong = np.flatnonzero(found < size)
    return (int(wrong[0]), int(found[wrong[0]])) if len(wrong) else None


def common_prefixes(batch: Batch, *, as_gkl: bool) -> NDArray[np.int32]:
    """Compare each haplotype with those of its region before it.

    What the current stream has under way is waited for.

    Parameters
    ----------
    batch
        In a device's memory, of one haplotype or more.
    as_gkl
        As for :class:`gkl_shim.cuda.pairhmm.Engine`.

    Returns
    -------
    ndarray
        int32, shape (2, haplotypes, 2): the ``gkl_shim_cuda_prefix`` of each first half, then
        those of the second halves.

    Raises
    ------
    ValueError
        If a letter is none of ACGTN.
    """
    cupy = sys.modules["cupy"]
    _, lib = _native.library()
    count = len(batch.haplotypes)
    bases: DeviceArray = batch.haplotypes.bases
    with bases.device as device:
        kernel = _kernel(device.id, "pairhmm_common_prefixes")
        # One buffer, since each takes CuPy some microseconds: both offsets, the least region with a
        # letter that is none, the prefixes, the leaders and the partings.
        given = np.concatenate([batch.haplotypes.offsets, batch.region_haplotypes, [_NO_REGION]])
        refused = len(given) - 1
        prefixes = len(given)
        leaders = prefixes + 2 * count
        partings = leaders + count
        buffer = cupy.empty(partings + 2 * count * _PARTING_WORDS, np.int64)
        buffer[:prefixes].set(given)
        arguments = (
            bases,
            *(_word_of(buffer, index) for index in (0, count + 1)),
            np.int32(as_gkl),
            *(_word_of(buffer, index) for index in (prefixes, leaders, partings, refused)),
        )
        few = np.diff(batch.region_haplotypes) <= lib.GKL_SHIM_CUDA_FEW_HAPLOTYPES
        # Each leaves the other's regions alone.
        for some, threads in ((few, _COMPARE_FEW), (~few, _COMPARE_MANY)):
            if some.any():
                kernel((len(batch), 2), (threads,), arguments)
        found: NDArray[np.int64] = buffer[refused:leaders].get()
    if found[0] != _NO_REGION:
        raise ValueError(f"haplotype_bases: a letter of region {found[0]} is none of ACGTN")
    return found[1:].view(np.int32).reshape(2, count, 2)


def _word_of(array: DeviceArray, index: int) -> Any:
    """Return the address of a 64-bit element, as a kernel takes it."""
    return np.uint64(array.data.ptr + 8 * index)


@functools.cache
def _multiprocessors(device: int) -> int:
    return int(sys.modules["cupy"].cuda.Device(device).attributes["MultiProcessorCount"])


@functools.cache
def _kernel(device: int, name: str) -> Any:
    return _module(device).get_function(name)


@functools.cache
def _module(device: int) -> kernels.Kernels:
    cupy = sys.modules["cupy"]
    with cupy.cuda.Device(device) as opened:
        return kernels.load(cupy, SOURCE, opened.compute_capability)
