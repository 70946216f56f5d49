"""The CUDA engine of maximal exact matches: CuPy loads the kernels, native code computes.

The native engine (``kernels/mem/cuda/``) indexes pages of the reference on the devices, and
searches chunks of queries in them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gkl_shim.common import _native
from gkl_shim.cuda.engine import Device, DeviceEngine, open_devices
from gkl_shim.mem._native_mem import WHOLE, Index, Matches, Part, Sequences, search_record

_SOURCE = "mem/cuda/kernels.cu"


class Engine(DeviceEngine):
    """Searches indexes on one or more CUDA devices.

    Parameters
    ----------
    devices
        As in :func:`gkl_shim.cuda.engine.open_devices`, which also lists the exceptions.
    page_letters
        The most letters of a page on a device. 0 chooses it from the devices and their memory.
    chunk_letters
        The most letters of a chunk of queries. 0 chooses it.
    streams
        The chunks that a device works on at the same time. 0 chooses it.
    """

    _NAME = "mem_cuda"
    _devices: list[_Device]

    def __init__(
        self,
        devices: Iterable[int] | None = None,
        page_letters: int = 0,
        chunk_letters: int = 0,
        streams: int = 0,
    ) -> None:
        self._ffi, self._lib = _native.library()
        self._devices, functions = open_devices(devices, _Device)
        self._open(
            functions,
            memory_bytes=min(device.memory_bytes for device in self._devices),
            page_letters=page_letters,
            chunk_letters=chunk_letters,
            streams=streams,
        )
        #: How the last search divided the reference: ``gkl_shim_mem_cuda_call``.
        self.call = self._ffi.new("gkl_shim_mem_cuda_call *")

    def find(
        self,
        index: Index,
        queries: Sequences,
        min_length: int,
        kind: str,
        strands: str,
        part: Part = WHOLE,
    ) -> Matches:
        """Find the matches of queries.

        The pages of the index need not be built: the devices build their own.

        Raises
        ------
        BackendUnavailable
            If no device is left. A device that fails is not used again; the others take over.
        """
        made = self._ffi.new("gkl_shim_mem_matches **")
        search = search_record(min_length, kind, strands, part)
        status = self._lib.gkl_shim_mem_cuda_find(
            self.pointer, index.handle, queries.pointer, search, self.call, made
        )
        try:
            _native.check(status)
            matches = Matches(index, made[0], part)
        finally:
            self.tell_of_losses()
        return matches


class _Device(Device):
    """Open a device, and hold its kernels for a ``gkl_shim_mem_cuda_device``."""

    def __init__(self, cupy: Any, number: int) -> None:
        super().__init__(cupy, number, _SOURCE)
        self.record["kernels"] = self.all_functions()
