"""The GPU engines that the native library uses in a JVM or a C program.

:mod:`gkl_shim.cuda.opened_by_library` calls this module.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from gkl_shim._batch import Batch, HaplotypeBatch, ReadBatch
from gkl_shim.cuda import pairhmm as cuda_pairhmm

__all__ = ["pairhmm", "proved"]

# The shape of the batch that a new engine computes first. It has more pairs than a region of a
# 1,500x amplicon.
_REGIONS, _READS, _HAPLOTYPES = 60, 50, 100
_SHORTEST_READ, _LONGEST_READ, _QUALITY = 10, 150, 30
_HAPLOTYPE_BASES, _SITES = 200, 7

# The most device memory for an engine's buffers. GATK runs as many processes on a machine: with a
# context of half a GiB each, eight of them fit a device of 16 GB.
_MOST_MEMORY = 1 << 30

_engines: dict[tuple[bool, bool], cuda_pairhmm.Engine] = {}
_opening = threading.Lock()


def proved(devices: Sequence[int] | None) -> cuda_pairhmm.Engine:
    """Open the engine that GATK usually needs, and let it compute a first batch.

    Raises
    ------
    BackendUnavailable
        If CuPy, the driver or a device is missing or does not work.
    """
    engine = pairhmm(False, True, devices)
    # The first batch loads the kernels and makes the buffers as large as a deep region needs, so
    # the host's calls do not wait for that. If a device fails here, the host reports it after its
    # own first call.
    engine.prove(_first_batch())
    return engine


def _first_batch() -> Batch:
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


def pairhmm(double: bool, as_gkl: bool, devices: Sequence[int] | None) -> cuda_pairhmm.Engine:
    """Return the engine for a precision and conventions. It stays open until the process ends."""
    with _opening:
        engine = _engines.get((double, as_gkl))
        if engine is None:
            engine = cuda_pairhmm.Engine(
                devices,
                precision="double" if double else "single",
                as_gkl=as_gkl,
                most_memory=_MOST_MEMORY,
            )
            _engines[double, as_gkl] = engine
        return engine
