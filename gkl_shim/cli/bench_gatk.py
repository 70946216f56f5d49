"""What ``gkl-shim bench pairhmm --gatk`` adds: the traffic and the runs of a real GATK.

Samples are simulated, HaplotypeCaller runs on them and the regions that it asks for are recorded;
these go through GKL's library and ours in turns, in one JVM. Then threads are timed beside a loop
that needs nothing but a core, and whole runs, stock and shimmed, in turns.
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
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gkl_shim import traffic
from gkl_shim._batch import concatenated
from gkl_shim.cli._bench import Table
from gkl_shim.errors import MissingComponent
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import data, fetch, replay, run, simulate
from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM, Precision, ReadBatch

__all__ = [
    "Report",
    "Row",
    "Scaling",
    "WholeRun",
    "fma_loop",
    "measure",
    "scaling",
    "sequence",
    "tables",
]

_ROUNDS = 15
_RUNS = 3
_PAIRS_WORTH_THREADS = 200
_LEAST_BASES = 100_000
# Ten independent chains of multiply-adds that never leave registers: how far two threads of this
# machine go at all.
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


@dataclass(frozen=True)
class Row:
    """One of our builds beside GKL on recorded regions, a call a region from Java."""

    input: str
    regions: int
    cells: int
    threads: int
    precision: Precision
    build: str
    beside: replay.BesideGkl


@dataclass(frozen=True)
class Scaling:
    """Two threads against one, a call a region of 200 pairs and more, medians over rounds."""

    input: str
    regions: int
    engine: float
    """By the engine's own clock: what Python does around a call is no work for threads."""
    paused: float
    """With a millisecond between calls, as in GATK: the other thread has to be woken each time."""
    fma_loop: float
    """Of the loop that needs nothing but a core, in the same rounds."""
    share: float
    """``engine`` over ``fma_loop``."""


@dataclass(frozen=True)
class WholeRun:
    """HaplotypeCaller, stock and with the shim in turns: medians, in seconds by GATK's clock."""

    sample: str
    threads: int
    rounds: int
    stock_pairhmm_seconds: float
    pairhmm_seconds: float
    pairhmm_ratio: float
    stock_run_seconds: float
    run_seconds: float
    run_ratio: float
    amdahl: float
    """What the whole run's ratio would be if nothing but PairHMM's time changed."""
    share_of_amdahl: float


@dataclass(frozen=True)
class Report:
    """All that was measured."""

    rows: tuple[Row, ...]
    scaling: tuple[Scaling, ...]
    runs: tuple[WholeRun, ...]


def measure(
    inputs: Sequence[Path],
    reference: Path | None,
    classpath: str,
    builds: Sequence[str],
    cpus: int,
    seconds: float,
    report: Callable[[str], None],
) -> Report:
    """Simulate, record, replay and run.

    Parameters
    ----------
    inputs : sequence of Path
        More regions, ``.in`` files.
    reference : Path, optional
        FASTA whose first sequence is simulated from; by default the head of chr20 that comes with
        the demo's reads.
    classpath : str
        GATK's.
    builds : sequence of str
        Ours, the best first.
    cpus : int
        That may be used.
    seconds : float
        For each engine on each input.
    report : callable
        Told what is being done.

    Raises
    ------
    MissingComponent
        ART, bwa, samtools or a C compiler is missing, or GATK fails.
    """
    loop = fma_loop()
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as name:
        folder = Path(name)
        report("simulating samples")
        samples = _samples(folder, sequence(reference))
        recorded = []
        for target, sample, options in (
            ("simulated 30x", "30x", ()),
            ("simulated 30x, DRAGEN mode", "30x", ("--dragen-mode",)),
            ("amplicon, 1,500x", "amplicon", ()),
            ("poor 250 bp", "poor", ()),
        ):
            report(f"HaplotypeCaller: {target}")
            recorded.append(_record(samples[sample], options, classpath, folder / f"{target}.in"))
        sets = [*inputs, *recorded, *_made(folder)]
        rows = tuple(
            row
            for regions in sets
            for row in _rows(regions, classpath, builds, cpus, seconds, report)
        )
        gains = []
        if cpus > 1:
            for regions in (*inputs, *recorded):
                report(f"two threads: {regions.stem}")
                gains += scaling(regions, loop)
        runs = []
        for sample, threads in (
            ("30x", run.DEFAULT_THREADS),
            ("amplicon", 1),
            ("amplicon", run.DEFAULT_THREADS),
        ):
            report(f"whole runs: {sample}, threads: {threads}")
            runs.append(_whole_runs(samples[sample], threads, classpath))
    return Report(rows, tuple(gains), tuple(runs))


def tables(report: Report) -> Iterator[Table]:
    """Yield a table a part that there is something of."""
    beside = Table(
        "beside",
        "Beside GKL, GCUPS (a call a region from Java)",
        decimals={"ours": 2, "GKL": 2, "times GKL": 1},
    )
    for row in report.rows:
        beside.rows.append(
            {
                "input": row.input,
                "precision": row.precision,
                "build": row.build,
                "threads": row.threads,
                "ours": row.beside.shim,
                "GKL": row.beside.gkl,
                "times GKL": row.beside.ratio,
            }
        )
    threads = Table(
        "threads",
        f"Two threads over one, regions of {_PAIRS_WORTH_THREADS} pairs and more",
        decimals=dict.fromkeys(
            ("one after the other", "a millisecond apart", "FMA loop", "share of it"), 2
        ),
    )
    for each in report.scaling:
        threads.rows.append(
            {
                "input": each.input,
                "one after the other": each.engine,
                "a millisecond apart": each.paused,
                "FMA loop": each.fma_loop,
                "share of it": each.share,
            }
        )
    whole = Table(
        "runs",
        "HaplotypeCaller, stock over ours",
        decimals={"PairHMM": 1, "whole run": 2, "share of Amdahl's": 2},
    )
    for one in report.runs:
        whole.rows.append(
            {
                "sample": one.sample,
                "threads": one.threads,
                "PairHMM": one.pairhmm_ratio,
                "whole run": one.run_ratio,
                "share of Amdahl's": one.share_of_amdahl,
            }
        )
    yield from (table for table in (beside, threads, whole) if table.rows)


def sequence(reference: Path | None) -> str:
    """Return the longest stretch without an N of a reference, or of the head of chr20.

    Raises
    ------
    ValueError
        It is too short to simulate from.
    """
    whole = data.read_fasta(reference)[1] if reference else data.chr20_head()
    stretch: str = max(re.findall("[ACGT]+", whole.upper()), key=len, default="")
    if len(stretch) < _LEAST_BASES:
        raise ValueError(
            f"{reference}: has {len(stretch):,} bases without an N; give one of "
            f"{_LEAST_BASES:,} or more"
        )
    return stretch


def _samples(folder: Path, bases: str) -> dict[str, data.Sample]:
    middle = len(bases) // 2
    return {
        "30x": simulate.simulate(folder / "30x", "30x", bases[:500_000], 30),
        "amplicon": simulate.simulate(
            folder / "amplicon",
            "amplicon",
            bases[middle : middle + 4_000],
            1500,
            snp_rate=0.0025,
        ),
        "poor": simulate.simulate(
            folder / "poor",
            "poor",
            bases[-50_000:],
            60,
            read_length=250,
            profile="MSv3",
            quality_shift=-10,
        ),
    }


def _haplotype_caller(
    sample: data.Sample,
    output: Path,
    options: Sequence[str],
    classpath: str,
    swap: run.Swap,
    environment: dict[str, str] | None = None,
) -> run.Run:
    arguments = ["HaplotypeCaller", "-R", str(sample.reference), "-I", str(sample.reads)]
    arguments += ["-O", str(output), *options]
    done = run.gatk(arguments, classpath, swap, environment=environment)
    if done.returncode != 0:
        raise MissingComponent(f"GATK failed: {done.complaint}")
    return done


def _record(sample: data.Sample, options: Sequence[str], classpath: str, target: Path) -> Path:
    """Record the regions that HaplotypeCaller asks for."""
    environment = {"GKL_SHIM_RECORD": str(target)}
    vcf = target.with_suffix(".vcf")
    _haplotype_caller(sample, vcf, options, classpath, run.agent_swap(), environment)
    return target


def _made(folder: Path) -> Iterator[Path]:
    """Regions that no simulated sample asks for: hopeless ones, and small ones."""
    random = np.random.default_rng(3)
    batch = traffic.regions(30, seed=5, shape=(60, 6))
    letters = np.frombuffer(b"ACGT", np.uint8)
    count, length = len(batch.reads), 250
    # Reads that fit no haplotype well: nearly all pairs leave single precision.
    reads = ReadBatch.from_arrays(
        np.arange(count + 1) * length,
        random.choice(letters, count * length),
        random.integers(20, 36, count * length).astype(np.uint8),
    )
    haplotypes = HaplotypeBatch.from_arrays(batch.haplotypes.offsets, batch.haplotypes.bases)
    for name, regions in (
        ("hopeless 250 bp", Batch(reads, haplotypes, batch.region_reads, batch.region_haplotypes)),
        ("10 reads by 2 haplotypes", traffic.regions(200, shape=(10, 2))),
    ):
        target = folder / f"{name}.in"
        with target.open("wb") as file:
            pairhmm_in.write(file, regions)
        yield target


def _rows(
    regions: Path,
    classpath: str,
    builds: Sequence[str],
    cpus: int,
    seconds: float,
    report: Callable[[str], None],
) -> Iterator[Row]:
    with pairhmm_in.Reader(regions) as reader:
        batch = concatenated(list(reader))
    best: tuple[Precision, str] = ("single", builds[0])
    cases: list[tuple[int, Precision, str]] = [(1, *best)]
    # The portable build is a fallback: where there is a better one, nobody's GATK runs it.
    cases += [(1, "single", build) for build in builds[1:-1]]
    cases += [(1, "double", builds[0])]
    # GKL's threads fight where there are no more cores than they are: whole runs show that.
    cases += [(run.DEFAULT_THREADS, *best)] if cpus > run.DEFAULT_THREADS else []
    for threads, precision, build in cases:
        report(f"{regions.stem}: {precision}, {build}, threads: {threads}")
        beside = replay.beside_gkl(
            regions,
            classpath,
            build,
            threads=threads,
            double_precision=precision == "double",
            seconds=seconds,
        )
        yield Row(regions.stem, len(batch), batch.cells, threads, precision, build, beside)


def fma_loop() -> Callable[[int], None]:
    """Return the loop, split over so many threads."""
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        source, library = Path(folder, "loop.c"), Path(folder, "loop.so")
        source.write_text(_FMA_LOOP)
        compiler = fetch.tool("cc", "the loop that threads are compared with needs a C compiler")
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


def scaling(regions: Path, loops: Callable[[int], None], rounds: int = _ROUNDS) -> list[Scaling]:
    """Time two threads against one; nothing where no region has enough pairs for them."""
    with pairhmm_in.Reader(regions) as reader:
        batch = concatenated(list(reader))
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
    return [Scaling(regions.stem, len(large), gain, statistics.median(paused), limit, gain / limit)]


def _whole_runs(sample: data.Sample, threads: int, classpath: str) -> WholeRun:
    options = ["--native-pair-hmm-threads", str(threads)]
    times: dict[str, list[tuple[float, float]]] = {"stock": [], "shim": []}
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        for _ in range(_RUNS):
            for name, swap in (("stock", run.STOCK), ("shim", run.agent_swap())):
                done = _haplotype_caller(sample, Path(folder, "o.vcf"), options, classpath, swap)
                times[name].append((done.pairhmm_seconds or 0.0, done.seconds))
    stock_hmm, stock_run = np.median(times["stock"], axis=0).tolist()
    hmm, whole = np.median(times["shim"], axis=0).tolist()
    amdahl = 1 / (1 - (stock_hmm - hmm) / stock_run)
    return WholeRun(
        sample=sample.name,
        threads=threads,
        rounds=_RUNS,
        stock_pairhmm_seconds=stock_hmm,
        pairhmm_seconds=hmm,
        pairhmm_ratio=stock_hmm / hmm,
        stock_run_seconds=stock_run,
        run_seconds=whole,
        run_ratio=stock_run / whole,
        amdahl=amdahl,
        share_of_amdahl=stock_run / whole / amdahl,
    )
