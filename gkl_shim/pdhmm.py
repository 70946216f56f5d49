"""Compute PDHMM likelihoods: the log10 likelihood of a read given a partially determined haplotype.

A partially determined haplotype stands for many haplotypes. A letter's flags say which other bases
match there, and which letters may be absent. GATK computes such likelihoods with
``--dragen-378-concordance-mode`` and ``--use-pdhmm``. GATK's
``LoglessPDPairHMM`` defines the model. Precision is double.

Results have the same bits with any number of threads, any build and any grouping of regions.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _batch, _convert, _native_pdhmm
from gkl_shim._batch import CONTINUATION_QUALS, DELETION_QUALS, INSERTION_QUALS, ReadBatch
from gkl_shim._checks import byte_view, items_of
from gkl_shim._closable import Closable
from gkl_shim._convert import Bases, Quals, Read, Reads
from gkl_shim.cuda import arrays

__all__ = [
    "PDHMM",
    "Batch",
    "Flag",
    "Haplotype",
    "HaplotypeBatch",
    "Read",
    "ReadBatch",
    "Statistics",
    "likelihoods",
]

# The most cells in one native call, unless one region has more. Ctrl-C waits until it returns.
_CALL_CELLS = 1 << 29


class Flag(enum.IntFlag):
    """The flags of a haplotype's letter, as in GATK's ``PartiallyDeterminedHaplotype``."""

    SNP = 1
    """The bases given by the other flags match there too."""
    DELETION_START = 2
    """The first letter that may be absent."""
    DELETION_END = 4
    """The last letter that may be absent. A letter may be first and last."""
    A = 8
    C = 16
    G = 32
    T = 64
    N = 128
    """Changes no likelihood, as in GATK."""


#: Why flags are refused.
WRONG_FLAGS = "the flags of other bases (8 to 128) need SNP (1), and SNP needs one of them"
_RIGHT_FLAGS = bytes(flags for flags in range(256) if bool(flags & Flag.SNP) == (flags >= Flag.A))

Flags: TypeAlias = bytes | bytearray | memoryview | Iterable[int] | NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Haplotype:
    """A partially determined haplotype.

    Parameters
    ----------
    bases
        Letters ACGTN in either case: bytes, str, or a uint8 array of NumPy or CuPy.
    flags
        A combination of :class:`Flag` for each letter, or None: no flags.
    """

    bases: Bases
    flags: Flags | None = None


class HaplotypeBatch:
    """Haplotypes as ragged arrays. :meth:`from_arrays` makes one.

    Attributes
    ----------
    offsets
        int64, shape (haplotypes + 1,).
    bases, flags
        Letters and their flags: uint8, shape (offsets[-1],).
    """

    __slots__ = ("determined", "flags")

    determined: _batch.HaplotypeBatch
    flags: NDArray[np.uint8]

    @classmethod
    def from_arrays(
        cls,
        offsets: NDArray[np.integer[Any]],
        bases: NDArray[np.uint8] | bytes,
        flags: NDArray[np.uint8] | bytes,
    ) -> HaplotypeBatch:
        """Check arrays and combine them into a batch of haplotypes.

        Parameters
        ----------
        offsets
            Integers that start at 0 and increase, shape (haplotypes + 1,).
        bases
            Letters ACGTN in either case, shape (offsets[-1],).
        flags
            The letters' flags, in the same shape.

        Raises
        ------
        ValueError
            If an array has another type or shape, the offsets do not match the arrays, a haplotype
            is empty, a letter is not one of ACGTN, or a letter has flags of other bases without
            SNP, or SNP without another base.
        """
        determined = _batch.HaplotypeBatch.from_arrays(offsets, bases)
        checked = _flags_array(flags, "flags")
        batch = cls.trusted(determined, checked)
        at = first_wrong_flag(checked.tobytes())
        if at is not None:
            index = int(np.searchsorted(determined.offsets, at, "right")) - 1
            place = f"letter {at - int(determined.offsets[index])} of haplotype {index}"
            raise ValueError(f"flags: {checked[at]} at {place}: {WRONG_FLAGS}")
        return batch

    @classmethod
    def trusted(cls, determined: _batch.HaplotypeBatch, flags: NDArray[np.uint8]) -> HaplotypeBatch:
        """Combine checked letters with checked flags. Only the number of flags is checked here."""
        if len(flags) != len(determined.bases):
            raise ValueError(f"flags: {len(flags)} values for {len(determined.bases)} letters")
        self = object.__new__(cls)
        self.determined = determined
        self.flags = flags
        return self

    def __init__(self) -> None:
        raise TypeError("use HaplotypeBatch.from_arrays")

    def __len__(self) -> int:
        return len(self.determined)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each haplotype begins and ends."""
        return self.determined.offsets

    @property
    def bases(self) -> NDArray[np.uint8]:
        """The letters of all haplotypes."""
        return self.determined.bases


AnyHaplotype: TypeAlias = Haplotype | tuple[Bases, Flags | None] | Bases
Haplotypes: TypeAlias = Iterable[AnyHaplotype] | HaplotypeBatch


class Batch:
    """Regions of reads and haplotypes. Each read is paired with each haplotype of its region.

    Parameters
    ----------
    reads, haplotypes
        The reads and haplotypes of all regions, region after region.
    region_reads, region_haplotypes
        As in :class:`gkl_shim.pairhmm.Batch`.

    Raises
    ------
    ValueError
        If the offsets do not match the reads and haplotypes.
    """

    __slots__ = ("flags", "pairs_batch")

    def __init__(
        self,
        reads: ReadBatch,
        haplotypes: HaplotypeBatch,
        region_reads: NDArray[np.integer[Any]] | None = None,
        region_haplotypes: NDArray[np.integer[Any]] | None = None,
    ) -> None:
        if not isinstance(haplotypes, HaplotypeBatch):
            raise ValueError(
                f"haplotypes: expected a pdhmm.HaplotypeBatch, got {type(haplotypes).__name__}"
            )
        self.pairs_batch = _batch.Batch(
            reads, haplotypes.determined, region_reads, region_haplotypes
        )
        self.flags = haplotypes.flags

    def __len__(self) -> int:
        return len(self.pairs_batch)

    @property
    def pairs(self) -> int:
        """The number of read-haplotype pairs."""
        return self.pairs_batch.pairs

    @property
    def cells(self) -> int:
        """Read length x haplotype length, summed over all pairs."""
        return self.pairs_batch.cells

    @property
    def shapes(self) -> NDArray[np.int64]:
        """The numbers of reads and haplotypes of each region: shape (regions, 2)."""
        return self.pairs_batch.shapes

    @property
    def reads(self) -> ReadBatch:
        """The reads of all regions."""
        return self.pairs_batch.reads

    @property
    def haplotypes(self) -> HaplotypeBatch:
        """The haplotypes of all regions."""
        return HaplotypeBatch.trusted(self.pairs_batch.haplotypes, self.flags)

    def __getitem__(self, index: slice) -> Batch:
        """Return consecutive regions. The sequences are not copied."""
        part = self.pairs_batch[index]
        first = self.pairs_batch.region_haplotypes[max(0, index.indices(len(self))[0])]
        start = int(self.pairs_batch.haplotypes.offsets[first])
        flags = self.flags[start : start + len(part.haplotypes.bases)]
        return Batch(
            part.reads,
            HaplotypeBatch.trusted(part.haplotypes, flags),
            part.region_reads,
            part.region_haplotypes,
        )

    def split(self, values: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Split the values of all pairs, shape (pairs,), into one (R, H) view for each region."""
        return self.pairs_batch.split(values)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over all calls and threads of one :class:`PDHMM`."""

    regions: int
    """Regions computed."""
    pairs: int
    """Read-haplotype pairs."""
    cells: int
    """Read length x haplotype length, summed over all pairs."""
    computed_cells: int
    """Cells that remain after the shared parts of haplotypes are merged."""
    rescued_pairs: int
    """Pairs computed a second time, with the plain recurrence, because they left the range of
    double precision or because a gap-open quality is about 3 or less."""
    seconds: float
    """Time inside the engine in seconds, summed over calls."""


class PDHMM(Closable):
    """A PDHMM engine with its options. It is cheap to make and may be used by several threads.

    Parameters
    ----------
    threads
        The most CPU threads in one call, including the caller's. The limit is the number of CPUs
        that the process may use, which is also the meaning of 0.
    build
        ``"avx512"``, ``"avx2"``, ``"neon"`` or ``"portable"``. The default is the best build that
        this CPU can run.

    Raises
    ------
    BackendUnavailable
        If the build cannot run on this machine.
    MissingComponent
        If the native library is not installed.
    ValueError
        If an option has another value.

    Examples
    --------
    >>> with PDHMM(threads=1) as pdhmm:
    ...     haplotype = Haplotype(b"ACGTAC", [0, 0, Flag.SNP | Flag.A, 0, 0, 0])
    ...     pdhmm.likelihoods([(b"ACAT", 30)], [haplotype]).shape
    (1, 1)
    """

    def __init__(self, *, threads: int = 0, build: str | None = None) -> None:
        self._engine: _native_pdhmm.CpuEngine | None = _native_pdhmm.CpuEngine(threads, build)
        self._build = self._engine.build
        self._final: Statistics | None = None

    @property
    def build(self) -> str:
        """The name of the build in use."""
        return self._build

    @property
    def statistics(self) -> Statistics:
        """Counts of what has been computed so far. They remain available after closing."""
        if self._engine is None:
            return cast(Statistics, self._final)
        return Statistics(**cast(dict[str, Any], self._engine.statistics()))

    def close(self) -> None:
        """Refuse further calls. Calls that are running in other threads finish."""
        if self._engine is not None:
            self._final = self.statistics
            self._engine = None

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
        batch = Batch(_convert.read_batch(reads, gaps), haplotype_batch(haplotypes))
        return self.compute(batch).reshape(len(batch.reads), len(batch.haplotypes))

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Compute the likelihoods of every pair in a batch of regions.

        Parameters
        ----------
        batch
            The regions.

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
            If the engine is closed, a read has more than 32,768 bases, a haplotype has more than
            262,144 letters, or the haplotypes of one region have more than 16,777,216 letters in
            total. The message names the index.
        """
        engine = self._engine
        if engine is None:
            raise ValueError("this PDHMM is closed")
        out = np.empty(batch.pairs, np.float64)
        if batch.cells <= _CALL_CELLS:
            engine.compute(batch.pairs_batch.arrays, batch.flags, out)
            return out
        # Check the whole batch first, so that errors give indices in it and not in a part.
        _native_pdhmm.check_shape(batch.pairs_batch.arrays)
        # Python's signal handlers run between the parts, so Ctrl-C does not wait for all of them.
        done = 0
        for part in _parts(batch):
            values = out[done : done + part.pairs]
            engine.compute(part.pairs_batch.arrays, part.flags, values)
            done += part.pairs
        return out


def likelihoods(
    reads: Reads,
    haplotypes: Haplotypes,
    *,
    insertion_quals: Quals = INSERTION_QUALS,
    deletion_quals: Quals = DELETION_QUALS,
    continuation_quals: Quals = CONTINUATION_QUALS,
    threads: int = 0,
    build: str | None = None,
) -> NDArray[np.float64]:
    """Compute the log10 likelihood of every read given every partially determined haplotype.

    Parameters
    ----------
    reads
        As in :func:`gkl_shim.pairhmm.likelihoods`.
    haplotypes
        An iterable of :class:`Haplotype` objects, of tuples ``(bases, flags)``, or of letters
        without flags; or a :class:`HaplotypeBatch`.
    insertion_quals, deletion_quals, continuation_quals
        The gap qualities of reads that have none of their own.
    threads, build
        As in :class:`PDHMM`.

    Returns
    -------
    ndarray
        Shape (reads, haplotypes).

    Raises
    ------
    ValueError
        If an input has another form, length or value. The message says which.

    Examples
    --------
    >>> maybe_deleted = [0, 0, Flag.DELETION_START, Flag.DELETION_END, 0, 0]
    >>> likelihoods([(b"ACAC", 30)], [(b"ACGTAC", maybe_deleted)]).shape
    (1, 1)
    """
    with PDHMM(threads=threads, build=build) as engine:
        return engine.likelihoods(
            reads,
            haplotypes,
            insertion_quals=insertion_quals,
            deletion_quals=deletion_quals,
            continuation_quals=continuation_quals,
        )


def haplotype_batch(haplotypes: Haplotypes) -> HaplotypeBatch:
    """Check haplotypes in any accepted form, and combine them into a batch."""
    if isinstance(haplotypes, HaplotypeBatch):
        return haplotypes
    if isinstance(haplotypes, Haplotype):
        raise ValueError("haplotypes: expected a sequence of haplotypes, got one Haplotype")
    letters: list[bytes] = []
    flags: list[bytes] = []
    for index, item in enumerate(items_of(haplotypes, "haplotypes", "haplotypes")):
        if isinstance(item, Haplotype):
            item = (item.bases, item.flags)
        elif not isinstance(item, tuple):
            item = (item, None)
        if len(item) != 2:
            raise ValueError(
                f"haplotypes[{index}]: a tuple of {len(item)}; expected (bases, flags)"
            )
        bases = _convert.sequence_bytes(item[0], f"haplotypes[{index}]")
        letters.append(bases)
        flags.append(_flags_bytes(item[1], len(bases), f"haplotypes[{index}].flags"))
    return HaplotypeBatch.trusted(
        _convert.haplotype_batch(letters), np.frombuffer(b"".join(flags), np.uint8)
    )


def _flags_bytes(given: Any, length: int, name: str) -> bytes:
    """Check the flags of one haplotype and return them as bytes."""
    if given is None:
        return bytes(length)
    track = given if isinstance(given, bytes) else _flags_array(given, name).tobytes()
    if len(track) != length:
        raise ValueError(f"{name}: {len(track)} values for {length} letters")
    at = first_wrong_flag(track)
    if at is not None:
        raise ValueError(f"{name}: {track[at]} at letter {at}: {WRONG_FLAGS}")
    return track


def first_wrong_flag(flags: bytes) -> int | None:
    """Return the index of the first flags that contradict themselves, or None."""
    wrong = flags.translate(None, _RIGHT_FLAGS)
    return flags.index(wrong[0]) if wrong else None


def _flags_array(value: Any, name: str) -> NDArray[np.uint8]:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return byte_view(value)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name}: expected whole numbers, got {type(value).__name__}")
    given = arrays.on_host(value)
    values = np.asarray(given if isinstance(given, np.ndarray) else list(given))
    if values.ndim != 1 or (len(values) and values.dtype.kind not in "iu"):
        raise ValueError(
            f"{name}: expected whole numbers in one dimension, got {values.dtype} of shape "
            f"{values.shape}"
        )
    wrong = (values < 0) | (values > 255)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"{name}: {values[at]} at letter {at} is not within 0..255")
    return np.ascontiguousarray(values, np.uint8)


def _parts(batch: Batch) -> Iterator[Batch]:
    """Divide a batch between regions into batches of about `_CALL_CELLS` cells."""
    whole = batch.pairs_batch
    reads = np.diff(whole.reads.offsets[whole.region_reads])
    letters = np.diff(whole.haplotypes.offsets[whole.region_haplotypes])
    ends = np.cumsum(reads * letters)
    first = cells = 0
    while first < len(batch):
        last = int(np.searchsorted(ends, cells + _CALL_CELLS)) + 1
        yield batch[first:last]
        first = last
        cells = int(ends[min(last, len(batch)) - 1])
