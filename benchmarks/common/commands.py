"""Time whole commands in turns, so that a change of the machine's speed affects all."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from gkl_shim.errors import MissingComponent


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
