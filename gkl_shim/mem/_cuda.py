"""The CUDA engine of maximal exact matches: CuPy loads the kernels, native code computes.

The native engine (``kernels/mem/cuda/``) indexes pages of the reference on the devices, and
searches chunks of queries in them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gkl_shim.cuda.engine import Device, DeviceEngine, Opened, open_devices, with_options

_SOURCE = "mem/cuda/kernels.cu"


def opened(devices: Iterable[int] | None, **chosen: int) -> Opened:
    """Open devices. All arguments are as for :class:`Engine`."""
    found, functions = open_devices(devices, _Device)
    memory = min(device.memory_bytes for device in found)
    return with_options("mem_cuda", found, functions, memory_bytes=memory, **chosen)


class Engine(DeviceEngine):
    """Searches indexes on one or more CUDA devices.

    Parameters
    ----------
    devices
        As in :func:`gkl_shim.cuda.engine.open_devices`, which also lists the exceptions.
    chosen
        Fields of ``gkl_shim_mem_cuda_options`` that are not to be chosen: ``page_letters``,
        ``chunk_letters`` and ``streams``.
    """

    _NAME = "mem_cuda"

    def __init__(self, devices: Iterable[int] | None = None, **chosen: int) -> None:
        self._open(opened(devices, **chosen))


class _Device(Device):
    """Open a device, and hold its kernels for a ``gkl_shim_mem_cuda_device``."""

    def __init__(self, cupy: Any, number: int) -> None:
        super().__init__(cupy, number, _SOURCE)
        self.record["kernels"] = self.all_functions()
