"""Options, timing, tables and JSON for the benchmarks."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol, TypeAlias

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable

import gkl_shim
from gkl_shim import _files
from gkl_shim.cli import _options
from gkl_shim.cli._processor import Processor
from gkl_shim.cli._terminal import printable
from gkl_shim.errors import BackendUnavailable

__all__ = [
    "Row",
    "Table",
    "cell_text",
    "cuda_devices",
    "in_turns",
    "json_option",
    "print_table",
    "progress",
    "publish",
    "seconds_of",
    "seconds_option",
    "wide_console",
]

Row: TypeAlias = dict[str, "str | int | float | None"]

_ROUNDS = 5
_FILE_WIDTH = 160


@dataclasses.dataclass
class Table:
    """A table of measurements."""

    title: str
    rows: list[Row] = dataclasses.field(default_factory=list)
    note: str = ""
    decimals: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """The number of decimals, by column. Other floats show four significant digits."""


def _output(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Refuse a file that cannot be written, before anything is measured."""
    _files.check_outputs("-", path)
    return path


json_option = _options.json_file("all figures", _output)


def seconds_option(default: float) -> Callable[..., Any]:
    """Return the option that says how long to measure."""
    return click.option(
        "--seconds",
        type=click.FloatRange(0.01, 600),
        default=default,
        show_default=True,
        help="Measure each engine for at least this long.",
    )


def in_turns(calls: Sequence[Callable[[], object]], seconds: float) -> list[tuple[float, ...]]:
    """Time calls in turns, so that a change of the machine's speed affects all of them.

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


class _WithDevices(Protocol):
    @property
    def devices(self) -> tuple[str, ...]: ...


def cuda_devices(
    open_engine: Callable[[], AbstractContextManager[_WithDevices]],
) -> tuple[list[str], str | None]:
    """Return the names of the CUDA devices that an engine opens, or why there are none."""
    try:
        with open_engine() as engine:
            return list(engine.devices), None
    except BackendUnavailable as error:
        return [], str(error)


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is being measured.

    Yields
    ------
    callable
        Call it with the name of the next measurement.
    """
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=None)
        yield lambda text: bar.update(task, description=printable(text))


def wide_console() -> Console:
    """Return a console for standard output, wide enough for all columns unless on a terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=_FILE_WIDTH)


def publish(
    json_file: str | None,
    here: Processor,
    cuda: list[str],
    missing: Mapping[str, str],
    table: Table,
    figures: Mapping[str, Any],
) -> None:
    """Print the measurements and write them as JSON.

    Parameters
    ----------
    json_file
        The JSON file, or None. With ``-``, nothing but the JSON is printed.
    here, cuda
        This machine and the names of its CUDA devices.
    missing
        What could not be measured, and why.
    table
        The table to print.
    figures
        The measurements for the JSON file, in addition to `here`, `cuda` and `missing`.
    """
    if json_file is not None:
        about = {"version": gkl_shim.__version__, "machine": dataclasses.asdict(here)}
        _options.write_json(json_file, {**about, "cuda": cuda, "missing": missing, **figures})
    if json_file == "-":
        return
    lines = [f"{here.cpu}, {here.usable_cpus} of {here.cpus} CPUs usable"]
    lines += [f"CUDA: {', '.join(cuda)}"] if cuda else []
    lines += [f"{what} not measured: {why}" for what, why in missing.items()]
    console = wide_console()
    console.print("\n".join(map(printable, lines)), highlight=False, markup=False)
    print_table(console, table)


def print_table(console: Console, table: Table) -> None:
    """Print a table and its note."""
    shown = RichTable(title=escape(table.title), title_justify="left", box=box.SIMPLE)
    columns = list(dict.fromkeys(name for row in table.rows for name in row))
    for name in columns:
        is_text = all(isinstance(row.get(name), str | None) for row in table.rows)
        shown.add_column(name.replace("_", " "), justify="left" if is_text else "right")
    for row in table.rows:
        texts = (cell_text(row.get(name), table.decimals.get(name)) for name in columns)
        shown.add_row(*map(escape, texts))
    console.print(shown)
    if table.note:
        note = "\n".join(map(printable, table.note.split("\n")))
        console.print(f"{note}\n", highlight=False, markup=False)


def cell_text(value: str | int | float | None, decimals: int | None = None) -> str:
    """Format a value for a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if decimals is not None:
            return f"{value:,.{decimals}f}"
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else printable(value)
