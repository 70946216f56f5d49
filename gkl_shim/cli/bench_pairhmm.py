"""``gkl-shim bench pairhmm``: measure PairHMM's speed, and compare it with GATK's GKL."""

from __future__ import annotations

import dataclasses
import itertools
import statistics
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click

from gkl_shim._batch import concatenated
from gkl_shim.cli import _bench, _generated_input, _gkl, _processor
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import replay
from gkl_shim.pairhmm import Batch, PairHMM, Precision

_GENERATED_REGIONS = 100
_PRECISIONS: tuple[Precision, ...] = ("single", "double")


@dataclasses.dataclass(frozen=True)
class _Row:
    """The speeds of one engine on one input, in GCUPS. Every cell of the input counts."""

    input: str
    precision: Precision
    threads: int
    build: str
    """``cuda`` is the GPU engine."""
    gcups: float
    """The median speed from Python, with all regions in one call."""
    rounds: tuple[float, ...]
    """The speed in each round."""
    jvm: replay.BesideGkl | None = None
    """The speed from Java, with one call for each region like GATK. None if not measured."""


@click.command(
    name="pairhmm",
    short_help="PairHMM, beside Intel's GKL.",
    epilog="Example: gkl-shim bench pairhmm --json bench.json recorded.in",
)
@click.argument("inputs", metavar="[INPUT.in]...", nargs=-1)
@_bench.seconds_option(1.0)
@_gkl.option
@_bench.json_option
def command(
    inputs: tuple[str, ...], seconds: float, gkl: str | None, json_file: str | None
) -> None:
    """Time PairHMM on this machine, and compare it with Intel's GKL.

    Each build of gkl-shim computes each INPUT.in in one call, in single and double precision, with
    one thread and with all CPUs. The GPU does the same, if there is one and CuPy is installed. To
    record such files from GATK, set GKL_SHIM_RECORD=FILE. Without a file, the input is 100
    generated regions like HaplotypeCaller's, the same ones in every run.

    If GKL is available, gkl-shim and GKL also compute the input in one JVM, with one call for each
    region, like GATK.

    Engines take turns, and the table shows medians. One GCUPS is 10^9 cells a second. All
    read-by-haplotype cells of the input count, whether they are computed or shared.
    """
    sets = {name: _read(name) for name in inputs}
    sets = sets or {"generated": _generated_input.regions(_GENERATED_REGIONS)}
    here = _processor.describe()
    missing: dict[str, str] = {}
    classpath, absent = _gkl.classpath(gkl)
    if absent is not None:
        missing["GKL"] = absent
    cuda, absent = _bench.cuda_devices(lambda: PairHMM(backend="cuda"))
    if absent is not None:
        missing["CUDA"] = absent
    rows: list[_Row] = []
    with _bench.progress() as progress:
        for name, threads, precision in itertools.product(
            sets, sorted({1, here.usable_cpus}), _PRECISIONS
        ):
            progress(f"{name}, {precision}, threads: {threads}")
            engines = {
                build: PairHMM(build=build, precision=precision, threads=threads)
                for build in here.builds
            }
            if cuda and threads == here.usable_cpus:
                engines["cuda"] = PairHMM(backend="cuda", precision=precision, threads=threads)
            for row in _timed(name, sets[name], precision, threads, engines, seconds):
                # GATK runs the portable build, the last one, only on a CPU that has no other.
                if classpath is not None and row.build in (here.builds[:-1] or here.builds):
                    row = dataclasses.replace(row, jvm=_beside_gkl(row, sets, classpath, seconds))
                rows.append(row)
    version = None if classpath is None else replay.gkl_version(classpath)
    figures = {"gkl": version, "rows": [dataclasses.asdict(row) for row in rows]}
    _bench.publish(json_file, here, cuda, missing, _table(rows, version), figures)


def _read(path: str) -> Batch:
    with pairhmm_in.Reader(path) as reader:
        return concatenated(list(reader))


def _timed(
    name: str,
    batch: Batch,
    precision: Precision,
    threads: int,
    engines: dict[str, PairHMM],
    seconds: float,
) -> Iterator[_Row]:
    """Time engines in turns."""
    calls = [partial(engine.compute, batch) for engine in engines.values()]
    for build, took in zip(engines, _bench.in_turns(calls, seconds), strict=True):
        speeds = tuple(batch.cells / each / 1e9 for each in took)
        yield _Row(name, precision, threads, build, statistics.median(speeds), speeds)


def _beside_gkl(
    row: _Row, sets: dict[str, Batch], classpath: str, seconds: float
) -> replay.BesideGkl:
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        path = Path(folder) / "regions.in"
        with path.open("wb") as file:
            pairhmm_in.write(file, sets[row.input])
        calls = replay.Calls(seconds, row.threads, double_precision=row.precision == "double")
        return replay.beside_gkl(path, classpath, row.build, calls)


def _table(rows: list[_Row], version: str | None) -> _bench.Table:
    gkl = f"GKL {version}"
    notes = [
        "one call: all regions in one call from Python. gkl-shim flushes subnormals to zero during "
        "a call and restores the caller's setting."
    ]
    if flush := [row.jvm.flush_to_zero for row in rows if row.jvm is not None]:
        state = "on" if all(flush) else "on in some runs and off in others" if any(flush) else "off"
        notes.append(
            f"from Java, {gkl}: one call a region, in turns in one JVM. GKL ran with flush-to-zero "
            f"{state} and, with several threads, with the OMP_WAIT_POLICY that suits it best."
        )
    decimals = {"one call": 2, "from Java": 2, gkl: 2, "times GKL": 1}
    table = _bench.Table("PairHMM, GCUPS (medians)", note="\n".join(notes), decimals=decimals)
    for row in rows:
        shown: _bench.Row = {
            "input": Path(row.input).name,
            "precision": row.precision,
            "build": row.build,
            "threads": row.threads,
            "one call": row.gcups,
        }
        if row.jvm is not None:
            shown |= {"from Java": row.jvm.shim, gkl: row.jvm.gkl, "times GKL": row.jvm.ratio}
        table.rows.append(shown)
    return table
