"""Every build, with one thread and with two, gives the plain method's offsets and CIGARs."""

from __future__ import annotations

import itertools
import random
import re
import subprocess
import sys
import weakref
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gkl_shim.common import _native
from gkl_shim.smithwaterman import (
    HAPLOTYPE_TO_REFERENCE,
    READ_TO_HAPLOTYPE,
    Alignments,
    SmithWaterman,
    align,
)
from tests.smithwaterman import oracle
from tests.smithwaterman.pairs import (
    OVERHANGS,
    PARAMETERS,
    REWARDS,
    UNUSUAL_PARAMETERS,
    Pair,
    pairs,
)

BUILDS = _native.builds()
LONGEST = 1 << 18


def aligned(
    given_pairs: Sequence[Pair], build: str | None = None, threads: int = 1
) -> list[tuple[int, str]]:
    """The alignments, computed in a batch for each set of parameters."""
    groups = defaultdict(list)
    for k, pair in enumerate(given_pairs):
        groups[pair.parameters, pair.overhang].append(k)
    results: dict[int, tuple[int, str]] = {}
    engine = SmithWaterman(threads=threads, build=build)
    for (parameters, overhang), members in groups.items():
        found = engine.align(
            [given_pairs[k].reference for k in members],
            [given_pairs[k].alternative for k in members],
            parameters,
            overhang,
        )
        results |= zip(members, answers(found), strict=True)
    return [results[k] for k in range(len(given_pairs))]


def answers(found: Alignments) -> list[tuple[int, str]]:
    return list(zip(found.offsets.tolist(), found.cigars, strict=True))


def agree(sample: Sequence[Pair], threads: int = 1) -> None:
    """Compare every build with the plain method."""
    expected = [oracle.align(*pair) for pair in sample]
    for build in BUILDS:
        found = aligned(sample, build, threads)
        for pair, got, wanted in zip(sample, found, expected, strict=True):
            assert got == wanted, (build, pair)


@pytest.mark.parametrize("threads", [1, 2])
def test_equals_the_plain_method(threads: int) -> None:
    agree(pairs(1200, seed=threads, longest=130), threads)


def test_rewards_for_gaps() -> None:
    """Numbers that Java takes although nobody means them: its integers wrap around."""
    base = pairs(200, seed=2, longest=40)
    agree([pair._replace(parameters=p) for pair in base for p in (*REWARDS, *UNUSUAL_PARAMETERS)])


def limits() -> list[tuple[int, int, int, int]]:
    """Scores that lanes of 8 and 16 bits just hold, and scores that they just do not hold."""
    sets = []
    for most in (127, 32_767):
        for opened in (1, most // 3 - 1, most // 3, most // 3 + 1, most // 2):
            for extended in (0, opened // 2, opened):
                match = most - opened - 2 * extended
                sets += [(match + k, -10 * most, -opened, -extended) for k in (-1, 0, 1)]
                sets += [
                    (match, -opened, -opened, -extended),
                    (-10 * most, match, -opened, -extended),
                ]
    # Sums that reach GATK's lowest score, or come near the highest that 32 bits hold.
    for opened in (24_000_000, 24_999_900, 25_000_000, 26_000_000):
        for match in (3, 10_000_000, 17_000_000, 40_000_000):
            sets += [(match, -match, -opened, -1), (match, -(10**9), -opened, -500_000)]
    return sets


def test_scores_at_the_limits_of_the_lanes() -> None:
    base = pairs(10, seed=8, longest=60)
    # Where u, v, e and f are extreme: matches, then only gaps.
    base.append(
        base[0]._replace(reference=b"A" * 40 + b"C" * 40, alternative=b"A" * 40 + b"G" * 30)
    )
    base.append(
        base[0]._replace(reference=b"C" * 30 + b"A" * 50, alternative=b"G" * 40 + b"A" * 40)
    )
    sample = [
        pair._replace(parameters=scores, overhang=OVERHANGS[k % 4])
        for k, scores in enumerate(limits() * 2)
        for pair in base[k % 3 :: 3]
    ]
    # The matches of this pair are worth more than 32 bits hold.
    beyond = (40_000_000, -40_000_000, -24_000_000, -1)
    sample += [
        Pair(b"A" * 60 + b"C" * 5, b"A" * 60 + b"G" * 5, beyond, overhang) for overhang in OVERHANGS
    ]
    agree(sample)


_numbers = st.one_of(
    st.tuples(st.integers(0, 4), st.integers(-4, 0), st.integers(-5, 0), st.integers(-3, 0)),
    st.sampled_from(PARAMETERS),
    st.tuples(*[st.integers(-40_000, 40_000)] * 4),
    st.tuples(*[st.integers(-(2**31), 2**31 - 1)] * 4),
)
_letters = st.sampled_from([b"A", b"AC", b"ACGTN", bytes(range(256))]).flatmap(
    lambda alphabet: st.lists(st.sampled_from(alphabet), min_size=1, max_size=60).map(bytes)
)


@settings(deadline=None)
@given(_letters, _letters, _numbers, st.sampled_from(OVERHANGS))
def test_any_pair(reference, alternative, parameters, overhang) -> None:
    agree([Pair(reference, alternative, parameters, overhang)])


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=30), st.data())
def test_parts_of_a_sequence(reference: bytes, data) -> None:
    """An alternative that is nearly the reference, where ties are."""
    alternative = bytearray(reference)
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(alternative)))
        alternative[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    if not alternative:
        return
    sides = reference, bytes(alternative)
    agree([Pair(*sides, data.draw(_numbers), overhang) for overhang in OVERHANGS])


@pytest.mark.parametrize("length", [7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129])
def test_lengths_around_the_number_of_lanes(length: int) -> None:
    rng = random.Random(length)
    sample = []
    for other in (1, length - 1, length, 100):
        reference = bytes(rng.choices(b"ACGT", k=length))
        alternative = bytes(rng.choices(b"ACGT", k=other))
        for overhang in OVERHANGS:
            sample.append(Pair(reference, alternative, READ_TO_HAPLOTYPE, overhang))
            sample.append(Pair(alternative, reference, READ_TO_HAPLOTYPE, overhang))
    agree(sample)


#: Scores that lanes of 8 and of 16 bits hold, and scores that none holds.
SCORES = (
    READ_TO_HAPLOTYPE,
    HAPLOTYPE_TO_REFERENCE,
    (20_000, -15_000, -26_000, -1_100),
    (3, -2, -1, -5),
)


@pytest.fixture(scope="module")
def short_pairs() -> list[list[Pair]]:
    """For each set of scores and strategy, pairs enough to be computed side by side. Some
    alternatives are parts of their reference, some pairs have bytes that are no letters."""
    rng = random.Random(9)
    sample = []
    for scores, overhang in itertools.product(SCORES, OVERHANGS):
        batch = []
        for k in range(70):
            alphabet = b"\xff\x00\xfeA" if k % 9 == 0 else b"ACGT"
            reference = bytes(rng.choices(alphabet, k=rng.randint(28, 45) if k % 5 else 70))
            alternative = mutated(rng, reference[k % 13 : len(reference) - k % 7], k % 4)
            batch.append(Pair(reference, alternative or b"A", scores, overhang))
        sample.append(batch)
    return sample


@pytest.fixture(scope="module")
def expected_short(short_pairs: list[list[Pair]]) -> list[list[tuple[int, str]]]:
    return [[oracle.align(*pair) for pair in batch] for batch in short_pairs]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("build", BUILDS)
def test_short_pairs_side_by_side(
    short_pairs: list[list[Pair]], expected_short, build: str, threads: int
) -> None:
    for batch, expected in zip(short_pairs, expected_short, strict=True):
        # Groups of every size, and of other neighbours.
        for size in (1, 2, 3, 7, 30, 70):
            found = [
                answer
                for first in range(0, len(batch), size)
                for answer in aligned(batch[first : first + size], build, threads)
            ]
            assert found == expected


def test_order_of_a_batch_does_not_matter() -> None:
    sample = [p._replace(parameters=READ_TO_HAPLOTYPE, overhang="softclip") for p in pairs(400, 10)]
    wanted = [aligned([pair])[0] for pair in sample]
    order = random.Random(10).sample(range(len(sample)), len(sample))
    found = aligned([sample[k] for k in order])
    assert found == [wanted[k] for k in order]


def mutated(rng: random.Random, letters: bytes, edits: int) -> bytes:
    result = bytearray(letters)
    for _ in range(edits):
        at = rng.randrange(len(result))
        result[at : at + rng.randint(0, 3)] = bytes(rng.choices(b"ACGT", k=rng.randint(0, 3)))
    return bytes(result)


@pytest.mark.parametrize(("overhang", "build"), list(zip(OVERHANGS, itertools.cycle(BUILDS))))
def test_long_sequences(build: str, overhang: str) -> None:
    """Flags of this pair exceed what is kept, so parts of the matrix are computed again. A hundred
    times the scores ask the same, of no lanes."""
    rng = random.Random(3)
    reference = bytes(rng.choices(b"ACGT", k=6500))
    alternative = mutated(rng, reference[300:], 60)
    scores = HAPLOTYPE_TO_REFERENCE
    found = aligned([Pair(reference, alternative, scores, overhang)], build)
    large = tuple(100 * score for score in scores)
    assert found == aligned([Pair(reference, alternative, large, overhang)], build)
    assert len(found[0][1]) > 100


@pytest.mark.parametrize("times", [1, 100])
def test_the_first_part_of_a_long_pair(times: int) -> None:
    """Its matrix is computed in parts, the first one from the border again. Where the sequences
    differ there, the path is the same as for a short pair."""
    rng = random.Random(12)
    reference = bytes(rng.choices(b"ACGT", k=6500))
    start = bytes(x if rng.random() < 0.7 else rng.choice(b"ACGT") for x in reference[300:420])
    scores = tuple(times * score for score in HAPLOTYPE_TO_REFERENCE)
    short = Pair(reference[:800], start + reference[420:800], scores, "indel")
    offset, cigar = oracle.align(*short)
    *_, last = re.findall(r"\d+M", cigar)
    wanted = cigar.removesuffix(last) + f"{int(last[:-1]) + 5700}M"
    pair = Pair(reference, start + reference[420:], scores, "indel")
    for build in BUILDS:
        assert aligned([pair], build) == [(offset, wanted)]


@pytest.mark.parametrize("build", BUILDS)
def test_the_longest_sequence(build: str) -> None:
    rng = random.Random(4)
    reference = bytes(rng.choices(b"ACGT", k=LONGEST))
    alternative = reference[200_000:200_150] + reference[200_153:200_400]
    pair = Pair(reference, alternative, HAPLOTYPE_TO_REFERENCE, "softclip")
    assert aligned([pair], build) == [(200_000, "150M3D247M")]


def test_memory_is_bounded(tmp_path) -> None:
    """A pair whose matrix has 900 million cells takes less than 100 MiB, and gives it back."""
    program = """
import random, resource
from gkl_shim.smithwaterman import SmithWaterman
rng = random.Random(5)
reference = bytes(rng.choices(b"ACGT", k=30_000))
alternative = reference[:14_000] + reference[14_010:]
aligner = SmithWaterman(threads=1)
aligner.align([reference[:100]], [alternative[:90]])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = aligner.align([reference], [alternative])
assert found.cigars == ["14000M10D15990M"], found.cigars
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert int(done.stdout) < 100 << 10


def test_many_callers_at_once() -> None:
    sample = pairs(300, seed=6, longest=400)
    wanted = aligned(sample)
    with ThreadPoolExecutor(16) as pool:
        for found in pool.map(lambda _: aligned(sample, threads=2), range(16)):
            assert found == wanted


def test_a_batch_of_several_calls(monkeypatch) -> None:
    monkeypatch.setattr("gkl_shim.smithwaterman._CALL_LETTERS", 700)
    sample = [p._replace(parameters=(3, -1, -4, -3), overhang="indel") for p in pairs(60, seed=7)]
    assert aligned(sample) == [oracle.align(*pair) for pair in sample]


def test_forms_of_sequences() -> None:
    reference, alternatives = "ACGTACGTTA", ["CGTT", "ACGTTT", "GG"]
    found = align(reference, alternatives)
    assert answers(found) == answers(align([reference] * 3, [a.encode() for a in alternatives]))
    assert found.cigar(1) == found.cigars[1]
    assert found.cigar(-1) == found.cigars[2]
    with pytest.raises(IndexError):
        found.cigar(3)
    letters = np.frombuffer("".join(alternatives).encode(), np.uint8)
    ragged = letters, np.array([0, 4, 10, 12])
    assert answers(align(reference, ragged)) == answers(found)
    arrays = [np.frombuffer(a.encode(), np.uint8) for a in alternatives]
    assert answers(align([bytearray(reference.encode())] * 3, arrays)) == answers(found)
    assert len(align([], [])) == 0
    assert align([], []).cigars == []


@pytest.mark.parametrize(
    ("references", "alternatives", "message"),
    [
        ([b"A"], [b"A", b"C"], "1 references for 2 alternatives; give one for each"),
        ([b"A", b""], [b"A", b"C"], "references: sequence 1 has 0 letters, not 1 to 262144"),
        ([b"A"], [b"A" * (LONGEST + 1)], "alternatives: sequence 0 has 262145 letters"),
        (None, [b"A"], "references: expected a sequence of them, got None"),
        ([b"A"], [7], "alternatives: sequence 0: expected bytes, str or a uint8 array, got int"),
        ([b"A"], ["\u0410"], "alternatives: sequence 0 has a letter that is not one byte"),
        ([b"A"], (b"ACG", np.array([0, 4])), "alternatives: offsets up to 4, but 3 letters"),
        ([b"A"], (b"ACG", np.array([1, 3])), "alternatives: the offsets must start at 0"),
        ([b"A"], (b"ACG", np.array([0, 2, 1])), "alternatives: the offsets must start at 0"),
        ([b"A"], (b"ACG", np.array([0, 2**63 - 1, -(2**63), -1, 3])), "alternatives: the offsets"),
        ([b"A"], (b"ACG", np.array([0.0, 1.0])), "alternatives: the offsets must be whole"),
        ([b"A"], ("ACG", np.array([0, 1])), "alternatives: expected a uint8 array or bytes"),
    ],
)
def test_refused_sequences(references, alternatives, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        align(references, alternatives)


def test_refused_options() -> None:
    with pytest.raises(ValueError, match="overhang is 'none', not one of softclip, indel"):
        align([b"A"], [b"A"], overhang="none")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="parameters: 0 numbers, not 4"):
        align(["A"], ["A"], None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="parameters: 3 numbers, not 4"):
        align([b"A"], [b"A"], (1, 2, 3))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="gap_open is 2147483648, not a 32-bit whole number"):
        align([b"A"], [b"A"], (1, 2, 2**31, 3))
    with pytest.raises(ValueError, match=r"mismatch is 0\.5, not a 32-bit whole number"):
        align([b"A"], [b"A"], (1, 0.5, 2, 3))  # type: ignore[arg-type]


def test_build_is_the_best_of_this_cpu() -> None:
    assert SmithWaterman().build == BUILDS[0]
    assert [SmithWaterman(build=build).build for build in BUILDS] == list(BUILDS)


def test_a_closed_aligner_refuses_calls() -> None:
    with SmithWaterman(build="portable") as aligner:
        engine = weakref.ref(aligner._engine)
        assert aligner.align(["ACGT"], ["CG"]).cigars == ["2M"]
    assert engine() is None
    assert aligner.build == "portable"
    with pytest.raises(ValueError, match="this SmithWaterman is closed"):
        aligner.align(["ACGT"], ["CG"])
    aligner.close()
