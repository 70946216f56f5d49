"""Options that several subcommands have."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any, TypeAlias

import click

from gkl_shim.common._arguments import device_numbers

_Option: TypeAlias = Callable[[Any], Any]


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
