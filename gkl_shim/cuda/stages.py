"""Where the time of a batch on a CUDA device goes: each part measured by itself."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from gkl_shim import _native
from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.cuda import pairhmm as cuda_pairhmm
from gkl_shim.pairhmm import Batch

__all__ = ["Stages", "stages"]


@dataclass
class Stages:
    """A batch's way over a device; times in seconds, the sum over its chunks."""

    cells: int = 0
    computed_cells: int = 0
    chunks: int = 0
    bytes: int = 0
    """That travel to the device."""
    plan: float = 0
    write: float = 0
    """Into pinned memory."""
    transfer: float = 0
    kernel: float = 0
    """With the results' way back, which it writes into the host's memory."""
    collect: float = 0

    @property
    def tcups(self) -> float:
        """10^12 cells a second of the kernels alone, every cell of the input counted."""
        return self.cells / self.kernel / 1e12

    @property
    def raw_tcups(self) -> float:
        """The same, only cells that are computed counted."""
        return self.computed_cells / self.kernel / 1e12


def stages(engine: cuda_pairhmm.Engine, batch: Batch, repeats: int = 5) -> Stages:
    """Time each part of a batch's first pass over an engine's first device, chunk after chunk.

    Parameters
    ----------
    engine
        Of single precision; nobody else may use it meanwhile.
    batch
        The regions.
    repeats
        How often each part is done; medians count.
    """
    cupy = cuda_devices.import_cupy()
    ffi, lib = _native.library()
    device = engine._devices[0]
    found = Stages()
    pointer = _native.batch_pointer(*batch.arrays)
    with cupy.cuda.Device(device.number):
        run = cuda_pairhmm._Run(pointer, np.empty(batch.pairs), "single", fresh=True)
        slot = device.slot(wait=True)
        assert slot is not None
        while run.take(slot):
            # Memory is made and the kernels are loaded.
            slot.start("single")
            slot.wait()
            _repeat(cupy, lib, slot, ffi.cast("void *", slot._block.ptr), repeats, found)
            begin = time.perf_counter()
            slot.finish(run)
            found.collect += time.perf_counter() - begin
            found.cells += slot.chunk.cells
            found.computed_cells += slot.chunk.computed_cells
            found.bytes += slot.chunk.block_bytes
            found.chunks += 1
        device.release(slot)
    return found


def _repeat(
    cupy: Any, lib: Any, slot: cuda_pairhmm._Slot, host: Any, repeats: int, found: Stages
) -> None:
    chunk, planner, stream = slot.chunk, slot.planner("single"), slot._stream
    plan, write, transfer, kernel = [], [], [], []
    for _ in range(repeats):
        begin = time.perf_counter()
        _native.check(lib.gkl_shim_cuda_plan(planner, chunk))
        planned = time.perf_counter()
        lib.gkl_shim_cuda_write(planner, host)
        plan.append(planned - begin)
        write.append(time.perf_counter() - planned)
        marks = [cupy.cuda.Event() for _ in range(3)]
        marks[0].record(stream)
        slot._send()
        marks[1].record(stream)
        slot._launch("single")
        marks[2].record(stream)
        stream.synchronize()
        transfer.append(cupy.cuda.get_elapsed_time(marks[0], marks[1]) / 1e3)
        kernel.append(cupy.cuda.get_elapsed_time(marks[1], marks[2]) / 1e3)
    found.plan += statistics.median(plan)
    found.write += statistics.median(write)
    found.transfer += statistics.median(transfer)
    found.kernel += statistics.median(kernel)
