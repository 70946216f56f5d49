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
_DEFAULT, _DRAGEN = "default settings", "DRAGEN mode"
# PDHMM in Java takes most of a run in this mode, so that run covers a part of the reads.
_OPTIONS = {_DEFAULT: (), _DRAGEN: ("--dragen-378-concordance-mode", "-L", "q:1-2500")}


@dataclass(frozen=True)
class _Runs:
    """GATK with and without the shim on one sample."""

    vcf: compare.Comparison
    stock: run.Run
    shim: run.Run


@dataclass(frozen=True)
class _Alone:
    """The kernels of the run with default settings, replayed beside GKL on one thread."""

    pairhmm: replay.Replay
    smithwaterman: replay_smithwaterman.BesideGkl


@dataclass(frozen=True)
class _Result:
    """What was measured on one sample."""

    sample: data.Sample
    runs: dict[str, _Runs]
    """By mode, of those in `_OPTIONS`."""
    alone: _Alone | None
    """None if GKL does not run on this machine."""

    @property
    def identical(self) -> bool:
        return all(runs.vcf.identical for runs in self.runs.values())


@click.command(name="demo", epilog="Example: gkl-shim demo --output my-demo")
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
    return 0 if result.identical else 1


def _demonstrate(sample: data.Sample, classpath: str, swap: run.Swap, progress: Console) -> _Result:
    folder = sample.reads.parent
    regions, pairs = folder / "regions.in", folder / "pairs.tsv"
    for recording in (regions, pairs):
        recording.unlink(missing_ok=True)
    record = {"GKL_SHIM_RECORD": str(regions), "GKL_SHIM_RECORD_SMITHWATERMAN": str(pairs)}
    runs = {}
    for mode, options in _OPTIONS.items():
        word = mode.split()[0]
        with _step(progress, f"HaplotypeCaller, {mode}, stock"):
            stock = _call(sample, f"stock.{word}", classpath, run.STOCK, {}, options)
        with _step(progress, f"HaplotypeCaller, {mode}, shim"):
            environment = record if mode == _DEFAULT else {}
            shim = _call(sample, f"shim.{word}", classpath, swap, environment, options)
        vcf = compare.compare(folder / f"stock.{word}.vcf", folder / f"shim.{word}.vcf")
        runs[mode] = _Runs(vcf, stock, shim)
    for recording in (regions, pairs):
        if not recording.is_file() or recording.stat().st_size == 0:
            log = folder / "shim.default.log"
            raise MissingComponent(f"the shim did not compute in GATK; {log} says why")
    alone = None if replay.no_gkl() else _beside_gkl(regions, pairs, progress)
    return _Result(sample, runs, alone)


def _beside_gkl(regions: Path, pairs: Path, progress: Console) -> _Alone:
    gkl = fetch.gkl_classpath()
    with _step(progress, "replaying PairHMM"):
        engines = replay.stock_and_shim(gkl)
        pairhmm = replay.replay(regions, engines, replay.Calls(_REPLAY_SECONDS))
    with _step(progress, "replaying Smith-Waterman"):
        build = _processor.describe().builds[0]
        smithwaterman = replay_smithwaterman.beside_gkl(pairs, gkl, build, seconds=_REPLAY_SECONDS)
    return _Alone(pairhmm, smithwaterman)


def _call(
    sample: data.Sample,
    label: str,
    classpath: str,
    swap: run.Swap,
    environment: dict[str, str],
    options: tuple[str, ...],
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
    table.add_column("stock GATK", justify="right")
    table.add_column("gkl-shim", justify="right")
    table.add_column("faster", justify="right")
    for mode, runs in result.runs.items():
        if runs.vcf.identical:
            verdict = f"[green]identical[/green], {runs.vcf.records[0]} records"
        else:
            verdict = f"[red]{runs.vcf}[/red]"
        table.add_row(f"VCF, {mode}", "", verdict, "")
    if alone := result.alone:
        engines, pairs = alone.pairhmm.engines, alone.smithwaterman
        table.add_row("PairHMM alone", *_speeds(engines["stock"].gcups, engines["shim"].gcups))
        table.add_row("Smith-Waterman alone", *_speeds(pairs.gkl, pairs.shim))
    for mode, runs in result.runs.items():
        for kernel in run.KERNELS:
            times = [done.kernel_seconds.get(kernel) for done in (runs.stock, runs.shim)]
            # GATK rounds the time of Smith-Waterman to hundredths.
            if kernel != "Smith-Waterman" and times[0] and times[1]:
                table.add_row(f"{kernel} in GATK", *_seconds(times[0], times[1]))
        table.add_row(f"whole run, {mode}", *_seconds(runs.stock.seconds, runs.shim.seconds))
    return table


def _seconds(stock: float, shim: float) -> tuple[str, str, str]:
    return f"{stock:.3f} s", f"{shim:.3f} s", f"{stock / shim:.1f}x"


def _speeds(stock: float, shim: float) -> tuple[str, str, str]:
    return f"{stock:.2f} GCUPS", f"{shim:.2f} GCUPS", f"{shim / stock:.1f}x"


def _summary(result: _Result, output: Path) -> str:
    lines = [
        f"VCFs, {mode}: {runs.vcf}" for mode, runs in result.runs.items() if not runs.vcf.identical
    ]
    if result.alone is None:
        lines.append(f"Not replayed beside GKL: {replay.no_gkl()}.")
    else:
        stock, shim = (result.alone.pairhmm.engines[name] for name in ("stock", "shim"))
        lines += [
            "alone: what the run with default settings computed, replayed on one thread through "
            f"GKL and gkl-shim in turns, for at least {_REPLAY_SECONDS:g} s each. One GCUPS is "
            "10^9 cells of the input a second. GKL's PairHMM ran with flush-to-zero "
            f"{'on' if stock.flush_to_zero else 'off'}. Largest difference of a log10 likelihood: "
            f"{shim.largest_difference:.2g}.",
        ]
    lines += [
        "in GATK: on GATK's default number of threads. gkl-shim also wrote its recordings in that "
        f"time. {_DRAGEN}: {' '.join(_OPTIONS[_DRAGEN])}; it computes PDHMM, in Java in stock GATK "
        f"{fetch.GATK_VERSION}.",
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
        "runs": {
            mode: {
                "vcf_identical": runs.vcf.identical,
                "records": runs.vcf.records,
                "first_difference": None if runs.vcf.identical else str(runs.vcf.differences[0]),
                "stock": _figures(runs.stock),
                "shim": _figures(runs.shim),
            }
            for mode, runs in result.runs.items()
        },
        "alone": None if result.alone is None else _replays(result.alone),
    }


def _replays(alone: _Alone) -> dict[str, Any]:
    return {
        "pairhmm": {
            "regions": alone.pairhmm.regions,
            "pairs": alone.pairhmm.pairs,
            "cells": alone.pairhmm.cells,
            "engines": {
                name: {
                    "gcups": engine.gcups,
                    "turns": len(engine.turns),
                    "flush_to_zero": engine.flush_to_zero,
                    "largest_difference": engine.largest_difference,
                }
                for name, engine in alone.pairhmm.engines.items()
            },
        },
        "smithwaterman": asdict(alone.smithwaterman),
    }


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
