"""Compute PairHMM likelihoods: the log10 likelihood of a read given a haplotype.

The model is the one in GATK's native PairHMM (Intel's GKL). Each base has a base, an insertion, a
deletion and a gap-continuation quality, and N is a wildcard in reads and haplotypes. Durbin et al.
describe the model (*Biological Sequence Analysis*, Cambridge 1998, chapter 4), and Poplin et al.
describe its use in GATK (*Scaling accurate genetic variant discovery to tens of thousands of
samples*, bioRxiv 201178, 2017).

Results have the same bits with any number of threads, any build and any grouping of regions.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._arguments import check_choice
from gkl_shim.common._auto import Devices, estimate
from gkl_shim.common._closable import Closable
from gkl_shim.common._read_ahead import background, read_ahead
from gkl_shim.cuda import arrays
from gkl_shim.pairhmm import _native_pairhmm
from gkl_shim.pairhmm._batch import Batch, is_long
from gkl_shim.pairhmm._convert import (
    Haplotypes,
    Quals,
    Read,
    Reads,
    Region,
    haplotype_batch,
    read_batch,
)
from gkl_shim.pairhmm._sequences import (
    CONTINUATION_QUALS,
    DELETION_QUALS,
    INSERTION_QUALS,
    HaplotypeBatch,
    ReadBatch,
)
from gkl_shim.pairhmm._stream import MOST_CALLS, Item, bundled, grouped, items

if TYPE_CHECKING:
    from gkl_shim.pairhmm._cuda import Engine as CudaEngine

__all__ = [
    "Backend",
    "Batch",
    "HaplotypeBatch",
    "PairHMM",
    "Precision",
    "Read",
    "ReadBatch",
    "Statistics",
    "likelihoods",
    "stream",
]

Backend: TypeAlias = Literal["auto", "cpu", "cuda"]
Precision: TypeAlias = Literal["single", "double"]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over all calls and threads of one :class:`PairHMM`."""

    regions: int
    """Regions computed. A very large region may be computed in parts, and each part counts."""
    pairs: int
    """Read-haplotype pairs."""
    cells: int
    """Read length x haplotype length, summed over all pairs."""
    computed_cells: int
    """Cells that remain after the shared parts of haplotypes are merged. A pair that is computed
    twice counts once."""
    rescued_pairs: int
    """Pairs requested in single precision but computed in double, because they left the range of
    single precision or the read has more than 1,024 bases."""
    rescaled_pairs: int
    """Pairs that left the range of double precision and were computed with rescaling."""
    cuda_pairs: int
    """Pairs whose result comes from a CUDA device. The others come from the CPU."""
    seconds: float
    """Time inside the engine in seconds, summed over calls."""


class PairHMM(Closable):
    """A PairHMM engine with its options. It is cheap to make and may be used by several threads.

    Parameters
    ----------
    backend
        ``"cpu"``, ``"cuda"`` or ``"auto"``. With ``"auto"``, the CPU computes first. After a second
        in calls for which a GPU is likely to be faster, a background thread opens the CUDA devices,
        if there are any. Each call then goes to the CPU or to the devices, whichever was faster
        for calls of its size. Each object learns this anew. All backends return the same bits for
        regions of up to 16,000 haplotypes (docs/gpu.md, "Limits").
    devices
        The numbers of the CUDA devices to use. The default is all devices.
    threads
        The most CPU threads in one call, including the caller's. The limit is the number of CPUs
        that the process may use, which is also the meaning of 0.
    precision
        ``"single"`` is within 1e-5 of the exact value for reads of up to 150 bases, and within 6e-8
        a base for longer ones. It is GATK's default. Pairs that leave the range of single precision
        and reads of more than 1,024 bases are computed in double. ``"double"`` is within 1e-8.
    build
        ``"avx512"``, ``"avx2"``, ``"neon"`` or ``"portable"``. The default is the best build that
        this CPU can run.

    Raises
    ------
    BackendUnavailable
        If the backend or build cannot run on this machine.
    MissingComponent
        If the native library is not installed.
    ValueError
        If an option has another value.

    Examples
    --------
    >>> with PairHMM(threads=1) as pairhmm:
    ...     pairhmm.likelihoods([(b"ACGT", [30, 30, 30, 30])], ["ACGTAC", "ACCTAC"]).shape
    (1, 2)
    """

    def __init__(
        self,
        *,
        backend: Backend = "auto",
        devices: Iterable[int] | None = None,
        threads: int = 0,
        precision: Precision = "single",
        build: str | None = None,
    ) -> None:
        check_choice("backend", backend, Backend)
        check_choice("precision", precision, Precision)
        self._engine: _native_pairhmm.CpuEngine | None = _native_pairhmm.CpuEngine(
            threads, precision, build
        )
        self._build = self._engine.build
        # A caller who names a build of the CPU engine wants the CPU engine.
        chosen = "cpu" if backend == "auto" and build is not None else backend
        self._options = (precision, int(threads))
        self._devices: Devices[CudaEngine] = Devices(
            "pairhmm", chosen, devices, precision, False, int(threads)
        )
        self._final: Statistics | None = None

    @property
    def backend(self) -> Backend:
        """The backend in use. With ``"auto"`` it is ``"cpu"`` until the devices are open."""
        return "cuda" if self._devices.engine is not None else "cpu"

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the CUDA devices in use."""
        engine = self._devices.engine
        return engine.devices if engine is not None else ()

    @property
    def build(self) -> str:
        """The name of the CPU build in use."""
        return self._build

    @property
    def statistics(self) -> Statistics:
        """Counts of what has been computed so far. They remain available after closing."""
        engine = self._engine
        if engine is None:
            return cast(Statistics, self._final)
        figures = engine.statistics()
        on_devices = self._devices.engine
        if on_devices is not None:
            for name, value in on_devices.statistics().items():
                figures[name] += value
        return Statistics(**cast(dict[str, Any], figures))

    def close(self) -> None:
        """Refuse further calls. Calls that are running in other threads finish."""
        if self._engine is not None:
            self._final = self.statistics
            self._engine = None
            self._devices.close()

    def likelihoods(
        self,
        reads: Reads,
        haplotypes: Haplotypes,
        *,
        insertion_quals: Quals = INSERTION_QUALS,
        deletion_quals: Quals = DELETION_QUALS,
        continuation_quals: Quals = CONTINUATION_QUALS,
    ) -> NDArray[np.float64]:
        """Compute the likelihoods of one region; see :func:`likelihoods`."""
        gaps = (insertion_quals, deletion_quals, continuation_quals)
        batch = Batch(read_batch(reads, gaps), haplotype_batch(haplotypes))
        return self.compute(batch).reshape(len(batch.reads), len(batch.haplotypes))

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Compute the likelihoods of every pair in a batch of regions.

        Returns
        -------
        ndarray
            log10 likelihoods, shape (pairs,), ordered by region, then read, then haplotype.
            :meth:`Batch.split` splits them into regions.

        Raises
        ------
        MemoryError
            If the result or the engine's tables do not fit into memory.
        ValueError
            If the engine is closed.
        """
        engine = self._engine
        if engine is None:
            raise ValueError("this PairHMM is closed")
        if self._devices.absent:
            return self._on_cpu(engine, batch)
        with self._devices.for_call(lambda: self._estimate(batch)) as on_devices:
            if on_devices is not None:
                return on_devices.compute(batch)
            return self._on_cpu(engine, batch)

    @staticmethod
    def _on_cpu(engine: _native_pairhmm.CpuEngine, batch: Batch) -> NDArray[np.float64]:
        out = np.empty(batch.pairs, np.float64)
        engine.compute(_native_pairhmm.batch_pointer(*batch.arrays), out, is_long(batch))
        return out

    def _estimate(self, batch: Batch) -> Any:
        on_devices = self._devices.engine
        slow_double = on_devices is not None and on_devices.slow_double
        pointer = _native_pairhmm.batch_pointer(*batch.arrays)
        precision, threads = self._options
        code = _native_pairhmm.precision_code(precision)
        return estimate("pairhmm", pointer, code, slow_double, threads)

    def stream(
        self,
        regions: Iterable[Region],
        *,
        insertion_quals: Quals = INSERTION_QUALS,
        deletion_quals: Quals = DELETION_QUALS,
        continuation_quals: Quals = CONTINUATION_QUALS,
    ) -> Iterator[NDArray[np.float64]]:
        """Compute the likelihoods of many regions; see :func:`stream`."""
        gaps = (insertion_quals, deletion_quals, continuation_quals)
        # A background thread converts the regions. Its copies of CuPy arrays wait for this stream.
        after_caller = arrays.After(arrays.current_stream())
        groups = grouped(regions, gaps, after_caller, borrows=self._devices.always)
        with contextlib.closing(self._stream(groups)) as computed:
            for batch, values in computed:
                yield from batch.split(values)

    def stream_batches(
        self, batches: Iterable[Batch]
    ) -> Generator[tuple[Batch, NDArray[np.float64]], None, None]:
        """Compute many batches in order, without a Python object for each region.

        Parameters
        ----------
        batches
            The batches. A background thread reads them ahead: up to two batches for the CPU, and up
            to about 40 million bases of reads for the devices. If `batches` is a generator, it is
            closed with this one, and it may refill its arrays as described in :func:`stream`.

        Yields
        ------
        batch, values
            Each batch, or a copy of it, with the values that :meth:`compute` returns. With the
            backend ``"cuda"``, a large batch of a generator is not copied, so the generator may
            refill its arrays as soon as the next result is requested.
        """
        return self._stream(items(batches, borrows=self._devices.always))

    def _stream(
        self, stream: Iterable[Item]
    ) -> Generator[tuple[Batch, NDArray[np.float64]], None, None]:
        if not self._devices.always:
            return read_ahead(self._computed(read_ahead(stream)))
        return self._stream_on_devices(stream)

    def _computed(
        self, prepared: Generator[Item, None, None]
    ) -> Generator[tuple[Batch, NDArray[np.float64]], None, None]:
        with contextlib.closing(prepared):
            for batch, _ in prepared:
                yield batch, self.compute(batch)

    def _stream_on_devices(
        self, stream: Iterable[Item]
    ) -> Generator[tuple[Batch, NDArray[np.float64]], None, None]:
        # Handing a batch to another thread takes longer than a device takes to compute a few
        # hundred regions, so one call computes several batches. A few calls are in flight at once,
        # so that devices have work while the consumer handles results.
        bundles = bundled(stream)
        calls: deque[tuple[list[Batch], Future[list[NDArray[np.float64]]]]] = deque()
        # A single thread reads, because the input may be a generator with state of a thread, such
        # as CuPy's current stream.
        with background(MOST_CALLS) as callers, background(1, bundles) as reader:
            reading = reader.submit(next, bundles, None)
            while True:
                bundle = reading.result() if reading.exception() is None else None
                if bundle is None and not calls:
                    # Raise an error of the input only after the results that precede it.
                    reading.result()
                    return
                in_flight = 0
                if bundle is not None:
                    batches = bundle.batches
                    calls.append((batches, callers.submit(self._compute_together, batches)))
                    in_flight = bundle.calls - 1
                    if not bundle.is_borrowed:
                        reading = reader.submit(next, bundles, None)
                while len(calls) > in_flight:
                    computed, values = calls.popleft()
                    yield from zip(computed, values.result(), strict=True)
                if bundle is not None and bundle.is_borrowed:
                    # Its source may change it now.
                    reading = reader.submit(next, bundles, None)

    def _compute_together(self, batches: list[Batch]) -> list[NDArray[np.float64]]:
        engine = self._devices.engine
        if len(batches) == 1 or engine is None:
            return [self.compute(batch) for batch in batches]
        return engine.compute_together(batches)


def likelihoods(
    reads: Reads,
    haplotypes: Haplotypes,
    *,
    insertion_quals: Quals = INSERTION_QUALS,
    deletion_quals: Quals = DELETION_QUALS,
    continuation_quals: Quals = CONTINUATION_QUALS,
    backend: Backend = "auto",
    devices: Iterable[int] | None = None,
    threads: int = 0,
    precision: Precision = "single",
    build: str | None = None,
) -> NDArray[np.float64]:
    """Compute the log10 likelihood of every read given every haplotype.

    Parameters
    ----------
    reads
        R reads, as a :class:`ReadBatch` or a sequence. Each read is a :class:`Read`, a pysam
        ``AlignedSegment``, a tuple ``(bases, quals)``, or a tuple ``(bases, quals, insertion_quals,
        deletion_quals, continuation_quals)``. A pysam read counts with its soft clips.
    haplotypes
        H haplotypes, as a :class:`HaplotypeBatch` or a sequence. Each haplotype is bytes, str or a
        uint8 array of letters ACGTN in either case.
    insertion_quals, deletion_quals, continuation_quals
        The gap qualities of reads that have none: pysam reads and tuples of two. One number, or a
        sequence as long as each of these reads.
    backend, devices, threads, precision, build
        As for :class:`PairHMM`, but the backend ``"auto"`` is the CPU, because it chooses by the
        times of earlier calls of the same object.

    Returns
    -------
    ndarray
        log10 likelihoods: a float64 NumPy array of shape (R, H). It is empty if there are no reads
        or no haplotypes.

    Notes
    -----
    CuPy arrays may be passed in place of NumPy arrays. Each is copied to the host in one transfer
    on the calling thread's current stream of the array's device, after the work already queued
    there.

    Raises
    ------
    ValueError
        If a value is missing, a sequence is empty, tracks differ in length, a letter is not one of
        ACGTN, a quality is outside 0 to 127, a read has more than 1,048,576 bases, a haplotype has
        more than 67,108,864 bases, or the haplotypes of one region have more than 268,435,456 bases
        in total. The message names the argument and the index. The C API, like GKL, takes qualities
        modulo 128. Here a quality above 127, such as BAM's 255 for "missing", is an error.
    BackendUnavailable
        If the backend or build cannot run on this machine.
    MissingComponent
        If the native library is not installed.
    MemoryError
        If the result or the engine's tables do not fit into memory.

    Examples
    --------
    >>> likelihoods([Read("ACGT", [30, 30, 30, 20])], ["ACGTAC", "ACCTAC"]).shape
    (1, 2)
    """
    with PairHMM(
        backend=backend, devices=devices, threads=threads, precision=precision, build=build
    ) as pairhmm:
        pairhmm._devices.never_open()
        return pairhmm.likelihoods(
            reads,
            haplotypes,
            insertion_quals=insertion_quals,
            deletion_quals=deletion_quals,
            continuation_quals=continuation_quals,
        )


def stream(
    regions: Iterable[Region],
    *,
    insertion_quals: Quals = INSERTION_QUALS,
    deletion_quals: Quals = DELETION_QUALS,
    continuation_quals: Quals = CONTINUATION_QUALS,
    backend: Backend = "auto",
    devices: Iterable[int] | None = None,
    threads: int = 0,
    precision: Precision = "single",
    build: str | None = None,
) -> Iterator[NDArray[np.float64]]:
    """Compute many regions in order, in bounded memory.

    Small regions are computed in groups. While the caller handles the results of one group,
    background threads compute the next group and read the one after it. `regions` is therefore read
    ahead, and must not wait for results.

    A generator may refill the same arrays for its next region, because each region is copied before
    the next one is requested; with the backend ``"cuda"``, a large batch is computed before that.
    Batches in a list or tuple are not copied, and their arrays must not change until their results
    have been returned. Nor are arrays that are read-only.

    Parameters
    ----------
    regions
        Each region is a tuple ``(reads, haplotypes)`` as for :func:`likelihoods`, or a
        :class:`Batch` of several regions. A generator runs in one background thread. CuPy arrays
        are copied after the work on two streams: the background thread's current stream of the
        array's device, and the stream that is current in the caller when it asks for the first
        result. Work of the caller on other streams or devices must be complete.
    insertion_quals, deletion_quals, continuation_quals
        As for :func:`likelihoods`.
    backend, devices, threads, precision, build
        As for :class:`PairHMM`.

    Yields
    ------
    ndarray
        The log10 likelihoods of one region: float64, shape (R, H).

    Raises
    ------
    ValueError
        As for :func:`likelihoods`, after the results of all earlier regions. The message also names
        the region.
    """
    pairhmm = PairHMM(
        backend=backend, devices=devices, threads=threads, precision=precision, build=build
    )
    return pairhmm.stream(
        regions,
        insertion_quals=insertion_quals,
        deletion_quals=deletion_quals,
        continuation_quals=continuation_quals,
    )
