"""What only ``gkl-shim mem`` has: MUMmer's options, whose long names follow one hyphen, and -v."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import click

from gkl_shim.mem import Index, Kind

_Function = TypeVar("_Function", bound=Callable[..., None])

_KINDS: dict[str, Kind] = {
    "maxmatch": "mem",
    "mum": "mum",
    "mumcand": "mumreference",
    "mumreference": "mumreference",
}


def flag(*names: str, help: str) -> Callable[[_Function], _Function]:
    """Return an option without a value."""
    return click.option(*names, is_flag=True, help=help)


def kind_of(flags: dict[str, bool]) -> Kind:
    """Take the options that choose the kind of matches out of `flags`."""
    kinds = {kind for name, kind in _KINDS.items() if flags.pop(name)}
    if len(kinds) > 1:
        raise click.UsageError("give one of -maxmatch, -mum and -mumreference")
    return kinds.pop() if kinds else "mumreference"


class Report:
    """The times of the parts of a run of ``gkl-shim mem``, for --verbose."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._last = time.perf_counter()
        self._seconds: dict[str, float] = {}

    def add(self, part: str) -> None:
        """Add the time since the last call to a part of the work."""
        now = time.perf_counter()
        self._seconds[part] = self._seconds.get(part, 0) + now - self._last
        self._last = now

    def print(self, index: Index) -> None:
        """Print the index, the memory and the times, if they are wanted."""
        if not self._wanted:
            return
        known = index.information
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        times = ", ".join(f"{part} {spent:.3f} s" for part, spent in self._seconds.items())
        print(
            f"# {known.letters} letters in {known.pages} pages of {known.page_letters}, "
            f"index {known.bytes / 2**20:.1f} MiB, peak memory {peak:.1f} MiB\n"
            f"# seeds of {known.seed_letters} letters at every {known.reference_step} positions\n"
            f"# {times}",
            file=sys.stderr,
        )
