"""The CUDA engine of PairHMM: Python opens it, and native code computes.

CuPy opens the devices, loads the kernels and copies their tables to the devices. Their addresses
are passed to the native library once. After that, native code (``kernels/hmm/cuda/engine/``)
plans, sends, launches and collects every call through the CUDA driver. So callers do not wait for
Python's interpreter lock, and a small region takes little longer than its kernels.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common import _native
from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.cuda.engine import Device, DeviceEngine, Opened, open_devices, with_options
from gkl_shim.pairhmm import _native_pairhmm
from gkl_shim.pairhmm._batch import Batch
from gkl_shim.pairhmm._sequences import HaplotypeBatch, ReadBatch

Precision: TypeAlias = Literal["single", "double"]

# The most chunks in flight on a device, for all callers together.
_SLOTS = 32
# The cells of a chunk, shared ones included: a large device takes about half a millisecond.
_CHUNK_CELLS = {"single": 1 << 32, "double": 1 << 30}
# How long one thread may plan a chunk, in nanoseconds. Chunks of this size keep a device busy, and
# there are enough of them to occupy all threads.
_CHUNK_PLANNING = 150_000
# The most scratch memory of a chunk: in bytes, and as a part of the memory for all chunks.
_SCRATCH_BYTES = 1 << 30
_SCRATCH_SHARE = 0.25

# Result arrays with fewer values than this are always new. The memory of larger ones is kept and
# used again.
_KEPT_RESULTS = 1 << 14
# The most bytes that are kept.
_KEPT_BYTES = 1 << 28

# Of the batch that a new engine computes first in another program. It has more pairs than a region
# of a 1,500x amplicon.
_REGIONS, _READS, _HAPLOTYPES = 60, 50, 100
_SHORTEST_READ, _LONGEST_READ, _QUALITY = 10, 150, 30
_HAPLOTYPE_BASES, _SITES = 200, 7

# The most device memory for an engine's buffers in another program. GATK runs as many processes on
# a machine: with a context of half a GiB each, eight of them fit a device of 16 GB.
_MOST_MEMORY = 1 << 30

_SOURCE = "hmm/cuda/kernels/kernels.cu"
_WARP = 32
# A block takes this much shared memory in addition to what it asks for.
_BLOCK_SHARED_BYTES = 1024


def widths(precision: Precision) -> tuple[int, ...]:
    """Return the number of rows per lane of each kernel, in ascending order."""
    ffi, lib = _native.library()
    rows = ffi.new("int32_t[]", lib.GKL_SHIM_PAIRHMM_CUDA_WIDTHS)
    lib.gkl_shim_pairhmm_cuda_widths(_native_pairhmm.precision_code(precision), rows)
    return tuple(row for row in rows if row)


def lone_widths() -> tuple[int, ...]:
    """Return the rows per lane of each kernel for regions of one haplotype."""
    ffi, lib = _native.library()
    rows = ffi.new("int32_t[]", lib.GKL_SHIM_PAIRHMM_CUDA_LONE_KERNELS)
    lib.gkl_shim_pairhmm_cuda_lone_rows(rows)
    return tuple(rows)


def opened(devices: Iterable[int] | None) -> Opened:
    """Open devices for a JVM or a C program. The options are a ``gkl_shim_pairhmm_opened *``.

    :func:`gkl_shim.cuda.engine.open_devices` lists the exceptions.
    """
    ffi, _ = _native.library()
    made = _opened(devices, {}, most_memory=_MOST_MEMORY)
    arrays = first_batch().arrays
    batch = _native_pairhmm.batch_pointer(*arrays)
    record = ffi.new("gkl_shim_pairhmm_opened *", {"options": made.options[0], "first": batch[0]})
    return Opened(made.devices, record, (made, arrays))


def first_batch() -> Batch:
    """Return equal regions of reads of many lengths and haplotypes that differ at seven sites."""
    codes = np.random.default_rng(1).integers(0, 4, _HAPLOTYPE_BASES)
    haplotypes = np.tile(codes, (_HAPLOTYPES, 1))
    for site in range(_SITES):
        varied = np.arange(_HAPLOTYPES) >> site & 1
        haplotypes[:, (site + 1) * _HAPLOTYPE_BASES // (_SITES + 1)] += varied
    letters = np.frombuffer(b"ACGT", np.uint8)[haplotypes % 4]
    lengths = np.linspace(_SHORTEST_READ, _LONGEST_READ, _READS).astype(np.int64)
    reads = np.concatenate([letters[read, :length] for read, length in enumerate(lengths)])
    return Batch(
        ReadBatch.from_arrays(
            np.concatenate([[0], np.tile(lengths, _REGIONS).cumsum()]),
            np.tile(reads, _REGIONS),
            np.full(len(reads) * _REGIONS, _QUALITY, np.uint8),
        ),
        HaplotypeBatch.from_arrays(
            np.arange(_REGIONS * _HAPLOTYPES + 1) * _HAPLOTYPE_BASES,
            np.tile(letters.ravel(), _REGIONS),
        ),
        np.arange(_REGIONS + 1) * _READS,
        np.arange(_REGIONS + 1) * _HAPLOTYPES,
    )


def _opened(devices: Iterable[int] | None, chosen: Mapping[str, int], **limits: Any) -> Opened:
    """Open devices with PairHMM's kernels and tables. All arguments are as for :class:`Engine`."""
    found, driver = open_devices(devices, lambda cupy, number: _Device(cupy, number, **limits))
    fields = {
        "slots": _SLOTS,
        "cells": [_CHUNK_CELLS["single"], _CHUNK_CELLS["double"]],
        "planning": _CHUNK_PLANNING,
        **chosen,
    }
    return with_options("pairhmm_cuda", found, driver, **fields)


class Engine(DeviceEngine):
    """PairHMM on one or more CUDA devices. Thread-safe; many callers may compute at once.

    Parameters
    ----------
    devices
        As in :func:`gkl_shim.cuda.engine.open_devices`, which also lists the exceptions.
    precision
        ``"single"`` or ``"double"``, as for :class:`gkl_shim.pairhmm.PairHMM`.
    as_gkl
        Whether to treat odd letters and tiny likelihoods as Intel's GKL does. See
        ``GKL_SHIM_AS_GKL`` in ``gkl_shim.h``.
    threads
        The number of CPU threads. They plan, and compute the pairs that no device computes. 0 uses
        every CPU that the process may use.
    most_memory
        The most bytes that the buffers on each device take; None for half of what is free.
        ``GKL_SHIM_DEVICE_MEMORY`` has precedence.
    device
        Fields of ``gkl_shim_pairhmm_cuda_device`` to use instead of what each device reports. Tests
        and benchmarks set ``multiprocessors`` and ``slow_double``. If all devices are slow in
        double precision, the CPU computes the pairs that leave the range of single precision. Reads
        of more than 1,024 bases stay on the devices, and so does all work of an engine in double
        precision.
    chosen
        Fields of ``gkl_shim_pairhmm_cuda_options`` to use instead of the usual ones, such as
        ``rows_per_lane``. All give the same bits.
    """

    _NAME = "pairhmm_cuda"
    _devices: Sequence[_Device]

    def __init__(
        self,
        devices: Iterable[int] | None = None,
        precision: Precision = "single",
        as_gkl: bool = False,
        threads: int = 0,
        *,
        most_memory: int | None = None,
        device: Mapping[str, int] | None = None,
        **chosen: int,
    ) -> None:
        self._ffi, self._lib = _native.library()
        fields = {
            "precision": _native_pairhmm.precision_code(precision),
            "conventions": _native_pairhmm.conventions_code(as_gkl),
            "threads": threads,
            **chosen,
        }
        self._open(_opened(devices, fields, most_memory=most_memory, device=device))
        #: Whether no device is fast in double precision.
        self.slow_double = all(device.record["slow_double"] for device in self._devices)
        self._values_type = self._ffi.typeof("double[]")
        self._results = _Results()

    def statistics(self) -> dict[str, int | float]:
        """Return the fields of ``gkl_shim_pairhmm_stats`` by name."""
        return _native_pairhmm.statistics(self._lib.gkl_shim_pairhmm_cuda_statistics, self._engine)

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Compute every pair of every region.

        Returns
        -------
        ndarray
            float64 log10 likelihoods, shape (pairs,), region after region, read by read.

        Raises
        ------
        ValueError
            If a haplotype has a letter that the conventions refuse.
        MemoryError
            If the host runs out of memory.
        """
        # A call of one region must be fast, so its pairs are counted without NumPy.
        one = len(batch.region_reads) == 2
        pointer = _native_pairhmm.batch_pointer(*batch.arrays)
        if one:
            pairs = len(batch.reads) * len(batch.haplotypes)
        else:
            pairs = self._lib.gkl_shim_pairhmm_pairs(pointer)
            _native.check(-min(pairs, 0))
        out = self._results.empty(pairs)
        if pairs:
            self._compute(pointer, [batch], out)
        return out

    def compute_together(self, batches: list[Batch]) -> list[NDArray[np.float64]]:
        """Compute several batches in one native call, without copying them.

        Returns
        -------
        list of ndarray
            For each batch, what :meth:`compute` returns.

        Raises
        ------
        ValueError, MemoryError
            As for :meth:`compute`.
        """
        ends = np.cumsum([batch.pairs for batch in batches]).tolist()
        out = self._results.empty(ends[-1])
        pointer = _native_pairhmm.batches_pointer([batch.arrays for batch in batches])
        self._compute(pointer, batches, out)
        return [out[first:end] for first, end in zip([0, *ends], ends, strict=False)]

    def _compute(self, pointer: Any, batches: list[Batch], out: NDArray[np.float64]) -> None:
        one_gap = self._ffi.NULL
        if any(batch.reads.one_gap for batch in batches):
            one_gap = bytes(batch.reads.one_gap for batch in batches)
        values = self._ffi.from_buffer(self._values_type, out)
        status = self._lib.gkl_shim_pairhmm_cuda_compute(
            self._engine, pointer, one_gap, len(batches), values, self._ffi.NULL
        )
        self.tell_of_losses()
        if status:
            _native.check(status)


class _Results:
    """Make arrays for results, and use their memory again when the last view of it is gone.

    The operating system fills each page of new memory with zeros when it is first written. For a
    large call, this takes about as long as planning.
    """

    def __init__(self) -> None:
        self._kept: list[NDArray[np.float64]] = []

    def empty(self, count: int) -> NDArray[np.float64]:
        """Return an uninitialized array of `count` numbers."""
        if count < _KEPT_RESULTS:
            return np.empty(count, np.float64)
        try:
            memory = self._kept.pop()
        except IndexError:
            memory = np.empty(0, np.float64)
        if len(memory) < count:
            memory = np.empty(count, np.float64)
        # NumPy makes the base of a view the array that owns the memory. The memoryview prevents
        # that here: every view of `values` keeps `values` alive, and the finalizer runs after the
        # last view is gone.
        values = np.frombuffer(memory.data, np.float64, count)
        weakref.finalize(values, self._keep, memory)
        return values

    def _keep(self, memory: NDArray[np.float64]) -> None:
        # No lock: any thread may release the last view, even inside empty().
        if sum(map(len, tuple(self._kept)), len(memory)) * memory.itemsize <= _KEPT_BYTES:
            self._kept.append(memory)


class _Device(Device):
    """Open a device, and hold its kernels and tables for a ``gkl_shim_pairhmm_cuda_device``."""

    def __init__(
        self,
        cupy: Any,
        number: int,
        most_memory: int | None = None,
        device: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(cupy, number, _SOURCE, most_memory)
        self._tables: list[Any] = []
        with self.current():
            self.record |= {
                "multiprocessors": int(self.properties["multiProcessorCount"]),
                "slow_double": cuda_devices.double_ratio(number) >= cuda_devices.SLOW_DOUBLE,
                "scratch_bytes": min(_SCRATCH_BYTES, int(self.memory_bytes * _SCRATCH_SHARE)),
                "memory_bytes": self.memory_bytes,
                "kernels": [self._prepared(cupy, p) for p in ("single", "double")],
                **(device or {}),
            }
            cupy.cuda.runtime.deviceSynchronize()

    def _prepared(self, cupy: Any, precision: Precision) -> dict[str, Any]:
        """Load the kernels of a precision, and copy its tables to the device."""
        ffi, lib = _native.library()
        code = _native_pairhmm.precision_code(precision)
        addresses = []
        for as_gkl in (False, True):
            codes = code, _native_pairhmm.conventions_code(as_gkl)
            tables = np.empty(lib.gkl_shim_pairhmm_cuda_tables(*codes, ffi.NULL), np.uint8)
            written = lib.gkl_shim_pairhmm_cuda_tables(*codes, ffi.from_buffer(tables))
            _native.check(-min(written, 0))
            self._tables.append(cupy.asarray(tables))
            addresses.append(self._tables[-1].data.ptr)
        functions = [ffi.NULL] * lib.GKL_SHIM_PAIRHMM_CUDA_KERNELS
        names = {k: f"pairhmm_{precision}_{rows}" for k, rows in enumerate(widths(precision))}
        # Single precision has no long reads.
        if precision == "double":
            names[lib.GKL_SHIM_PAIRHMM_CUDA_WIDTHS] = "pairhmm_double_striped"
        for index, name in names.items():
            shared = lib.gkl_shim_pairhmm_cuda_shared_bytes(code, index)
            functions[index] = self.function(name)
            kernel = self.functions[name]
            kernel.preferred_shared_memory_carveout = self._carveout(kernel, shared)
        lone = [ffi.NULL] * lib.GKL_SHIM_PAIRHMM_CUDA_LONE_KERNELS
        suffixes = lone_widths() if precision == "single" else ("double",)
        for index, suffix in enumerate(suffixes):
            lone[index] = self.function(f"pairhmm_lone_{suffix}")
        return {"functions": functions, "lone": lone, "tables": addresses}

    def _carveout(self, kernel: Any, shared: int) -> int:
        """Return how many per cent of a multiprocessor's memory to use as shared memory.

        It is what the blocks need that registers allow. By default the driver uses all of the
        memory as shared memory. The rest is better used as cache, for the states saved at forks.
        """
        registers = -(-kernel.num_regs // 8) * 8 * _WARP
        blocks = int(self.properties["regsPerMultiprocessor"]) // registers
        needed = blocks * (shared + _BLOCK_SHARED_BYTES)
        available = int(self.properties["sharedMemPerMultiprocessor"])
        return min(100, int(-(-100 * needed // available)))
