"""The progress bar of the subcommands that compute a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from gkl_shim.common._printable import printable


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
        Show nothing for a file with fewer bytes. It should take about a second to compute this
        many; for less, a progress bar would only flicker.

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
