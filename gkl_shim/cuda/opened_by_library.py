"""Open GPU engines for the native library when it runs Python itself (``gpu/python_host.h``).

The library starts Python inside a JVM or a C program, imports this module and calls its functions.
:func:`pairhmm` takes addresses as integers. It returns an empty string for success and otherwise a
message, so no Python exception reaches C. An engine, once open, computes without Python.
"""

from __future__ import annotations

import os
import threading

import numpy as np

from gkl_shim import _native
from gkl_shim._batch import Batch, HaplotypeBatch, ReadBatch
from gkl_shim.cuda import pairhmm as cuda_pairhmm
from gkl_shim.errors import BackendUnavailable

__all__ = ["pairhmm", "start"]

# The shape of the batch that a new engine computes first. It has more pairs than a region of a
# 1,500x amplicon.
_REGIONS, _READS, _HAPLOTYPES = 60, 50, 100
_SHORTEST_READ, _LONGEST_READ, _QUALITY = 10, 150, 30
_HAPLOTYPE_BASES, _SITES = 200, 7

_engines: dict[tuple[bool, bool], cuda_pairhmm.Engine] = {}
_opening = threading.Lock()


def start() -> str:
    """Open the engine, let it compute a first batch, and return the names of its devices.

    Raises
    ------
    BackendUnavailable
        If CuPy, the driver or a device is missing or does not work.
    """
    engine = _engine(False, True)
    # The first batch loads the kernels and makes the buffers as large as a deep region needs, so
    # the host's calls do not wait for that. If a device fails here, the host reports it after its
    # own first call.
    engine.prove(_first_batch())
    return ", ".join(engine.devices)


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


def pairhmm(double: int, as_gkl: int, vtable: int) -> str:
    """Write the ``gkl_shim_cuda_vtable`` of an engine to the address `vtable`.

    There is one engine for each precision and conventions. It stays open until the process ends.
    """
    try:
        ffi, lib = _native.library()
        engine = _engine(bool(double), bool(as_gkl))
        lib.gkl_shim_cuda_engine_vtable(engine.pointer, ffi.cast("gkl_shim_cuda_vtable *", vtable))
    except Exception as error:  # after any error, the CPU engine takes over
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def _engine(double: bool, as_gkl: bool) -> cuda_pairhmm.Engine:
    with _opening:
        engine = _engines.get((double, as_gkl))
        if engine is None:
            engine = cuda_pairhmm.Engine(
                _devices(), precision="double" if double else "single", as_gkl=as_gkl
            )
            _engines[double, as_gkl] = engine
        return engine


def _devices() -> list[int] | None:
    chosen = os.environ.get("GKL_SHIM_DEVICES", "")
    try:
        return [int(number) for number in chosen.split(",")] if chosen else None
    except ValueError:
        raise BackendUnavailable(
            f"GKL_SHIM_DEVICES={chosen}: numbers of devices, separated by commas, are wanted"
        ) from None
