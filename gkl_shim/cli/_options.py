"""Common options and the progress bar of the subcommands that compute a file."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import click

from gkl_shim.cli._terminal import printable

output = click.option(
    "-o", "--output", default="-", metavar="OUT", help="The output file. Default: standard output."
)
backend = click.option(
    "--backend",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Where to compute. auto opens GPUs for work of a second or more, then uses the faster.",
)
threads = click.option(
    "--threads",
    type=click.IntRange(0, 2**31 - 1),
    default=0,
    help="The most CPU threads to use. Default: as many as the process may use.",
)


class NumberRange(click.FloatRange):
    """A range of numbers. NaN is in none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class _Reader(Protocol):
    @property
    def bytes_read(self) -> int: ...


@contextmanager
def progress(reader: _Reader, source: str, long: int) -> Iterator[Callable[[], None]]:
    """Show on a terminal how much of a file has been read.

    Parameters
    ----------
    reader
        The reader of the file.
    source
        The path of the file.
    long
        Show nothing for a file with fewer bytes.

    Yields
    ------
    callable
        Call it to update the display.
    """
    path = Path(source)
    size = path.stat().st_size if path.is_file() else 0
    if not sys.stderr.isatty() or size < long:
        yield lambda: None
        return
    # Imported late, because importing rich takes a quarter of the command's start-up time.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(printable(path.name), total=size)
        yield lambda: bar.update(task, completed=reader.bytes_read)
