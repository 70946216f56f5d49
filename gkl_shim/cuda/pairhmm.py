"""The CUDA engine of PairHMM: opened here, where CuPy knows the devices, and run by native code.

CuPy chooses and opens devices, loads the kernels and puts their tables into a device's memory. What
it takes to launch them goes to the native library once; from there on a call is planned, sent,
launched and waited for in C (``kernels/pairhmm/cuda/engine.cpp``), through the CUDA driver's own
functions. So neither callers in many threads nor a JVM wait for Python's interpreter lock, and a
small region costs little more than its kernels take.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native, _native_pairhmm
from gkl_shim._batch import Batch
from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.cuda import driver, kernels
from gkl_shim.errors import BackendUnavailable

__all__ = ["Engine", "widths"]

Precision: TypeAlias = Literal["single", "double"]

# The most chunks in flight on a device, of all callers together.
_SLOTS = 32
# A chunk's cells, all counted: about half a millisecond of a large device. And what planning it
# takes one thread, in nanoseconds: enough to keep a device busy, little enough that all threads
# have some to do.
_CHUNK_CELLS = {"single": 1 << 32, "double": 1 << 30}
_CHUNK_PLANNING = 150_000
# Scratch memory of a chunk at most, and the part of a device's free memory that all may take.
_SCRATCH_BYTES = 1 << 30
_MEMORY_SHARE = 0.5

# Arrays for fewer results are new each time; of larger ones so many bytes at most are kept.
_KEPT_RESULTS = 1 << 14
_KEPT_BYTES = 1 << 28

_SOURCE = "pairhmm/cuda/kernels.cu"
_WARP = 32
# A block takes this much shared memory in addition to what it asks for.
_BLOCK_SHARED_BYTES = 1024


def widths(precision: Precision) -> tuple[int, ...]:
    """Return the rows a lane of each kernel, fewest first."""
    ffi, lib = _native.library()
    rows = ffi.new("int32_t[]", lib.GKL_SHIM_CUDA_WIDTHS)
    lib.gkl_shim_cuda_widths(_native_pairhmm.precision_code(precision), rows)
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
    streams, launch_threads
        The most chunks of one call that are in flight on a device, and threads that plan and launch
        them, for measurements; 0 for what suits the number of threads.
    multiprocessors
        For a device of how many to plan; 0 for as many as it has.
    double_ratio
        How many times slower devices are to be taken to be in double precision than in single,
        for measurements and tests; 0 for what each one says of itself. From
        :data:`gkl_shim.cuda.devices.SLOW_DOUBLE` on the CPU computes what single precision does
        not hold; reads of over 512 bases, and all of an engine in double precision, stay with the
        devices.

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
        streams: int = 0,
        launch_threads: int = 0,
        multiprocessors: int = 0,
        double_ratio: int = 0,
    ) -> None:
        numbers = cuda_devices.chosen(devices)
        cupy = cuda_devices.import_cupy()
        self._ffi, self._lib = _native.library()
        try:
            opened = [
                _Device(cupy, number, as_gkl, multiprocessors, double_ratio) for number in numbers
            ]
            functions = driver.functions()
        except Exception as error:
            raise BackendUnavailable(
                f"CUDA cannot be used: {cuda_devices.one_line(error)}"
            ) from error
        self._names = {device.number: device.name for device in opened}
        records = self._ffi.new("gkl_shim_cuda_device[]", [device.record for device in opened])
        options = self._ffi.new(
            "gkl_shim_cuda_engine_options *",
            {
                "precision": _native_pairhmm.precision_code(precision),
                "conventions": _native_pairhmm.conventions_code(as_gkl),
                "threads": threads,
                "rows_a_lane": rows_a_lane,
                "slots": _SLOTS,
                "streams": streams,
                "launch_threads": launch_threads,
                "cells": [_CHUNK_CELLS["single"], _CHUNK_CELLS["double"]],
                "planning": _CHUNK_PLANNING,
                "device_count": len(opened),
                "devices": records,
                "driver": functions,
            },
        )
        self._engine = _native.opened("cuda_engine", options)
        #: Whether no device is fast in double precision.
        self.slow_double = all(device.record["slow_double"] for device in opened)
        # What the native engine uses: it is closed before these go.
        self._opened = opened
        self._values_type = self._ffi.typeof("double[]")
        self._results = _Results()

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the devices in use."""
        uses = self._lib.gkl_shim_cuda_engine_uses
        return tuple(name for number, name in self._names.items() if uses(self._engine, number))

    @property
    def pointer(self) -> Any:
        """The ``gkl_shim_cuda_engine *``, for native code; it lasts until the engine is closed."""
        return self._engine

    def statistics(self) -> dict[str, int | float]:
        """Return the fields of ``gkl_shim_pairhmm_stats`` by name."""
        return _native_pairhmm.statistics(self._lib.gkl_shim_cuda_engine_statistics, self._engine)

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
        out = self._results.empty(pairs)
        if pairs:
            self.compute_pointer(_native_pairhmm.batch_pointer(*batch.arrays), out)
        return out

    def compute_together(self, batches: list[Batch]) -> list[NDArray[np.float64]]:
        """Compute batches in one native call, which copies none of them.

        Returns
        -------
        list of ndarray
            Of each batch what :meth:`compute` returns.

        Raises
        ------
        ValueError, MemoryError
            As :meth:`compute`.
        """
        ends = np.cumsum([batch.pairs for batch in batches]).tolist()
        out = self._results.empty(ends[-1])
        pointer = _native_pairhmm.batches_pointer([batch.arrays for batch in batches])
        self._compute(pointer, len(batches), out)
        return [out[first:end] for first, end in zip([0, *ends], ends, strict=False)]

    def compute_pointer(self, batch: Any, out: NDArray[np.float64]) -> None:
        """Fill `out`, shape (pairs,), from a ``gkl_shim_pairhmm_batch *`` that has been checked."""
        self._compute(batch, 1, out)

    def prove(self, batch: Batch) -> None:
        """Compute a batch; whoever asks next is told what is lost meanwhile.

        Raises
        ------
        BackendUnavailable
            If no device is left.
        """
        pointer = _native_pairhmm.batch_pointer(*batch.arrays)
        out = np.empty(batch.pairs, np.float64)
        _native.check(self._call(pointer, 1, out))
        if not self.devices:
            loss = cuda_devices.loss(self._lib.gkl_shim_cuda_engine_loss, self._engine)
            raise BackendUnavailable(loss[1] if loss else "no device is left")

    def _compute(self, batches: Any, count: int, out: NDArray[np.float64]) -> None:
        status = self._call(batches, count, out)
        self._tell_of_losses()
        if status:
            _native.check(status)

    def _call(self, batches: Any, count: int, out: NDArray[np.float64]) -> Any:
        values = self._ffi.from_buffer(self._values_type, out)
        return self._lib.gkl_shim_cuda_engine_compute(
            self._engine, batches, count, values, self._ffi.NULL
        )

    def measure(self, batch: Batch, repeats: int) -> Any:
        """Time each part of a batch's way over the first device; nobody else may compute.

        Returns
        -------
        gkl_shim_cuda_stages *
            Medians of `repeats` repetitions, summed over chunks.

        Raises
        ------
        BackendUnavailable
            If the device fails.
        """
        values = self._ffi.from_buffer("double[]", np.empty(batch.pairs))
        found = self._ffi.new("gkl_shim_cuda_stages *")
        pointer = _native_pairhmm.batch_pointer(*batch.arrays)
        _native.check(
            self._lib.gkl_shim_cuda_engine_measure(self._engine, pointer, values, repeats, found)
        )
        return found

    def close(self) -> None:
        """Free all memory. No call may be running, and none may follow."""
        if self._engine is not None:
            self._ffi.release(self._engine)
            self._engine = None
            self._opened.clear()

    def _tell_of_losses(self) -> None:
        next_loss = self._lib.gkl_shim_cuda_engine_loss
        cuda_devices.tell_of_losses(next_loss, self._engine, self._names)


class _Results:
    """Arrays for results, in memory that is used again once nobody sees it any more.

    The system makes a page of new memory when it is first written, and fills it with zeros. For a
    large call that takes about as long as planning it.
    """

    def __init__(self) -> None:
        self._kept: list[NDArray[np.float64]] = []

    def empty(self, count: int) -> NDArray[np.float64]:
        """Return an array of `count` numbers, which are not set."""
        if count < _KEPT_RESULTS:
            return np.empty(count, np.float64)
        try:
            memory = self._kept.pop()
        except IndexError:
            memory = np.empty(0, np.float64)
        if len(memory) < count:
            memory = np.empty(count, np.float64)
        # A view of a view is one of what owns the memory, but not across a memoryview: any view of
        # these values keeps them alive.
        values = np.frombuffer(memory.data, np.float64, count)
        weakref.finalize(values, self._keep, memory)
        return values

    def _keep(self, memory: NDArray[np.float64]) -> None:
        # Called wherever the last view goes, in any thread, perhaps within the above: no lock.
        if sum(map(len, tuple(self._kept)), len(memory)) * memory.itemsize <= _KEPT_BYTES:
            self._kept.append(memory)


class _Device:
    """One device, opened: its kernels and tables, as a ``gkl_shim_cuda_device`` holds them."""

    def __init__(
        self, cupy: Any, number: int, as_gkl: bool, multiprocessors: int, double_ratio: int
    ) -> None:
        ffi, _ = _native.library()
        self.number = number
        properties = cupy.cuda.runtime.getDeviceProperties(number)
        self.name: str = properties["name"].decode()
        self._registers = int(properties["regsPerMultiprocessor"])
        self._shared_bytes = int(properties["sharedMemPerMultiprocessor"])
        self._kept: list[Any] = []
        ratio = double_ratio or cuda_devices.double_ratio(number)
        with cupy.cuda.Device(number) as device:
            self._module = kernels.load(cupy, _SOURCE, device.compute_capability)
            free, _ = cupy.cuda.runtime.memGetInfo()
            #: By field of ``gkl_shim_cuda_device``.
            self.record = {
                "number": number,
                "context": ffi.cast("void *", cupy.cuda.driver.ctxGetCurrent()),
                "multiprocessors": multiprocessors or int(properties["multiProcessorCount"]),
                "slow_double": ratio >= cuda_devices.SLOW_DOUBLE,
                "scratch_bytes": min(_SCRATCH_BYTES, int(free * _MEMORY_SHARE) // _SLOTS),
                "kernels": [self._prepared(cupy, p, as_gkl) for p in ("single", "double")],
            }
            cupy.cuda.runtime.deviceSynchronize()

    def _prepared(self, cupy: Any, precision: Precision, as_gkl: bool) -> dict[str, Any]:
        """Load the kernels of a precision, and put its tables into the device's memory."""
        ffi, lib = _native.library()
        codes = _native_pairhmm.precision_code(precision), _native_pairhmm.conventions_code(as_gkl)
        tables = np.empty(lib.gkl_shim_cuda_tables(*codes, ffi.NULL), np.uint8)
        written = lib.gkl_shim_cuda_tables(*codes, ffi.from_buffer(tables))
        _native.check(-min(written, 0))
        on_device = cupy.asarray(tables)
        self._kept.append(on_device)
        functions = [ffi.NULL] * lib.GKL_SHIM_CUDA_KERNELS
        names = {k: f"pairhmm_{precision}_{rows}" for k, rows in enumerate(widths(precision))}
        # Single precision has no long reads.
        if precision == "double":
            names[lib.GKL_SHIM_CUDA_WIDTHS] = "pairhmm_double_striped"
        for index, name in names.items():
            shared = lib.gkl_shim_cuda_shared_bytes(codes[0], index)
            functions[index] = self._function(name, shared)
        return {"functions": functions, "tables": on_device.data.ptr}

    def _function(self, name: str, shared: int) -> Any:
        kernel = self._module.get_function(name)
        kernel.preferred_shared_memory_carveout = self._carveout(kernel, shared)
        self._kept.append(kernel)
        return _native.library()[0].cast("void *", kernel.kernel.ptr)

    def _carveout(self, kernel: Any, shared: int) -> int:
        """Per cent of the memory that shared memory and the cache divide, for as many warps as fit.

        The driver gives shared memory all of it; but states at forks want the cache.
        """
        registers = -(-kernel.num_regs // 8) * 8 * _WARP
        blocks = self._registers // registers
        needed = blocks * (shared + _BLOCK_SHARED_BYTES)
        return min(100, int(-(-100 * needed // self._shared_bytes)))
