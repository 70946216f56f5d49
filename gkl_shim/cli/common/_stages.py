"""The progress of a command that runs GATK many times."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import Progress, TaskID


class Stages:
    """Shows the stages of `gkl_shim.validation`: a bar on a terminal, otherwise a line for each.

    Use it in a ``with`` block. If a signal ends the block, a line says that it can go on.
    """

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._bar = Progress(console=console, transient=True, disable=not console.is_terminal)
        self._task: TaskID | None = None

    def __enter__(self) -> Stages:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._bar.stop()
        if kind is SystemExit:
            print("gkl-shim: stopped; the same command goes on from here", file=sys.stderr)

    def stage(self, title: str, total: int) -> None:
        """Begin a stage of `total` runs."""
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(title, total=total)
        runs = "1 run" if total == 1 else f"{total} runs"
        self._bar.console.print(f"{title}: {runs}", highlight=False, markup=False)

    def done(self, name: str) -> None:
        """Count a run that is done."""
        if self._task is not None:
            self._bar.advance(self._task)
