"""The engine against the definition, and against itself: every build gives the same bits.

So do the plain recurrence, GATK's conventions, and the library for aarch64 under emulation.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings

from gkl_shim.common import _native
from gkl_shim.formats import pdhmm_in
from gkl_shim.pdhmm import PDHMM, _native_pdhmm
from tests import native_driver
from tests.conftest import recorded
from tests.pdhmm import oracle
from tests.pdhmm.regions import Haplotype, Read, Region, batch, pairs, regions

BUILDS = _native.builds()
RECORDED, LIKELIHOODS = recorded("chr22_dragen.pdhmm")


def bits(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).view(np.uint64)


def agree(region: Region) -> None:
    """Compare every build with the definition."""
    want = expected(region)
    for build in BUILDS:
        found = PDHMM(build=build).compute(batch(region))
        np.testing.assert_allclose(found, want, rtol=0, atol=1e-9, err_msg=build)


def expected(region: Region) -> np.ndarray:
    return np.array([oracle.likelihood(*pair) for pair in pairs(batch(region))])


def random_read(rnd: random.Random, length: int, least: int = 20) -> Read:
    quals = (bytes(rnd.randint(least, 60) for _ in range(length)) for _ in range(4))
    return (bytes(rnd.choice(b"ACGT") for _ in range(length)), *quals)  # type: ignore[return-value]


def random_haplotype(rnd: random.Random, length: int, deletions: int = 0) -> Haplotype:
    flags = bytearray(length)
    places = sorted(rnd.sample(range(length), 2 * deletions))
    for first, last in zip(places[::2], places[1::2], strict=True):
        flags[first] |= 2
        flags[last] |= 4
    return bytes(rnd.choice(b"ACGT") for _ in range(length)), bytes(flags)


@settings(max_examples=150, deadline=None)
@given(regions())
def test_every_build_gives_what_the_definition_gives(region: Region) -> None:
    want = expected(region)
    reference = None
    for build in BUILDS:
        for threads in (1, 2):
            found = PDHMM(build=build, threads=threads).compute(batch(region))
            if reference is None:
                reference = bits(found)
                np.testing.assert_allclose(found, want, rtol=0, atol=1e-9)
            np.testing.assert_array_equal(bits(found), reference, err_msg=f"{build}, {threads}")


@settings(max_examples=60, deadline=None)
@given(regions())
def test_a_pair_s_bits_depend_on_the_pair_alone(region: Region) -> None:
    together = PDHMM().compute(batch(region))
    reads, haplotypes = region
    alone = [PDHMM().compute(batch(([r], [h])))[0] for r in reads for h in haplotypes]
    np.testing.assert_array_equal(bits(together), bits(np.array(alone)))


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("threads", [1, 2])
def test_recorded_regions_are_gatk_s(build: str, threads: int) -> None:
    with pdhmm_in.Reader(RECORDED) as reader:
        found = np.concatenate([PDHMM(build=build, threads=threads).compute(b) for b in reader])
    np.testing.assert_allclose(found, LIKELIHOODS, rtol=0, atol=1e-9)


def test_beyond_the_range_of_double_precision() -> None:
    """Reads of mismatches with dear gaps; in the middle of a tile, and shorter ones beside them."""
    rnd = random.Random(1)
    n = 330
    lost = (b"A" * n, b"\x3c" * n, b"\x64" * n, b"\x64" * n, b"\x64" * n)
    haplotype = b"C" * 340, bytes([0] * 100 + [2] + [0] * 20 + [4] + [0] * 218)
    region = ([random_read(rnd, 50), lost, random_read(rnd, 100)], [haplotype])
    agree(region)
    for build in BUILDS:
        pdhmm = PDHMM(build=build)
        assert pdhmm.compute(batch(region))[1] < -1300
        assert pdhmm.statistics.rescued_pairs == 1


@pytest.mark.parametrize("quals", [(0, 0), (1, 3), (0, 60), (2, 2), (3, 100)])
def test_gaps_as_likely_as_matches(quals: tuple[int, int]) -> None:
    """Rows with these gap qualities cannot be scaled."""
    rnd = random.Random(2)
    bases, base_quals, insertion, deletion, continuation = random_read(rnd, 30)
    one = bytes([quals[0]]), bytes([quals[1]])
    insertion, deletion = (insertion[:9] + one[0] + insertion[10:], deletion[:9] + one[1] + deletion[10:])  # fmt: skip # noqa: E501
    reads = [(bases, base_quals, insertion, deletion, continuation), random_read(rnd, 31)]
    agree((reads, [random_haplotype(rnd, 40, 3)]))


def test_haplotypes_that_end_inside_a_deletion() -> None:
    """Then all rows but the first start inside one, unless the first deletion is no deletion."""
    rnd = random.Random(5)
    for case in range(12):
        bases, _ = random_haplotype(rnd, 40)
        flags = bytearray(40)
        deletions = [(rnd.randint(8, 12), rnd.randint(14, 18)), (22, 25)]
        if case % 3 == 1:  # it begins with the haplotype and changes nothing
            deletions.insert(0, (0, 4))
        if case % 3 == 2:  # the first flag ends a deletion of one column
            flags[3] |= 4
        for first, last in deletions:
            flags[first] |= 2
            flags[last] |= 4
        flags[rnd.randint(28, 39)] |= 2
        first, last = deletions[-2]
        _, *quals = random_read(rnd, 24)
        shortened = bases[first - 8 if first > 8 else 0 : first] + bases[last + 1 :]
        read = (shortened + bases)[:24]
        # The second read cannot be scaled.
        plain = (quals[0], b"\0" + quals[1][1:], b"\0" + quals[2][1:], quals[3])
        reads = [(read, *quals), (read, *plain), random_read(rnd, 9)]
        agree((reads, [(bases, bytes(flags)), (bases, bytes(flags[:28]) + bytes(12))]))


@pytest.mark.parametrize("difference", [79, 80, 81])
def test_gap_qualities_far_apart(difference: int) -> None:
    """From a difference of 80 on, GATK ignores the smaller of two probabilities."""
    rnd = random.Random(6)
    bases, quals, _, _, continuation = random_read(rnd, 60)
    likely, unlikely = bytes([1] * 60), bytes([1 + difference] * 60)
    reads = [(bases, quals, likely, unlikely, continuation),
             (bases, quals, unlikely, likely, continuation)]  # fmt: skip
    agree((reads, [random_haplotype(rnd, 70, 2)]))


def test_a_likelihood_of_zero() -> None:
    """A base quality of 0 says that the base is another."""
    read = (b"A", b"\x00", b"\x2d", b"\x2d", b"\x0a")
    assert PDHMM().compute(batch(([read], [(b"A", b"\x00")])))[0] == -np.inf


@pytest.mark.parametrize("build", BUILDS)
def test_haplotypes_are_divided_into_sets(build: str) -> None:
    """Too many haplotypes for one tile's memory, and no two share a head."""
    rnd = random.Random(3)
    read = random_read(rnd, 600)
    haplotypes = [random_haplotype(rnd, 40, k % 3) for k in range(700)]
    found = PDHMM(build=build).compute(batch(([read, random_read(rnd, 30)], haplotypes)))
    for h in (0, 1, 349, 350, 698, 699):
        alone = PDHMM(build=build).compute(batch(([read], [haplotypes[h]])))
        assert bits(alone)[0] == bits(found)[h]


@pytest.mark.parametrize("length", [8_000, 32_768])
def test_long_reads(length: int) -> None:
    """Alone, beside a short read, and in every build: kernels differ by the memory they take."""
    rnd = random.Random(4)
    haplotype = random_haplotype(rnd, 60, 2)
    reads = [random_read(rnd, length), random_read(rnd, 10)]
    results = [PDHMM(build=build).compute(batch((reads, [haplotype]))) for build in BUILDS]
    for found in results:
        np.testing.assert_array_equal(bits(found), bits(results[0]))
    assert np.isfinite(results[0]).all()
    assert PDHMM().compute(batch((reads[:1], [haplotype])))[0] == results[0][0]


def test_statistics() -> None:
    with pdhmm_in.Reader(RECORDED) as reader, PDHMM() as pdhmm:
        batches = list(reader)
        for each in batches:
            pdhmm.compute(each)
    done = pdhmm.statistics
    assert (done.regions, done.pairs) == (4, 440)
    assert done.cells == sum(each.cells for each in batches)
    assert 0 < done.computed_cells < done.cells / 2
    assert done.rescued_pairs == 0
    assert done.seconds > 0


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


def run(command: list[str], build: str, threads: int) -> str:
    return native_driver.run(command, RECORDED, build, threads)


def test_recorded_regions_from_c(native: list[str]) -> None:
    values = [float.fromhex(line) for line in run(native, "portable", 1).splitlines()]
    np.testing.assert_allclose(values, LIKELIHOODS, atol=1e-9)


@pytest.mark.parametrize("build", ["neon", "portable"])
def test_aarch64_has_the_same_bits(native: list[str], aarch64: list[str], build: str) -> None:
    assert run(aarch64, build, 2) == run(native, "portable", 1)
