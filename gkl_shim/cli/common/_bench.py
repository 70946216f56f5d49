"""Options, progress and output of the benchmarks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import gkl_shim
from gkl_shim.bench import kernels
from gkl_shim.bench.tables import Table, print_table, wide_console
from gkl_shim.cli.common import _options
from gkl_shim.cli.common._json import write_json
from gkl_shim.common import _output_files, _processor
from gkl_shim.common._printable import printable
from gkl_shim.common._processor import Processor
from gkl_shim.errors import BackendUnavailable
from gkl_shim.gatk import gkl, replay

_Data = TypeVar("_Data")


def _output(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Refuse a file that cannot be written, before anything is measured."""
    # Each on its own, because the table and the JSON may both go to standard output.
    _output_files.check_outputs("-")
    _output_files.check_outputs(path)
    return path


json_option = _options.json_file("all figures", _output)


def gkl_option(version: str = "") -> Callable[..., Any]:
    """Return the option that names a GKL of this version or later."""
    jars = "GKL and of GATK's native bindings, or a GATK package jar"
    text = f"The jars of {jars}. Default: the GATK that `gkl-shim demo` has fetched."
    if version:
        text = f"The jars of {jars}, with GKL {version} or later. Default: gkl-shim's cache."
    return click.option(
        "--gkl", "classpath", metavar="CLASSPATH", callback=_options.entries, help=text
    )


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


def measure_kernel(
    kernel: kernels.Kernel[_Data],
    inputs: Sequence[str],
    seconds: float,
    classpath: str | None,
    json_file: str | None,
) -> None:
    """Measure a kernel that GATK calls on files, or on generated inputs; publish its speeds."""
    _output_files.check_outputs(json_file, inputs=inputs)
    sets = {name: kernel.read(name) for name in inputs} or kernel.generated()
    here = _processor.describe()
    missing: dict[str, str] = {}
    classpath, absent = gkl.classpath(classpath, kernel.GKL_VERSION)
    if absent is not None:
        missing["GKL"] = absent
    cuda = cuda_devices(kernel.devices, missing)
    with progress() as step:
        speeds = kernels.measure(kernel, sets, here, bool(cuda), classpath, seconds, step)
        more = kernel.on_devices(step) if cuda and not inputs else {}
    version = None if classpath is None else replay.gkl_version(classpath)
    figures = {
        "gkl": version,
        "rows": [dataclasses.asdict(speed) for speed in speeds],
        **{name: table.rows for name, table in more.items()},
    }
    tables = [kernels.table(kernel, speeds, version), *more.values()]
    publish(json_file, here, cuda, missing, tables, figures)


def publish_commands(
    json_file: str | None,
    here: Processor,
    cuda: list[str],
    missing: Mapping[str, str],
    title: str,
    rows: Sequence[dict[str, Any]],
) -> None:
    """Publish what :func:`timing.command_rows` returned. The table leaves the rounds out."""
    shown = [{name: row[name] for name in row if name != "rounds"} for row in rows]
    table = Table(f"{title}, seconds of the whole command (medians)", shown)
    publish(json_file, here, cuda, missing, [table], {"rows": rows})


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
