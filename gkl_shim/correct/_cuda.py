"""The CUDA engine of read correction: CuPy loads the kernels, native code computes.

The native engine (``kernels/correct/cuda/``) counts k-mers in tables on the devices, and corrects
chunks of reads there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gkl_shim.cuda.engine import Device, DeviceEngine, Opened, open_devices, with_options

_SOURCE = "correct/cuda/kernels.cu"


def opened(devices: Iterable[int] | None, **chosen: int) -> Opened:
    """Open devices. All arguments are as for :class:`Engine`."""
    found, functions = open_devices(devices, _Device)
    return with_options("correct_cuda", found, functions, **chosen)


class Engine(DeviceEngine):
    """Counts and corrects on one or more CUDA devices. Its counters must be closed before it.

    Parameters
    ----------
    devices
        As in :func:`gkl_shim.cuda.engine.open_devices`, which also lists the exceptions.
    threads
        The most CPU threads, which copy reads; 0 means all that the process may use.
    chunk_bases
        The bases of a chunk of reads to correct. 0 chooses it.
    """

    _NAME = "correct_cuda"

    def __init__(
        self, devices: Iterable[int] | None = None, threads: int = 0, chunk_bases: int = 0
    ) -> None:
        found = opened(devices, threads=threads, chunk_bases=chunk_bases)
        #: The memory that a spectrum may take, in bytes.
        self.memory_bytes = min(device.memory_bytes for device in found.devices)
        self._open(found)


class _Device(Device):
    """Open a device, and hold its kernels for a ``gkl_shim_correct_cuda_device``."""

    def __init__(self, cupy: Any, number: int) -> None:
        super().__init__(cupy, number, _SOURCE)
        self.record |= {"memory_bytes": self.memory_bytes, "kernels": self.all_functions()}
