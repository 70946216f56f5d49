"""The engine under GATK's conventions against GATK's own class, in a JVM without the shim."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gkl_shim.formats import pdhmm_in
from gkl_shim.gatk import fetch
from gkl_shim.pdhmm import Batch, _native_pdhmm
from tests.conftest import DATA, require_tool
from tests.pdhmm.gatk_java import GatkJava, Pair
from tests.pdhmm.regions import batch, pairs, regions


@pytest.fixture(scope="module")
def gatk() -> Iterator[GatkJava]:
    require_tool("java")
    require_tool("mvn")
    with GatkJava(fetch.gatk_classpath()) as java:
        yield java


def compute(arrays: Batch) -> np.ndarray:
    out = np.empty(arrays.pairs)
    engine = _native_pdhmm.CpuEngine(1, None, as_gkl=True)
    engine.compute(_native_pdhmm.batch_pointer(arrays.unflagged_arrays, arrays.flags), out)
    return out


def check(gatk: GatkJava, arrays: Batch) -> None:
    want = np.array(gatk.likelihoods(list(pairs(arrays))))
    found = compute(arrays)
    refused = np.isposinf(want)
    assert (found[refused] > 0).all()
    np.testing.assert_allclose(found[~refused], want[~refused], rtol=0, atol=1e-9)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_made_regions(gatk: GatkJava, data: st.DataObject) -> None:
    """Every mixture of flags, deletions that begin or end nowhere, and every quality."""
    check(gatk, batch(data.draw(regions())))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_lower_case(gatk: GatkJava, data: st.DataObject) -> None:
    """GATK compares bytes: an a does not match an A, but it matches a SNP's A."""
    check(gatk, batch(data.draw(regions(alphabet=b"ACGTNacgt"))))


def test_a_likelihood_that_gatk_refuses(gatk: GatkJava) -> None:
    """A merge takes the larger of two values, so a sum may exceed 1."""
    read = (b"NT", b"\x3c\x00", b"\x03\x00", b"\x02\x3c", b"\x64\x0a")
    flags = bytes([0, 4, 0, 6, 4, 4, 2, 4])
    arrays = batch(([read], [(b"ANNTNACA", flags)]))
    assert gatk.likelihoods(list(pairs(arrays))) == [np.inf]
    check(gatk, arrays)


def test_recorded_regions(gatk: GatkJava) -> None:
    with pdhmm_in.Reader(DATA / "chr22_dragen.pdhmm.in") as reader:
        for arrays in reader:
            check(gatk, arrays)


def test_below_the_range_of_double_precision(gatk: GatkJava) -> None:
    """GATK's result fades into subnormal numbers, and then is -Infinity."""
    haplotype = (b"C" * 200, bytes([0] * 90 + [2, 0, 0, 4] + [0] * 106))
    for n in (140, 150, 151, 152, 153, 154, 155, 180):
        read = (b"A" * n, b"\x24" * n, b"\x64" * n, b"\x64" * n, b"\x64" * n)
        arrays = batch(([read], [haplotype]))
        (want,) = gatk.likelihoods(list(pairs(arrays)))
        assert compute(arrays)[0] == pytest.approx(want, abs=1e-9)


def compute_pair(pair: Pair) -> float:
    """The likelihood of a pair that gkl_shim.pdhmm might refuse."""
    *read, haplotype, flags = (np.frombuffer(track, np.uint8) for track in pair)
    one = np.array([0, 1])
    ends = np.array([0, len(read[0])]), np.array([0, len(haplotype)])
    out = np.empty(1)
    engine = _native_pdhmm.CpuEngine(1, None, as_gkl=True)
    pointer = _native_pdhmm.batch_pointer(
        (one, one, ends[0], tuple(read), ends[1], haplotype), flags
    )
    engine.compute(pointer, out)
    return float(out[0])


@settings(max_examples=100, deadline=None)
@given(haplotype=st.binary(min_size=1, max_size=40), data=st.data())
def test_any_bytes(gatk: GatkJava, haplotype: bytes, data: st.DataObject) -> None:
    read = data.draw(
        st.lists(st.sampled_from(haplotype) | st.integers(0, 255), min_size=1, max_size=20)
    )
    n = len(read)
    quals = (bytes([quality] * n) for quality in (30, 45, 40, 10))
    pair = (bytes(read), *quals, haplotype, bytes(len(haplotype)))
    assert compute_pair(pair) == pytest.approx(gatk.likelihoods([pair])[0], abs=1e-9)


def test_more_kinds_of_columns_than_a_plan_holds(gatk: GatkJava) -> None:
    """A haplotype of letters that are no bases, each with every set of alternatives."""
    letters = bytes(range(0x80, 0x98))
    alternatives = [8 * bases for bases in range(1, 16)]
    columns = [(letter, 1 | some) for letter in letters for some in alternatives]
    haplotype, flags = (bytearray(track) for track in zip(*columns, strict=True))
    flags[5] |= 2
    flags[9] |= 4
    read = b"ACGTTGCANNACGTACGTTGCA"
    quals = (bytes([quality] * len(read)) for quality in (30, 45, 40, 10))
    pair = (read, *quals, bytes(haplotype), bytes(flags))
    assert compute_pair(pair) == pytest.approx(gatk.likelihoods([pair])[0], abs=1e-9)


def test_every_base_quality(gatk: GatkJava) -> None:
    """All eight bits count."""
    for quality in (0, 1, 93, 126, 127, 128, 200, 254):
        quals = bytes([quality, 30, 30, quality]), *(b"\x28" * 4 for _ in range(3))
        pair = (b"ACGT", *quals, b"TACGA", bytes(5))
        assert compute_pair(pair) == pytest.approx(gatk.likelihoods([pair])[0], abs=1e-9)
