"""``gkl-shim demo``: compare GATK with and without the shim on real reads."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click
from rich.console import Console
from rich.progress import DownloadColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from gkl_shim.bench.tables import wide_console
from gkl_shim.cli.common import _demo_report
from gkl_shim.cli.common._command import subcommand
from gkl_shim.common._output_files import atomic_output, check_outputs, make_folder
from gkl_shim.gatk import data, demonstration, fetch, swaps


@subcommand(name="demo", epilog="Example: gkl-shim demo --output my-demo")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("demo-output"),
    show_default=True,
    help="The folder for reads, VCFs, logs and demo.json.",
)
def command(output: Path) -> int:
    """Run GATK's HaplotypeCaller with and without the shim on real reads, and compare the results.

    The first run downloads GATK 4.6.2.0 from Maven Central (450 MB) into the cache: the folder
    GKL_SHIM_CACHE, or gkl-shim in XDG_CACHE_HOME, or ~/.cache/gkl-shim. The exit code is 1 if the
    VCFs differ.
    """
    progress = Console(stderr=True)
    swap = swaps.agent()
    make_folder(output)
    check_outputs("-", output / "demo.json")
    with _download(progress, f"GATK {fetch.GATK_VERSION} from Maven Central") as told:
        classpath = fetch.gatk_classpath(told)
    sample = data.na12878_chr22(output / "na12878_chr22")
    result = demonstration.demonstrate(sample, classpath, swap, partial(_step, progress))
    with atomic_output(output / "demo.json") as stream:
        stream.write(json.dumps(demonstration.document(result), indent=2).encode() + b"\n")
    console = wide_console()
    console.print(_demo_report.table(result))
    summary = _demo_report.summary(result, output)
    console.print(summary, highlight=False, markup=False, soft_wrap=True)
    return 0 if result.identical else 1


@contextmanager
def _step(console: Console, title: str) -> Iterator[None]:
    started = time.monotonic()
    with console.status(title):
        yield
    console.print(f"{title}: {time.monotonic() - started:.1f} s", highlight=False)


@contextmanager
def _download(console: Console, title: str) -> Iterator[fetch.Progress]:
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        DownloadColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[file]}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,  # in a log file it would leave an empty line
    ) as bar:
        task = bar.add_task(title, total=None, file="")

        def told(name: str, size: float) -> None:
            bar.update(task, advance=size, file=name)

        yield told
    if size := bar.tasks[0].completed:
        console.print(f"{title}: {size / 1e6:.0f} MB", highlight=False)
