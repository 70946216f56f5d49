"""The plain recurrence, and GATK's conventions, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from gkl_shim.pdhmm import _native_pdhmm
from tests.pdhmm.regions import Region, batch, regions
from tests.pdhmm.test_engine import expected


def unscalable(region: Region) -> Region:
    """Set gap-open qualities of 0 in each read's first row, which then cannot be scaled."""
    reads, haplotypes = region
    return [
        (bases, quals, b"\0" + insertion[1:], b"\0" + deletion[1:], continuation)
        for bases, quals, insertion, deletion, continuation in reads
    ], haplotypes


def compute(region: Region, as_gkl: bool) -> tuple[np.ndarray, int]:
    """Return the likelihoods, and how many the plain recurrence has computed."""
    arrays = batch(region)
    found = np.empty(arrays.pairs)
    engine = _native_pdhmm.CpuEngine(1, None, as_gkl=as_gkl)
    engine.compute(_native_pdhmm.batch_pointer(arrays.unflagged_arrays, arrays.flags), found)
    return found, int(engine.statistics()["rescued_pairs"])


@pytest.mark.parametrize("as_gkl", [False, True])
@settings(max_examples=60, deadline=None)
@given(regions())
def test_reads_that_cannot_be_scaled(as_gkl: bool, region: Region) -> None:
    """Every mixture of flags, and haplotypes that end inside a deletion."""
    region = unscalable(region)
    found, rescued = compute(region, as_gkl)
    np.testing.assert_allclose(found, expected(region), rtol=0, atol=1e-9)
    assert rescued == len(found)


@settings(max_examples=60, deadline=None)
@given(regions(alphabet=b"ACGTNacgt"))
def test_lower_case_as_gatk_takes_it(region: Region) -> None:
    """An a does not match an A, but it matches a SNP's A."""
    found, _ = compute(region, as_gkl=True)
    np.testing.assert_allclose(found, expected(region), rtol=0, atol=1e-9)
