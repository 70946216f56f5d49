"""Pairs to align, made of a seed: of every length, repetitive, with Ns, and above all with ties."""

from __future__ import annotations

import random
from typing import NamedTuple

OVERHANGS = ("softclip", "indel", "leading_indel", "ignore")

#: GATK's own sets, and sets that make ties, that favour gaps, and that overflow.
PARAMETERS = (
    (200, -150, -260, -11),
    (10, -15, -30, -5),
    (25, -50, -110, -6),
    (3, -1, -4, -3),
    (1, 0, 0, 0),
    (0, 0, 0, 0),
    (1, -1, -1, -1),
    (1, -1, -2, -1),
    (2, -1, -1, 0),
    (5, -4, -2, -7),
    (1, -30_000, -2, -1),
    (9_000, -9_000, -9_000, -9_000),
    (4_000, -100, -3_000, -7),
)
UNUSUAL_PARAMETERS = (
    (70_000, -3, -2, -2),
    (2, -3, -100_000, -2),
    (1_000_000, -1_000_000, -5_000_000, -3_000_000),
    (2**31 - 1, -(2**31), -(2**31), -5),
)
#: GATK's bindings refuse these. From C and Python they have the results of Java's arithmetic.
REWARDS = ((1, -1, 3, 1), (1, 2, -3, -1), (-3, -5, -2, -1), (5, -4, -(2**31), 2**31 - 1))


class Pair(NamedTuple):
    reference: bytes
    alternative: bytes
    parameters: tuple[int, int, int, int]
    overhang: str

    def line(self) -> bytes:
        """The pair as a line of text."""
        numbers = ",".join(map(str, self.parameters)).encode()
        fields = (self.reference, self.alternative, numbers, self.overhang.encode())
        return b"\t".join(fields) + b"\n"


def pairs(count: int, seed: int, *, longest: int = 2000) -> list[Pair]:
    rng = random.Random(seed)
    return [_pair(rng, longest) for _ in range(count)]


def _pair(rng: random.Random, longest: int) -> Pair:
    alphabet = rng.choice((b"A", b"AC", b"ACGT", b"ACGT", b"ACGTN", b"ACGTacgtN"))
    typical = (3, 12, 12, 40, 40, 130, 130, 400, 2000 if rng.random() < 0.1 else 130)
    most = min(rng.choice(typical), longest)
    reference = _sequence(rng, alphabet, rng.randint(1, most))
    kind = rng.random()
    if kind < 0.2:
        alternative = _sequence(rng, alphabet, rng.randint(1, most))
    else:
        alternative = _mutated(rng, reference, alphabet) if kind < 0.9 else reference
        if rng.random() < 0.5:
            start = rng.randrange(len(alternative))
            alternative = alternative[start : rng.randint(start + 1, len(alternative))]
        if rng.random() < 0.3:
            alternative += _sequence(rng, alphabet, rng.randint(1, 10))
        if rng.random() < 0.3:
            alternative = _sequence(rng, alphabet, rng.randint(1, 10)) + alternative
    if rng.random() < 0.1:
        reference, alternative = alternative, reference
    return Pair(reference, alternative, _parameters(rng), rng.choice(OVERHANGS))


def _parameters(rng: random.Random) -> tuple[int, int, int, int]:
    kind = rng.random()
    if kind < 0.3:
        return PARAMETERS[rng.randrange(3)]
    if kind < 0.6:
        return rng.choice(PARAMETERS)
    if kind < 0.95:  # small numbers make ties
        return rng.randint(0, 4), rng.randint(-4, 0), rng.randint(-5, 0), rng.randint(-3, 0)
    return rng.choice(UNUSUAL_PARAMETERS)


def _sequence(rng: random.Random, alphabet: bytes, length: int) -> bytes:
    if rng.random() < 0.3:
        unit = bytes(rng.choices(alphabet, k=rng.randint(1, 6)))
        return (unit * (length // len(unit) + 1))[:length]
    return bytes(rng.choices(alphabet, k=length))


def _mutated(rng: random.Random, sequence: bytes, alphabet: bytes) -> bytes:
    result = bytearray(sequence)
    for _ in range(rng.randint(1, 2 + len(sequence) // 30)):
        at = rng.randrange(len(result) + 1)
        kind = rng.random()
        if kind < 0.25:
            result[at : at + rng.randint(1, 8)] = b""
        elif kind < 0.5:
            result[at:at] = bytes(rng.choices(alphabet, k=rng.randint(1, 8)))
        elif at < len(result):
            result[at] = rng.choice(alphabet)
    return bytes(result) or alphabet[:1]
