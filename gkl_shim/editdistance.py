"""The edit distance of pairs of sequences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native_editdistance

__all__ = ["distances"]


def distances(
    first: Sequence[bytes], second: Sequence[bytes], *, threads: int = 0, build: str | None = None
) -> NDArray[np.int32]:
    """Compute the edit distance of every pair.

    Parameters
    ----------
    first, second
        N sequences each, of up to 16,384 bytes.
    threads
        The most CPU threads, including the caller's. 0 uses every CPU that the process may use.
    build
        The build of the CPU engine. The default is the best one.

    Returns
    -------
    ndarray
        int32, shape (N,).

    Raises
    ------
    BackendUnavailable
        If this CPU cannot run the build.
    ValueError
        If the numbers of sequences differ, or a sequence is too long.

    Examples
    --------
    >>> distances([b"ACGT", b"ACGT"], [b"ACGT", b"AGT"])
    array([0, 1], dtype=int32)
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} first sequences, but {len(second)} second ones")
    out = np.empty(len(first), np.int32)
    engine = _native_editdistance.CpuEngine(threads, build)
    engine.compute(*_ragged(first), *_ragged(second), out)
    return out


def _ragged(sequences: Sequence[bytes]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    offsets = np.zeros(len(sequences) + 1, np.int64)
    np.cumsum([len(sequence) for sequence in sequences], out=offsets[1:])
    return offsets, np.frombuffer(b"".join(sequences), np.uint8)
