"""Pairs of reads and segments, made from a seed."""

from __future__ import annotations

import functools
import random

import numpy as np


def mutate(rnd: random.Random, letters: bytes, edits: int) -> bytes:
    """Return letters after a number of random edits, a third of them at the two ends."""
    result = bytearray(letters)
    for _ in range(edits):
        at = rnd.choice((0, len(result), *(rnd.randrange(len(result) + 1) for _ in range(4))))
        what = rnd.randrange(3)
        if what == 0:
            result.insert(at, rnd.choice(b"ACGT"))
        elif what == 1 and len(result) > 1:
            del result[min(at, len(result) - 1)]
        else:
            result[min(at, len(result) - 1)] = rnd.choice(b"ACGT")
    return bytes(result)


def pairs(count: int, seed: int, longest: int = 300) -> tuple[list[bytes], list[bytes]]:
    """Return reads and segments of mixed lengths. In most pairs they are similar."""
    rnd = random.Random(seed)
    genome = np.random.default_rng(seed).choice(np.frombuffer(b"ACGT", np.uint8), 100_000)
    # In repeats, many alignments are equally good.
    genome[20_000:21_000] = np.resize(np.frombuffer(b"AC", np.uint8), 1000)
    genome[40_000:41_000] = ord("A")
    text = genome.tobytes()
    common = [n for n in (1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 150, 250)
              if n <= longest]  # fmt: skip
    reads, segments = [], []
    for _ in range(count):
        length = rnd.choice(common) if rnd.random() < 0.5 else rnd.randint(1, longest)
        start = rnd.randrange(len(text) - length)
        read = text[start : start + length]
        if rnd.random() < 0.1:
            start = rnd.randrange(len(text) - length)
        segment = text[max(0, start - rnd.choice((0, 0, 0, 1, 5))) : start + length]
        segment += text[start + length : start + length + rnd.choice((0, 0, 0, 1, 5, 20))]
        reads.append(read)
        segments.append(mutate(rnd, segment, min(rnd.choice((0, 1, 2, 3, 5, 8, 13)), length)))
    return reads, segments


@functools.cache
def undefined_and_mixed(count: int, method: str) -> tuple[list[bytes], list[bytes]]:
    """Return pairs of which some have lower-case or undefined letters; equal lengths for
    GateKeeper. The lists are kept for other calls: do not change them."""
    reads, segments = pairs(count, seed=8)
    if method == "gatekeeper":
        segments = [(s * len(r))[: len(r)] for r, s in zip(reads, segments, strict=True)]
    reads[::50] = [read[:-1] + b"N" for read in reads[::50]]
    segments[7::60] = [segment.lower() for segment in segments[7::60]]
    segments[9::60] = [b"-" + segment[1:] for segment in segments[9::60]]
    return reads, segments


def unequal(max_edits: int, seed: int) -> tuple[list[bytes], list[bytes]]:
    """Return pairs whose lengths differ by up to one more than the limit, in both directions.

    Their distances are near the limit.
    """
    rnd = random.Random(seed)
    reads, segments = [], []
    for difference in range(max_edits + 2):
        for length in (1, 31, 32, 33, 64, 100, 131):
            longer = bytes(rnd.choices(b"ACGT", k=length + difference))
            cut = rnd.randrange(length + 1)
            shorter = longer[:cut] + longer[cut + difference :]
            for edits in (0, max(0, max_edits - difference) // 2, max_edits - difference):
                pair = [longer, mutate(rnd, shorter, max(0, edits))]
                if rnd.random() < 0.5:
                    pair.reverse()
                reads.append(pair[0])
                segments.append(pair[1])
    return reads, segments
