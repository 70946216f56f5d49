"""The exact filter agrees with edlib: it accepts and rejects no pair falsely.

GateKeeper agrees with its authors' counts and with a plain program.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gkl_shim.common import _native
from gkl_shim.errors import PairError
from gkl_shim.prefilter import UNDEFINED, Prefilter, Sequences, edits, summarize
from tests.conftest import DATA, shared_data
from tests.prefilter import oracle, simulate

BUILDS = _native.builds()
MODES = tuple(oracle.EDLIB_MODES)


def read_pairs(name: str) -> tuple[list[bytes], list[bytes]]:
    committed = DATA / name
    path = committed if committed.is_file() else shared_data("prefilter", name)
    lines = path.read_bytes().splitlines()
    reads, segments = zip(*(line.split(b"\t") for line in lines), strict=True)
    return list(reads), list(segments)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["mrfast_pairs.tsv", "ERR240727_1_E2.tsv", "ERR240727_1_E5.tsv"])
def test_real_pairs_agree_with_edlib_at_every_threshold(name, mode):
    reads, segments = read_pairs(name)
    exact = oracle.distances(reads, segments, mode)
    for build in BUILDS:
        for max_edits in range(41):
            got = edits(reads, segments, max_edits, mode=mode, build=build)
            np.testing.assert_array_equal(got, oracle.within(exact, max_edits))


@pytest.mark.parametrize("mode", MODES)
def test_every_threshold_and_build_agrees_with_edlib(mode):
    reads, segments = simulate.pairs(1500, seed=2, longest=400)
    exact = oracle.distances(reads, segments, mode)
    for max_edits in (*range(41), 62, 63, 64, 65, 100, 127, 128, 200, 255):
        want = oracle.within(exact, max_edits)
        for build in BUILDS:
            got = edits(reads, segments, max_edits, mode=mode, build=build)
            np.testing.assert_array_equal(got, want, f"{build}, {max_edits}")


#: The filter has words of 32 and 64 bits, and several words.
LIMITS = (1, 15, 16, *range(24, 34), *range(56, 67), 100)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("max_edits", LIMITS)
def test_unequal_lengths_agree_with_edlib(mode, max_edits):
    reads, segments = simulate.unequal(max_edits, seed=5)
    want = oracle.within(oracle.distances(reads, segments, mode), max_edits)
    assert 0 < np.count_nonzero(want >= 0) < len(want)
    for build in BUILDS:
        got = edits(reads, segments, max_edits, mode=mode, build=build)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("mode", MODES)
def test_long_pairs_agree_with_edlib(mode):
    rng = np.random.default_rng(3)
    genome = rng.choice(np.frombuffer(b"ACGT", np.uint8), 30_000).tobytes()
    reads, segments = [], []
    for length in (1000, 2500, 9_999, 10_000, 10_000):
        reads.append(genome[:length])
        segments.append(bytes(bytearray(genome[: length - 30]) + bytearray(b"ACGTTGCA")))
    reads += [genome[5000:5100], genome[:10_000], b"A"]
    segments += [genome[:10_000], genome[5000:5100], genome[:10_000]]
    exact = oracle.distances(reads, segments, mode)
    for max_edits in (0, 5, 22, 38, 255):
        for build in BUILDS:
            got = edits(reads, segments, max_edits, mode=mode, build=build)
            np.testing.assert_array_equal(got, oracle.within(exact, max_edits))


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("mode", MODES)
def test_candidates_of_the_longest_reads(mode, build):
    """Their segments are longer than a read may be, by the edits at one end or both."""
    rng = np.random.default_rng(4)
    contig = rng.choice(np.frombuffer(b"ACGT", np.uint8), 12_000).tobytes()
    reads, at = [contig[700:10_700], contig[500:5000] + contig[5100:10_600]], (700, 510)
    with Prefilter(255, mode=mode, backend="cpu", build=build) as prefilter:
        resident = prefilter.resident(reads, [contig])
        got = resident.edits([0, 1], at, [0, 0])
    segments = []
    for read, begin in zip(reads, at, strict=True):
        before = 255 if mode == "infix" else 0
        after = 0 if mode == "global" else 255
        segments.append(contig[max(begin - before, 0) : begin + len(read) + after])
    want = oracle.within(oracle.distances(reads, segments, mode), 255)
    np.testing.assert_array_equal(got, want)
    assert got[0] == 0


letters = st.text(alphabet="ACGT", min_size=1, max_size=90)
ends = st.text(alphabet="ACGT", max_size=12)


@settings(max_examples=300, deadline=None)
@given(
    core=letters,
    read_ends=st.tuples(ends, ends),
    segment_ends=st.tuples(ends, ends),
    cut=st.tuples(st.integers(0, 8), st.integers(0, 8)),
    max_edits=st.integers(0, 60),
    mode=st.sampled_from(MODES),
)
@example("A", ("", ""), ("", ""), (0, 0), 0, "global")
@example("A" * 90, ("", "C"), ("C", ""), (0, 0), 2, "global")
@example("ACGT" * 20, ("", ""), ("TTTTT", "TTTTT"), (0, 0), 5, "infix")
def test_indels_at_the_ends_agree_with_edlib(core, read_ends, segment_ends, cut, max_edits, mode):
    read = f"{read_ends[0]}{core}{read_ends[1]}"
    inner = core[cut[0] : len(core) - cut[1]] or core
    segment = f"{segment_ends[0]}{inner}{segment_ends[1]}"
    want = oracle.within(oracle.distances([read], [segment], mode), max_edits)
    for build in BUILDS:
        assert edits([read], [segment], max_edits, mode=mode, build=build) == want


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("method", ["exact", "gatekeeper"])
def test_order_threads_and_encoding_do_not_change_edits(build, method):
    reads, segments = simulate.undefined_and_mixed(30_000, method)
    one = edits(reads, segments, 6, method=method, build="portable", threads=1)
    assert len(set(one.tolist())) > 5
    prefilter = Prefilter(6, method=method, build=build, threads=2)
    np.testing.assert_array_equal(prefilter.edits(reads, segments), one)
    np.testing.assert_array_equal(prefilter.edits(reads[::-1], segments[::-1])[::-1], one)
    encoded = [Sequences.from_arrays(b"".join(x), np.cumsum([0, *map(len, x)])).encoded(1)
               for x in (reads, segments)]  # fmt: skip
    np.testing.assert_array_equal(prefilter.edits(*encoded), one)
    for k in range(0, 30_000, 997):
        assert prefilter.edits(reads[k : k + 1], segments[k : k + 1])[0] == one[k]


@pytest.mark.parametrize("build", BUILDS)
def test_gatekeeper_accepts_as_many_pairs_as_the_authors_program(build):
    """The counts of GateKeeper-GPU, and of the pairs that are truly within the threshold."""
    pairs = read_pairs("ERR240727_1_E2.tsv")
    for max_edits, accepted, truly in ((2, 102, 24), (5, 1525, 34), (10, 2982, 310)):
        estimate = edits(*pairs, max_edits, method="gatekeeper", build=build)
        exact = edits(*pairs, max_edits, build=build)
        assert summarize(estimate).accepted == accepted
        assert summarize(exact).accepted == truly
        assert not np.any((exact >= 0) & (estimate < 0)), "a false reject"


def test_gatekeeper_agrees_with_a_plain_program():
    reads, segments = simulate.pairs(800, seed=5, longest=200)
    equal = [(r, s[: len(r)]) for r, s in zip(reads, segments, strict=True) if len(s) >= len(r)]
    assert len(equal) > 400
    reads, segments = ([pair[k] for pair in equal] for k in range(2))
    for max_edits in (0, 1, 2, 5, 10, 40):
        want = [oracle.gatekeeper(r, s, max_edits) for r, s in equal]
        for build in BUILDS:
            got = edits(reads, segments, max_edits, method="gatekeeper", build=build)
            np.testing.assert_array_equal(got, want, f"{build}, {max_edits}")


def test_other_letters_are_undefined():
    got = edits(["ACGN", "ACGT"], ["ACGT", "AC-T"], 4, method="gatekeeper")
    np.testing.assert_array_equal(got, [UNDEFINED, UNDEFINED])


def test_matrices():
    """All sequences of a matrix have one length, so their lengths are compared once."""
    rng = np.random.default_rng(4)
    reads = rng.choice(np.frombuffer(b"ACGT", np.uint8), (50, 60))
    segments = np.where(rng.random(reads.shape) < 0.1, reads[:, ::-1], reads)
    got = edits(reads, segments, 5, method="gatekeeper")
    want = [
        oracle.gatekeeper(read.tobytes(), segment.tobytes(), 5)
        for read, segment in zip(reads, segments, strict=True)
    ]
    assert len(set(want)) > 2
    np.testing.assert_array_equal(got, want)
    with pytest.raises(PairError, match=r"pair 0: .* the read has 60 bases, the segment 59"):
        edits(reads, segments[:, 1:], 5, method="gatekeeper")
    assert edits(reads[:0], segments[:0, 1:], 5, method="gatekeeper").size == 0
