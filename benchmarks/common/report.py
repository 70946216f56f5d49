"""Options, tables, JSON and plots for the benchmarks."""

from __future__ import annotations

import dataclasses
import importlib.util
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

import gkl_shim
from gkl_shim.bench import tables as bench_tables
from gkl_shim.bench.tables import Row, cell_text, print_table, wide_console
from gkl_shim.cli.common._bench import json_option, progress, seconds_option
from gkl_shim.cli.common._options import write_json
from gkl_shim.common import _processor
from gkl_shim.common._output_files import atomic_output, check_outputs
from gkl_shim.cuda import devices
from gkl_shim.errors import BackendUnavailable, FormatError, MissingComponent

__all__ = ["Progress", "Row", "Table", "about", "json_option", "measure_tables", "median_seconds",
           "plot_option", "plot_tables", "print_tables", "progress", "run", "seconds_option",
           "table_option", "write_json"]  # fmt: skip

Progress = Callable[[str], None]
"""Called with the name of the next measurement."""

_ROOT = Path(__file__).resolve().parents[2]
_PLOT_SUFFIXES = (".png", ".svg", ".pdf")


@dataclasses.dataclass
class Table(bench_tables.Table):
    """A table of measurements, and how to draw it."""

    name: str = ""
    x: str = ""
    """The column for the horizontal axis."""
    y: str = ""
    lines: tuple[str, ...] = ()
    """The columns whose values identify a line of the plot."""
    log: str = ""
    """Which axes are logarithmic: "x", "y" or "xy"."""


def _plot_file(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Refuse a plot that could not be drawn, before anything is measured."""
    if path is not None and Path(path).suffix.lower() not in _PLOT_SUFFIXES:
        raise click.BadParameter(f"{path}: the name must end in {', '.join(_PLOT_SUFFIXES)}")
    if path is not None and importlib.util.find_spec("matplotlib") is None:
        raise click.BadParameter("it needs matplotlib: pip install matplotlib")
    check_outputs(path)
    return path


plot_option = click.option(
    "--plot",
    "plot_file",
    metavar="FILE",
    callback=_plot_file,
    help="Draw the tables (.png, .svg, .pdf); needs matplotlib.",
)


def table_option(tables: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the option that chooses tables, for the argument ``names``; all by default."""
    return click.option(
        "--table",
        "names",
        type=click.Choice(list(tables)),
        multiple=True,
        default=list(tables),
        help="Measure only this table. Repeat the option for several tables. Default: all.",
    )


def run(command: click.Command) -> None:
    """Run a script's command. An error becomes one line on standard error."""
    try:
        command()
    except (BackendUnavailable, FormatError, MissingComponent) as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        sys.exit(f"error: {place}{error.strerror or error}")


def about(*, gpu: bool = False) -> dict[str, Any]:
    """Return the first fields of every JSON: the version, the commit, the machine and its GPUs.

    Scripts that need a GPU call it before they measure.

    Raises
    ------
    BackendUnavailable
        If `gpu` is set and there is no GPU, or CuPy is missing.
    """
    found = {
        "version": gkl_shim.__version__,
        "commit": _commit(),
        "machine": dataclasses.asdict(_processor.describe()),
    }
    return {**found, "devices": devices.describe()} if gpu else found


def _commit() -> str | None:
    """Return the repository's commit, followed by "-dirty" if files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def median_seconds(call: Callable[[], object], repeats: int) -> float:
    """Return the median time of a call in seconds. One call before is not timed."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure_tables(measures: Sequence[Callable[[Progress], Table]], json_file: str | None) -> None:
    """Measure tables on this machine's GPUs; write and print them.

    The JSON has what :func:`about` returns and, by its name, each of the ``tables``: its title and
    rows.
    """
    here = about(gpu=True)
    with progress() as step:
        tables = [measure(step) for measure in measures]
    if json_file is not None:
        found = {table.name: {"title": table.title, "rows": table.rows} for table in tables}
        write_json(json_file, {**here, "tables": found})
    if json_file != "-":
        names = [*(device["name"] for device in here["devices"]), here["machine"]["cpu"]]
        print_tables([", ".join(names)], tables)


def print_tables(lines: Sequence[str], tables: Sequence[Table]) -> None:
    """Print lines, then tables."""
    console = wide_console()
    for line in lines:
        console.print(line, highlight=False, markup=False)
    for table in tables:
        print_table(console, table)


def plot_tables(path: str, tables: Sequence[Table], title: str) -> None:
    """Draw each table that has rows and axes, one panel a table."""
    # Imported late, because not every machine has matplotlib.
    from matplotlib.figure import Figure

    drawn = [table for table in tables if table.rows and table.x]
    across = min(2, len(drawn))
    down = -(-len(drawn) // across)
    figure = Figure(figsize=(7 * across, 4 * down), layout="constrained")
    figure.suptitle(title)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for axes in panels[len(drawn) :]:
        axes.set_axis_off()
    for axes, table in zip(panels, drawn, strict=False):
        _draw(axes, table)
    with atomic_output(path) as file:
        figure.savefig(file, format=Path(path).suffix.removeprefix(".").lower())


def _draw(axes: Any, table: Table) -> None:
    lines: dict[str, list[tuple[Any, Any]]] = {}
    for row in table.rows:
        if row.get(table.x) is not None and row.get(table.y) is not None:
            labels = {name: row[name] for name in table.lines if row.get(name) is not None}
            key = ", ".join(_label(name, value) for name, value in labels.items())
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


def _label(name: str, value: str | int | float | None) -> str:
    return str(value) if isinstance(value, str) else f"{name.replace('_', ' ')} {cell_text(value)}"


def _draw_bars(axes: Any, lines: dict[str, list[tuple[Any, Any]]]) -> None:
    names = list(dict.fromkeys(x for points in lines.values() for x, _ in points))
    width = 0.8 / max(len(lines), 1)
    for index, (key, points) in enumerate(lines.items()):
        at = [names.index(x) + width * index for x, _ in points]
        axes.bar(at, [y for _, y in points], width, label=key)
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right", fontsize=7)
