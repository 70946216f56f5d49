"""Maximal exact matches by comparing every pair of positions."""

from __future__ import annotations

from typing import NamedTuple

_COMPLEMENT = dict(zip("acgtryswmkbdhv", "tgcayrswkmvhdb", strict=True))


class Match(NamedTuple):
    """Positions count from 0. `query_start` is in the strand that was searched."""

    query: int
    reverse: bool
    query_start: int
    reference: int
    reference_start: int
    length: int


def reverse_complement(sequence: str) -> str:
    """Return mummer's reverse complement, in which unknown letters become n."""
    return "".join(_COMPLEMENT.get(letter, "n") for letter in reversed(sequence.lower()))


def find(
    references: list[str],
    queries: list[str],
    min_length: int,
    kind: str = "mem",
    strands: str = "forward",
    nucleotides_only: bool = False,
) -> list[Match]:
    """Find the matches of queries, sorted by query, strand and positions."""
    subjects = [reference.lower() for reference in references]
    matches = []
    for number, query in enumerate(queries):
        for reverse in (False, True):
            if strands not in ("both", "reverse" if reverse else "forward"):
                continue
            searched = reverse_complement(query) if reverse else query.lower()
            if nucleotides_only:
                # What a letter's complement is does not matter if neither matches.
                searched = "".join(c if c in "acgt" else "?" for c in searched)
            found = [
                Match(number, reverse, q, reference, r, length)
                for reference, subject in enumerate(subjects)
                for q, r, length in _matches(subject, searched, min_length)
            ]
            found = [match for match in found if _wanted(match, kind, subjects, searched)]
            order = (3, 4) if kind == "mum" else (2, 3, 4)
            matches += sorted(found, key=lambda match: [match[k] for k in order])
    return matches


def _matches(subject: str, query: str, min_length: int) -> list[tuple[int, int, int]]:
    found = []
    for q in range(len(query)):
        for r in range(len(subject)):
            if q and r and query[q - 1] == subject[r - 1]:
                continue
            length = 0
            while (
                q + length < len(query)
                and r + length < len(subject)
                and query[q + length] == subject[r + length]
            ):
                length += 1
            if length >= min_length:
                found.append((q, r, length))
    return found


def _wanted(match: Match, kind: str, subjects: list[str], query: str) -> bool:
    letters = query[match.query_start : match.query_start + match.length]
    if kind == "mem":
        return True
    if sum(_count(subject, letters) for subject in subjects) > 1:
        return False
    if kind == "mumreference":
        return True
    # mummer takes the first letter of the reference for repeated.
    first = match.reference == 0 and match.reference_start == 0 and match.length == 1
    return _count(query, letters) == 1 and not first


def _count(text: str, part: str) -> int:
    return sum(text.startswith(part, at) for at in range(len(text)))
