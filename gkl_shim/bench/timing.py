"""Time calls and whole commands in turns, so that a change of the machine's speed affects all."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gkl_shim.errors import MissingComponent

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


def shim_command(subcommand: str, *options: str) -> list[str]:
    """Return the words of a ``gkl-shim`` command with this interpreter and package."""
    # The working directory may be a source checkout, which would hide the package.
    start = (
        "import sys; sys.path[:] = filter(None, sys.path); from gkl_shim.cli import main; main()"
    )
    return [sys.executable, "-c", start, subcommand, *options]


def commands_in_turns(
    commands: Mapping[str, Sequence[str]], rounds: int
) -> dict[str, tuple[float, ...]]:
    """Time whole commands in turns, and return the seconds of each round. Output is dropped.

    Parameters
    ----------
    commands
        The words of each command, by name.
    rounds
        How often each command runs.

    Raises
    ------
    MissingComponent
        If a command fails.
    """
    took: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, words in commands.items():
            start = time.perf_counter()
            done = subprocess.run(
                words,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                check=False,
            )
            took[name].append(time.perf_counter() - start)
            if done.returncode:
                raise MissingComponent(f"{name} failed: {done.stderr.strip()}")
    return {name: tuple(each) for name, each in took.items()}


def command_rows(
    about: Mapping[str, Any], commands: Mapping[str, Sequence[str]], rounds: int
) -> list[dict[str, Any]]:
    """Time whole commands in turns. Return a row for each, which compares it with the last one.

    Parameters
    ----------
    about
        The first columns of each row.
    commands
        The words of each command, by name.
    rounds
        How often each command runs.
    """
    took = commands_in_turns(commands, rounds)
    medians = {name: statistics.median(each) for name, each in took.items()}
    *_, peer = medians
    return [
        {
            **about,
            "command": name,
            "seconds": seconds,
            **({} if name == peer else {f"times {peer}": medians[peer] / seconds}),
            "rounds": took[name],
        }
        for name, seconds in medians.items()
    ]
