"""Every build agrees with the definition of the model for shapes that are rare in real data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gkl_shim.common import _native
from gkl_shim.pairhmm import PairHMM, Precision, Read
from tests.pairhmm import oracle

TOLERANCE: dict[Precision, float] = {"single": 1e-5, "double": 1e-8}

ENGINES = {
    (build, precision): PairHMM(build=build, precision=precision)
    for build in _native.builds()
    for precision in TOLERANCE
}

bases = st.text("ACGT", min_size=1) | st.text("ACGTNacgtn", min_size=1)
# Whole tracks of one value, and jumps to the extremes.
quals = st.sampled_from([0, 1, 2, 3, 4, 6, 10, 30, 45, 93, 126, 127]) | st.integers(0, 127)


@st.composite
def reads(draw: st.DrawFn) -> Read:
    letters = draw(bases.map(lambda text: text[:40]))
    size = len(letters)
    tracks = [
        draw(quals.map(lambda qual: [qual] * size) | st.lists(quals, min_size=size, max_size=size))
        for _ in range(4)
    ]
    return Read(letters, *tracks)


@st.composite
def haplotypes(draw: st.DrawFn) -> list[str]:
    """Draw unrelated and equal haplotypes, prefixes, and haplotypes that share a prefix."""
    stem = draw(bases)
    kinds = (
        st.just(stem)
        | st.integers(1, len(stem)).map(lambda size: stem[:size])
        | bases.map(lambda tail: stem + tail)
        | bases
    )
    return draw(st.lists(kinds, min_size=1, max_size=5))


def _check(region: list[Read], sequences: list[str]) -> None:
    want = np.array(
        [
            [
                oracle.likelihood(
                    read.bases.encode(),
                    read.quals,
                    read.insertion_quals,
                    read.deletion_quals,
                    read.continuation_quals,
                    haplotype.encode(),
                )
                for haplotype in sequences
            ]
            for read in region
        ]
    )
    for (build, precision), engine in ENGINES.items():
        got = engine.likelihoods(region, sequences)
        # An impossible alignment has likelihood 0 by the definition too.
        assert np.array_equal(np.isneginf(got), np.isneginf(want)), (build, precision)
        finite = np.isfinite(want)
        # Float64 itself holds 16 digits of a long read's likelihood.
        limit = TOLERANCE[precision] * np.maximum(1, np.abs(want[finite]) / 1000)
        assert np.all(np.abs(got[finite] - want[finite]) <= limit), (build, precision)


@settings(max_examples=300, deadline=None)
@given(st.lists(reads(), min_size=1, max_size=6), haplotypes())
@example([Read("A", [0], [0], [0], [0])], ["A"])
@example([Read("A", [0], [0], [0], [0])], ["C"])
@example([Read("A", [127], [127], [127], [127])], ["C"])
@example([Read("N", [30], [45], [45], [10])], ["N"])
@example([Read("AC", [0, 0], [0, 127], [127, 0], [0, 127])], ["AC", "A", "CA"])
def test_odd_shapes_agree_with_the_model(region: list[Read], sequences: list[str]) -> None:
    _check(region, sequences)


@pytest.mark.parametrize("size", [15, 16, 17, 31, 32, 33, 63, 64, 65, 129])
def test_lengths_around_a_vector_agree_with_the_model(size: int) -> None:
    random = np.random.default_rng(size)
    letters = "".join(random.choice(list("ACGT"), size + 7))
    region = [_random_read(random, letters[start : start + size - start % 3]) for start in range(5)]
    _check(region, [letters, letters[: size - 1], letters[3:]])


@pytest.mark.parametrize(
    ("read_size", "haplotype_size", "qual"),
    [(3000, 300, 30), (3000, 300, 2), (10, 3000, 30), (1500, 1500, 40)],
)
def test_thousands_of_bases_agree_with_the_model(
    read_size: int, haplotype_size: int, qual: int
) -> None:
    random = np.random.default_rng(read_size)
    haplotype = "".join(random.choice(list("ACGT"), haplotype_size))
    read = (haplotype * (read_size // haplotype_size + 1))[:read_size]
    quals = [qual] * read_size
    _check([Read(read, quals, [45] * read_size, [45] * read_size, [10] * read_size)], [haplotype])


def test_a_long_read_of_mismatches_agrees_with_the_model() -> None:
    size = 2000
    quals = [60] * size
    _check([Read("A" * size, quals, quals, quals, quals)], ["C" * 50])


def _random_read(random: np.random.Generator, letters: str) -> Read:
    size = len(letters)
    return Read(
        letters,
        random.integers(0, 128, size).tolist(),
        random.integers(0, 128, size).tolist(),
        random.integers(0, 128, size).tolist(),
        random.integers(0, 128, size).tolist(),
    )
