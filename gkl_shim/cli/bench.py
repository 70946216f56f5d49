"""``gkl-shim bench``: how fast this machine is, beside Intel's GKL where that is at hand."""

from __future__ import annotations

import dataclasses
import itertools
import re
import statistics
import tempfile
import time
from pathlib import Path

import click

import gkl_shim
from gkl_shim import _native, machine, traffic
from gkl_shim._batch import concatenated
from gkl_shim.cli import _bench, bench_gatk, bench_pairhmm_cuda, bench_prefilter
from gkl_shim.errors import MissingComponent
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import fetch, replay
from gkl_shim.pairhmm import Batch, PairHMM, Precision

_ROUNDS = 5
_GENERATED_REGIONS = 200
_PRECISIONS: tuple[Precision, ...] = ("single", "double")
# Reads and haplotypes of the regions in the plot, and about how many pairs each point has.
_PLOT_SHAPES = ((10, 2), (10, 5), (20, 5), (25, 8), (50, 10), (100, 10), (125, 16), (200, 25),
                (400, 32))  # fmt: skip
_PLOT_PAIRS = 12_800
_GKL_JAR = re.compile(r"gkl-(\d[\w.]*)\.jar")


@dataclasses.dataclass(frozen=True)
class _Row:
    """One engine build on one input; speeds in GCUPS, every cell of the input counted."""

    input: str
    precision: Precision
    threads: int
    build: str
    gcups: float
    """From Python, all regions in one call: the median over rounds."""
    rounds: tuple[float, ...]
    jvm: replay.BesideGkl | None
    """From Java, a call a region as GATK does it, in turns with GKL; None where not timed."""


@dataclasses.dataclass(frozen=True)
class _Point:
    """One region size of the plot: single precision, one thread, a call a region."""

    reads: int
    haplotypes: int
    shim: float
    gkl: float | None


@click.group(name="bench", epilog="Example: gkl-shim bench pairhmm --seconds 2")
def command() -> None:
    """Measure this machine's speed."""


command.add_command(bench_prefilter.command)


@command.command(
    name="pairhmm", epilog="Example: gkl-shim bench pairhmm --json bench.json recorded.in"
)
@click.argument("inputs", metavar="[INPUT.in]...", nargs=-1)
@_bench.json_option
@click.option(
    "--plot",
    "plot_file",
    metavar="FILE",
    help="Draw (.png, .svg, .pdf): each table of --backend cuda; of the CPU, GCUPS of generated "
    "regions of rising size, which are timed for it. Needs matplotlib.",
)
@_bench.seconds_option(1.0, "At least so long for each engine on each input.")
@click.option(
    "--gkl",
    metavar="CLASSPATH",
    help="GKL's jar and GATK's native bindings, or a GATK package jar; by default those that "
    "`gkl-shim demo` has fetched.",
)
@click.option(
    "--gatk",
    "with_gatk",
    is_flag=True,
    help="Simulate samples, let the GATK that `gkl-shim demo` fetches ask for its regions, replay "
    "them beside GKL and time whole runs. Takes some 15 minutes; needs ART, bwa, samtools and a C "
    "compiler.",
)
@click.option(
    "--backend",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    show_default=True,
    help="What to time.",
)
@click.option(
    "--papers",
    is_flag=True,
    help="With --backend cuda: also the tables of Ren et al. 2018 and Li 2021.",
)
@click.option(
    "--reads",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="BAM",
    help="With --papers: run HaplotypeCaller on these with each PairHMM; needs a GATK "
    "(GATK_LOCAL_JAR, GATK_CLASSPATH, or the one that `gkl-shim demo` has fetched).",
)
@click.option(
    "--reference",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FASTA",
    help="With --reads: what they are aligned to. With --gatk: to simulate from, its first "
    "sequence; by default the head of chr20.",
)
def pairhmm(
    inputs: tuple[str, ...],
    json_file: str | None,
    plot_file: str | None,
    seconds: float,
    gkl: str | None,
    with_gatk: bool,
    backend: str,
    papers: bool,
    reads: Path | None,
    reference: Path | None,
) -> None:
    """Time PairHMM: each build, single and double precision, one thread and all.

    Engines take turns, so that a change of the machine's speed meets all alike; medians are
    shown. GCUPS are billions of cells a second, where every read-by-haplotype cell of the input
    counts, computed or saved. Inputs are .in files, for example recorded from GATK with
    GKL_SHIM_RECORD; by default, regions are generated like HaplotypeCaller's, from a fixed seed.

    Where GKL is at hand, both run in one JVM too, called as GATK does.

    With --backend cuda: the inputs on the first GPU beside the CPU, and each part of a call by
    itself; with --papers, the tables that the field's papers have.
    """
    _bench.check_outputs(json_file, plot_file)
    _check_options(backend, gkl, with_gatk, papers, reads, reference)
    sets = {name: _read(name) for name in inputs} or {
        "generated": traffic.regions(_GENERATED_REGIONS)
    }
    if backend == "cuda":
        sample = None
        if reads is not None and reference is not None:
            sample = bench_pairhmm_cuda.Sample(reference, reads)
        bench_pairhmm_cuda.bench(
            sets,
            papers=papers,
            sample=sample,
            seconds=seconds,
            json_file=json_file,
            plot_file=plot_file,
        )
        return
    here = machine.describe()
    classpath, absent = _gkl(gkl)
    cases = list(itertools.product(sets, sorted({1, here.usable_cpus}), _PRECISIONS))
    rows: list[_Row] = []
    points: list[_Point] = []
    with _bench.progress() as progress:
        for name, threads, precision in cases:
            progress(f"{name}, {precision}, threads: {threads}")
            rows += _time_builds(
                name, sets[name], precision, threads, here.builds, seconds, classpath
            )
        for shape in _PLOT_SHAPES if plot_file is not None else ():
            progress(f"regions of {shape[0]} x {shape[1]}")
            points.append(_time_size(shape, seconds, classpath))
        of_gatk = None
        if with_gatk:
            of_gatk = bench_gatk.measure(
                [Path(name) for name in inputs],
                reference,
                fetch.gatk_classpath(),
                here.builds,
                here.usable_cpus,
                seconds,
                progress,
            )
    version = _gkl_version(classpath)
    if json_file is not None:
        report = {
            "version": gkl_shim.__version__,
            "machine": dataclasses.asdict(here),
            "gkl": version,
            "gkl_absent_because": absent,
            "rows": [dataclasses.asdict(row) for row in rows],
            "sizes": [dataclasses.asdict(point) for point in points],
            "gatk": None if of_gatk is None else dataclasses.asdict(of_gatk),
        }
        _bench.write_json(json_file, report)
    if json_file != "-":
        console = _bench.wide_console()
        console.print(
            f"{here.cpu}, {here.usable_cpus} of {here.cpus} CPUs usable",
            highlight=False,
            markup=False,
        )
        _bench.print_table(console, _table(rows, version, absent))
        for table in bench_gatk.tables(of_gatk) if of_gatk is not None else ():
            _bench.print_table(console, table)
    if plot_file is not None:
        title = f"{here.cpu}, {here.builds[0]}, single precision, 1 thread"
        _bench.plot_tables(plot_file, [_size_table(points)], title)


def _check_options(
    backend: str,
    gkl: str | None,
    with_gatk: bool,
    papers: bool,
    reads: Path | None,
    reference: Path | None,
) -> None:
    """Refuse options that do not go together."""
    if backend == "cpu" and papers:
        raise click.UsageError("--papers goes with --backend cuda")
    if backend == "cuda" and (gkl is not None or with_gatk):
        raise click.UsageError("--gkl and --gatk go with --backend cpu")
    if reads is not None and (not papers or reference is None):
        raise click.UsageError("--reads goes with --papers and --reference")
    if reference is not None and not with_gatk and reads is None:
        raise click.UsageError("--reference goes with --gatk or --reads")


def _gkl(given: str | None) -> tuple[str | None, str | None]:
    """GKL's class path, or why it is not timed."""
    if given is not None:
        for entry in given.split(":"):
            if not Path(entry.removesuffix("*")).exists():
                raise MissingComponent(f"--gkl: {entry}: no such file or folder")
        return given, None
    try:
        kept = fetch.complete(f"gkl-{fetch.GKL_VERSION}") or fetch.complete(fetch.gatk_name())
        if kept is None:
            return None, "none in the cache; `gkl-shim demo` fetches it, or give --gkl"
        replay.stock_and_shim(kept)
        fetch.java()
    except MissingComponent as error:
        return None, str(error)
    return kept, None


def _gkl_version(classpath: str | None) -> str | None:
    if classpath is None:
        return None
    found = _GKL_JAR.search(classpath)
    return found[1] if found else "of unknown version"


def _read(path: str) -> Batch:
    with pairhmm_in.Reader(path) as reader:
        return concatenated(list(reader))


def _time_builds(
    name: str,
    batch: Batch,
    precision: Precision,
    threads: int,
    builds: tuple[str, ...],
    seconds: float,
    classpath: str | None,
) -> list[_Row]:
    engines = {
        build: PairHMM(build=build, precision=precision, threads=threads) for build in builds
    }
    speeds: dict[str, list[float]] = {build: [] for build in builds}
    for engine in engines.values():
        engine.compute(batch)
    for _ in range(_ROUNDS):
        for build, engine in engines.items():
            speeds[build].append(_gcups(engine, [batch], seconds / _ROUNDS))
    return [
        _Row(
            input=name,
            precision=precision,
            threads=threads,
            build=build,
            gcups=statistics.median(speeds[build]),
            rounds=tuple(speeds[build]),
            # The portable build is a fallback: where there is a better one, nobody's GATK runs it.
            jvm=None
            if classpath is None or (build == "portable" and len(builds) > 1)
            else _beside_gkl(batch, classpath, build, precision, threads, seconds),
        )
        for build in builds
    ]


def _gcups(engine: PairHMM, batches: list[Batch], seconds: float) -> float:
    cells = sum(batch.cells for batch in batches)
    passes = 0
    start = time.perf_counter()
    while True:
        for batch in batches:
            engine.compute(batch)
        passes += 1
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return cells * passes / elapsed / 1e9


def _beside_gkl(
    batch: Batch, classpath: str, build: str, precision: Precision, threads: int, seconds: float
) -> replay.BesideGkl:
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        path = Path(folder) / "regions.in"
        with path.open("wb") as file:
            pairhmm_in.write(file, batch)
        return replay.beside_gkl(
            path,
            classpath,
            build,
            threads=threads,
            double_precision=precision == "double",
            seconds=seconds,
        )


def _time_size(shape: tuple[int, int], seconds: float, classpath: str | None) -> _Point:
    count = -(-_PLOT_PAIRS // (shape[0] * shape[1]))
    batch = traffic.regions(count, shape=shape)
    if classpath is not None:
        best = _native.builds()[0]
        jvm = _beside_gkl(batch, classpath, best, "single", 1, seconds)
        return _Point(*shape, jvm.shim, jvm.gkl)
    with PairHMM(backend="cpu", threads=1) as engine:
        regions = [batch[index : index + 1] for index in range(count)]
        return _Point(*shape, _gcups(engine, regions, seconds), None)


def _table(rows: list[_Row], version: str | None, absent: str | None) -> _bench.Table:
    notes = [
        "one call: all regions in one call from Python. gkl-shim flushes subnormals to zero "
        "within its calls and restores the caller's setting."
    ]
    if version is None:
        notes.append(f"GKL not timed: {absent}")
    else:
        on = [row.jvm.flush_to_zero for row in rows if row.jvm is not None]
        state = "on" if all(on) else "on in some runs and off in others" if any(on) else "off"
        notes.append(
            "from Java, GKL: a call a region, in turns in one JVM. GKL ran with flush-to-zero "
            f"{state}; with several threads it got the OMP_WAIT_POLICY that it was faster with."
        )
    of_gkl = f"GKL {version}"
    table = _bench.Table(
        "pairhmm",
        "PairHMM, GCUPS (medians)",
        note="\n".join(notes),
        decimals={"one call": 2, "from Java": 2, of_gkl: 2, "times GKL": 1},
    )
    for row in rows:
        shown: _bench.Row = {
            "input": Path(row.input).name,
            "precision": row.precision,
            "build": row.build,
            "threads": row.threads,
            "one call": row.gcups,
        }
        if row.jvm is not None:
            shown |= {
                "from Java": row.jvm.shim,
                of_gkl: row.jvm.gkl,
                "times GKL": row.jvm.ratio,
            }
        table.rows.append(shown)
    return table


def _size_table(points: list[_Point]) -> _bench.Table:
    table = _bench.Table(
        "sizes", "By region size, a call a region", "pairs_of_a_region", "GCUPS", ("engine",), "xy"
    )
    for engine, speed in (("gkl-shim", "shim"), ("Intel GKL", "gkl")):
        table.rows += [
            {
                "engine": engine,
                "pairs_of_a_region": point.reads * point.haplotypes,
                "GCUPS": getattr(point, speed),
            }
            for point in points
            if getattr(point, speed) is not None
        ]
    return table
