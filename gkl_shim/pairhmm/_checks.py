"""Check the letters and the qualities of reads and haplotypes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: All bytes that are letters under the strict conventions.
LETTERS = b"ACGTNacgtn"
MAX_QUAL = 127
QUAL_TRACKS = ("quals", "insertion_quals", "deletion_quals", "continuation_quals")


def checked_quality(value: Any, name: str) -> int:
    """Return one quality as an int."""
    if isinstance(value, bool) or not 0 <= value <= MAX_QUAL:
        raise ValueError(f"{name}: quality {value} is not within 0..{MAX_QUAL}")
    return int(value)


def check_quals(quals: NDArray[Any], name: str) -> None:
    """Check the range of one read's qualities."""
    wrong = (quals < 0) | (quals > MAX_QUAL)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"{name}: quality {quals[at]} at base {at} is not within 0..{MAX_QUAL}")


def check_contents(ends: NDArray[np.int64], kind: str, *tracks: NDArray[np.uint8]) -> None:
    """Check a track of letters, and then any tracks of qualities, of many sequences."""
    wrong = _first_wrong(*tracks)
    if wrong is None:
        return
    which, at = wrong
    value = int(tracks[which][at])
    index = int(np.searchsorted(ends, at, "right")) - 1
    place = f"{kind} {index}, base {at - int(ends[index])},"
    if which == 0:
        raise ValueError(f"bases: letter {shown(value)} of {place} is none of ACGTN")
    name = QUAL_TRACKS[which - 1]
    raise ValueError(f"{name}: quality {value} of {place} is not within 0..{MAX_QUAL}")


def _first_wrong(bases: NDArray[np.uint8], *quals: NDArray[np.uint8]) -> tuple[int, int] | None:
    """Return the track (0 for the bases) and index of the first wrong value, or None."""
    text = bases.tobytes()
    if text.translate(None, LETTERS):
        return 0, first_other(text)[0]
    for which, track in enumerate(quals, 1):
        if len(track) and track.max() > MAX_QUAL:
            return which, int(np.argmax(track > MAX_QUAL))
    return None


def first_other(text: bytes) -> tuple[int, int]:
    """Return the index and the value of the first byte that is not one of ACGTN."""
    letter = text.translate(None, LETTERS)[0]
    return text.index(letter), letter


def shown(letter: int) -> str:
    """Return a byte as text for a message."""
    return repr(chr(letter)) if 32 < letter < 127 else f"0x{letter:02X}"
