"""PairHMM: the log10 likelihood of a read given a haplotype, as GATK means it.

The model is the one of GATK's native PairHMM (Intel's GKL): per-base base, insertion, deletion and
gap-continuation qualities, and N as a wildcard on either side. It was described by Durbin et al.,
*Biological Sequence Analysis*, Cambridge 1998, chapter 4, and is used in GATK as of Poplin et al.,
*Scaling accurate genetic variant discovery to tens of thousands of samples*, bioRxiv 201178, 2017.

Results do not depend on the number of threads, on the engine's build or on how regions are put
together: they have the same bits.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native
from gkl_shim._batch import (
    CONTINUATION_QUALS,
    DELETION_QUALS,
    INSERTION_QUALS,
    Batch,
    HaplotypeBatch,
    Haplotypes,
    Quals,
    Read,
    ReadBatch,
    Reads,
    Region,
    concatenated,
    copied,
    cut_haplotypes,
    cut_reads,
    haplotype_batch,
    read_batch,
)
from gkl_shim._closable import Closable
from gkl_shim._read_ahead import background, read_ahead
from gkl_shim.cuda import arrays
from gkl_shim.errors import BackendUnavailable

if TYPE_CHECKING:
    from gkl_shim.cuda.pairhmm import Engine as CudaEngine

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

# What one native call takes at most, in cells: it bounds how long Ctrl-C waits. The engine computes
# reads side by side, and haplotypes share what is alike: a call has no fewer reads than these,
# where there are so many, and is then larger.
_CALL_CELLS = 1 << 29
_CALL_READS = 16
_FEW_READS_CELLS = 1 << 32
# What a stream puts together, where regions come one by one: little enough that batches of some
# hundred regions are not copied. And what devices compute in one call, in bases of reads, since
# these are what the host is busy with; and how many such calls there are at once.
_GROUP_CELLS = 1 << 27
_DEVICE_CALL_BASES = 1 << 23
_DEVICE_CALLERS = 3
# What a pair counts at least, so that pairs of tiny sequences bound a call's results too.
_PAIR_CELLS = 256

# With "auto", a smaller call costs less on the CPU than a trip to a device; and before so many
# cells, about a second's work for the CPU, loading CUDA would take longer than it saves.
_DEVICE_CELLS = 1 << 24
_WARM_UP_CELLS = 1 << 34
# A cell of a read of more bases than this, computed in double precision from the start, takes the
# CPU about so many times longer.
_LONGEST_SINGLE_READ = 512
_LONG_READ_COST = 64
# In double precision a device that is slow at it does a cell in about the time in which the CPU's
# threads do so many.
_SLOW_DOUBLE_COST = 4
_CUDA_DRIVER = Path("/dev/nvidiactl")


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a :class:`PairHMM` has done since it was made, all threads together."""

    regions: int
    """Regions computed; a very large one may be computed in parts, each counted."""
    pairs: int
    """Read-haplotype pairs."""
    cells: int
    """Read length x haplotype length, summed over pairs."""
    computed_cells: int
    """Cells left of these once what haplotypes share is merged; of a pair that is computed again
    they count once."""
    rescued_pairs: int
    """Pairs asked for in single precision and computed in double: those that left its range, and
    those of reads of over 512 bases."""
    rescaled_pairs: int
    """Pairs that left the range of double precision and were computed with rescaling."""
    cuda_pairs: int
    """Pairs whose result a CUDA device computed; the CPU computed the others."""
    seconds: float
    """Time inside the engine, summed over calls."""


class PairHMM(Closable):
    """A configured engine. Cheap to make, reusable, safe to use from several threads at once.

    Parameters
    ----------
    backend
        ``"cpu"``, ``"cuda"``, or ``"auto"``: the CPU at first and for small calls; where there is
        a CUDA device and more work than the CPU does in a second, devices are made ready in the
        background and take the larger calls from then on. All give the same bits.
    devices
        Numbers of the CUDA devices to use; by default all.
    threads
        CPU threads a call at most, the caller's included; 0 for as many as the process may use
        (more are reduced to that).
    precision
        ``"single"``: within 1e-5 of the exact value; what GATK asks for by default. Pairs that
        leave its range are computed again in double. ``"double"``: within 1e-8.
    build
        ``"avx512"``, ``"avx2"``, ``"neon"`` or ``"portable"``; by default the best for this CPU.

    Raises
    ------
    BackendUnavailable
        If the backend or build cannot run here.
    MissingComponent
        If the native library is not installed.
    ValueError
        If an option is none of the above.

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
        if backend not in ("auto", "cpu", "cuda"):
            raise ValueError(f'backend: "auto", "cpu" or "cuda", not {backend!r}')
        if backend == "cpu" and devices is not None:
            raise ValueError("devices: the CPU backend has none")
        if precision not in ("single", "double"):
            raise ValueError(f'precision: "single" or "double", not {precision!r}')
        if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)):
            raise ValueError(f"threads: a whole number, not {threads!r}")
        if not 0 <= threads < 2**31:
            raise ValueError(f"threads: 0 or more, not {threads}")
        if build is not None and not isinstance(build, str):
            raise ValueError(f"build: a name, not {build!r}")
        self._engine: _native.PairHmmEngine | None = _native.PairHmmEngine(
            int(threads), precision, build
        )
        self._build = self._engine.build
        # Who names a build of the CPU engine wants that.
        chosen = "cpu" if backend == "auto" and build is not None else backend
        self._devices = _Devices(chosen, devices, precision, int(threads))
        self._final: Statistics | None = None

    @property
    def backend(self) -> Backend:
        """The backend in use: with ``"auto"``, ``"cpu"`` until devices are ready."""
        return "cuda" if self._devices.engine is not None else "cpu"

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the CUDA devices in use."""
        engine = self._devices.engine
        return engine.devices if engine is not None else ()

    @property
    def build(self) -> str:
        """The engine's build in use."""
        return self._build

    @property
    def statistics(self) -> Statistics:
        """What has been computed so far; the final figures once closed."""
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
        """Refuse further calls; calls under way in other threads finish."""
        if self._engine is not None:
            self._final = self.statistics
            self._engine = None
            self._devices.release()

    def likelihoods(
        self,
        reads: Reads,
        haplotypes: Haplotypes,
        *,
        insertion_quals: Quals = INSERTION_QUALS,
        deletion_quals: Quals = DELETION_QUALS,
        continuation_quals: Quals = CONTINUATION_QUALS,
    ) -> NDArray[np.float64]:
        """Compute one region: see :func:`likelihoods`."""
        gaps = (insertion_quals, deletion_quals, continuation_quals)
        batch = Batch(read_batch(reads, gaps), haplotype_batch(haplotypes))
        return self.compute(batch).reshape(len(batch.reads), len(batch.haplotypes))

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Compute every pair of every region of a batch.

        Parameters
        ----------
        batch
            The regions.

        Returns
        -------
        ndarray
            log10 likelihoods, shape (pairs,): region after region, reads outer, haplotypes inner;
            :meth:`Batch.split` cuts it.

        Raises
        ------
        MemoryError
            If the result or the engine's tables do not fit.
        ValueError
            If the engine is closed.
        """
        engine = self._engine
        if engine is None:
            raise ValueError("this PairHMM is closed")
        on_devices = self._devices.take(batch)
        if on_devices is not None:
            return on_devices.compute(batch)
        out = np.empty(batch.pairs, np.float64)
        # Python's signal handlers run between the parts, so Ctrl-C does not wait for a big batch.
        for part, place in _parts(batch, out):
            if part.pairs == 0:
                continue
            whole = place.flags.c_contiguous
            values = place.reshape(-1) if whole else np.empty(part.pairs, np.float64)
            engine.compute(_native.batch_pointer(*part.arrays), values)
            if not whole:
                place[:] = values.reshape(place.shape)
        return out

    def stream(
        self,
        regions: Iterable[Region],
        *,
        insertion_quals: Quals = INSERTION_QUALS,
        deletion_quals: Quals = DELETION_QUALS,
        continuation_quals: Quals = CONTINUATION_QUALS,
    ) -> Iterator[NDArray[np.float64]]:
        """Compute many regions: see :func:`stream`."""
        gaps = (insertion_quals, deletion_quals, continuation_quals)
        # Background threads make batches of the caller's arrays.
        groups = _grouped(regions, gaps, arrays.After(arrays.current_stream()))
        with contextlib.closing(self._stream(groups)) as computed:
            for batch, values in computed:
                yield from batch.split(values)

    def stream_batches(
        self, batches: Iterable[Batch]
    ) -> Generator[tuple[Batch, NDArray[np.float64]], None, None]:
        """Compute many batches, in order: :meth:`stream` without an object a region.

        Parameters
        ----------
        batches
            Read ahead by a background thread, up to two batches before the one that is out; for
            devices some 40 million bases of reads. A generator is closed together with this one,
            and may use its arrays again as :func:`stream` says.

        Yields
        ------
        batch, values
            Each batch, or its copy, and its log10 likelihoods as :meth:`compute` gives them.
        """
        return self._stream(batches if isinstance(batches, (list, tuple)) else _copies(batches))

    def _stream(
        self, batches: Iterable[Batch]
    ) -> Generator[tuple[Batch, NDArray[np.float64]], None, None]:
        if self._devices.callers == 1:
            return read_ahead(self._computed(read_ahead(batches)))
        return self._stream_together(batches)

    def _computed(
        self, prepared: Generator[Batch, None, None]
    ) -> Generator[tuple[Batch, NDArray[np.float64]], None, None]:
        with contextlib.closing(prepared):
            for batch in prepared:
                yield batch, self.compute(batch)

    def _stream_together(
        self, batches: Iterable[Batch]
    ) -> Generator[tuple[Batch, NDArray[np.float64]], None, None]:
        # From thread to thread takes longer than a device takes for a batch of some hundred
        # regions: several go at once, and no more threads have a part in it than it takes for
        # devices to have work while results are out.
        bundles = _bundled(batches)
        callers = self._devices.callers
        calls: deque[tuple[list[Batch], Future[list[NDArray[np.float64]]]]] = deque()
        with background(callers + 1, bundles) as pool:
            reading = pool.submit(next, bundles, None)
            while True:
                if reading.exception() is None and (bundle := reading.result()) is not None:
                    calls.append((bundle, pool.submit(self._compute_together, bundle)))
                    reading = pool.submit(next, bundles, None)
                    if len(calls) < callers:
                        continue
                elif not calls:
                    # A fault comes after the results before it.
                    reading.result()
                    return
                computed, values = calls.popleft()
                yield from zip(computed, values.result(), strict=True)

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
        R reads, each a :class:`Read`, a pysam ``AlignedSegment`` (its whole query sequence, soft
        clips included), or a tuple ``(bases, quals)`` or ``(bases, quals, insertion_quals,
        deletion_quals, continuation_quals)``; or a :class:`ReadBatch`.
    haplotypes
        H haplotypes, each letters ACGTN in either case as bytes, str or a uint8 array; or a
        :class:`HaplotypeBatch`.
    insertion_quals, deletion_quals, continuation_quals
        Phred qualities of the reads that bring none of their own (pysam's, and pairs): one
        number, or a sequence as long as each such read.
    backend, devices, threads, precision, build
        As for :class:`PairHMM`.

    Returns
    -------
    ndarray
        float64, shape (R, H), log10, of NumPy. An empty list of either gives an empty array.

    Notes
    -----
    Wherever NumPy arrays are taken, CuPy arrays are too. Each is copied to the host in one
    transfer, on the caller's current stream: after the work that is under way there.

    Raises
    ------
    ValueError
        Naming the argument and index: a missing value, an empty sequence, tracks of unequal
        length, a letter other than ACGTN, a quality outside 0 to 127, a read of more than 1,048,576
        bases, a haplotype of more than 67,108,864 letters, or haplotypes of one region with more
        than 268,435,456 together. (The C interface, like
        GKL, takes a quality modulo 128; here a larger one, such as BAM's 255 for "missing", is
        taken for the mistake that it is.)
    BackendUnavailable
        If the backend or build cannot run here.
    MissingComponent
        If the native library is not installed.
    MemoryError
        If the result or the engine's tables do not fit.

    Examples
    --------
    >>> likelihoods([Read("ACGT", [30, 30, 30, 20])], ["ACGTAC", "ACCTAC"]).shape
    (1, 2)
    """
    with PairHMM(
        backend=backend, devices=devices, threads=threads, precision=precision, build=build
    ) as pairhmm:
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
    """Compute many regions, in order, in bounded memory.

    Small regions are computed together. While the caller works on one group's results the next
    is computed, and the one after that is read from `regions`, in background threads: so
    `regions` is read ahead, and must not wait for results.

    A generator may fill the same arrays again for its next region, since each region is copied
    before the next is asked for. The arrays of batches in a list or tuple are not copied, and must
    stay as they are until their results are out.

    Parameters
    ----------
    regions
        Each ``(reads, haplotypes)`` as for :func:`likelihoods`, or a :class:`Batch`, which may
        hold several. A generator runs in a background thread; CuPy arrays are copied after the
        work on that thread's current stream and on the caller's.
    insertion_quals, deletion_quals, continuation_quals
        As for :func:`likelihoods`.
    backend, devices, threads, precision, build
        As for :class:`PairHMM`.

    Yields
    ------
    ndarray
        float64, shape (R, H), log10, one a region.

    Raises
    ------
    ValueError
        As for :func:`likelihoods`, naming the region too, once the results before it are out.
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


class _Devices:
    """The CUDA engine of a :class:`PairHMM`, where one is wanted, and which calls it takes."""

    def __init__(
        self, backend: str, devices: Iterable[int] | None, precision: Precision, threads: int
    ) -> None:
        self.engine: CudaEngine | None = None
        self._arguments = (None if devices is None else list(devices), precision, False, threads)
        self._double = precision == "double"
        self._always = backend == "cuda"
        # What the CPU is still to compute before devices are made ready.
        self._cells_left = _WARM_UP_CELLS
        self._may_start = backend == "auto" and _CUDA_DRIVER.exists()
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        if self._always:
            self._start()

    @property
    def callers(self) -> int:
        """How many calls of a stream are under way at once."""
        return _DEVICE_CALLERS if self._always else 1

    def take(self, batch: Batch) -> CudaEngine | None:
        """Return the engine where it is to compute this batch."""
        engine = self.engine
        if self._always:
            return engine
        if engine is None and not self._may_start:
            return None
        cells = _cpu_cells(batch)
        if engine is not None and cells >= self._least_cells(engine, batch):
            return engine
        if self._may_start:
            with self._lock:
                self._cells_left -= cells
                start = self._may_start and self._cells_left < 0
                if start:
                    self._may_start = False
            if start:
                threading.Thread(target=self._try_start, name="gkl-shim-cuda", daemon=True).start()
        return None

    def _least_cells(self, engine: CudaEngine, batch: Batch) -> int:
        """Return the cost from which on a batch takes a device less time than the CPU."""
        if self._double and engine.slow_double:
            return max(_DEVICE_CELLS, _SLOW_DOUBLE_COST * batch.cells)
        return _DEVICE_CELLS

    def release(self) -> None:
        """Forget the engine; its memory goes when the last call has ended."""
        self._may_start = self._always = False
        self.engine = None

    def _start(self) -> CudaEngine:
        from gkl_shim.cuda.pairhmm import Engine

        with self._starting:
            if self.engine is None:
                self.engine = Engine(*self._arguments)
            return self.engine

    def _try_start(self) -> None:
        # No CuPy, say: then the CPU it is.
        with contextlib.suppress(BackendUnavailable):
            self._start()


def _copies(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Copy each batch before the next is asked for, which may come in the same arrays."""
    try:
        for batch in batches:
            yield copied(batch)
    finally:
        if isinstance(batches, Generator):
            batches.close()


def _grouped(
    regions: Iterable[Region], gaps: tuple[Quals, ...], after_caller: arrays.After
) -> Iterator[Batch]:
    """Put small regions together; copied, as above, where they do not lie in a list."""
    listed = isinstance(regions, (list, tuple))
    group: list[Batch] = []
    work = 0
    try:
        for index, region in enumerate(regions):
            with after_caller:
                batch = _region_batch(region, gaps, index)
            if not listed and _has_arrays_of_the_caller(region):
                batch = copied(batch)
            more = _work_of(batch)
            # What is large already is not copied to be put together with others.
            if group and work + more > _GROUP_CELLS:
                yield concatenated(group)
                group, work = [], 0
            group.append(batch)
            work += more
            if work >= _GROUP_CELLS:
                yield concatenated(group)
                group, work = [], 0
    except Exception:
        # What came before the fault is computed and handed out first.
        if group:
            yield concatenated(group)
        raise
    if group:
        yield concatenated(group)


def _bundled(batches: Iterable[Batch]) -> Iterator[list[Batch]]:
    """Put batches for one call on devices in lists."""
    iterator = iter(batches)
    bundle: list[Batch] = []
    bases = 0
    try:
        for batch in iterator:
            bundle.append(batch)
            bases += batch.reads.bases.size
            if bases >= _DEVICE_CALL_BASES:
                yield bundle
                bundle, bases = [], 0
    except Exception:
        # What came before the fault is computed and handed out first.
        if bundle:
            yield bundle
        raise
    finally:
        if isinstance(iterator, Generator):
            iterator.close()
    if bundle:
        yield bundle


def _region_batch(region: Region, gaps: tuple[Quals, ...], index: int) -> Batch:
    if isinstance(region, Batch):
        return region
    if not isinstance(region, tuple) or len(region) != 2:
        raise ValueError(f"regions[{index}]: expected (reads, haplotypes) or a Batch")
    try:
        return Batch(read_batch(region[0], gaps), haplotype_batch(region[1]))
    except ValueError as error:
        raise ValueError(f"regions[{index}]: {error}") from error


def _has_arrays_of_the_caller(region: Region) -> bool:
    """Whether a region was given as arrays, which are not copied; lists of reads are."""
    return isinstance(region, Batch) or any(
        isinstance(part, (ReadBatch, HaplotypeBatch)) for part in region
    )


def _cpu_cells(batch: Batch) -> int:
    """Return a batch's cells, those of long reads counted by the time that they take the CPU."""
    lengths = np.diff(batch.reads.offsets)
    bases = np.diff(batch.haplotypes.offsets[batch.region_haplotypes])
    costs = lengths * np.where(lengths > _LONGEST_SINGLE_READ, _LONG_READ_COST, 1)
    return int(costs @ np.repeat(bases, np.diff(batch.region_reads)))


def _work(batch: Batch) -> NDArray[np.int64]:
    """Each region's cells, a pair counting at least `_PAIR_CELLS`: shape (regions,)."""
    reads = np.diff(batch.reads.offsets[batch.region_reads])
    haplotypes = np.diff(batch.haplotypes.offsets[batch.region_haplotypes])
    pairs = np.diff(batch.region_reads) * np.diff(batch.region_haplotypes)
    work: NDArray[np.int64] = np.maximum(reads * haplotypes, pairs * _PAIR_CELLS)
    return work


def _work_of(batch: Batch) -> int:
    """Return the sum of the above; of one region, as is usual, without array arithmetic."""
    if len(batch.region_reads) != 2:
        return int(_work(batch).sum())
    reads, haplotypes = batch.reads, batch.haplotypes
    pairs = len(reads) * len(haplotypes)
    return max(len(reads.bases) * len(haplotypes.bases), pairs * _PAIR_CELLS)


def _parts(batch: Batch, out: NDArray[np.float64]) -> Iterator[tuple[Batch, NDArray[np.float64]]]:
    """Cut a batch into native calls, each with the place of its results in `out`.

    It is cut between regions. A very large region is cut between reads, and where few of these make
    a call, between haplotypes too.
    """
    work = _work(batch)
    if work.sum() <= _CALL_CELLS:
        yield batch, out
        return
    # Errors name what the caller knows, not its place in a part.
    _native.check_shape(_native.batch_pointer(*batch.arrays))
    first = start = 0
    while first < len(batch):
        fit = int(np.searchsorted(np.cumsum(work[first:]), _CALL_CELLS, "right"))
        last = first + max(fit, 1)
        part = batch[first:last]
        stop = start + part.pairs
        if fit:
            yield part, out[start:stop]
        else:
            yield from _blocks(part, int(work[first]), out[start:stop])
        first, start = last, stop


def _blocks(
    region: Batch, work: int, out: NDArray[np.float64]
) -> Iterator[tuple[Batch, NDArray[np.float64]]]:
    reads, haplotypes = len(region.reads), len(region.haplotypes)
    rows, columns = max(1, reads * _CALL_CELLS // work), haplotypes
    if rows < _CALL_READS:
        rows = min(reads, _CALL_READS)
        columns = max(1, haplotypes * reads * _FEW_READS_CELLS // (work * rows))
    values = out.reshape(reads, haplotypes)
    for read in range(0, reads, rows):
        some = cut_reads(region.reads, read, min(read + rows, reads))
        for haplotype in range(0, haplotypes, columns):
            others = cut_haplotypes(
                region.haplotypes, haplotype, min(haplotype + columns, haplotypes)
            )
            place = values[read : read + rows, haplotype : haplotype + columns]
            yield Batch(some, others), place
