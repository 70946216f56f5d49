"""The longest reads of single precision, at the least likelihood that it holds.

The oracle computes in extended precision. Reads of 1,024 bases lose most there: 1,024 rows of
rounding errors, and of values too small for single precision.
"""

from __future__ import annotations

import bisect
import random
from typing import NamedTuple

import numpy as np
import pytest

from gkl_shim.common import _native
from gkl_shim.pairhmm import PairHMM, Read
from tests.pairhmm import oracle

ROWS = 1024
#: docs/python.md promises this, a base. The least total that single precision holds is 2^-205.
TOLERANCE = 6e-8
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
        assert abs(got - want) <= TOLERANCE * ROWS, build
        engine.likelihoods([left], [haplotype])
        assert engine.statistics.rescued_pairs == 1, build
