"""Options, progress and output of the benchmarks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import gkl_shim
from gkl_shim.bench.tables import Table, print_table, wide_console
from gkl_shim.cli.common import _options
from gkl_shim.cli.common._json import write_json
from gkl_shim.common import _output_files
from gkl_shim.common._printable import printable
from gkl_shim.common._processor import Processor
from gkl_shim.errors import BackendUnavailable


def _output(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Refuse a file that cannot be written, before anything is measured."""
    # Each on its own, because the table and the JSON may both go to standard output.
    _output_files.check_outputs("-")
    _output_files.check_outputs(path)
    return path


json_option = _options.json_file("all figures", _output)


def seconds_option(default: float) -> Callable[..., Any]:
    """Return the option that says how long to measure."""
    return click.option(
        "--seconds",
        type=_options.NumberRange(0.01, 600),
        default=default,
        show_default=True,
        help="Measure each engine for at least this long.",
    )


def cuda_devices(names: Callable[[], Sequence[str]], missing: dict[str, str]) -> list[str]:
    """Return the names of the CUDA devices, or say in `missing` why there are none."""
    try:
        return list(names())
    except BackendUnavailable as error:
        missing["CUDA"] = str(error)
        return []


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


def publish(
    json_file: str | None,
    here: Processor,
    cuda: list[str],
    missing: Mapping[str, str],
    tables: Sequence[Table],
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
    tables
        The tables to print.
    figures
        The measurements for the JSON file, in addition to `here`, `cuda` and `missing`.
    """
    if json_file is not None:
        about = {"version": gkl_shim.__version__, "machine": dataclasses.asdict(here)}
        write_json(json_file, {**about, "cuda": cuda, "missing": missing, **figures})
    if json_file == "-":
        return
    lines = [f"{here.cpu}, {here.usable_cpus} of {here.cpus} CPUs usable"]
    lines += [f"CUDA: {', '.join(cuda)}"] if cuda else []
    lines += [f"{what} not measured: {why}" for what, why in missing.items()]
    console = wide_console()
    about_run = "\n".join(map(printable, lines))
    console.print(about_run, highlight=False, markup=False, soft_wrap=not console.is_terminal)
    for table in tables:
        print_table(console, table)
