"""The GateKeeper method agrees with the authors' counts and with a plain program."""

from __future__ import annotations

import numpy as np
import pytest

from gkl_shim.common import _native
from gkl_shim.errors import PairError
from gkl_shim.prefilter import UNDEFINED, edits, summarize
from tests.prefilter import oracle, simulate
from tests.prefilter.test_exact import read_pairs

BUILDS = _native.builds()


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
    for max_edits in (0, 1, 2, 3, 5, 8, 10, 20, 40):
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
