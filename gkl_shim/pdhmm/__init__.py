"""Compute PDHMM likelihoods: the log10 likelihood of a read given a partially determined haplotype.

A partially determined haplotype stands for many haplotypes. A letter's flags say which other bases
match there, and which letters may be absent. GATK computes such likelihoods with
``--dragen-378-concordance-mode`` and ``--use-pdhmm``. GATK's
``LoglessPDPairHMM`` defines the model. Precision is double.

Results have the same bits with any number of threads, any build and any grouping of regions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._closable import Closable
from gkl_shim.pairhmm import _convert
from gkl_shim.pairhmm._batch import is_long
from gkl_shim.pairhmm._convert import Quals, Read, Reads
from gkl_shim.pairhmm._sequences import (
    CONTINUATION_QUALS,
    DELETION_QUALS,
    INSERTION_QUALS,
    ReadBatch,
)
from gkl_shim.pdhmm import _native_pdhmm
from gkl_shim.pdhmm._batch import (
    Batch,
    Flag,
    Haplotype,
    HaplotypeBatch,
    Haplotypes,
    haplotype_batch,
)

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
    threads, build
        As for :class:`gkl_shim.pairhmm.PairHMM`, which also lists the exceptions.

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
        pointer = _native_pdhmm.batch_pointer(batch.unflagged_arrays, batch.flags)
        engine.compute(pointer, out, is_long(batch))
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
