"""The CUDA engine of PairHMM: devices, streams, memory that is kept, and the flow of a call.

A batch is cut into chunks. For each, the native library plans (tries, tiles) and writes one block
of pinned memory; it goes to a device in one transfer, one kernel launch for each width of tile
computes it, and the results arrive in pinned memory by themselves. Reads too long for one warp have
a kernel of their own, whose warps hand numbers on to one another. Several chunks are under way at
once, each with a stream and memory of its own, so that planning, transfers and kernels overlap.
Several devices take chunks from one queue.

Results have the CPU engine's bits. What single precision does not hold goes to the double kernels
and, where these do not hold it either, to the CPU engine; so does all that a device leaves undone.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native
from gkl_shim._batch import Batch
from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.cuda import kernels
from gkl_shim.errors import BackendUnavailable

__all__ = ["Engine", "widths"]

Precision: TypeAlias = Literal["single", "double"]

# Chunks under way on a device at most, all callers together.
_SLOTS = 6
# Threads of one large call that plan and launch, a device.
_DRIVERS = 2
# A chunk's cells, all counted: about half a millisecond of a large device.
_CHUNK_CELLS = {"single": 1 << 32, "double": 1 << 30}
# Scratch memory of a chunk at most, and the part of a device's free memory that all may take.
_SCRATCH_BYTES = 1 << 30
_MEMORY_SHARE = 0.5
# What a buffer grows beyond the need of the moment.
_GROWTH = 1.25

_SOURCE = "pairhmm/cuda.cu"
# Numbers in shared memory: of each row, emissions for so many letters and a state; of each lane,
# the root and a state.
_LETTERS, _STATE = 5, 2
_WARP = 32
# What a block does, as cuda_layout.h has it.
_WHOLE_TILE, _PASS, _MEETING = range(3)
# What a block takes of shared memory beside what it asks for.
_BLOCK_SHARED_BYTES = 1024
_ITEM_BYTES = {"single": 4, "double": 8}
_HOST_TO_DEVICE = 1


def widths(precision: Precision) -> tuple[int, ...]:
    """Return the rows a lane of each kernel, fewest first."""
    ffi, lib = _native.library()
    code = lib.GKL_SHIM_SINGLE if precision == "single" else lib.GKL_SHIM_DOUBLE
    rows = ffi.new("int32_t[]", lib.GKL_SHIM_CUDA_WIDTHS)
    lib.gkl_shim_cuda_widths(code, rows)
    return tuple(row for row in rows if row)


class Engine:
    """PairHMM on one or more CUDA devices. Thread-safe; many callers may compute at once.

    Parameters
    ----------
    devices
        Their numbers; by default all there are.
    precision
        ``"single"`` or ``"double"``, as for :class:`gkl_shim.pairhmm.PairHMM`.
    as_gkl
        Whether to follow Intel's GKL for odd letters and tiny likelihoods, as ``GKL_SHIM_AS_GKL``
        in ``gkl_shim.h``.
    threads
        CPU threads that plan, and that compute what no device does; 0 for as many as there are.
    rows_a_lane
        Which kernel to use wherever it holds a region's reads, for measurements; 0 for the one
        that costs least. All give the same bits.
    streams, drivers
        Chunks under way on a device at most, and threads of one large call that plan and launch
        for a device, for measurements.

    Raises
    ------
    BackendUnavailable
        If CuPy or a driver is missing, or a device cannot be used.
    ValueError
        If a device number is wrong.
    """

    def __init__(
        self,
        devices: Iterable[int] | None = None,
        precision: Precision = "single",
        as_gkl: bool = False,
        threads: int = 0,
        *,
        rows_a_lane: int = 0,
        streams: int = _SLOTS,
        drivers: int = _DRIVERS,
    ) -> None:
        numbers = cuda_devices.chosen(devices)
        cupy = cuda_devices.import_cupy()
        self._precision = precision
        self._cpu = _native.PairHmmEngine(threads, precision, None, as_gkl=as_gkl)
        self._lock = threading.Lock()
        self._totals = dict.fromkeys(
            ("regions", "pairs", "cells", "computed_cells", "rescued_pairs"), 0
        )
        self._seconds = 0.0
        try:
            self._devices = [
                _Device(cupy, number, as_gkl, threads, rows_a_lane, streams) for number in numbers
            ]
            for device in self._devices:
                device.prepare(precision)
        except Exception as error:
            raise BackendUnavailable(
                f"CUDA cannot be used: {cuda_devices.one_line(error)}"
            ) from error
        self._drivers = drivers
        self._pool: ThreadPoolExecutor | None = None

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the devices in use."""
        return tuple(device.name for device in self._devices if device.alive)

    def statistics(self) -> dict[str, int | float]:
        """Return the fields of ``gkl_shim_pairhmm_stats`` by name."""
        cpu = self._cpu.statistics()
        with self._lock:
            return {
                **self._totals,
                "rescaled_pairs": cpu["rescaled_pairs"],
                "cuda_pairs": self._totals["pairs"],
                "seconds": self._seconds,
            }

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Compute every pair of every region.

        Returns
        -------
        ndarray
            float64 log10 likelihoods, shape (pairs,): region after region, reads outer.

        Raises
        ------
        ValueError
            If a haplotype has a letter that the conventions refuse.
        MemoryError
            If the machine's own memory does not suffice.
        """
        # One region, the usual small call, is counted without array arithmetic.
        one = len(batch.region_reads) == 2
        pairs = len(batch.reads) * len(batch.haplotypes) if one else batch.pairs
        out = np.empty(pairs, np.float64)
        if pairs:
            self.compute_pointer(_native.batch_pointer(*batch.arrays), out)
        return out

    def compute_pointer(self, batch: Any, out: NDArray[np.float64]) -> None:
        """Fill `out`, shape (pairs,), from a ``gkl_shim_pairhmm_batch *`` that has been checked."""
        start = time.perf_counter()
        if self._precision == "single":
            missing = self._pass(batch, out, "single", counted=True)
        else:
            out.fill(np.nan)
            missing = self._pass(batch, out, "double", counted=True)
        if missing and self._precision == "single":
            with self._lock:
                self._totals["rescued_pairs"] += missing
            missing = self._pass(batch, out, "double", counted=False)
        if missing:
            self._cpu.complete(batch, out)
        with self._lock:
            self._seconds += time.perf_counter() - start

    def close(self) -> None:
        """Give all memory back. No call may be under way."""
        if self._pool is not None:
            self._pool.shutdown()
        for device in self._devices:
            device.close()
        self._devices = []

    def _pass(
        self, batch: Any, out: NDArray[np.float64], precision: Precision, *, counted: bool
    ) -> int:
        """Compute what can be computed in one precision; return how many pairs are then NaN."""
        run = _Run(batch, out, precision, fresh=counted and precision == "single")
        devices = sorted((d for d in self._devices if d.alive), key=lambda d: d.busy)
        others: list[Any] = []

        def spread() -> None:
            drivers = (devices * self._drivers)[1:]
            others.extend(self._workers().submit(_drive, device, run) for device in drivers)

        if devices:
            _drive(devices[0], run, spread)
        for other in others:
            other.result()
        if run.error is not None:
            raise run.error
        missing = run.missing
        for first, last in run.undone():
            missing += self._on_cpu(batch, out, first, last)
        if counted:
            totals = self._totals
            with self._lock:
                totals["regions"] += run.regions
                totals["pairs"] += run.pairs
                totals["cells"] += run.cells
                totals["computed_cells"] += run.computed_cells
        return missing

    def _on_cpu(self, batch: Any, out: NDArray[np.float64], first: int, last: int) -> int:
        """Compute regions [first, last) from the start: the same values where there are some."""
        part, start, stop = _regions(batch, first, last)
        pointer = _native.batch_pointer(*part)
        self._cpu.compute(pointer, out[start:stop])
        return 0

    def _workers(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(
                    self._drivers * len(self._devices), thread_name_prefix="gkl-shim-cuda"
                )
            return self._pool


class _Run:
    """One batch's way through one precision's kernels."""

    def __init__(self, batch: Any, out: NDArray[np.float64], precision: Precision, *, fresh: bool):
        ffi, self._lib = _native.library()
        self.batch = batch
        self.precision = precision
        self.out = ffi.from_buffer("double[]", out, require_writable=True)
        self._values = ffi.NULL if fresh else self.out
        self._place = ffi.new("gkl_shim_cuda_chunk *")
        self._lock = threading.Lock()
        self._failed: list[tuple[int, int]] = []
        self.missing = self.regions = self.pairs = self.cells = self.computed_cells = 0
        self.error: BaseException | None = None

    def take(self, slot: _Slot) -> bool:
        """Let the slot have the next chunk; False when there is none left."""
        place = self._place
        with self._lock:
            slot.first = place.region
            taken = self._lib.gkl_shim_cuda_take(
                slot.planner(self.precision), self.batch, self._values, place
            )
            if taken < 0:
                _native.check(self._lib.GKL_SHIM_ENOMEM)
            slot.last = place.region + (place.read > 0)
            slot.chunk[0] = place[0]
            return bool(taken > 0 and self.error is None)

    @property
    def more(self) -> bool:
        """Whether chunks are left."""
        return bool(self._place.region < self.batch.regions)

    def done(self, slot: _Slot, missing: int) -> None:
        chunk = slot.chunk
        with self._lock:
            self.missing += missing
            self.regions += chunk.regions
            self.pairs += chunk.pairs
            self.cells += chunk.cells
            self.computed_cells += chunk.computed_cells

    def failed(self, slots: Iterable[_Slot]) -> None:
        with self._lock:
            self._failed += [(slot.first, slot.last) for slot in slots]

    def undone(self) -> list[tuple[int, int]]:
        """Ranges of regions that no device computed; they may overlap what was computed."""
        left = [(self._place.region, self.batch.regions)] if self.more else []
        return self._failed + left


class _Slot:
    """What one chunk needs on a device: a stream, and memory that grows and is kept."""

    def __init__(self, device: _Device) -> None:
        self._device = device
        self._cupy = device.cupy
        self._ffi, self._lib = _native.library()
        self._stream = device.cupy.cuda.Stream(non_blocking=True)
        self._planners: dict[Precision, Any] = {}
        self.chunk = self._ffi.new("gkl_shim_cuda_chunk *")
        self.first = self.last = 0
        self._block: Any = None
        self._device_block: Any = None
        self._scratch: Any = None
        self._results: Any = None
        # A launch's arguments, and their addresses.
        self._arguments = np.zeros(6, np.uint64)
        start = self._arguments.ctypes.data
        self._addresses = np.array(range(start, start + 48, 8), np.uint64)
        self._parameters = self._addresses.ctypes.data

    def planner(self, precision: Precision) -> Any:
        """Return the native planner, which holds the slot's chunk."""
        if precision not in self._planners:
            self._planners[precision] = self._device.make_planner(precision)
        return self._planners[precision]

    def start(self, precision: Precision) -> None:
        """Plan the chunk that was taken and send it on its way."""
        chunk, planner = self.chunk, self._planners[precision]
        _native.check(self._lib.gkl_shim_cuda_plan(planner, chunk))
        if chunk.results == 0:
            return
        self._block = self._pinned(self._block, chunk.block_bytes)
        self._device_block = self._on_device(self._device_block, chunk.block_bytes)
        self._scratch = self._on_device(self._scratch, chunk.scratch_bytes)
        self._results = self._pinned(self._results, 8 * chunk.results)
        self._lib.gkl_shim_cuda_write(planner, self._ffi.cast("void *", self._block.ptr))
        self._send()
        self._launch(precision)

    def _send(self) -> None:
        to, source, size = self._device_block.ptr, self._block.ptr, self.chunk.block_bytes
        copy = self._cupy.cuda.runtime.memcpyAsync
        copy(to, source, size, _HOST_TO_DEVICE, self._stream.ptr)

    def _launch(self, precision: Precision) -> None:
        chunk, arguments = self.chunk, self._arguments
        functions, striped, tables = self._device.kernels[precision]
        arguments[:4] = self._device_block.ptr, tables, self._scratch.ptr, self._results.ptr
        steps = (
            ((_WHOLE_TILE, 1),)
            if chunk.passes == 1
            else ((_PASS, chunk.passes), (_MEETING, chunk.meetings))
        )
        launch = self._cupy.cuda.driver.launchKernel
        for step, warps in steps:
            arguments[5] = step
            for width, (function, shared) in enumerate(functions):
                tiles = chunk.tiles[width]
                if tiles:
                    arguments[4] = chunk.first_tile[width]
                    launch(function, tiles, warps, 1, _WARP, 1, 1, shared, self._stream.ptr,
                           self._parameters, 0)  # fmt: skip
        if striped is not None and chunk.seam_bytes:
            self._launch_stripes(*striped)

    def _launch_stripes(self, function: int, shared: int) -> None:
        chunk, index = self.chunk, self._lib.GKL_SHIM_CUDA_WIDTHS
        self._cupy.cuda.runtime.memsetAsync(
            self._scratch.ptr + chunk.seams,
            self._lib.GKL_SHIM_CUDA_SEAM_FILL,
            chunk.seam_bytes,
            self._stream.ptr,
        )
        for step, warps in ((_PASS, chunk.striped_passes), (_MEETING, chunk.striped_meetings)):
            self._arguments[4:] = chunk.first_tile[index], step
            self._cupy.cuda.driver.launchKernel(
                function, chunk.tiles[index], warps, 1, _WARP, 1, 1, shared, self._stream.ptr,
                self._parameters, 0)  # fmt: skip

    def finish(self, run: _Run) -> None:
        """Wait for the chunk and put its results where they belong."""
        results = self._ffi.NULL
        if self.chunk.results:
            self._stream.synchronize()
            results = self._ffi.cast("double *", self._results.ptr)
        planner = self._planners[run.precision]
        run.done(self, self._lib.gkl_shim_cuda_finish(planner, results, run.out))

    def wait(self) -> None:
        self._stream.synchronize()

    def _pinned(self, buffer: Any, size: int) -> Any:
        if buffer is not None and buffer.mem.size >= size:
            return buffer
        return self._cupy.cuda.alloc_pinned_memory(int(size * _GROWTH))

    def _on_device(self, buffer: Any, size: int) -> Any:
        if buffer is not None and buffer.mem.size >= size:
            return buffer
        return self._cupy.cuda.alloc(int(size * _GROWTH))


class _Device:
    """One device: its kernels and its slots."""

    def __init__(
        self, cupy: Any, number: int, as_gkl: bool, threads: int, rows_a_lane: int, streams: int
    ) -> None:
        self.cupy = cupy
        self.number = number
        self.alive = True
        self._as_gkl = as_gkl
        self._threads = threads
        self._rows_a_lane = rows_a_lane
        self._streams = streams
        properties = cupy.cuda.runtime.getDeviceProperties(number)
        self.name: str = properties["name"].decode()
        self._multiprocessors = int(properties["multiProcessorCount"])
        self._registers = int(properties["regsPerMultiprocessor"])
        self._shared_bytes = int(properties["sharedMemPerMultiprocessor"])
        # By precision: a function for each width, that for stripes, each with the shared memory it
        # takes; and the tables.
        self.kernels: dict[str, tuple[list[tuple[int, int]], tuple[int, int] | None, int]] = {}
        self._kept: list[Any] = []
        self._free: deque[_Slot] = deque()
        self._slots: list[_Slot] = []
        self._changed = threading.Condition()
        with cupy.cuda.Device(number) as device:
            architecture = device.compute_capability
            self._module = kernels.load(cupy, _SOURCE, architecture)
            free, _ = cupy.cuda.runtime.memGetInfo()
            self._scratch_bytes = min(_SCRATCH_BYTES, int(free * _MEMORY_SHARE) // streams)

    def prepare(self, precision: Precision) -> None:
        """Load the kernels of a precision, once."""
        if precision in self.kernels:
            return
        with self._changed:
            if precision in self.kernels:
                return
            ffi, lib = _native.library()
            code, conventions = self._codes(precision)
            with self.cupy.cuda.Device(self.number):
                tables = np.empty(lib.gkl_shim_cuda_tables(code, conventions, ffi.NULL), np.uint8)
                lib.gkl_shim_cuda_tables(code, conventions, ffi.from_buffer(tables))
                on_device = self.cupy.asarray(tables)
                self.cupy.cuda.runtime.deviceSynchronize()
                functions = [
                    self._function(f"pairhmm_{precision}_{rows}", _shared_bytes(precision, rows))
                    for rows in widths(precision)
                ]
                striped = None
                # Single precision has no long reads.
                if precision == "double":
                    shared = _shared_bytes(precision, lib.GKL_SHIM_CUDA_STRIPED_ROWS)
                    striped = self._function(
                        "pairhmm_double_striped", shared + lib.GKL_SHIM_CUDA_STRIPED_BYTES
                    )
                self._kept.append(on_device)
                self.kernels[precision] = functions, striped, on_device.data.ptr

    def _function(self, name: str, shared: int) -> tuple[int, int]:
        kernel = self._module.get_function(name)
        kernel.preferred_shared_memory_carveout = self._carveout(kernel, shared)
        self._kept.append(kernel)
        return kernel.kernel.ptr, shared

    def _carveout(self, kernel: Any, shared: int) -> int:
        """Per cent of the memory that shared memory and the cache divide, for as many warps as fit.

        The driver gives shared memory all of it; but states at forks want the cache.
        """
        registers = -(-kernel.num_regs // 8) * 8 * _WARP
        blocks = self._registers // registers
        needed = blocks * (shared + _BLOCK_SHARED_BYTES)
        return min(100, int(-(-100 * needed // self._shared_bytes)))

    def make_planner(self, precision: Precision) -> Any:
        ffi, lib = _native.library()
        code, conventions = self._codes(precision)
        options = ffi.new(
            "gkl_shim_cuda_options *",
            {
                "precision": code,
                "conventions": conventions,
                "threads": self._threads,
                "multiprocessors": self._multiprocessors,
                "rows_a_lane": self._rows_a_lane,
                "cells": _CHUNK_CELLS[precision],
                "scratch_bytes": self._scratch_bytes,
            },
        )
        planner = ffi.new("gkl_shim_cuda_planner **")
        _native.check(lib.gkl_shim_cuda_open(options, planner))
        return ffi.gc(planner[0], lib.gkl_shim_cuda_close)

    def _codes(self, precision: Precision) -> tuple[int, int]:
        _, lib = _native.library()
        return (
            lib.GKL_SHIM_SINGLE if precision == "single" else lib.GKL_SHIM_DOUBLE,
            lib.GKL_SHIM_AS_GKL if self._as_gkl else lib.GKL_SHIM_STRICT,
        )

    @property
    def busy(self) -> int:
        """Chunks under way."""
        return len(self._slots) - len(self._free)

    def slot(self, *, wait: bool) -> _Slot | None:
        """Return a free slot; None where all are taken and the caller would not wait."""
        with self._changed:
            while True:
                if self._free:
                    return self._free.pop()
                if len(self._slots) < self._streams:
                    slot = _Slot(self)
                    self._slots.append(slot)
                    return slot
                if not wait:
                    return None
                self._changed.wait()

    def release(self, slot: _Slot) -> None:
        with self._changed:
            self._free.append(slot)
            self._changed.notify()

    def retire(self, error: BaseException) -> None:
        """Use the device no more, and say so once."""
        with self._changed:
            first, self.alive = self.alive, False
        if first:
            cuda_devices.warn_of_loss(self.number, self.name, error)

    def close(self) -> None:
        # Of a device that failed nothing can be freed; its memory goes with the process.
        if self.alive:
            with self.cupy.cuda.Device(self.number):
                self._slots.clear()
                self._free.clear()
                self._kept.clear()


def _shared_bytes(precision: Precision, rows_a_lane: int) -> int:
    """Return what a kernel needs of shared memory."""
    numbers = (_LETTERS + _STATE) * rows_a_lane + 2 * _STATE
    return numbers * _WARP * _ITEM_BYTES[precision]


def _drive(device: _Device, run: _Run, spread: Callable[[], None] | None = None) -> None:
    """Compute chunks of the run on a device until there are none left, or the device fails.

    `spread` is called once the first chunk is on its way, if there are more.
    """
    runtime = device.cupy.cuda.runtime
    flying: deque[_Slot] = deque()
    slot: _Slot | None = None
    before = None
    try:
        before = runtime.getDevice()
        if before != device.number:
            runtime.setDevice(device.number)
        device.prepare(run.precision)
        while run.more:
            slot = device.slot(wait=not flying)
            if slot is None:
                _land(device, run, flying)
                continue
            if not run.take(slot):
                device.release(slot)
                break
            slot.start(run.precision)
            flying.append(slot)
            slot = None
            if spread is not None and run.more:
                spread()
                spread = None
        while flying:
            _land(device, run, flying)
    except ValueError as error:
        run.error = error
        for each in flying:
            each.wait()
            device.release(each)
        if slot is not None:
            device.release(slot)
    except Exception as error:
        run.failed(flying if slot is None else (*flying, slot))
        device.retire(error)
    finally:
        if before is not None and before != device.number and device.alive:
            runtime.setDevice(before)


def _land(device: _Device, run: _Run, flying: deque[_Slot]) -> None:
    flying[0].finish(run)
    device.release(flying.popleft())


def _regions(batch: Any, first: int, last: int) -> tuple[tuple[Any, ...], int, int]:
    """Regions [first, last) of a C batch as arrays, and where their results begin and end."""
    ffi, _ = _native.library()

    def view(pointer: Any, start: int, stop: int, kind: Any) -> NDArray[Any]:
        size = np.dtype(kind).itemsize
        return np.frombuffer(ffi.buffer(pointer + start, (stop - start) * size), kind)

    region_reads = view(batch.region_reads, 0, batch.regions + 1, np.int64)
    region_haplotypes = view(batch.region_haplotypes, 0, batch.regions + 1, np.int64)
    pairs = np.cumsum(np.diff(region_reads) * np.diff(region_haplotypes))
    r, r_end = int(region_reads[first]), int(region_reads[last])
    h, h_end = int(region_haplotypes[first]), int(region_haplotypes[last])
    read_offsets = view(batch.read_offsets, r, r_end + 1, np.int64)
    haplotype_offsets = view(batch.haplotype_offsets, h, h_end + 1, np.int64)
    tracks = (
        batch.read_bases,
        batch.base_quals,
        batch.insertion_quals,
        batch.deletion_quals,
        batch.continuation_quals,
    )
    arrays = (
        region_reads[first : last + 1] - r,
        region_haplotypes[first : last + 1] - h,
        read_offsets - read_offsets[0],
        tuple(view(track, read_offsets[0], read_offsets[-1], np.uint8) for track in tracks),
        haplotype_offsets - haplotype_offsets[0],
        view(batch.haplotype_bases, haplotype_offsets[0], haplotype_offsets[-1], np.uint8),
    )
    return arrays, int(pairs[first - 1]) if first else 0, int(pairs[last - 1]) if last else 0
