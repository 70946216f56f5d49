"""``gkl-shim demo``: compare GATK with and without the shim on real reads."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import DownloadColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from gkl_shim import _native
from gkl_shim._files import atomic_output, check_outputs
from gkl_shim.cli._terminal import printable
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import compare, data, fetch, replay, run

_REPLAY_SECONDS = 1.0
_REPLAY_THREADS = (1, run.DEFAULT_THREADS)


@dataclass(frozen=True)
class _Result:
    """GATK with and without the shim on one sample."""

    sample: data.Sample
    vcf: compare.Comparison
    runs: dict[str, run.Run]
    """With GATK's default number of threads: "stock" and "shim"."""
    replays: dict[int, replay.Replay]
    """By the number of PairHMM threads."""


@click.command(name="demo", epilog="Example: gkl-shim demo --output /tmp/demo")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo-output"),
    show_default=True,
    help="The folder for reads, VCFs, logs and demo.json.",
)
def command(output: Path) -> int:
    """Run GATK's HaplotypeCaller with and without the shim on real reads, and compare the results.

    The first run downloads GATK 4.6.2.0 from Maven Central (450 MB) into the cache: GKL_SHIM_CACHE,
    or ~/.cache/gkl-shim by default. The exit code is 1 if the VCFs differ.
    """
    progress = Console(stderr=True)
    swap = run.agent_swap()
    output.mkdir(parents=True, exist_ok=True)
    check_outputs("-", output / "demo.json")
    with _download(progress, f"GATK {fetch.GATK_VERSION} from Maven Central") as told:
        classpath = fetch.gatk_classpath(told)
        fetch.gkl_classpath(progress=told)
    sample = data.na12878_chr22(output / "na12878_chr22")
    result = _demonstrate(sample, classpath, swap, progress)
    with atomic_output(output / "demo.json") as stream:
        stream.write(json.dumps(_document(result), indent=2).encode() + b"\n")
    console = Console()
    console.print(_table(result))
    console.print(_summary(result, output), highlight=False, markup=False, soft_wrap=True)
    return 0 if result.vcf.identical else 1


def _demonstrate(sample: data.Sample, classpath: str, swap: run.Swap, progress: Console) -> _Result:
    folder = sample.reads.parent
    runs = {}
    for name, chosen in (("stock", run.STOCK), ("shim", swap)):
        with _step(progress, f"HaplotypeCaller, {name}"):
            runs[name] = _call(sample, name, classpath, chosen, {})
    vcf = compare.compare(folder / "stock.vcf", folder / "shim.vcf")
    # Another run, because the time for recording counts as PairHMM's in GATK's log.
    regions = folder / "regions.in"
    regions.unlink(missing_ok=True)
    with _step(progress, "recording PairHMM's regions"):
        _call(sample, "record", classpath, swap, {"GKL_SHIM_RECORD": str(regions)})
    if not regions.is_file() or regions.stat().st_size == 0:
        raise MissingComponent(
            f"the shim did not compute in GATK; {folder / 'record.log'} says why"
        )
    engines = replay.stock_and_shim(fetch.gkl_classpath())
    replays = {}
    for threads in _REPLAY_THREADS:
        with _step(progress, f"replaying the regions, {_threads(threads)}"):
            replays[threads] = replay.replay(
                regions, engines, threads=threads, seconds=_REPLAY_SECONDS
            )
    return _Result(sample, vcf, runs, replays)


def _call(
    sample: data.Sample,
    label: str,
    classpath: str,
    swap: run.Swap,
    environment: dict[str, str],
) -> run.Run:
    folder = sample.reads.parent
    result = run.gatk(
        [
            "HaplotypeCaller",
            *("-R", str(sample.reference)),
            *("-I", str(sample.reads)),
            *("-O", str(folder / f"{label}.vcf")),
        ],
        classpath,
        swap,
        environment=environment,
    )
    log = folder / f"{label}.log"
    log.write_bytes(result.log)
    if result.returncode != 0:
        raise MissingComponent(f"HaplotypeCaller failed, see {log}: {result.complaint}")
    return result


def _table(result: _Result) -> Table:
    table = Table(title=result.sample.title, title_justify="left")
    table.add_column("")
    table.add_column("stock GKL", justify="right")
    table.add_column("gkl-shim", justify="right")
    table.add_column("faster", justify="right")
    if result.vcf.identical:
        table.add_row("VCF", "", f"[green]identical[/green], {result.vcf.records[0]} records", "")
    else:
        table.add_row("VCF", "", f"[red]{result.vcf}[/red]", "")
    for threads, replayed in result.replays.items():
        stock, shim = replayed.engines["stock"], replayed.engines["shim"]
        table.add_row(
            f"PairHMM alone, {_threads(threads)}",
            f"{stock.gcups:.2f} GCUPS",
            f"{shim.gcups:.2f} GCUPS",
            f"{shim.gcups / stock.gcups:.1f}x",
        )
    stock_seconds, shim_seconds = (result.runs[name].pairhmm_seconds for name in ("stock", "shim"))
    if stock_seconds and shim_seconds:
        table.add_row("PairHMM in GATK", *_seconds(stock_seconds, shim_seconds))
    table.add_row("whole run", *(_seconds(*(result.runs[name].seconds for name in result.runs))))
    return table


def _threads(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def _seconds(stock: float, shim: float) -> tuple[str, str, str]:
    return f"{stock:.3f} s", f"{shim:.3f} s", f"{stock / shim:.1f}x"


def _summary(result: _Result, output: Path) -> str:
    lines = []
    if not result.vcf.identical:
        lines.append(f"VCFs: {result.vcf}")
    engines = [replayed.engines for replayed in result.replays.values()]
    largest = max(engine["shim"].largest_difference for engine in engines)
    flushing = {engine["stock"].flush_to_zero for engine in engines}
    state = " and ".join("on" if on else "off" for on in sorted(flushing, reverse=True))
    lines += [
        "PairHMM alone: the regions of this GATK run, replayed through both engines in turns, for "
        f"at least {_REPLAY_SECONDS:g} s each. One GCUPS is 10^9 cells of the input a second. GKL "
        f"ran with flush-to-zero {state}. GATK ran with its default of {run.DEFAULT_THREADS} "
        "threads.",
        f"Largest difference of a log10 likelihood: {largest:.2g}.",
        f"CPUs this process may use: {_native.cpu_count()}. VCFs and logs: "
        f"{printable(str(output))}",
        "",
        "To run it on your own reads:",
        "  gkl-shim gatk HaplotypeCaller -R REFERENCE.fa -I READS.bam -O OUT.vcf",
        "or with any other launcher of GATK:",
        '  eval "$(gkl-shim env)"',
    ]
    return "\n".join(lines)


def _document(result: _Result) -> dict[str, Any]:
    return {
        "sample": result.sample.name,
        "vcf_identical": result.vcf.identical,
        "records": result.vcf.records,
        "first_difference": None if result.vcf.identical else str(result.vcf.differences[0]),
        "gatk": {
            name: {"pairhmm_seconds": ran.pairhmm_seconds, "run_seconds": ran.seconds}
            for name, ran in result.runs.items()
        },
        "replays": [
            {
                "threads": threads,
                "regions": replayed.regions,
                "pairs": replayed.pairs,
                "cells": replayed.cells,
                "engines": {
                    name: {
                        "gcups": engine.gcups,
                        "turns": len(engine.turns),
                        "flush_to_zero": engine.flush_to_zero,
                        "largest_difference": engine.largest_difference,
                    }
                    for name, engine in replayed.engines.items()
                },
            }
            for threads, replayed in result.replays.items()
        ],
    }


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
