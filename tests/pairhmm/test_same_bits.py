"""A pair's result has the same bits on every engine and whatever other pairs share its batch."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gkl_shim.common import _native
from gkl_shim.formats import pairhmm_in
from gkl_shim.pairhmm import PairHMM, Read
from tests.conftest import RECORDED, recorded
from tests.pairhmm import oracle

BUILDS = _native.builds()
PRECISIONS = ("single", "double")


def bits(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).view(np.uint64)


def assert_same_bits(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_array_equal(bits(one), bits(other))


@pytest.fixture(scope="module", params=PRECISIONS)
def expected(request, regions):
    """Return the results of all regions from the portable build with one thread."""
    pairhmm = PairHMM(build="portable", threads=1, precision=request.param)
    return request.param, [pairhmm.likelihoods(*region) for region in regions]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("threads", [1, 2])
def test_builds_and_threads_do_not_change_the_bits(regions, expected, build, threads):
    precision, results = expected
    pairhmm = PairHMM(build=build, threads=threads, precision=precision)
    for region, result in zip(regions, results, strict=True):
        assert_same_bits(pairhmm.likelihoods(*region), result)


@pytest.mark.parametrize(
    ("build", "precision"), [*((BUILDS[0], each) for each in PRECISIONS), (BUILDS[-1], "single")]
)
def test_dividing_haplotypes_into_sets_does_not_change_the_bits(build, precision):
    """Enough haplotypes to be computed in several sets; no two share a head."""
    rnd = random.Random(4)
    first, last = (bytes(rnd.choice(b"ACGT") for _ in range(n)) for n in (200, 304))
    codes = [bytes(b"ACGT"[k >> z & 3] for z in range(0, 12, 2)) for k in range(3000)]
    rnd.shuffle(codes)
    haplotypes = [first + code + last for code in codes]
    reads = [Read(haplotypes[0][k : k + 480], 30) for k in range(5)]
    pairhmm = PairHMM(build=build, precision=precision)
    result = pairhmm.likelihoods(reads, haplotypes)
    for r, h in [(0, 0), (4, 2999), *((rnd.randrange(5), rnd.randrange(3000)) for _ in range(50))]:
        # With another haplotype it is cut, too, and in the same place.
        few = pairhmm.likelihoods([reads[r]], [haplotypes[h], b"ACGT"])
        assert_same_bits(few[:, :1], result[r : r + 1, h : h + 1])


def test_haplotypes_of_a_divided_region_share_columns_in_any_order():
    """Four kinds of haplotypes, all with one other letter each; a plan of all is too large."""
    rnd = random.Random(4)
    kinds = [[*rnd.choices(b"ACGT", k=5000)] for _ in range(4)]
    ordered = [bytes([*k[:at], *b"A", *k[at + 1 :]]) for k in kinds for at in range(0, 5000, 50)]
    reads = [Read(one[1000:1100], 20) for one in ordered[::100]]
    computed = []
    for haplotypes in (ordered, rnd.sample(ordered, len(ordered))):
        pairhmm = PairHMM(backend="cpu")
        pairhmm.likelihoods(reads, haplotypes)
        computed.append(pairhmm.statistics.computed_cells)
    assert computed[1] < 1.1 * computed[0]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("length", [8191, 8192, 8193, 8194, 16_384, 16_385, 40_001])
def test_segments_of_a_long_haplotype_do_not_change_the_bits(build, precision, length):
    """Alone it is computed in segments of its columns."""
    rnd = random.Random(5)
    haplotype = bytes(rnd.choice(b"ACGT") for _ in range(length))
    places = (0, length // 2 - 25, length - 50)
    reads = [Read(haplotype[at : at + 50 - k], 30) for k, at in enumerate(places)]
    for threads in (1, 2):
        pairhmm = PairHMM(build=build, precision=precision, threads=threads)
        together = pairhmm.likelihoods(reads, [haplotype, b"ACGT", b"CCC"])
        assert_same_bits(pairhmm.likelihoods(reads, [haplotype]), together[:, :1])


@pytest.mark.parametrize("build", BUILDS)
def test_a_long_haplotype_is_rescaled(build):
    """Also in segments. A read with gap-open qualities of 0 leaves the range of both precisions."""
    rnd = random.Random(6)
    haplotype = bytes(rnd.choice(b"ACGT") for _ in range(5000))
    bases, quals = haplotype[2046:2051], [bytes([q] * 5) for q in (30, 0, 0, 10)]
    read = Read(bases, *quals)
    exact = oracle.likelihood(bases, *quals, haplotype)
    pairhmm = PairHMM(build=build)
    assert pairhmm.likelihoods([read], [haplotype])[0, 0] == pytest.approx(exact, abs=1e-8)
    assert pairhmm.statistics.rescaled_pairs == 1


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("threads", [2, 8])
def test_more_threads_than_tiles_do_not_change_the_bits(build, threads):
    """Some threads have no tile."""
    rnd = random.Random(3)
    bases = "".join(rnd.choice("ACGT") for _ in range(500))
    haplotypes = [bases.encode()]
    for _ in range(11):
        at = rnd.randrange(450)
        end = at + rnd.randrange(40)
        haplotypes.append((bases[:at] + rnd.choice("ACGT") + bases[end:]).encode())
    reads = []
    for length in [500] * 3 + [rnd.randint(20, 300) for _ in range(30)]:
        start = rnd.randrange(501 - length)
        quals = [bytes(rnd.randint(6, 45) for _ in range(length)) for _ in range(4)]
        reads.append(Read(bases[start : start + length].encode(), *quals))
    alone = PairHMM(build=build, threads=1)
    together = PairHMM(build=build, threads=threads)
    for count in (1, 5, 17, 33):
        result = alone.likelihoods(reads[:count], haplotypes)
        for _ in range(5):
            assert_same_bits(together.likelihoods(reads[:count], haplotypes), result)


@pytest.mark.parametrize("build", BUILDS)
def test_other_reads_and_the_order_do_not_change_the_bits(regions, expected, build):
    """Any reads, and all haplotypes in any order and with repeats, give a pair the same bits."""
    precision, results = expected
    pairhmm = PairHMM(build=build, precision=precision)
    rnd = random.Random(1)
    for (reads, haplotypes), result in zip(regions, results, strict=True):
        r = [rnd.randrange(len(reads)) for _ in range(len(reads))]
        h = [*range(len(haplotypes)), *rnd.choices(range(len(haplotypes)), k=3)]
        rnd.shuffle(h)
        some = pairhmm.likelihoods([reads[k] for k in r], [haplotypes[k] for k in h])
        assert_same_bits(some, result[np.ix_(r, h)])
        assert_same_bits(pairhmm.likelihoods(reads[:1], haplotypes), result[:1])


def test_streaming_does_not_change_the_bits(regions, expected):
    """Many regions in one call, as a stream computes them."""
    precision, results = expected
    pairhmm = PairHMM(precision=precision)
    streamed = list(pairhmm.stream(regions[::-1]))[::-1]
    for one, result in zip(streamed, results, strict=True):
        assert_same_bits(one, result)


def test_results_agree_with_the_model(regions, expected):
    """Some pairs are compared with the model in extended precision."""
    precision, results = expected
    tolerance = 1e-5 if precision == "single" else 1e-8
    rnd = random.Random(2)
    for (reads, haplotypes), result in zip(regions, results, strict=True):
        for _ in range(6):
            r, h = rnd.randrange(len(reads)), rnd.randrange(len(haplotypes))
            read = reads[r]
            with np.errstate(divide="ignore"):
                exact = oracle.likelihood(
                    read.bases,
                    read.quals,
                    read.insertion_quals,
                    read.deletion_quals,
                    read.continuation_quals,
                    haplotypes[h],
                )
            assert result[r, h] == pytest.approx(exact, abs=tolerance, rel=0)


# Of 18,000 combinations, those in which rounding errs most in the same direction at every base.
@pytest.mark.parametrize("qualities", [(16, 39, 19, 12), (26, 15, 27, 20), (5, 35, 35, 15)])
@pytest.mark.parametrize(("bases", "tolerance"), [(150, 1e-5), (512, 3e-5), (1024, 6e-5)])
def test_reads_of_one_quality_are_as_precise_as_promised(qualities, bases, tolerance):
    haplotype = bytes(random.Random(3).choices(b"ACGT", k=bases + 20))
    tracks = [[quality] * bases for quality in qualities]
    exact = oracle.likelihood(haplotype[:bases], *tracks, haplotype)
    read = Read(haplotype[:bases], *qualities)
    assert PairHMM().likelihoods([read], [haplotype]) == pytest.approx(exact, abs=tolerance, rel=0)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(("precision", "tolerance"), [("single", 1e-5), ("double", 1e-8)])
@pytest.mark.parametrize("name", RECORDED)
def test_recorded_regions_have_the_expected_likelihoods(build, precision, tolerance, name):
    path, exact = recorded(name)
    pairhmm = PairHMM(build=build, precision=precision)
    with pairhmm_in.Reader(path) as reader:
        computed = np.concatenate([pairhmm.compute(batch) for batch in reader])
    assert len(computed) == len(exact)
    assert np.abs(computed - exact).max() < tolerance
