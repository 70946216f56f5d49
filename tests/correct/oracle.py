"""A plain Python corrector: strings, a set of k-mers, and recursion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

SOLID, CORRECTED, UNSOLVED, SHORT = range(4)
# Ties of votes are decided by this order.
BASES = "ACTG"
_COMPLEMENT = str.maketrans("ACGT", "TGCA")


def canonical(kmer: str) -> str:
    # One of the two strands; which one does not matter here.
    return min(kmer, kmer.translate(_COMPLEMENT)[::-1])


def count(reads: list[str], k: int) -> Counter[str]:
    """Count canonical k-mers without N."""
    counts: Counter[str] = Counter()
    for read in map(str.upper, reads):
        for at in range(len(read) - k + 1):
            kmer = read[at : at + k]
            if "N" not in kmer:
                counts[canonical(kmer)] += 1
    return counts


def correct(
    read: str,
    qualities: list[int],
    solid: set[str],
    k: int,
    method: str,
    limit: int | None = None,
    in_window: int = 4,
    whole: bool = False,
) -> tuple[str, int]:
    """Return the corrected read and its state."""
    if len(read) < k:
        return read, SHORT
    changes = limit or 2 + len(read) // 10
    upper = _Read(read.upper(), qualities, in_window)
    state = (_search if method == "search" else _vote_on)(upper, qualities, solid, k, changes)
    if whole and state == UNSOLVED:
        return read, state
    same = [new if new != old.upper() else old for new, old in zip(upper, read, strict=True)]
    return "".join(same), state


def part_to_keep(read: str, state: int, solid: set[str], k: int) -> tuple[int, int]:
    """Return the first of the longest solid parts of an unsolved read, if it has one."""
    parts = [(first, last + k) for first, last in _runs(_marks(list(read.upper()), solid, k))]
    if state != UNSOLVED or not parts:
        return 0, len(read)
    return max(parts, key=lambda part: (part[1] - part[0], -part[0]))


class _Read(list[str]):
    """The bases of a read, and what the limit on changes in a window needs to know."""

    def __init__(self, bases: str, qualities: list[int], in_window: int) -> None:
        super().__init__(bases)
        self.original = list(bases)
        self.qualities = list(qualities)
        self.in_window = in_window

    def reverse(self) -> None:
        super().reverse()
        self.original.reverse()
        self.qualities.reverse()

    def change(self, changes: dict[int, str]) -> bool:
        """Make changes, unless a window of 20 bases near them would have too many."""
        before = self[:]
        for position, base in changes.items():
            self[position] = base
        known = [
            0 if base == "N" else quality
            for base, quality in zip(self, self.qualities, strict=True)
        ]
        mean = Fraction(sum(known), len(self))
        weights = [
            0
            if original in ("N", base) or quality < mean * Fraction(7, 8)
            else 2
            if quality > mean
            else 1
            for original, base, quality in zip(self.original, self, known, strict=True)
        ]
        for start in range(-20, len(self)):
            window = range(start, start + 20)
            if not any(min(changes) <= p <= max(changes) for p in window):
                continue
            if sum(weights[max(start, 0) : start + 20]) > self.in_window:
                self[:] = before
                return False
        return True


def _is_solid(read: list[str], at: int, solid: set[str], k: int) -> bool:
    kmer = "".join(read[at : at + k])
    return "N" not in kmer and canonical(kmer) in solid


def _marks(read: list[str], solid: set[str], k: int) -> list[bool]:
    return [_is_solid(read, at, solid, k) for at in range(len(read) - k + 1)]


def _sample(length: int, k: int) -> list[int]:
    last = length - k
    return [*range(0, last, k // 2), last]


def _untouched(read: list[str], solid: set[str], k: int) -> bool:
    return "N" not in read and all(_is_solid(read, at, solid, k) for at in _sample(len(read), k))


def _vote(read: list[str], solid: set[str], k: int) -> tuple[int, str] | None:
    votes: Counter[tuple[int, str]] = Counter()
    for at, is_solid in enumerate(_marks(read, solid, k)):
        if is_solid:
            continue
        for position in range(at, at + k):
            for base in set(BASES) - {read[position]}:
                changed = [*read[:position], base, *read[position + 1 :]]
                if _is_solid(changed, at, solid, k):
                    votes[position, base] += 1
    return min(
        votes, key=lambda change: (-votes[change], change[0], BASES.index(change[1])), default=None
    )


def _vote_on(read: _Read, qualities: list[int], solid: set[str], k: int, left: int) -> int:
    if _untouched(read, solid, k) or all(_marks(read, solid, k)):
        return SOLID
    for _ in range(left):
        change = _vote(read, solid, k)
        if change is None or not read.change({change[0]: change[1]}):
            return UNSOLVED
        if all(_marks(read, solid, k)):
            return CORRECTED
    return UNSOLVED


def _search(read: _Read, qualities: list[int], solid: set[str], k: int, left: int) -> int:
    if _untouched(read, solid, k) or all(_marks(read, solid, k)):
        return SOLID
    if not any(_marks(read, solid, k)):
        change = _vote(read, solid, k)
        if change is None:
            return UNSOLVED
        read[change[0]] = change[1]
        left -= 1
        if not any(_marks(read, solid, k)):
            return UNSOLVED
    runs = list(_runs(_marks(read, solid, k)))
    first, last = max(runs, key=lambda run: (run[1] - run[0], -run[0]))
    # To the right, then to the left as the same problem on the mirrored read.
    left = _rightward(read, qualities, solid, k, left, last)
    start = len(read) - k - first
    read.reverse()
    mirrored = {canonical(kmer[::-1]) for kmer in solid}
    _rightward(read, qualities[::-1], mirrored, k, left, start)
    read.reverse()
    return CORRECTED if all(_marks(read, solid, k)) else UNSOLVED


def _runs(marks: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield the first and last k-mer of each run of solid k-mers."""
    start = None
    for at, mark in enumerate([*marks, False]):
        if mark and start is None:
            start = at
        elif not mark and start is not None:
            yield start, at - 1
            start = None


def _rightward(
    read: _Read, qualities: list[int], solid: set[str], k: int, left: int, at: int
) -> int:
    """Correct everything to the right of a solid k-mer. Return the changes that are left."""
    while True:
        marks = _marks(read, solid, k)
        weak = next((w for w in range(at, len(marks)) if not marks[w]), None)
        if weak is None:
            return left
        made = _extend(read, qualities, solid, k, left, weak + k - 1, 1)
        if made is not None:
            left -= made
            at = weak
            continue
        following = next((s for s in range(weak, len(marks)) if marks[s]), None)
        if following is None:
            return left
        backward = following - 1
        while backward >= weak:
            made = _extend(read, qualities, solid, k, left, backward, -1)
            if made is None:
                break
            left -= made
            marks = _marks(read, solid, k)
            backward = next((w for w in range(backward, -1, -1) if not marks[w]), -1)
        marks = _marks(read, solid, k)
        at = next(s for s in range(following, len(marks)) if marks[s])


def _extend(
    read: _Read,
    qualities: list[int],
    solid: set[str],
    k: int,
    left: int,
    position: int,
    direction: int,
) -> int | None:
    """Make the fewest changes, from a position on, if there is one best way. Return how many."""
    bases = len(read) - position if direction > 0 else position + 1
    known = [0 if base == "N" else q for base, q in zip(read, qualities, strict=True)]
    is_high = known[position] > Fraction(sum(known), len(read))
    for number in range(1, min(max(min(4, bases), min(bases // 2, 10)), left) + 1):
        ways = list(_ways(read, solid, k, position, direction, number))
        if (
            number == 1
            and (is_high or not ways)
            and _change_before(read, known, solid, k, position, direction)
        ):
            return 1
        if not ways:
            continue

        def quality(way: dict[int, str]) -> int:
            return sum(qualities[p] for p in way if read[p] != "N")

        if number > 4:
            total = sum(quality(dict.fromkeys([p], "")) for p in range(len(read)))
            ways = [way for way in ways if quality(way[1]) * len(read) * 8 < number * total * 7]
            if not ways:
                continue
        ways.sort(key=lambda way: (-way[0], quality(way[1])))
        ranks = [(run, quality(way)) for run, way in ways]
        if len(ways) > 1 and ranks[0] == ranks[1]:
            return None
        return number if read.change(ways[0][1]) else None
    return None


def _change_before(
    read: _Read, known: list[int], solid: set[str], k: int, position: int, direction: int
) -> bool:
    """Change the nearest base before that was not read well and whose change is confirmed."""
    mean = Fraction(sum(known), len(read))
    for at in range(position - direction, position - direction * (k // 2 + 1), -direction):
        if at < k - 1 if direction > 0 else at > len(read) - k:
            return False
        containing = [s for s in range(at - k + 1, at + 1) if 0 <= s <= len(read) - k]
        ways = sorted(_ways(read, solid, k, at, direction, 1), key=lambda way: -way[0])
        if not ways or [run for run, _ in ways].count(ways[0][0]) > 1:
            continue
        is_low = known[at] < mean * 7 / 8
        has_all = ways[0][0] == len(containing) and known[at] <= mean
        if (is_low or has_all) and read.change(ways[0][1]):
            return True
    return False


def _ways(
    read: list[str], solid: set[str], k: int, position: int, direction: int, number: int
) -> Iterator[tuple[int, dict[int, str]]]:
    """Yield the ways of exactly this number of changes, after the k-mers that confirm the last."""
    for base in set(BASES) - {read[position]}:
        changed = read.copy()
        changed[position] = base
        starts = range(position - k + 1, position + 1)
        containing = [s for s in starts if 0 <= s <= len(read) - k]
        if direction < 0:
            containing.reverse()
        run = 0
        while run < len(containing) and _is_solid(changed, containing[run], solid, k):
            run += 1
        if run >= min(len(containing), k // 2):
            if number == 1:
                yield run, {position: base}
        elif run > 0 and number > 1:
            rest = _ways(changed, solid, k, position + direction * run, direction, number - 1)
            for confirming, way in rest:
                yield confirming, {position: base, **way}
