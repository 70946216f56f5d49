"""What the benchmarks share: timing, tables, plots and their options."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable

from gkl_shim import _files
from gkl_shim.cli._terminal import printable
from gkl_shim.errors import MissingComponent

__all__ = [
    "Row",
    "Table",
    "check_outputs",
    "json_option",
    "plot_tables",
    "print_table",
    "progress",
    "rounds",
    "seconds_of",
    "seconds_option",
    "wide_console",
    "write_json",
]

Row: TypeAlias = dict[str, "str | int | float | None"]

json_option = click.option(
    "--json", "json_file", metavar="FILE", help="Write all figures there; - is stdout."
)

_ROUNDS = 5
_PLOT_SUFFIXES = (".png", ".svg", ".pdf")
_FILE_WIDTH = 160


@dataclasses.dataclass
class Table:
    """Measurements of one kind, and how they are drawn, where they are."""

    name: str
    title: str
    x: str = ""
    """The column along the horizontal axis."""
    y: str = ""
    lines: tuple[str, ...] = ()
    """Columns whose values tell the plot's lines apart."""
    log: str = ""
    """Which axes are logarithmic: "x", "y" or "xy"."""
    note: str = ""
    decimals: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """Of columns of fractions; others are printed with four significant digits."""
    rows: list[Row] = dataclasses.field(default_factory=list)
    absent: str | None = None
    """Why there are no rows."""


def seconds_option(default: float, text: str) -> Callable[..., Any]:
    """Return the option that says how long to measure."""
    kind = click.FloatRange(0.01, 600)
    return click.option("--seconds", type=kind, default=default, show_default=True, help=text)


def rounds(call: Callable[[], object], seconds: float) -> list[float]:
    """Return the seconds a call, of some rounds that take about so long together."""
    call()
    found = []
    for _ in range(_ROUNDS):
        passes = 0
        start = time.perf_counter()
        while True:
            call()
            passes += 1
            elapsed = time.perf_counter() - start
            if elapsed >= seconds / _ROUNDS:
                break
        found.append(elapsed / passes)
    return found


def seconds_of(call: Callable[[], object], seconds: float) -> float:
    """Return the seconds a call: the median of rounds that take about so long together."""
    return statistics.median(rounds(call, seconds))


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is being measured; yields what to call with it."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=None)
        yield lambda text: bar.update(task, description=printable(text))


def check_outputs(json_file: str | None, plot_file: str | None) -> None:
    """Refuse a report or a plot that could not be written, before anything is measured.

    Raises
    ------
    click.UsageError
        If the plot's name does not say a known format.
    MissingComponent
        If matplotlib is not installed.
    OSError
        If one of the files cannot be written.
    """
    if plot_file is not None:
        if Path(plot_file).suffix.lower() not in _PLOT_SUFFIXES:
            raise click.UsageError(f"--plot {plot_file}: one of {', '.join(_PLOT_SUFFIXES)}")
        if importlib.util.find_spec("matplotlib") is None:
            raise MissingComponent("--plot needs matplotlib: pip install 'gkl-shim[plot]'")
    _files.check_outputs("-", json_file, plot_file)


def write_json(path: str, report: Mapping[str, Any]) -> None:
    """Write a report whole or not at all; ``-`` is standard output."""
    with _files.atomic_output(path) as file:
        file.write((json.dumps(report, indent=1) + "\n").encode())


def wide_console() -> Console:
    """Return standard output; what is no terminal has room for all columns."""
    console = Console()
    return console if console.is_terminal else Console(width=_FILE_WIDTH)


def print_table(console: Console, table: Table) -> None:
    """Print a table with its note, or why it is absent."""
    if table.absent is not None:
        console.print(
            f"{table.title}: not measured: {printable(table.absent)}\n",
            highlight=False,
            markup=False,
        )
        return
    shown = RichTable(title=escape(table.title), title_justify="left", box=box.SIMPLE)
    columns = list(dict.fromkeys(name for row in table.rows for name in row))
    for name in columns:
        words = all(isinstance(row.get(name), str | None) for row in table.rows)
        shown.add_column(name.replace("_", " "), justify="left" if words else "right")
    for row in table.rows:
        texts = (_text(row.get(name), table.decimals.get(name)) for name in columns)
        shown.add_row(*map(escape, texts))
    console.print(shown)
    if table.note:
        note = "\n".join(map(printable, table.note.split("\n")))
        console.print(f"{note}\n", highlight=False, markup=False)


def _text(value: str | int | float | None, decimals: int | None = None) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        if decimals is not None:
            return f"{value:,.{decimals}f}"
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else printable(value)


def plot_tables(path: str, tables: Sequence[Table], title: str) -> None:
    """Draw each table in a panel of its own."""
    # Imported here: an optional dependency, and slow to load.
    from matplotlib.figure import Figure

    drawn = [table for table in tables if table.rows]
    across = min(2, len(drawn))
    down = -(-len(drawn) // across)
    figure = Figure(figsize=(7 * across, 4 * down), layout="constrained")
    figure.suptitle(title)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for axes in panels[len(drawn) :]:
        axes.set_axis_off()
    for axes, table in zip(panels, drawn, strict=False):
        lines: dict[str, list[tuple[Any, Any]]] = {}
        for row in table.rows:
            if row.get(table.y) is not None:
                key = ", ".join(_label(name, row.get(name)) for name in table.lines)
                lines.setdefault(key, []).append((row[table.x], row[table.y]))
        bars = all(isinstance(x, str) for points in lines.values() for x, _ in points)
        if bars:
            _draw_bars(axes, lines)
        else:
            for key, points in lines.items():
                axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=key)
        axes.set(xlabel=table.x.replace("_", " "), ylabel=table.y.replace("_", " "))
        axes.set_title(table.title, fontsize=9)
        if "x" in table.log and not bars:
            axes.set_xscale("log")
        if "y" in table.log:
            axes.set_yscale("log")
        axes.grid(alpha=0.3)
        if table.lines:
            axes.legend(fontsize=6)
    with _files.atomic_output(path) as file:
        figure.savefig(file, format=Path(path).suffix.removeprefix(".").lower())


def _label(name: str, value: str | int | float | None) -> str:
    return str(value) if isinstance(value, str) else f"{name.replace('_', ' ')} {_text(value)}"


def _draw_bars(axes: Any, lines: dict[str, list[tuple[Any, Any]]]) -> None:
    names = list(dict.fromkeys(x for points in lines.values() for x, _ in points))
    width = 0.8 / max(len(lines), 1)
    for index, (key, points) in enumerate(lines.items()):
        at = [names.index(x) + width * index for x, _ in points]
        axes.bar(at, [y for _, y in points], width, label=key)
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right", fontsize=7)
