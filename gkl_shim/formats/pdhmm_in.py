"""Read and write regions of partially determined haplotypes: the ``.in`` format with flags.

A region is as in :mod:`gkl_shim.formats.pairhmm_in`, but a haplotype's line has a second field: the
flags of its letters, two hexadecimal digits a letter. Files may be compressed.
"""

from __future__ import annotations

from typing import BinaryIO

from gkl_shim.formats import pairhmm_in
from gkl_shim.pairhmm import _native_pairhmm, _sequences
from gkl_shim.pairhmm._sequences import ReadBatch
from gkl_shim.pdhmm._batch import Batch, HaplotypeBatch

__all__ = ["Reader", "write"]


class Reader(pairhmm_in.RegionReader[Batch]):
    """Iterate over the regions of a file as :class:`gkl_shim.pdhmm.Batch` objects."""

    _KIND = "pdhmm"

    def _batch(
        self,
        reads: ReadBatch,
        haplotypes: _sequences.HaplotypeBatch,
        found: _native_pairhmm.RegionText,
    ) -> Batch:
        flagged = HaplotypeBatch.trusted(haplotypes, found.flags)
        return Batch(reads, flagged, *found.arrays[:2])


def write(file: BinaryIO, batch: Batch) -> None:
    """Write the regions of a batch. :class:`Reader` returns the same regions.

    Parameters
    ----------
    file
        A binary file, open for writing.
    batch
        The regions.
    """
    pairhmm_in.write(file, batch, batch.flags)
