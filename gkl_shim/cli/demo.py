"""``gkl-shim demo``: compare GATK with and without the shim on real reads."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import DownloadColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from gkl_shim import _native
from gkl_shim._files import atomic_output, check_outputs
from gkl_shim.cli import _processor
from gkl_shim.cli._terminal import printable
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import compare, data, fetch, replay, replay_smithwaterman, run

_REPLAY_SECONDS = 1.0
_THREADS = (1, run.DEFAULT_THREADS)
_DRAGEN = "--dragen-378-concordance-mode"


@dataclass(frozen=True)
class _Runs:
    """GATK with and without the shim on one sample."""

    vcf: compare.Comparison
    stock: run.Run
    shim: run.Run


@dataclass(frozen=True)
class _Result:
    """What was measured on one sample."""

    sample: data.Sample
    default: _Runs
    """With GATK's default settings."""
    replays: dict[int, replay.Replay]
    """PairHMM alone, by the number of its threads."""
    alignments: replay_smithwaterman.BesideGkl | None = None
    """Smith-Waterman alone; None if GATK aligned nothing."""
    dragen: _Runs | None = None
    """In DRAGEN 3.7.8 mode, which computes PDHMM instead of PairHMM; None if not run."""

    @property
    def runs(self) -> dict[str, _Runs]:
        return {"": self.default} | ({"DRAGEN mode": self.dragen} if self.dragen else {})

    @property
    def identical(self) -> bool:
        return all(runs.vcf.identical for runs in self.runs.values())


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
    # PDHMM in Java takes most of a run, so only the smaller sample shows it.
    results = [
        _demonstrate(sample, classpath, swap, progress, dragen=sample is samples[0])
        for sample in samples
    ]
    _write_json(output / "demo.json", results)
    console = Console()
    for result in results:
        console.print(_table(result))
    console.print(_summary(results, output), highlight=False, markup=False, soft_wrap=True)
    return 0 if all(result.identical for result in results) else 1


def _demonstrate(
    sample: data.Sample, classpath: str, swap: run.Swap, progress: Console, *, dragen: bool
) -> _Result:
    folder = sample.reads.parent
    regions, pairs = folder / "regions.in", folder / "pairs.tsv"
    for recording in (regions, pairs):
        recording.unlink(missing_ok=True)
    with _step(progress, f"{sample.name}: recording what GATK computes"):
        record = {"GKL_SHIM_RECORD": str(regions), "GKL_SHIM_RECORD_SMITHWATERMAN": str(pairs)}
        _call(sample, "record", classpath, swap, record)
    if not regions.is_file() or regions.stat().st_size == 0:
        raise MissingComponent(
            f"the shim did not compute in GATK; {folder / 'record.log'} says why"
        )
    default = _both(sample, "", classpath, swap, progress)
    replays: dict[int, replay.Replay] = {}
    engines = replay.stock_and_shim(fetch.gkl_classpath())
    for threads in _THREADS:
        with _step(progress, f"{sample.name}: replaying PairHMM, {_threads(threads)}"):
            replays[threads] = replay.replay(
                regions, engines, threads=threads, seconds=_REPLAY_SECONDS
            )
    alignments = None
    if pairs.is_file() and pairs.stat().st_size > 0:
        with _step(progress, f"{sample.name}: replaying Smith-Waterman"):
            alignments = replay_smithwaterman.beside_gkl(
                pairs,
                fetch.gkl_classpath(),
                _processor.describe().builds[0],
                seconds=_REPLAY_SECONDS,
            )
    in_dragen_mode = _both(sample, _DRAGEN, classpath, swap, progress) if dragen else None
    return _Result(sample, default, replays, alignments, in_dragen_mode)


def _both(
    sample: data.Sample, option: str, classpath: str, swap: run.Swap, progress: Console
) -> _Runs:
    """Run HaplotypeCaller with and without the shim."""
    folder = sample.reads.parent
    done = {}
    for name, chosen in (("stock", run.STOCK), ("shim", swap)):
        mode = ", DRAGEN mode" if option else ""
        with _step(progress, f"{sample.name}: HaplotypeCaller, {name}{mode}"):
            done[f"{name}{option}"] = _call(
                sample, f"{name}{option}", classpath, chosen, {}, *filter(None, [option])
            )
    stock, shim = (folder / f"{label}.vcf" for label in done)
    return _Runs(compare.compare(stock, shim), *done.values())


def _call(
    sample: data.Sample,
    label: str,
    classpath: str,
    swap: run.Swap,
    environment: dict[str, str],
    *options: str,
) -> run.Run:
    folder = sample.reads.parent
    result = run.gatk(
        [
            "HaplotypeCaller",
            *("-R", str(sample.reference)),
            *("-I", str(sample.reads)),
            *("-O", str(folder / f"{label}.vcf")),
            *options,
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
    for mode, runs in result.runs.items():
        if runs.vcf.identical:
            verdict = f"[green]identical[/green], {runs.vcf.records[0]} records"
        else:
            verdict = f"[red]{runs.vcf}[/red]"
        table.add_row(_in_mode("VCF", mode), "", verdict, "")
    for threads, replayed in result.replays.items():
        stock, shim = (replayed.engines[name].gcups for name in ("stock", "shim"))
        table.add_row(f"PairHMM alone, {_threads(threads)}", *_speeds(stock, shim))
    if result.alignments is not None:
        speeds = _speeds(result.alignments.gkl, result.alignments.shim)
        table.add_row("Smith-Waterman alone", *speeds)
    for mode, runs in result.runs.items():
        for kernel in run.KERNELS:
            times = [done.kernel_seconds.get(kernel) for done in (runs.stock, runs.shim)]
            # GATK rounds the time of Smith-Waterman to hundredths.
            if kernel != "Smith-Waterman" and times[0] and times[1]:
                table.add_row(f"{kernel} in GATK", *_seconds(times[0], times[1]))
        table.add_row(_in_mode("whole run", mode), *_seconds(runs.stock.seconds, runs.shim.seconds))
    return table


def _in_mode(title: str, mode: str) -> str:
    return f"{title}, {mode}" if mode else title


def _threads(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def _seconds(stock: float, shim: float) -> tuple[str, str, str]:
    return f"{stock:.3f} s", f"{shim:.3f} s", f"{stock / shim:.1f}x"


def _speeds(stock: float, shim: float) -> tuple[str, str, str]:
    return f"{stock:.2f} GCUPS", f"{shim:.2f} GCUPS", f"{shim / stock:.1f}x"


def _summary(results: list[_Result], output: Path) -> str:
    lines = []
    for result in results:
        for mode, runs in result.runs.items():
            if not runs.vcf.identical:
                lines.append(f"{_in_mode(result.sample.name, mode)}: VCFs: {runs.vcf}")
    replays = [replayed for result in results for replayed in result.replays.values()]
    largest = max(replayed.engines["shim"].largest_difference for replayed in replays)
    flushing = {replayed.engines["stock"].flush_to_zero for replayed in replays}
    state = " and ".join("on" if on else "off" for on in sorted(flushing, reverse=True))
    lines += [
        "alone: what this GATK run computed, replayed through both engines in turns, for at least "
        f"{_REPLAY_SECONDS:g} s each. One GCUPS is 10^9 cells of the input a second. In PairHMM, "
        f"GKL ran with flush-to-zero {state}. GATK's default is {run.DEFAULT_THREADS} threads. "
        f"PDHMM: in DRAGEN 3.7.8 mode; in stock GATK {fetch.GATK_VERSION} it is Java.",
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
    document = [
        {
            "sample": result.sample.name,
            "runs": {
                mode or "default": {
                    "vcf_identical": runs.vcf.identical,
                    "records": runs.vcf.records,
                    "first_difference": str(runs.vcf.differences[0])
                    if runs.vcf.differences
                    else None,
                    "stock": _figures(runs.stock),
                    "shim": _figures(runs.shim),
                }
                for mode, runs in result.runs.items()
            },
            "pairhmm": [
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
            "smithwaterman": None if result.alignments is None else asdict(result.alignments),
        }
        for result in results
    ]
    with atomic_output(path) as stream:
        stream.write(json.dumps(document, indent=2).encode() + b"\n")


def _figures(done: run.Run) -> dict[str, Any]:
    return {"seconds": done.seconds, "kernel_seconds": done.kernel_seconds}


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
