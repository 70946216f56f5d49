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

_REPLAY_SECONDS = 2.0
_THREADS = (1, run.DEFAULT_THREADS)


@dataclass(frozen=True)
class _Result:
    """GATK with and without the shim on one sample, by the number of PairHMM threads."""

    sample: data.Sample
    vcf: dict[int, compare.Comparison]
    runs: dict[int, dict[str, run.Run]]
    replays: dict[int, replay.Replay]

    @property
    def identical(self) -> bool:
        return all(comparison.identical for comparison in self.vcf.values())


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

    The first run downloads GATK 4.6.2.0 and the reads from Maven Central (450 MB) into the cache:
    GKL_SHIM_CACHE, or ~/.cache/gkl-shim by default. The exit code is 1 if the VCFs differ.
    """
    progress = Console(stderr=True)
    swap = run.agent_swap()
    output.mkdir(parents=True, exist_ok=True)
    check_outputs("-", output / "demo.json")
    with _download(progress, f"GATK {fetch.GATK_VERSION} and reads from Maven Central") as told:
        classpath = fetch.gatk_classpath(told)
        fetch.na12878_jar(told)
        fetch.gkl_classpath(progress=told)
    with _step(progress, "sorting and indexing reads"):
        samples = [data.na12878_chr20(output / "na12878_chr20", classpath)]
        source = data.shared_chr22()
        if source is not None:
            samples.append(data.na12878_chr22(output / "na12878_chr22", source, classpath))
    results = [_demonstrate(sample, classpath, swap, progress) for sample in samples]
    _write_json(output / "demo.json", results)
    console = Console()
    for result in results:
        console.print(_table(result))
    console.print(_summary(results, output), highlight=False, markup=False, soft_wrap=True)
    return 0 if all(result.identical for result in results) else 1


def _demonstrate(sample: data.Sample, classpath: str, swap: run.Swap, progress: Console) -> _Result:
    folder = sample.reads.parent
    regions = folder / "regions.in"
    regions.unlink(missing_ok=True)
    with _step(progress, f"{sample.name}: recording PairHMM's regions"):
        record = {"GKL_SHIM_RECORD": str(regions)}
        _call(sample, "record", classpath, swap, 1, record)
    if not regions.is_file() or regions.stat().st_size == 0:
        raise MissingComponent(
            f"the shim did not compute in GATK; {folder / 'record.log'} says why"
        )
    runs: dict[int, dict[str, run.Run]] = {}
    comparisons: dict[int, compare.Comparison] = {}
    replays: dict[int, replay.Replay] = {}
    for threads in _THREADS:
        plural = "thread" if threads == 1 else "threads"
        runs[threads] = {}
        for name, chosen in (("stock", run.STOCK), ("shim", swap)):
            with _step(progress, f"{sample.name}: HaplotypeCaller, {name}, {threads} {plural}"):
                label = f"{name}-{threads}"
                runs[threads][name] = _call(sample, label, classpath, chosen, threads, {})
        comparisons[threads] = compare.compare(
            folder / f"stock-{threads}.vcf", folder / f"shim-{threads}.vcf"
        )
        with _step(progress, f"{sample.name}: replaying its regions, {threads} {plural}"):
            engines = replay.stock_and_shim(fetch.gkl_classpath())
            replays[threads] = replay.replay(
                regions, engines, threads=threads, seconds=_REPLAY_SECONDS
            )
    return _Result(sample, comparisons, runs, replays)


def _call(
    sample: data.Sample,
    label: str,
    classpath: str,
    swap: run.Swap,
    threads: int,
    environment: dict[str, str],
) -> run.Run:
    folder = sample.reads.parent
    result = run.gatk(
        [
            "HaplotypeCaller",
            *("-R", str(sample.reference)),
            *("-I", str(sample.reads)),
            *("-O", str(folder / f"{label}.vcf")),
            *("--native-pair-hmm-threads", str(threads)),
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
    for threads, comparison in result.vcf.items():
        if comparison.identical:
            verdict = f"[green]identical[/green], {comparison.records[0]} records"
            table.add_row(f"VCF, {_threads(threads)}", "", verdict, "")
        else:
            table.add_row(f"VCF, {_threads(threads)}", "", f"[red]{comparison}[/red]", "")
    for threads, replayed in result.replays.items():
        stock, shim = replayed.engines["stock"], replayed.engines["shim"]
        table.add_row(
            f"PairHMM alone, {_threads(threads)}",
            f"{stock.gcups:.2f} GCUPS",
            f"{shim.gcups:.2f} GCUPS",
            f"{shim.gcups / stock.gcups:.1f}x",
        )
    for threads, runs in result.runs.items():
        stock_seconds, shim_seconds = (runs[name].pairhmm_seconds for name in ("stock", "shim"))
        if stock_seconds and shim_seconds:
            cells = _seconds(stock_seconds, shim_seconds)
            table.add_row(f"PairHMM in GATK, {_threads(threads)}", *cells)
    for threads, runs in result.runs.items():
        table.add_row(
            f"whole run, {_threads(threads)}",
            *_seconds(runs["stock"].seconds, runs["shim"].seconds),
        )
    return table


def _threads(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def _seconds(stock: float, shim: float) -> tuple[str, str, str]:
    return f"{stock:.3f} s", f"{shim:.3f} s", f"{stock / shim:.1f}x"


def _summary(results: list[_Result], output: Path) -> str:
    lines = []
    differences = [result for result in results if not result.identical]
    for result in differences:
        for threads, comparison in result.vcf.items():
            if not comparison.identical:
                lines.append(f"{result.sample.name}, {_threads(threads)}: VCFs: {comparison}")
    replays = [replayed for result in results for replayed in result.replays.values()]
    largest = max(replayed.engines["shim"].largest_difference for replayed in replays)
    flushing = {replayed.engines["stock"].flush_to_zero for replayed in replays}
    state = " and ".join("on" if on else "off" for on in sorted(flushing, reverse=True))
    lines += [
        "PairHMM alone: the regions of this GATK run, replayed through both engines in turns, for "
        f"at least {_REPLAY_SECONDS:g} s each. One GCUPS is 10^9 cells of the input a second. GKL "
        f"ran with flush-to-zero {state}. GATK's default is {run.DEFAULT_THREADS} threads.",
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


def _write_json(path: Path, results: list[_Result]) -> None:
    document: list[dict[str, Any]] = []
    for result in results:
        for threads in _THREADS:
            replayed = result.replays[threads]
            document.append(
                {
                    "sample": result.sample.name,
                    "threads": threads,
                    "vcf_identical": result.vcf[threads].identical,
                    "records": result.vcf[threads].records,
                    "first_difference": None
                    if result.vcf[threads].identical
                    else str(result.vcf[threads].differences[0]),
                    "regions": replayed.regions,
                    "pairs": replayed.pairs,
                    "cells": replayed.cells,
                    "engines": {
                        name: {
                            "gcups": engine.gcups,
                            "turns": len(engine.turns),
                            "flush_to_zero": engine.flush_to_zero,
                            "largest_difference": engine.largest_difference,
                            "pairhmm_seconds_in_gatk": result.runs[threads][name].pairhmm_seconds,
                            "run_seconds": result.runs[threads][name].seconds,
                        }
                        for name, engine in replayed.engines.items()
                    },
                }
            )
    with atomic_output(path) as stream:
        stream.write(json.dumps(document, indent=2).encode() + b"\n")


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
