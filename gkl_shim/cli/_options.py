"""Common options and the progress bar of the subcommands that compute a file."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import click

from gkl_shim._arguments import device_numbers
from gkl_shim._output_files import atomic_output
from gkl_shim._printable import printable
from gkl_shim.errors import FormatError

__all__ = ["Command", "NumberRange", "backend", "build", "classpath", "command", "devices",
           "json_file", "memory", "output", "progress", "threads", "usage_errors",
           "write_json"]  # fmt: skip

_Option: TypeAlias = Callable[[Any], Any]


class Command(click.Command):
    """A command that refuses an option that is given twice, and whose first value would be lost."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line."""
        _, _, given = self.make_parser(ctx).parse_args(list(args))
        seen = set()
        for parameter in given:
            if isinstance(parameter, click.Option) and not parameter.multiple:
                if parameter in seen:
                    raise click.UsageError(f"{parameter.opts[-1]} is given twice", ctx)
                seen.add(parameter)
        return super().parse_args(ctx, args)


#: Makes a :class:`Command`.
command = partial(click.command, cls=Command)


# Click 8.2 and 8.3 have no generic ParamType, so options are converted by functions.
def _device_numbers(text: str) -> list[int] | None:
    try:
        return device_numbers(map(int, text.split(",")))
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a list of different device numbers such as 0,1"
        ) from None


output = click.option(
    "-o",
    "--output",
    default="-",
    metavar="OUT",
    help="The output file. It is compressed if its name ends with .gz, .bz2, .xz or .zst. "
    "Default: standard output.",
)
backend = click.option(
    "--backend",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Where to compute. auto opens GPUs after a second of work on CPUs, then uses the faster.",
)
threads = click.option(
    "--threads",
    type=click.IntRange(0, 2**31 - 1),
    default=0,
    help="The most CPU threads to use. Default: as many as the process may use.",
)
devices = click.option(
    "--devices",
    type=_device_numbers,
    metavar="N,...",
    help="The numbers of the CUDA devices to use, separated by commas. Default: all.",
)
build = click.option(
    "--build",
    type=click.Choice(["avx512", "avx2", "neon", "portable"]),
    help="The build of the CPU engine. Default: the best for this CPU. All builds give the same "
    "results.",
)


def classpath(use: str = "") -> _Option:
    """Return the option that names a GATK. `use` says what it is for, if not for all."""
    return click.option(
        "-c",
        "--classpath",
        metavar="CLASSPATH",
        help=f"{use}GATK's class path or package jar. Default: GATK_CLASSPATH, GATK_LOCAL_JAR, "
        "the jar beside the `gatk` on the PATH, or the GATK that `gkl-shim demo` has fetched.",
    )


def json_file(what: str, callback: Callable[..., str | None] | None = None) -> _Option:
    """Return the option that writes JSON."""
    return click.option(
        "--json",
        "json_file",
        metavar="FILE",
        callback=callback,
        help=f"Write {what} to FILE as JSON; - is standard output.",
    )


def write_json(path: str, report: Mapping[str, Any]) -> None:
    """Write a complete report or nothing; ``-`` is standard output."""
    with atomic_output(path) as file:
        file.write((json.dumps(report, indent=1) + "\n").encode())


def memory(default: float, help: str) -> _Option:
    """Return the option that limits memory, in GiB."""
    return click.option(
        "--memory",
        type=NumberRange(0.001, 2**20),
        default=default,
        show_default=True,
        metavar="GIB",
        help=help,
    )


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn the error of an engine that refuses an option into wrong usage, which exits with 2."""
    try:
        yield
    except FormatError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from error


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
