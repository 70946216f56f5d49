"""``gkl-shim demo``: compare GATK with and without the shim on real reads."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import DownloadColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from gkl_shim import _native
from gkl_shim._files import atomic_output, check_outputs
from gkl_shim.cli import _demo_report
from gkl_shim.cli._demo_report import DEFAULT, OPTIONS, REPLAY_SECONDS, Alone, Result, Runs
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import compare, data, fetch, replay, replay_smithwaterman, run, swaps


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
    swap = swaps.agent()
    output.mkdir(parents=True, exist_ok=True)
    check_outputs("-", output / "demo.json")
    with _download(progress, f"GATK {fetch.GATK_VERSION} from Maven Central") as told:
        classpath = fetch.gatk_classpath(told)
        fetch.gkl_classpath(progress=told)
    sample = data.na12878_chr22(output / "na12878_chr22")
    result = _demonstrate(sample, classpath, swap, progress)
    with atomic_output(output / "demo.json") as stream:
        stream.write(json.dumps(_demo_report.document(result), indent=2).encode() + b"\n")
    console = Console()
    console.print(_demo_report.table(result))
    summary = _demo_report.summary(result, output)
    console.print(summary, highlight=False, markup=False, soft_wrap=True)
    return 0 if result.identical else 1


def _demonstrate(
    sample: data.Sample, classpath: str, swap: swaps.Swap, progress: Console
) -> Result:
    folder = sample.reads.parent
    regions, pairs = folder / "regions.in", folder / "pairs.tsv"
    for recording in (regions, pairs):
        recording.unlink(missing_ok=True)
    record = {"GKL_SHIM_RECORD": str(regions), "GKL_SHIM_RECORD_SMITHWATERMAN": str(pairs)}
    runs = {}
    for mode, options in OPTIONS.items():
        word = mode.split()[0]
        with _step(progress, f"HaplotypeCaller, {mode}, stock"):
            stock = _call(sample, f"stock.{word}", classpath, swaps.STOCK, {}, options)
        with _step(progress, f"HaplotypeCaller, {mode}, shim"):
            environment = record if mode == DEFAULT else {}
            shim = _call(sample, f"shim.{word}", classpath, swap, environment, options)
        vcf = compare.compare(folder / f"stock.{word}.vcf", folder / f"shim.{word}.vcf")
        runs[mode] = Runs(vcf, stock, shim)
    for recording in (regions, pairs):
        if not recording.is_file() or recording.stat().st_size == 0:
            log = folder / "shim.default.log"
            raise MissingComponent(f"the shim did not compute in GATK; {log} says why")
    alone = None if replay.no_gkl() else _beside_gkl(regions, pairs, progress)
    return Result(sample, runs, alone)


def _beside_gkl(regions: Path, pairs: Path, progress: Console) -> Alone:
    gkl = fetch.gkl_classpath()
    build = _native.builds()[0]
    with _step(progress, "replaying PairHMM"):
        pairhmm = replay.beside_gkl(regions, gkl, build, replay.Calls(REPLAY_SECONDS))
    with _step(progress, "replaying Smith-Waterman"):
        smithwaterman = replay_smithwaterman.beside_gkl(pairs, gkl, build, seconds=REPLAY_SECONDS)
    return Alone(pairhmm, smithwaterman)


def _call(
    sample: data.Sample,
    label: str,
    classpath: str,
    swap: swaps.Swap,
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
