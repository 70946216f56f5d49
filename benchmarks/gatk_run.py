"""Time whole runs of HaplotypeCaller and Mutect2, stock and with gkl-shim, and compare outputs.

    python -m benchmarks.gatk_samples FOLDER 2mb35x --sequence chr17.fa.gz
    python -m benchmarks.gatk_run FOLDER/2mb35x --mode vcf --mode gvcf \\
        --setting stock --setting agent --setting "agent GKL_SHIM_THREADS=4"

The settings run in turns. Times and ratios are medians of all rounds, and the ratios are those of
the first setting to each. CPU seconds are those of the whole process, with the JVM's compilers and
collectors; memory is the most that was resident. The outputs of all runs of a sample in a mode are
compared with the first run's: the records of the VCF, the reads of -bamout and the counts of
--f1r2-tar-gz, byte for byte.

A setting is a swap (stock, agent), followed by variables (NAME=VALUE), options of the JVM (-X...,
-D...) and arguments of GATK (--...).
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import click

from benchmarks.common import report, run_modes
from benchmarks.common.report import Progress, Table
from benchmarks.common.run_samples import RunSample
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import programs, run, swaps

_SWAPS = {"stock": lambda: swaps.STOCK, "agent": swaps.agent}
_KIB = 1024


@dataclass(frozen=True)
class Setting:
    """How GATK is run."""

    text: str
    swap: swaps.Swap
    environment: dict[str, str]
    java_options: tuple[str, ...]
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Cost:
    """What a run took."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


@dataclass
class Case:
    """The runs of a sample in a mode, with one setting."""

    sample: str
    mode: str
    setting: str
    costs: list[Cost]
    records: int = 0
    """How many records the first run's VCF has."""
    difference: str | None = None
    """The first difference to the first run's output."""
    region_threads: int = 0
    """How many threads called regions in the first run."""
    kernel_seconds: dict[str, float] = field(default_factory=dict)
    """Of the first run: see `gkl_shim.gatk.run.Run.kernel_seconds`."""


def parse(text: str) -> Setting:
    """Return the setting that a text describes.

    Raises
    ------
    click.BadParameter
        The text does not start with a swap.
    """
    name, *words = text.split()
    if name not in _SWAPS:
        raise click.BadParameter(f"{text}: it must start with {' or '.join(_SWAPS)}")
    java = tuple(word for word in words if word.startswith(("-X", "-D")))
    variables = {
        word.partition("=")[0]: word.partition("=")[2]
        for word in words
        if not word.startswith("-") and "=" in word
    }
    rest = tuple(w for w in words if w not in java and w.partition("=")[0] not in variables)
    return Setting(text, _SWAPS[name](), variables, java, rest)


def _measured(command: Sequence[str], classpath: str, setting: Setting) -> tuple[run.Run, Cost]:
    """Run GATK. The calling process has no other child, so its children's use is GATK's."""
    done = run.gatk(
        command, classpath, setting.swap,
        java_options=setting.java_options, environment=setting.environment,
    )  # fmt: skip
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, Cost(done.seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / _KIB)


def measured(command: Sequence[str], classpath: str, setting: Setting) -> tuple[run.Run, Cost]:
    """Run GATK in a process of its own, and return what it took.

    Raises
    ------
    MissingComponent
        If GATK fails.
    """
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        done, cost = pool.submit(_measured, command, classpath, setting).result()
    if done.returncode != 0:
        raise MissingComponent(f"{setting.text}: GATK failed: {done.complaint}")
    return done, cost


def measure(
    samples: Sequence[RunSample],
    modes: Sequence[str],
    settings: Sequence[Setting],
    rounds: int,
    step: Progress,
    classpath: str,
) -> Iterator[Case]:
    """Run each sample in each mode with all settings, in turns."""
    for sample in samples:
        for mode in modes:
            cases = [Case(sample.name, mode, setting.text, []) for setting in settings]
            with tempfile.TemporaryDirectory(prefix="gkl-shim-") as name:
                first = None
                for number in range(rounds):
                    for setting, case in zip(settings, cases, strict=True):
                        step(f"{sample.name}, {mode}: {setting.text}, {number + 1} of {rounds}")
                        folder = Path(name, f"{number}-{len(list(Path(name).iterdir()))}")
                        folder.mkdir()
                        output = folder / "out"
                        command = run_modes.command(run_modes.MODES[mode], sample, output)
                        done, cost = measured([*command, *setting.arguments], classpath, setting)
                        case.costs.append(cost)
                        case.region_threads = case.region_threads or done.region_threads
                        case.kernel_seconds = case.kernel_seconds or done.kernel_seconds
                        case.records = case.records or run_modes.records(output)
                        first = first or output
                        case.difference = case.difference or run_modes.difference(first, output)
            yield from cases


def table(cases: Sequence[Case]) -> Table:
    """Return the medians of all cases, beside the first case of the same sample and mode."""
    firsts: dict[tuple[str, str], Case] = {}
    rows: list[report.Row] = []
    for case in cases:
        first = firsts.setdefault((case.sample, case.mode), case)
        pairs = list(zip(first.costs, case.costs, strict=True))
        rows.append({
            "sample": case.sample,
            "mode": case.mode,
            "setting": case.setting,
            "wall s": statistics.median(cost.seconds for cost in case.costs),
            "CPU s": statistics.median(cost.cpu_seconds for cost in case.costs),
            "MiB": statistics.median(cost.peak_mib for cost in case.costs),
            "wall ratio": statistics.median(a.seconds / b.seconds for a, b in pairs),
            "CPU ratio": statistics.median(a.cpu_seconds / b.cpu_seconds for a, b in pairs),
            "records": case.records,
            "output": "same" if case.difference is None else "differs",
        })  # fmt: skip
    decimals = {"wall s": 1, "CPU s": 1, "MiB": 0, "wall ratio": 2, "CPU ratio": 2}
    return Table("Whole runs of GATK", rows, decimals=decimals)


def _cpus(ctx: click.Context, param: click.Parameter, text: str | None) -> set[int] | None:
    """Return the numbers of a list such as 0-3,8."""
    if text is None:
        return None
    try:
        ends = [part.split("-") for part in text.split(",")]
        return {cpu for end in ends for cpu in range(int(end[0]), int(end[-1]) + 1)}
    except ValueError:
        raise click.BadParameter(f"{text}: not a list of CPUs such as 0-3,8") from None


@click.command(name="gatk_run")
@click.argument(
    "folders",
    metavar="SAMPLE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option(
    "--mode",
    "modes",
    type=click.Choice(tuple(run_modes.MODES)),
    multiple=True,
    default=("vcf",),
    show_default=True,
    help="A way to run; may be repeated.",
)
@click.option(
    "--setting",
    "texts",
    metavar="SETTING",
    multiple=True,
    default=("stock", "agent"),
    show_default=True,
    help="A swap and what comes with it; may be repeated.",
)
@click.option("--runs", "rounds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--cpus", callback=_cpus, metavar="LIST", help="Run on these CPUs, such as 0-3,8.")
@report.json_option
def command(
    folders: tuple[Path, ...],
    modes: tuple[str, ...],
    texts: tuple[str, ...],
    rounds: int,
    cpus: set[int] | None,
    json_file: str | None,
) -> None:
    """Run GATK on samples that benchmarks.gatk_samples has made.

    Exits with 1 if outputs differ.
    """
    if cpus is not None:
        os.sched_setaffinity(0, cpus)
    settings = [parse(text) for text in texts]
    samples = [RunSample(folder.name, folder.absolute()) for folder in folders]
    classpath = run.find_classpath()
    with report.progress() as step:
        cases = list(measure(samples, modes, settings, rounds, step, classpath))
    if json_file is not None:
        java = programs.java_version()
        figures: dict[str, Any] = {**report.about(), "java": java, "rounds": rounds}
        report.write_json(json_file, {**figures, "cases": [asdict(case) for case in cases]})
    if json_file != "-":
        report.print_tables([], [table(cases)])
    for case in cases:
        if case.difference is not None:
            where = f"{case.sample}, {case.mode}, {case.setting}"
            click.echo(f"{where}: output differs: {case.difference}", err=True)
    sys.exit(any(case.difference is not None for case in cases))


if __name__ == "__main__":
    report.run(command)
