"""Generate reproducible pairs of sequences for the benchmarks."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

_LETTERS = np.frombuffer(b"ACGT", np.uint8)

# The share of the segment's bases that are redrawn, and the share of pairs with each such rate.
_ERROR_RATES = (0.0, 0.01, 0.03, 0.08, 0.2, 0.5)
_ERROR_SHARES = (0.02, 0.02, 0.04, 0.12, 0.3, 0.5)
_SEED_LENGTH = 12


def candidates(count: int, length: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Generate read-segment pairs like a mapper's candidates.

    Few pairs are similar, and most share only a seed. The same arguments give the same pairs.

    Returns
    -------
    reads, segments : ndarray
        Letters, shape (count, length).
    """
    random = np.random.default_rng(length)
    genome = random.choice(_LETTERS, 1 << 20)
    starts = random.integers(0, len(genome) - length - 1, count)
    reads = genome[starts[:, None] + np.arange(length)]
    # A deletion: from a random position on, the segment is one base ahead.
    shift = np.arange(length) >= random.integers(0, 2 * length, count)[:, None]
    segments = genome[starts[:, None] + np.arange(length) + shift]
    rates = random.choice(_ERROR_RATES, count, p=_ERROR_SHARES)
    changed = random.random((count, length)) < rates[:, None]
    changed[:, :_SEED_LENGTH] = False
    segments[changed] = random.choice(_LETTERS, int(changed.sum()))
    return reads, segments


def alignable(
    count: int, reference_length: int, length: int, seed: int = 1
) -> tuple[list[bytes], list[bytes]]:
    """Generate references, and a part of each with a SNP or an indel every hundred letters.

    Returns
    -------
    references, alternatives : list of bytes
        An alternative is about `length` letters long, and has at least one change.
    """
    rng = random.Random(seed)
    references = [bytes(rng.choices(b"ACGT", k=reference_length)) for _ in range(count)]
    alternatives = []
    for reference in references:
        start = rng.randint(0, reference_length - length)
        alternatives.append(_mutated(rng, reference[start : start + length]))
    return references, alternatives


def _mutated(rng: random.Random, letters: bytes) -> bytes:
    result = bytearray(letters)
    for _ in range(1 + len(letters) // 100):
        at = rng.randrange(1, len(result) - 1)
        kind = rng.random()
        if kind < 0.2:
            result[at : at + rng.randint(1, 8)] = b""
        elif kind < 0.4:
            result[at:at] = bytes(rng.choices(b"ACGT", k=rng.randint(1, 8)))
        else:
            result[at] = rng.choice(b"ACGT".replace(bytes(result[at : at + 1]), b""))
    return bytes(result)
