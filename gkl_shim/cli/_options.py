"""What the subcommands that compute a file have in common: options, and progress through it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import click

from gkl_shim.cli._terminal import printable

output = click.option(
    "-o", "--output", default="-", metavar="OUT", help="Where to write; by default standard output."
)
backend = click.option(
    "--backend",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="What computes.",
)
threads = click.option(
    "--threads",
    type=click.IntRange(0, 2**31 - 1),
    default=0,
    help="CPU threads at most; 0, the default, for all that the process may use.",
)


class _Reader(Protocol):
    @property
    def bytes_read(self) -> int: ...


@contextmanager
def progress(reader: _Reader, source: str, long: int) -> Iterator[Callable[[], None]]:
    """Show how much of a file has been read, on a terminal and for a file of so many bytes.

    Yields
    ------
    callable
        To be called when there is more.
    """
    path = Path(source)
    size = path.stat().st_size if path.is_file() else 0
    if not sys.stderr.isatty() or size < long:
        yield lambda: None
        return
    # Imported where it is used: that takes a quarter of the command's start.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(printable(path.name), total=size)
        yield lambda: bar.update(task, completed=reader.bytes_read)
