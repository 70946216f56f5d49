"""A plain Python corrector: strings, a set of k-mers, and recursion."""

from __future__ import annotations

import itertools
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


class Kmers(set[str]):
    """Solid k-mers. `repeated` has these, and those that occur at least 3 times, or more often if
    there are more than half as many as solid ones."""

    repeated: set[str]

    @classmethod
    def of(cls, counts: Counter[str], threshold: int) -> Kmers:
        """Take the k-mers of both kinds."""
        solid = cls(kmer for kmer, count in counts.items() if count >= threshold)
        for least in range(min(3, threshold), threshold + 1):
            solid.repeated = {kmer for kmer, count in counts.items() if count >= least}
            if len(solid.repeated) - len(solid) <= len(solid) // 2:
                break
        return solid

    def mirrored(self) -> Kmers:
        """Return the same for reads that are read backwards."""
        solid = Kmers(canonical(kmer[::-1]) for kmer in self)
        solid.repeated = {canonical(kmer[::-1]) for kmer in self.repeated}
        return solid


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
    """Return the corrected read and its state. Without `Kmers`, no k-mer is repeated."""
    if not isinstance(solid, Kmers):
        solid = Kmers(solid)
        solid.repeated = solid
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


def _search(read: _Read, qualities: list[int], solid: Kmers, k: int, left: int) -> int:
    if _untouched(read, solid, k) or all(_marks(read, solid, k)):
        return SOLID
    if not any(_marks(read, solid, k)):
        change = _vote(read, solid, k)
        if change is None or not read.change({change[0]: change[1]}):
            return UNSOLVED
        left -= 1
        if not any(_marks(read, solid, k)):
            return UNSOLVED
    runs = list(_runs(_marks(read, solid, k)))
    _, last = max(runs, key=lambda run: (run[1] - run[0], -run[0]))
    # To the right, then to the left as the same problem on the mirrored read.
    left = _rightward(read, qualities, solid, k, left, last)
    start = len(read) - k - last
    read.reverse()
    _rightward(read, qualities[::-1], solid.mirrored(), k, left, start)
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


def _rightward(read: _Read, qualities: list[int], solid: Kmers, k: int, left: int, at: int) -> int:
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
    solid: Kmers,
    k: int,
    left: int,
    weak: int,
    direction: int,
) -> int | None:
    """Make the cheapest changes from a base on, or those that all cheapest ways begin with. Return
    how many."""
    known = [0 if base == "N" else q for base, q in zip(read, qualities, strict=True)]
    for limit in range(1, 17):
        ways = _Ways(known, solid, k, left, direction, limit)
        ways.search(list(read), weak, [], 0)
        if not ways.found:
            continue
        best = min(rank for rank, _ in ways.found)
        equal = [way for rank, way in ways.found if rank == best]
        common = [
            steps[0]
            for steps in itertools.takewhile(
                lambda steps: len(set(steps)) == 1, zip(*equal, strict=False)
            )
        ]
        return len(common) if common and read.change(dict(common)) else None
    return None


class _Ways:
    """All ways of one cost. A way is a list of changes."""

    def __init__(
        self, known: list[int], solid: Kmers, k: int, left: int, direction: int, limit: int
    ) -> None:
        mean = Fraction(sum(known), len(known))
        self.known = known
        self.costs = [6 if q > mean else 1 if q < mean * Fraction(7, 8) else 2 for q in known]
        self.solid, self.k, self.direction = solid, k, direction
        self.most, self.limit = left, limit
        #: Each with its rank; the least is the best.
        self.found: list[tuple[tuple[int, int], list[tuple[int, str]]]] = []

    def search(self, read: list[str], weak: int, way: list[tuple[int, str]], cost: int) -> None:
        """Add changes to a way. The next one is of `weak`, or of a base before it."""
        if len(way) == self.most:
            return
        for back in range(self.k):
            position = weak - self.direction * back
            other = weak - self.direction * (self.k - 1 + back)  # the other end of the k-mer
            if (back and self.found) or (way and position == way[-1][0]):
                return
            if not 0 <= other < len(read):
                return
            if self.costs[position] == 6 and self._is_repeated(read, position):
                continue
            middle_alone = self.costs[position] == 2 and not way and 4 * back <= 3 * self.k
            if back == 0 or self.costs[position] == 1 or middle_alone:
                for base in BASES:
                    if base != read[position]:
                        self._try(read, back, way, cost, (position, base))

    def _is_repeated(self, read: list[str], position: int) -> bool:
        starts = range(max(position - self.k + 1, 0), min(position, len(read) - self.k) + 1)
        return all(_is_solid(read, start, self.solid.repeated, self.k) for start in starts)

    def _try(
        self,
        read: list[str],
        back: int,
        way: list[tuple[int, str]],
        cost: int,
        change: tuple[int, str],
    ) -> None:
        position, base = change
        cost += self.costs[position]
        if cost > self.limit:
            return
        changed = read.copy()
        changed[position] = base
        starts = range(position - self.k + 1, position + 1)
        containing = [s for s in starts if 0 <= s <= len(read) - self.k]
        if self.direction < 0:
            containing.reverse()
        run = 0
        while run < len(containing) and _is_solid(changed, containing[run], self.solid, self.k):
            run += 1
        if run == 0 or run < back or (back and self.costs[position] > 1 and run < len(containing)):
            return
        if run >= min(len(containing), self.k // 2) and run > back:
            quality = sum(self.known[p] for p, _ in [*way, change])
            if cost == self.limit:
                self.found.append(((-run, quality), [*way, change]))
        else:
            self.search(changed, position + self.direction * run, [*way, change], cost)
