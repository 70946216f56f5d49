"""Time calls in turns, so that a change of the machine's speed affects all."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

_ROUNDS = 5


def in_turns(calls: Sequence[Callable[[], object]], seconds: float) -> list[tuple[float, ...]]:
    """Time calls in turns.

    Parameters
    ----------
    calls
        The calls. Each runs once before it is timed.
    seconds
        The least time for each call, summed over the rounds.

    Returns
    -------
    list of tuple
        The seconds that each call took, one value for each round.
    """
    for call in calls:
        call()
    rounds = [[_seconds_a_call(call, seconds / _ROUNDS) for call in calls] for _ in range(_ROUNDS)]
    return list(zip(*rounds, strict=True))


def seconds_of(call: Callable[[], object], seconds: float) -> float:
    """Return how long a call takes in seconds, as the median of rounds of `seconds` in total."""
    return statistics.median(in_turns([call], seconds)[0])


def _seconds_a_call(call: Callable[[], object], seconds: float) -> float:
    passes = 0
    start = time.perf_counter()
    while True:
        call()
        passes += 1
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return elapsed / passes
