"""PDHMM straight from its definition, slowly, in extended precision: what the engine must match.

It fills the six tables of GATK's LoglessPDPairHMM cell by cell, with the state that a row inherits
from the row above. It shares no code with the package. Rows are rescaled by powers of two, so no
length underflows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SNP, DELETION_START, DELETION_END = 1, 2, 4
ALTERNATIVES = {8: "Aa", 16: "Cc", 32: "Gg", 64: "Tt"}

_REAL = np.longdouble
_ZERO = _REAL(0)
_N = ord("N")


def likelihood(
    bases: bytes,
    quals: Sequence[int],
    insertion_quals: Sequence[int],
    deletion_quals: Sequence[int],
    continuation_quals: Sequence[int],
    haplotype: bytes,
    flags: Sequence[int],
) -> float:
    """Return the log10 likelihood of one read given one haplotype.

    Parameters
    ----------
    bases, haplotype
        Bytes. N matches all, and another byte matches itself.
    quals, insertion_quals, deletion_quals, continuation_quals
        Phred, one number a base.
    flags
        One number a letter of the haplotype.
    """
    if np.finfo(_REAL).nmant < 63:
        raise RuntimeError("no extended precision on this platform")
    n = len(haplotype)
    match, insertion, deletion = [_ZERO] * (n + 1), [_ZERO] * (n + 1), [1 / _REAL(n)] * (n + 1)
    branches = [([_ZERO] * (n + 1)) for _ in range(3)]
    exponent = 0
    state = "normal"
    for i, base in enumerate(bases):
        error = _probability(quals[i])
        open_insertion = _probability(insertion_quals[i])
        open_deletion = _probability(deletion_quals[i])
        extend = _probability(continuation_quals[i])
        total = open_insertion + open_deletion
        if abs(insertion_quals[i] - deletion_quals[i]) >= 80:
            total = max(open_insertion, open_deletion)
        stay, leave = 1 - min(_REAL(1), total), 1 - extend
        m, d, k = [_ZERO] * (n + 1), [_ZERO] * (n + 1), [_ZERO] * (n + 1)
        bm, bd, bk = [_ZERO] * (n + 1), [_ZERO] * (n + 1), [_ZERO] * (n + 1)
        above_bm, above_bk, above_bd = branches
        for j in range(1, n + 1):
            prior = 1 - error if matches(base, haplotype[j - 1], flags[j - 1]) else error / 3
            diagonal = match[j - 1], insertion[j - 1], deletion[j - 1]
            left = m[j - 1], d[j - 1]
            if state == "normal":
                bm[j], bk[j], bd[j] = m[j - 1], k[j - 1], d[j - 1]
            elif state == "inside":
                bm[j], bk[j], bd[j] = bm[j - 1], bk[j - 1], bd[j - 1]
            else:
                bm[j] = max(bm[j - 1], m[j - 1])
                bk[j] = max(bk[j - 1], k[j - 1])
                bd[j] = max(bd[j - 1], d[j - 1])
                diagonal = (
                    max(above_bm[j - 1], match[j - 1]),
                    max(above_bk[j - 1], insertion[j - 1]),
                    max(above_bd[j - 1], deletion[j - 1]),
                )
                left = max(bm[j - 1], m[j - 1]), max(bd[j - 1], d[j - 1])
            m[j] = prior * (diagonal[0] * stay + diagonal[1] * leave + diagonal[2] * leave)
            d[j] = left[0] * open_deletion + left[1] * extend
            top = match[j], insertion[j]
            if flags[j - 1] & DELETION_END:
                top = max(above_bm[j], match[j]), max(above_bk[j], insertion[j])
            k[j] = top[0] * open_insertion + top[1] * extend
            if state == "after":
                state = "normal"
            if flags[j - 1] & DELETION_START:
                state = "inside"
            if flags[j - 1] & DELETION_END:
                state = "after"
        shift = int(np.frexp(max(*m, *k, *d, *bm, *bk, *bd))[1])
        match, insertion, deletion, bm, bk, bd = (
            [np.ldexp(value, -shift) for value in row] for row in (m, k, d, bm, bk, bd)
        )
        branches = [bm, bk, bd]
        exponent += shift
    total = sum((match[j] + insertion[j] for j in range(1, n + 1)), _ZERO)
    if total == 0:
        return -np.inf
    return float(np.log10(total) + exponent * np.log10(_REAL(2)))


def matches(base: int, letter: int, flags: int) -> bool:
    """Return whether a read's base matches a letter of the haplotype with these flags."""
    if base in (letter, _N) or letter == _N:
        return True
    alternatives = (letters for flag, letters in ALTERNATIVES.items() if flags & flag)
    return bool(flags & SNP) and any(chr(base) in letters for letters in alternatives)


def _probability(qual: int) -> np.longdouble:
    value: np.longdouble = _REAL(10) ** (-_REAL(int(qual)) / 10)
    return value
