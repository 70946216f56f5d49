"""The prefilter on a device, beside edlib, and beside the CPU engine where edlib cannot tell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gkl_shim.errors import PairError
from gkl_shim.prefilter import Prefilter, Sequences, edits
from tests.prefilter import oracle, simulate
from tests.prefilter.test_api import CONTIGS, reads_of_contigs
from tests.prefilter.test_cuda import CASES, undefined_and_mixed
from tests.prefilter.test_exact import LIMITS, MODES, read_pairs

# A device that fails is a warning, and then the CPU computes: no test may pass so.
pytestmark = [
    pytest.mark.usefixtures("gpu"),
    pytest.mark.filterwarnings("error::RuntimeWarning"),
]


@pytest.mark.parametrize(("method", "mode", "max_edits"), CASES)
def test_beside_the_cpu(method, mode, max_edits):
    reads, segments = undefined_and_mixed(200_000, method)
    want = edits(reads, segments, max_edits, method=method, mode=mode, backend="cpu")
    assert 0 < np.count_nonzero(want >= 0) < len(want)
    for encode in ("host", "device"):
        got = edits(
            reads, segments, max_edits, method=method, mode=mode, backend="cuda", encode=encode
        )
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("max_edits", LIMITS)
def test_unequal_lengths(mode, max_edits):
    reads, segments = simulate.unequal(max_edits, seed=7)
    want = oracle.within(oracle.distances(reads, segments, mode), max_edits)
    got = edits(reads, segments, max_edits, mode=mode, backend="cuda")
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["ERR240727_1_E2.tsv", "ERR240727_1_E5.tsv"])
def test_real_pairs_at_every_threshold(name, mode):
    reads, segments = read_pairs(name)
    exact = oracle.distances(reads, segments, mode)
    for max_edits in range(41):
        got = edits(reads, segments, max_edits, mode=mode, backend="cuda")
        np.testing.assert_array_equal(got, oracle.within(exact, max_edits))


@pytest.mark.parametrize("name", ["ERR240727_1_E2.tsv", "ERR240727_1_E5.tsv"])
def test_gatekeeper_of_real_pairs(name):
    reads, segments = read_pairs(name)
    for max_edits in range(41):
        want = edits(reads, segments, max_edits, method="gatekeeper", backend="cpu")
        got = edits(reads, segments, max_edits, method="gatekeeper", backend="cuda")
        np.testing.assert_array_equal(got, want)


def test_a_million_pairs():
    reads, segments = simulate.pairs(1_000_000, seed=1, longest=150)
    exact = oracle.distances(reads, segments)
    for max_edits in (0, 3, 9, 15, 25, 60):
        want = oracle.within(exact, max_edits)
        assert 0 < np.count_nonzero(want < 0) < len(want)
        got = edits(reads, segments, max_edits, backend="cuda")
        np.testing.assert_array_equal(got, want)


letters = st.text(alphabet="ACGT", min_size=1, max_size=90)
ends = st.text(alphabet="ACGT", max_size=12)
pair = st.tuples(letters, ends, ends, ends, ends).map(
    lambda parts: (parts[1] + parts[0] + parts[2], parts[3] + parts[0] + parts[4])
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    pairs=st.lists(pair, min_size=1, max_size=60),
    max_edits=st.integers(0, 80),
    mode=st.sampled_from(MODES),
)
def test_indels_at_the_ends(pairs, max_edits, mode):
    reads, segments = ([one[k] for one in pairs] for k in range(2))
    want = oracle.within(oracle.distances(reads, segments, mode), max_edits)
    np.testing.assert_array_equal(
        edits(reads, segments, max_edits, mode=mode, backend="cuda"), want
    )


def test_many_batches_of_every_kind():
    """Several threads drive the device; what they fill must not mix."""
    reads, segments = read_pairs("ERR240727_1_E5.tsv")
    order = np.random.default_rng(1).integers(0, len(reads), 3_000_000)
    one, other = (np.array(side, "S100")[order] for side in (reads, segments))
    want = edits(reads, segments, 8, backend="cpu")[order]
    for encode in ("host", "device", "auto"):
        with Prefilter(8, backend="cuda", encode=encode) as prefilter:
            np.testing.assert_array_equal(prefilter.edits(one, other), want)
    encoded = [Sequences.from_matrix(side).encoded() for side in (one, other)]
    np.testing.assert_array_equal(edits(*encoded, 8, backend="cuda"), want)


@pytest.mark.parametrize("mode", MODES)
def test_candidates(mode):
    reads, places, reverse, _ = reads_of_contigs()
    arguments = (places[:, 0], places[:, 2], places[:, 1], reverse)
    want = Prefilter(4, mode=mode, backend="cpu").resident(reads, CONTIGS).edits(*arguments)
    resident = Prefilter(4, mode=mode, backend="cuda").resident(reads, CONTIGS)
    np.testing.assert_array_equal(resident.edits(*arguments), want)
    wrong = places[:, 2].copy()
    wrong[700] = 10**9
    with pytest.raises(PairError, match="pair 700: position 1000000000 is not in its contig"):
        resident.edits(places[:, 0], wrong, places[:, 1], reverse)
