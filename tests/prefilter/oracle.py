"""The expected results of the filters: edlib's distances, and a plain GateKeeper."""

from __future__ import annotations

from collections.abc import Sequence

import edlib
import numpy as np

from gkl_shim.prefilter import ABOVE

EDLIB_MODES = {"global": "NW", "infix": "HW", "prefix": "SHW"}


def distances(reads: Sequence[bytes], segments: Sequence[bytes], mode: str = "global"):
    """Return the edit distance of each pair, without a threshold."""
    edlib_mode = EDLIB_MODES[mode]
    return np.array(
        [
            edlib.align(read, segment, mode=edlib_mode, task="distance")["editDistance"]
            for read, segment in zip(reads, segments, strict=True)
        ]
    )


def within(exact: np.ndarray, max_edits: int) -> np.ndarray:
    return np.where(exact <= max_edits, exact, ABOVE)


# ---- GateKeeper-GPU, as its authors' program computes it: words of 32 bases, lists of 0 and 1


def _amended(mask: list[int]) -> list[int]:
    """Fill short runs of zeros between ones within words, and then across their borders."""
    words = [mask[at : at + 32] for at in range(0, len(mask), 32)]
    filled = [_filled(word) for word in words]
    zero = [0] * 32
    result = []
    for k, word in enumerate(filled):
        before = filled[k - 1] if k else zero
        after = filled[k + 1] if k + 1 < len(filled) else zero
        own = word.copy()
        # Two zeros across a border are filled: 1 00|1, 1 0|0 1, 1|00 1. A single zero at it is not.
        if before[30] and own[1]:
            word[0] = 1
        if before[31] and own[2]:
            word[0] = word[1] = 1
        if own[29] and after[0]:
            word[30] = word[31] = 1
        if word[30] and after[1]:
            word[31] = 1
        result.append(word)
    return [bit for word in result for bit in word]


def _filled(word: list[int]) -> list[int]:
    out = word.copy()
    for k in range(1, 31):
        # A single zero is filled, but at the second position only if the fourth is one.
        if word[k - 1] and word[k + 1] and k != 1:
            out[k] = 1
    for k in range(1, 30):
        if word[k - 1] and word[k + 2]:
            out[k] = out[k + 1] = 1
    if out[0] and out[2] and out[3]:
        out[1] = 1
    return out


def gatekeeper(read: bytes, segment: bytes, max_edits: int) -> int:
    length = len(read)
    words = -(-length // 32)
    held = -(-length // 16) * 16  # words of 16 bases; a shift drops bits beyond the last
    a = (read + b"A" * 32 * words)[: 32 * words]  # no base is the same as A
    b = (segment + b"A" * 32 * words)[: 32 * words]

    def differences(shift: int) -> list[int]:
        moved = [
            a[k - shift] if 0 <= k - shift < 32 * words else ord("A") for k in range(32 * words)
        ]
        return [int(k < held and moved[k] != b[k]) for k in range(32 * words)]

    mask = differences(0)
    if sum(mask) <= max_edits:
        return sum(mask)
    if max_edits == 0:
        return ABOVE
    mask = _amended(mask)
    for shift in range(1, max_edits + 1):
        deletion, insertion = _amended(differences(shift)), _amended(differences(-shift))
        if shift <= 32:
            deletion[shift - 1] = 1
            insertion[32 * words - shift] = 1
        mask = [x & y & z for x, y, z in zip(mask, deletion, insertion, strict=True)]
    two = {(0, 1, 0, 1), (0, 1, 1, 0), (1, 0, 0, 1), (1, 0, 1, 0), (1, 0, 1, 1), (1, 1, 0, 1)}
    windows = [tuple(mask[at : at + 4]) for at in range(0, len(mask), 4)]
    edits = sum(2 if window in two else int(any(window)) for window in windows)
    return edits if edits <= max_edits else ABOVE
