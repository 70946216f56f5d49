"""Every build agrees with the definition of the model for shapes that are rare in real data.

So do the longest reads of single precision, at the least likelihood that it holds: reads of 1,024
bases lose most there, by 1,024 rows of rounding errors and of values too small for the precision.
Last, the letters that each way into PairHMM accepts: one rule, compared with the header's.
"""

from __future__ import annotations

import bisect
import random
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gkl_shim.common import _native
from gkl_shim.pairhmm import PairHMM, Precision, Read, ReadBatch, _native_pairhmm
from gkl_shim.pairhmm._convert import haplotype_batch
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


ROWS = 1024
#: docs/python.md promises this, a base. The least total that single precision holds is 2^-205.
ERROR_A_BASE = 6e-8
LEAST = -205 * np.log10(2)


class Case(NamedTuple):
    """Qualities of a read: its bases, and gaps that alternate from row to row."""

    qual: int
    deletion: tuple[int, int]
    continuation: tuple[int, int]
    insertion: int = 45
    tail: int = 0  # letters of the haplotype after the read's end


CASES = {
    "as GATK": Case(40, (45, 45), (10, 10)),
    "a long haplotype": Case(40, (45, 45), (10, 10), tail=1024),
    "low base qualities": Case(13, (45, 45), (10, 10)),
    "gaps open often": Case(40, (16, 16), (10, 10), insertion=16),
    "gaps go on": Case(40, (16, 16), (1, 1), insertion=16),
    "gaps end at once": Case(40, (16, 16), (127, 127), insertion=16),
    "weights grow": Case(40, (13, 60), (10, 60), insertion=60),
    "weights shrink": Case(40, (60, 13), (10, 60), insertion=60),
}
WRONG = 18  # bases of a read
STEPS = WRONG * 40


def _read(case: Case, haplotype: str, step: int) -> Read:
    """A read with wrong bases. Each step makes it up to 10^-0.1 times as likely."""
    bases, quals = list(haplotype[:ROWS]), [case.qual] * ROWS
    for k in range(WRONG):
        place = (2 * k + 1) * ROWS // (2 * WRONG)
        bases[place] = bases[place].translate(str.maketrans("ACGT", "CATG"))
        quals[place] = 1 + (step + k) // WRONG
    gaps = [[one, other] * (ROWS // 2) for one, other in (case.deletion, case.continuation)]
    return Read("".join(bases), quals, [case.insertion] * ROWS, *gaps)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_longest_reads_are_within_the_promise_where_single_precision_ends(case: Case) -> None:
    haplotype = "".join(random.Random(ROWS).choices("ACGT", k=ROWS + case.tail))
    double = PairHMM(precision="double", backend="cpu")

    def total(step: int) -> float:
        value = double.likelihoods([_read(case, haplotype, step)], [haplotype])[0, 0]
        return float(value + np.log10(len(haplotype)))

    first_left = bisect.bisect_left(range(STEPS), True, key=lambda step: total(step) < LEAST)
    assert LEAST <= total(first_left - 1) < LEAST + 0.2
    held, left = (_read(case, haplotype, first_left - k) for k in (1, 0))
    want = oracle.likelihood(
        held.bases.encode(),
        held.quals,
        held.insertion_quals,
        held.deletion_quals,
        held.continuation_quals,
        haplotype.encode(),
    )
    for build in _native.builds():
        engine = PairHMM(build=build, backend="cpu")
        (got,) = engine.likelihoods([held], [haplotype])[0]
        assert engine.statistics.rescued_pairs == 0, build
        assert abs(got - want) <= ERROR_A_BASE * ROWS, build
        engine.likelihoods([left], [haplotype])
        assert engine.statistics.rescued_pairs == 1, build


BYTES = [bytes([value]) for value in range(256)]
ACCEPTED = [letter for letter in BYTES if letter in b"ACGTNacgtn"]


def accepts(function, letter: bytes) -> bool:
    try:
        function(letter)
    except ValueError:
        return False
    return True


def compute(letter: bytes) -> None:
    """Give a read and a haplotype of this letter to the native engine, unchecked by Python."""
    one, track = np.array([0, 1]), np.full(1, 30, np.uint8)
    bases = np.frombuffer(letter, np.uint8)
    batch = _native_pairhmm.batch_pointer(
        one, one, one, (bases, track, track, track, track), one, bases
    )
    _native_pairhmm.CpuEngine(1, "single", None).compute(batch, np.empty(1))


def parse(letter: bytes) -> None:
    quality = b"?"
    line = b" ".join((letter, *[quality] * 4))
    text = bytearray(b"1 1\n" + line + b"\n" + letter + b"\n")
    region = _native_pairhmm.parse_regions(text, len(text), 1000)
    if region.fault is not None:
        raise ValueError(region.fault)


def from_arrays(letter: bytes) -> None:
    ReadBatch.from_arrays(np.array([0, 1]), np.frombuffer(letter, np.uint8), b"\x1e")


@pytest.mark.parametrize(
    "function",
    [
        compute,
        parse,
        from_arrays,
        lambda letter: haplotype_batch([letter]),
        lambda letter: PairHMM(backend="cpu").likelihoods([(letter, 30)], [b"A"]),
    ],
    ids=["compute", "parse", "from_arrays", "haplotype_batch", "likelihoods"],
)
def test_the_accepted_letters(function) -> None:
    assert [letter for letter in BYTES if accepts(function, letter)] == ACCEPTED
