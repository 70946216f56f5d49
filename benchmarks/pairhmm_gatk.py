"""Compare PairHMM on the CPU with Intel's GKL, on regions recorded from GATK.

    python -m benchmarks.pairhmm_gatk 10s.in --json FILE.json --plot FILE.svg

Takes some 15 minutes. Needs the GATK that `gkl-shim demo` fetches and, for all tables but `sizes`,
ART, bwa, samtools and a C compiler. Samples are simulated, and HaplotypeCaller runs on them while
the regions that it asks for are recorded. The JSON is results/pairhmm-cpu-zen4.json; its tables:

- `gatk.rows`: recorded regions, made-up ones and INPUT.in, replayed through GKL's library and ours
  in turns in one JVM, one call a region.
- `gatk.scaling`: two threads over one, one call a region of 200 pairs and more, medians of the
  rounds. `engine` is by the engine's own clock, because threads do not speed up what Python does
  around a call; `paused` has a millisecond between calls, as in GATK, so that the other thread is
  woken each time; `fma_loop` is a loop that needs nothing but a core, in the same rounds; `share`
  is `engine` over `fma_loop`.
- `gatk.runs`: whole runs of HaplotypeCaller, stock and with gkl-shim in turns: medians. PairHMM's
  time is by GATK's clock in stock GATK, which includes GATK's work before and after a call, and by
  gkl-shim's own with it: its calls, summed over the threads that call regions. So the two have no
  ratio. `amdahl` is what `run_ratio` would be in one thread if PairHMM and GATK's work around it
  took as long as our calls. The results file is from before threads called regions, has GATK's
  clock for both, and `pairhmm_ratio`.
- `sizes`: generated regions of rising size, replayed like `gatk.rows`, in single precision with one
  thread, in GCUPS; --plot draws them.

The `rows` of the results file come from `gkl-shim bench pairhmm 10s.in --json FILE`.
"""

from __future__ import annotations

import ctypes
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import click
import numpy as np

from benchmarks.common import regions, report, samples, simulated_samples
from benchmarks.common.haplotype_caller import haplotype_caller
from benchmarks.common.report import Progress, Table
from gkl_shim.common import _processor
from gkl_shim.errors import FormatError, MissingComponent
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import data, fetch, programs, replay, run, swaps
from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM, Precision, ReadBatch

Figures: TypeAlias = dict[str, Any]
"""A row of the JSON."""

_TABLES = ("sizes", "rows", "scaling", "runs")
# Regions are recorded from these samples, with these options of HaplotypeCaller.
_RECORDED: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("simulated 30x", "30x", ()),
    ("simulated 30x, DRAGEN mode", "30x", ("--dragen-mode",)),
    ("amplicon, 1,500x", "amplicon", ()),
    ("poor 250 bp", "poor", ()),
)
# Samples, and PairHMM's threads.
_WHOLE_RUNS = (
    ("30x", run.DEFAULT_THREADS),
    ("amplicon", 1),
    ("amplicon", run.DEFAULT_THREADS),
)
_ROUNDS = 15
_RUNS = 3
_PAIRS_WORTH_THREADS = 200
_LEAST_BASES = 100_000
# Reads and haplotypes of regions of rising size, and about how many pairs each size has in all.
_SIZES = ((10, 2), (10, 5), (20, 5), (25, 8), (50, 10), (100, 10), (125, 16), (200, 25),
          (400, 32))  # fmt: skip
_SIZE_PAIRS = 12_800
# Ten independent chains of multiply-adds in registers: two threads gain no more than this does.
_FMA_LOOP = """
typedef float V __attribute__((vector_size(32)));
float loop(long n) {
    V x[10], sum = {0};
    for (int k = 0; k < 10; k++) x[k] = sum + (float)k;
    for (long i = 0; i < n; i++)
        for (int k = 0; k < 10; k++) x[k] = x[k] * 0.5f + 0.25f;
    for (int k = 0; k < 10; k++) sum += x[k];
    return sum[0] + sum[7];
}
"""
_FMA_FLAGS = ("-O2", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC")
_FMA_STEPS = 20_000_000


def measure(
    names: Sequence[str],
    inputs: Sequence[Path],
    reference: Path | None,
    classpath: str,
    here: _processor.Processor,
    seconds: float,
    step: Progress,
) -> dict[str, list[Figures]]:
    """Simulate, record, replay and run; return the named tables of the JSON's ``gatk``.

    Raises
    ------
    MissingComponent
        ART, bwa, samtools or a C compiler is missing, or GATK fails.
    """
    found: dict[str, list[Figures]] = {name: [] for name in names}
    if not found:
        return found
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as name:
        folder = Path(name)
        step("simulating samples")
        samples = _samples(folder, sequence(reference))
        recorded = []
        for target, sample, options in _RECORDED if {"rows", "scaling"} & set(names) else ():
            step(f"HaplotypeCaller: {target}")
            recorded.append(_record(samples[sample], options, classpath, folder / f"{target}.in"))
        if "rows" in found:
            for path in (*inputs, *recorded, *_made(folder)):
                found["rows"] += _rows(path, classpath, here, seconds, step)
        if "scaling" in found and here.usable_cpus > 1:
            loop = fma_loop()
            for path in (*inputs, *recorded):
                step(f"two threads: {path.stem}")
                found["scaling"] += scaling(path, loop)
        for sample, threads in _WHOLE_RUNS if "runs" in found else ():
            step(f"whole runs: {sample}, threads: {threads}")
            found["runs"].append(_whole_runs(samples[sample], threads, classpath))
    return found


def sequence(reference: Path | None) -> str:
    """Return the longest stretch without an N of a reference, by default of the head of chr20.

    Raises
    ------
    FormatError
        It is too short to simulate from.
    """
    whole = samples.read_fasta(reference)[1] if reference else samples.chr20_head()
    stretch: str = max(re.findall("[ACGT]+", whole.upper()), key=len, default="")
    if len(stretch) < _LEAST_BASES:
        raise FormatError(
            str(reference),
            None,
            f"has {len(stretch):,} bases without an N; give one of {_LEAST_BASES:,} or more",
        )
    return stretch


def _samples(folder: Path, bases: str) -> dict[str, data.Sample]:
    middle = len(bases) // 2
    amplicon = bases[middle : middle + 4_000]
    poor = partial(simulated_samples.simulate, read_length=250, profile="MSv3", quality_shift=-10)
    return {
        "30x": simulated_samples.simulate(folder, "30x", bases[:500_000], 30),
        "amplicon": simulated_samples.simulate(folder, "amplicon", amplicon, 1500, snp_rate=0.0025),
        "poor": poor(folder, "poor", bases[-50_000:], 60),
    }


def _record(sample: data.Sample, options: Sequence[str], classpath: str, target: Path) -> Path:
    """Record the regions that HaplotypeCaller asks for."""
    environment = {"GKL_SHIM_RECORD": str(target)}
    vcf, swap = target.with_suffix(".vcf"), swaps.agent()
    haplotype_caller(sample.reference, sample.reads, vcf, classpath, swap, options, environment)
    return target


def _made(folder: Path) -> Iterator[Path]:
    """Generate regions that no simulated sample contains: very poor ones, and small ones."""
    random = np.random.default_rng(3)
    batch = regions.generated(30, seed=5, shape=(60, 6))
    letters = np.frombuffer(b"ACGT", np.uint8)
    count, length = len(batch.reads), 250
    # Reads that fit no haplotype well: nearly all pairs leave single precision.
    reads = ReadBatch.from_arrays(
        np.arange(count + 1) * length,
        random.choice(letters, count * length),
        random.integers(20, 36, count * length).astype(np.uint8),
    )
    haplotypes = HaplotypeBatch.from_arrays(batch.haplotypes.offsets, batch.haplotypes.bases)
    hopeless = Batch(reads, haplotypes, batch.region_reads, batch.region_haplotypes)
    yield _written(folder / "hopeless 250 bp.in", hopeless)
    small = regions.generated(200, shape=(10, 2))
    yield _written(folder / "10 reads by 2 haplotypes.in", small)


def _written(path: Path, batch: Batch) -> Path:
    with path.open("wb") as file:
        pairhmm_in.write(file, batch)
    return path


def _rows(
    path: Path, classpath: str, here: _processor.Processor, seconds: float, step: Progress
) -> Iterator[Figures]:
    batch = regions.read(path)
    best = here.builds[0]
    cases: list[tuple[int, Precision, str]] = [(1, "single", best)]
    # GATK runs the portable build, the last one, only on a CPU that has no other.
    cases += [(1, "single", build) for build in here.builds[1:-1]]
    cases += [(1, "double", best)]
    # With as many threads as cores, GKL's threads compete for them: whole runs show that.
    if here.usable_cpus > run.DEFAULT_THREADS:
        cases += [(run.DEFAULT_THREADS, "single", best)]
    for threads, precision, build in cases:
        step(f"{path.stem}: {precision}, {build}, threads: {threads}")
        calls = replay.Calls(seconds, threads, double_precision=precision == "double")
        beside = replay.beside_gkl(path, classpath, build, calls)
        yield {
            "input": path.stem,
            "regions": len(batch),
            "cells": batch.cells,
            "threads": threads,
            "precision": precision,
            "build": build,
            "beside": asdict(beside),
        }


def fma_loop() -> Callable[[int], None]:
    """Return a loop that only needs a core, and divides its work among threads."""
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        source, library = Path(folder, "loop.c"), Path(folder, "loop.so")
        source.write_text(_FMA_LOOP)
        compiler = programs.find("cc", "the loop that threads are compared with needs a C compiler")
        command = [compiler, *_FMA_FLAGS, str(source), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise MissingComponent(f"{compiler} failed: {done.stderr.strip()}")
        loop = ctypes.CDLL(str(library)).loop
    loop.argtypes, loop.restype = [ctypes.c_long], ctypes.c_float

    def loops(threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(loop, [_FMA_STEPS // threads] * threads))

    return loops


def scaling(path: Path, loops: Callable[[int], None], rounds: int = _ROUNDS) -> list[Figures]:
    """Time two threads against one; nothing if no region has enough pairs for two."""
    batch = regions.read(path)
    large = [
        batch[k : k + 1]
        for k in range(len(batch))
        if batch.shapes[k].prod() >= _PAIRS_WORTH_THREADS
    ]
    if not large:
        return []
    engines = {threads: PairHMM(threads=threads, backend="cpu") for threads in (1, 2)}

    def seconds_on(threads: int, passes: int, pause: float = 0.0) -> float:
        engine = engines[threads]
        start = engine.statistics.seconds
        for _ in range(passes):
            for region in large:
                if pause:
                    time.sleep(pause)
                engine.compute(region)
        return engine.statistics.seconds - start

    def seconds_of(threads: int) -> float:
        start = time.perf_counter()
        loops(threads)
        return time.perf_counter() - start

    seconds_on(1, 1)
    passes = 1 + int(0.1 / seconds_on(1, 1))
    engine, paused, fma = [], [], []
    for _ in range(rounds):
        engine.append(seconds_on(1, passes) / seconds_on(2, passes))
        paused.append(seconds_on(1, 1, 0.001) / seconds_on(2, 1, 0.001))
        fma.append(seconds_of(1) / seconds_of(2))
    gain, limit = statistics.median(engine), statistics.median(fma)
    return [
        {
            "input": path.stem,
            "regions": len(large),
            "engine": gain,
            "paused": statistics.median(paused),
            "fma_loop": limit,
            "share": gain / limit,
        }
    ]


def _whole_runs(sample: data.Sample, threads: int, classpath: str) -> Figures:
    options = ["--native-pair-hmm-threads", str(threads)]
    times: dict[str, list[tuple[float, float]]] = {"stock": [], "shim": []}
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        vcf = Path(folder, "o.vcf")
        for _ in range(_RUNS):
            for name, swap in (("stock", swaps.STOCK), ("shim", swaps.agent())):
                done = haplotype_caller(
                    sample.reference, sample.reads, vcf, classpath, swap, options
                )
                if done.pairhmm_seconds is None:
                    raise MissingComponent(f"{name}: the log of GATK has no time for PairHMM")
                times[name].append((done.pairhmm_seconds, done.seconds))
    stock_hmm, stock_run = np.median(times["stock"], axis=0).tolist()
    hmm, whole = np.median(times["shim"], axis=0).tolist()
    amdahl = 1 / (1 - (stock_hmm - hmm) / stock_run)
    return {
        "sample": sample.name,
        "threads": threads,
        "rounds": _RUNS,
        "stock_pairhmm_seconds": stock_hmm,
        "pairhmm_seconds": hmm,
        "stock_run_seconds": stock_run,
        "run_seconds": whole,
        "run_ratio": stock_run / whole,
        "amdahl": amdahl,
        "share_of_amdahl": stock_run / whole / amdahl,
    }


def _sizes(classpath: str, build: str, seconds: float, step: Progress) -> Iterator[Figures]:
    """Time regions of rising size beside GKL."""
    for shape in _SIZES:
        step(f"regions of {shape[0]} x {shape[1]}")
        batch = regions.generated(-(-_SIZE_PAIRS // (shape[0] * shape[1])), shape=shape)
        with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
            path = _written(Path(folder, "regions.in"), batch)
            found = replay.beside_gkl(path, classpath, build, replay.Calls(seconds))
        yield {
            "reads": shape[0],
            "haplotypes": shape[1],
            "shim": found.shim,
            "gkl": found.gkl,
        }


def tables(found: dict[str, list[Figures]]) -> Iterator[Table]:
    """Yield a table for each part that has figures."""
    parts: tuple[tuple[str, str, dict[str, str], dict[str, int]], ...] = (
        (
            "rows",
            "Beside GKL, GCUPS (one call a region from Java)",
            {"input": "input", "precision": "precision", "build": "build", "threads": "threads",
             "shim": "ours", "gkl": "GKL", "ratio": "times GKL"},
            {"ours": 2, "GKL": 2, "times GKL": 1},
        ),
        (
            "scaling",
            f"Two threads over one, regions of {_PAIRS_WORTH_THREADS} pairs and more",
            {"input": "input", "engine": "one after the other", "paused": "a millisecond apart",
             "fma_loop": "FMA loop", "share": "share of it"},
            dict.fromkeys(
                ("one after the other", "a millisecond apart", "FMA loop", "share of it"), 2
            ),
        ),
        (
            "runs",
            "HaplotypeCaller, stock and ours",
            {"sample": "sample", "threads": "threads", "stock_pairhmm_seconds": "its PairHMM, s",
             "pairhmm_seconds": "our PairHMM, s", "run_ratio": "times, run",
             "share_of_amdahl": "share of Amdahl's"},
            {"its PairHMM, s": 2, "our PairHMM, s": 3, "times, run": 2, "share of Amdahl's": 2},
        ),
    )  # fmt: skip
    for part, title, columns, decimals in parts:
        figures = [{**row, **row.get("beside", {})} for row in found.get(part, ())]
        rows = [{shown: row[name] for name, shown in columns.items()} for row in figures]
        if rows:
            yield Table(title, rows, decimals=decimals)


def _size_table(sizes: list[Figures]) -> Table:
    return Table(
        "By region size, one call a region",
        [
            {
                "engine": engine,
                "pairs_of_a_region": size["reads"] * size["haplotypes"],
                "GCUPS": size[name],
            }
            for name, engine in (("shim", "gkl-shim"), ("gkl", "Intel GKL"))
            for size in sizes
        ],
        x="pairs_of_a_region", y="GCUPS", lines=("engine",), log="xy",
    )  # fmt: skip


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("inputs", metavar="[INPUT.in]...", nargs=-1, type=_FILE)
@click.option(
    "--reference",
    type=_FILE,
    metavar="FASTA",
    help="Simulate samples from the first sequence of this file. Default: the head of chr20.",
)
@report.table_option(dict.fromkeys(_TABLES))
@report.seconds_option(1.0)
@report.json_option
@report.plot_option
def command(
    inputs: tuple[Path, ...],
    reference: Path | None,
    names: tuple[str, ...],
    seconds: float,
    json_file: str | None,
    plot_file: str | None,
) -> None:
    """Compare PairHMM with GKL on GATK's regions and in whole runs of HaplotypeCaller."""
    here = _processor.describe()
    classpath = fetch.gatk_classpath()
    sizes: list[Figures] = []
    with report.progress() as step:
        if "sizes" in names:
            sizes += _sizes(classpath, here.builds[0], seconds, step)
        gatk = [name for name in names if name != "sizes"]
        found = measure(gatk, inputs, reference, classpath, here, seconds, step)
    if json_file is not None:
        figures = {
            **report.about(),
            "gkl": replay.gkl_version(classpath),
            "sizes": sizes,
            "gatk": found,
        }
        report.write_json(json_file, figures)
    if json_file != "-":
        about = f"{here.cpu}, {here.usable_cpus} of {here.cpus} CPUs usable"
        shown = [*([_size_table(sizes)] if sizes else []), *tables(found)]
        report.print_tables([about], shown)
    if plot_file is not None:
        title = f"{here.cpu}, {here.builds[0]}, single precision, 1 thread"
        report.plot_tables(plot_file, [_size_table(sizes)], title)


if __name__ == "__main__":
    report.run(command)
