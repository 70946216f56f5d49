"""Options that several scripts have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import click

from benchmarks.common import gatk_versions, real_samples, samples

_Function = TypeVar("_Function", bound=Callable[..., None])

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def repeatable(
    *names: str, choices: Iterable[str], default: Iterable[str] = (), help: str
) -> Callable[[_Function], _Function]:
    """Return an option that may be repeated. Its value is a tuple of choices."""
    return click.option(
        *names,
        type=click.Choice(tuple(choices)),
        multiple=True,
        default=tuple(default),
        help=f"{help}; may be repeated.",
    )


def gatk(*default: str) -> Callable[[_Function], _Function]:
    """Return the option that names versions of GATK. Without a default, it means all of them."""
    help = f"A version of GATK, {', '.join(default) or 'all'} by default"
    return repeatable(
        "--gatk", "versions", choices=gatk_versions.VERSIONS, default=default, help=help
    )


sequence = click.option(
    "--sequence",
    "files",
    type=FILE,
    metavar="FASTA",
    multiple=True,
    help="Use the only sequence of this file; may be repeated. A sample of 2 Mb needs 810 kb.",
)


def _window(
    ctx: click.Context, param: click.Parameter, files: tuple[Path, Path] | None
) -> real_samples.Window | None:
    return None if files is None else real_samples.Window(*files)


window = click.option(
    "--window",
    nargs=2,
    type=FILE,
    metavar="BAM FASTA",
    callback=_window,
    help="Real reads, and the reference of a window, named CONTIG:START-END, for real-... samples.",
)


def real_sequences(files: Iterable[Path]) -> list[str]:
    """Return the sequences of the files of `sequence`, and the head of chr20."""
    return [*(samples.read_fasta(file)[1] for file in files), samples.chr20_head()]
