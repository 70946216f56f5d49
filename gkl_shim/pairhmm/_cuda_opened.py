"""What PairHMM's engine opens with in a JVM or a C program.

:mod:`gkl_shim.cuda.opened_by_library` calls :func:`opened`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gkl_shim.common import _native
from gkl_shim.cuda.engine import engine_options
from gkl_shim.pairhmm import _cuda as cuda_pairhmm
from gkl_shim.pairhmm import _native_pairhmm
from gkl_shim.pairhmm._batch import Batch, HaplotypeBatch, ReadBatch

# The shape of the batch that a new engine computes first. It has more pairs than a region of a
# 1,500x amplicon.
_REGIONS, _READS, _HAPLOTYPES = 60, 50, 100
_SHORTEST_READ, _LONGEST_READ, _QUALITY = 10, 150, 30
_HAPLOTYPE_BASES, _SITES = 200, 7

# The most device memory for an engine's buffers. GATK runs as many processes on a machine: with a
# context of half a GiB each, eight of them fit a device of 16 GB.
_MOST_MEMORY = 1 << 30


def opened(devices: Sequence[int] | None) -> tuple[list[str], Any, tuple[Any, ...]]:
    """Open devices.

    Returns
    -------
    names, record, owners
        The devices' names, a ``gkl_shim_pairhmm_opened *``, and what owns the memory that the
        record points to.

    Raises
    ------
    BackendUnavailable
        If CuPy, the driver or a device is missing or does not work.
    """
    ffi, _ = _native.library()
    found, driver = cuda_pairhmm.opened(devices, most_memory=_MOST_MEMORY)
    fields = cuda_pairhmm.option_fields()
    options, records = engine_options("pairhmm_cuda", found, driver, **fields)
    arrays = first_batch().arrays
    batch = _native_pairhmm.batch_pointer(*arrays)
    record = ffi.new("gkl_shim_pairhmm_opened *", {"options": options[0], "first": batch[0]})
    return [device.name for device in found], record, (found, driver, records, arrays)


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
