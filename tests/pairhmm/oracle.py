"""PairHMM straight from its definition, slowly, in extended precision: what the engine must match.

Shares no code with the package. Rows are rescaled by powers of two, so no length underflows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_REAL = np.longdouble
_LN10 = np.log(_REAL(10))
# GKL takes 1 / ln 10 as 0.434294 where it builds its match-to-match table.
_EXPONENT = _REAL("0.434294") * _LN10
_N = ord("N")


def likelihood(
    bases: bytes,
    quals: Sequence[int],
    insertion_quals: Sequence[int],
    deletion_quals: Sequence[int],
    continuation_quals: Sequence[int],
    haplotype: bytes,
) -> float:
    """Return the log10 likelihood of one read given one haplotype.

    Parameters
    ----------
    bases, haplotype
        Letters ACGTN in either case.
    quals, insertion_quals, deletion_quals, continuation_quals
        Phred, one number a base.
    """
    if np.finfo(_REAL).nmant < 63:
        raise RuntimeError("no extended precision on this platform")
    read, letters = bases.upper(), haplotype.upper()
    n = len(letters)
    match = np.zeros(n + 1, _REAL)
    insertion = np.zeros(n + 1, _REAL)
    deletion = np.full(n + 1, 1 / _REAL(n))
    exponent = 0
    for i, base in enumerate(read):
        error = _probability(quals[i])
        open_insertion = _probability(insertion_quals[i])
        open_deletion = _probability(deletion_quals[i])
        extend = _probability(continuation_quals[i])
        stay = (1 - min(_REAL(1), open_insertion + open_deletion)) ** _EXPONENT
        emission = np.array(
            [1 - error if base in (letter, _N) or letter == _N else error / 3 for letter in letters]
        )
        next_match = np.zeros(n + 1, _REAL)
        next_match[1:] = emission * (
            stay * match[:-1] + (1 - extend) * (insertion[:-1] + deletion[:-1])
        )
        next_insertion = open_insertion * match + extend * insertion
        next_insertion[0] = 0
        next_deletion = np.zeros(n + 1, _REAL)
        for j in range(1, n + 1):
            next_deletion[j] = open_deletion * next_match[j - 1] + extend * next_deletion[j - 1]
        largest = max(next_match.max(), next_insertion.max(), next_deletion.max())
        shift = int(np.frexp(largest)[1])
        match, insertion, deletion = (
            np.ldexp(state, -shift) for state in (next_match, next_insertion, next_deletion)
        )
        exponent += shift
    total = (match[1:] + insertion[1:]).sum()
    if total == 0:
        return -np.inf
    return float(np.log10(total) + exponent * np.log10(_REAL(2)))


def _probability(qual: int) -> np.longdouble:
    value: np.longdouble = _REAL(10) ** (-_REAL(int(qual)) / 10)
    return value
