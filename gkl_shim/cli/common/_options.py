"""Common options and the progress bar of the subcommands that compute a file."""

from __future__ import annotations

import contextlib
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import click

from gkl_shim.common._arguments import device_numbers
from gkl_shim.common._output_files import atomic_output
from gkl_shim.common._printable import printable
from gkl_shim.errors import FormatError

_Option: TypeAlias = Callable[[Any], Any]

_JSON_LINE = 400
"""The longest line of a report that holds more than one value."""


class Command(click.Command):
    """A command that refuses an empty name, and an option that is given twice.

    An empty name would be taken for the current folder. Of an option that is given twice, the first
    value would be lost. The whole of an unknown option is named: one hyphen may begin several
    letters that are joined, so Click takes ``-discard`` for an unknown ``-d``.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line."""
        try:
            values, _, given = self.make_parser(ctx).parse_args(list(args))
        except click.NoSuchOption as error:
            shown = {
                name for option in self.params if not _is_hidden(option) for name in option.opts
            }
            word = self._first_unknown(ctx, args)
            with_two_hyphens = f"-{word}"
            near = [with_two_hyphens, *(error.possibilities or ())]
            raise click.NoSuchOption(
                word, possibilities=[name for name in near if name in shown], ctx=ctx
            ) from None
        seen = set()
        for parameter in given:
            if _takes_names(parameter) and "" in _listed(values[str(parameter.name)]):
                raise click.UsageError(f"{_label(parameter)} is empty; give a name", ctx)
            # --help may be repeated.
            if isinstance(parameter, click.Option) and not (
                parameter.multiple or parameter.is_eager
            ):
                if parameter in seen:
                    raise click.UsageError(f"{parameter.opts[-1]} is given twice", ctx)
                seen.add(parameter)
        return super().parse_args(ctx, args)

    def _first_unknown(self, ctx: click.Context, words: list[str]) -> str:
        """Return the word with an unknown option: the last one of the shortest part with one."""
        for count in range(1, len(words)):
            try:
                self.make_parser(ctx).parse_args(words[:count])
            except click.NoSuchOption:
                return words[count - 1]
            except click.UsageError:
                pass  # the last option lacks its value
        return words[-1]


def _is_hidden(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and parameter.hidden


def _takes_names(parameter: click.Parameter) -> bool:
    """Return whether the values are names of files, folders or other things."""
    if isinstance(parameter.type, click.Path):
        return True
    return parameter.type is click.STRING and parameter.default != ""


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]


def _label(parameter: click.Parameter) -> str:
    """Return what the help calls a parameter."""
    if isinstance(parameter, click.Option):
        return parameter.opts[-1]
    return parameter.human_readable_name.strip("[].")


#: Makes a :class:`Command`.
command = partial(click.command, cls=Command)


class NumberRange(click.FloatRange):
    """A range of numbers. NaN is in none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        with contextlib.suppress(ValueError):
            if not math.isnan(float(value)):
                return super().convert(value, param, ctx)
        self.fail(f"{value!r} is not a number {_range_text(self.min, self.max)}.", param, ctx)


class WholeRange(click.IntRange):
    """A range of whole numbers."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        with contextlib.suppress(ValueError):
            int(value)
            return super().convert(value, param, ctx)
        self.fail(f"{value!r} is not a whole number {_range_text(self.min, self.max)}.", param, ctx)


def _range_text(least: float | None, most: float | None) -> str:
    return f"of {least} or more" if most is None else f"from {least} to {most}"


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
cpu_backend = click.option(
    "--backend",
    type=click.Choice(["auto", "cpu"]),
    default="auto",
    show_default=True,
    expose_value=False,
    help="Where to compute: on the CPU, the only engine of this command.",
)
threads = click.option(
    "--threads",
    type=WholeRange(0, 2**31 - 1),
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


def entries(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Refuse a class path of colons alone, such as "$JARS:$MORE" without values."""
    if path is not None and not path.strip(":"):
        raise click.BadParameter("it names no file")
    return path


def classpath(use: str = "") -> _Option:
    """Return the option that names a GATK. `use` says what it is for, if not for all."""
    return click.option(
        "-c",
        "--classpath",
        metavar="CLASSPATH",
        callback=entries,
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
    """Write a complete report or nothing; ``-`` is standard output.

    What fits in one line stays there, so a table has a line for each row.
    """
    with atomic_output(path) as file:
        file.write((_json_lines(report) + "\n").encode())


def _json_lines(value: Any, indent: int = 0) -> str:
    text = json.dumps(value)
    if indent + len(text) <= _JSON_LINE or not isinstance(value, (Mapping, list, tuple)):
        return text
    margin = " " * (indent + 1)
    if isinstance(value, Mapping):
        parts = [f"{json.dumps(k)}: {_json_lines(v, indent + 1)}" for k, v in value.items()]
    else:
        parts = [_json_lines(part, indent + 1) for part in value]
    first, last = "{}" if isinstance(value, Mapping) else "[]"
    return f"{first}\n{margin}" + f",\n{margin}".join(parts) + f"\n{' ' * indent}{last}"


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
