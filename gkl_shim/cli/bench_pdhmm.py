"""``gkl-shim bench pdhmm``: measure PDHMM's speed, and compare it with GKL's."""

from __future__ import annotations

import dataclasses
import statistics
import tempfile
from functools import partial
from pathlib import Path

import click

from gkl_shim.cli import _bench, _generated_input, _gkl, _processor
from gkl_shim.formats import pdhmm_in
from gkl_shim.gatk import replay
from gkl_shim.pdhmm import PDHMM, Batch

GKL_VERSION = "0.9.1"
"""The GKL that GATK 4.7.0.0 ships with."""

_GENERATED_REGIONS = 20
# The instruction set with which GKL computes beside one of our builds.
_LEVELS = {"avx512": "AVX512", "avx2": "AVX2", "portable": "SCALAR"}


@dataclasses.dataclass(frozen=True)
class _Row:
    """The speeds of one build on one input, in GCUPS. Every cell of the input counts."""

    input: str
    threads: int
    build: str
    gcups: float
    """The median speed from Python, with all regions in one call."""
    rounds: tuple[float, ...]
    computed: float
    """The share of the cells that were computed; the others are shared."""
    jvm: replay.BesideGkl | None = None
    """The speed from Java, with one call for each region like GATK. None if not measured."""


@click.command(
    name="pdhmm",
    short_help="PDHMM, beside Intel's GKL.",
    epilog="Example: gkl-shim bench pdhmm recorded.in.pdhmm",
)
@click.argument("inputs", metavar="[INPUT.in]...", nargs=-1)
@_bench.seconds_option(1.0)
@click.option(
    "--gkl",
    metavar="CLASSPATH",
    help=f"The jars of GKL {GKL_VERSION} or later and of GATK's native bindings, or a package jar "
    "of GATK 4.7 or later. Default: the GKL in gkl-shim's cache.",
)
@_bench.json_option
def command(
    inputs: tuple[str, ...], seconds: float, gkl: str | None, json_file: str | None
) -> None:
    """Time PDHMM on this machine, and compare it with Intel's GKL.

    Each build of gkl-shim computes each INPUT.in in one call, with one thread and with all CPUs.
    To record such files from GATK, set GKL_SHIM_RECORD=FILE: PDHMM's regions go to FILE.pdhmm.
    Without a file, the input is 20 generated regions, the same ones in every run.

    If GKL is available, gkl-shim and GKL also compute the input in one JVM, with the same
    instruction set and one call for each region, like GATK.

    Engines take turns, and the table shows medians. One GCUPS is 10^9 cells a second. All
    read-by-haplotype cells of the input count, whether they are computed or shared.
    """
    sets = {name: _read(name) for name in inputs}
    sets = sets or {"generated": [_generated_input.undetermined_regions(_GENERATED_REGIONS)]}
    here = _processor.describe()
    classpath, absent = _gkl.classpath(gkl, GKL_VERSION)
    missing = {} if absent is None else {"GKL": absent}
    rows = []
    with _bench.progress() as progress:
        for name, batches in sets.items():
            for threads in sorted({1, here.usable_cpus}):
                progress(f"{name}, threads: {threads}")
                engines = {build: PDHMM(build=build, threads=threads) for build in here.builds}
                cells = sum(batch.cells for batch in batches)
                calls = [partial(_compute, engine, batches) for engine in engines.values()]
                for (build, engine), took in zip(
                    engines.items(), _bench.in_turns(calls, seconds), strict=True
                ):
                    speeds = tuple(cells / each / 1e9 for each in took)
                    done = engine.statistics
                    share = done.computed_cells / done.cells
                    median = statistics.median(speeds)
                    row = _Row(name, threads, build, median, speeds, share)
                    if classpath is not None and build in _LEVELS:
                        beside = _beside_gkl(row, batches, classpath, seconds)
                        row = dataclasses.replace(row, jvm=beside)
                    rows.append(row)
    version = None if classpath is None else replay.gkl_version(classpath)
    figures = {"gkl": version, "rows": [dataclasses.asdict(row) for row in rows]}
    _bench.publish(json_file, here, [], missing, _table(rows, version), figures)


def _read(path: str) -> list[Batch]:
    with pdhmm_in.Reader(path) as reader:
        return list(reader)


def _compute(engine: PDHMM, batches: list[Batch]) -> None:
    for batch in batches:
        engine.compute(batch)


def _beside_gkl(
    row: _Row, batches: list[Batch], classpath: str, seconds: float
) -> replay.BesideGkl:
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        path = Path(folder) / "regions.in"
        with path.open("wb") as file:
            for batch in batches:
                pdhmm_in.write(file, batch)
        calls = replay.Calls(seconds, row.threads, pdhmm=True, level=_LEVELS[row.build])
        return replay.beside_gkl(path, classpath, row.build, calls)


def _table(rows: list[_Row], version: str | None) -> _bench.Table:
    gkl = f"GKL {version}"
    note = "one call: all regions in one call from Python. computed: the share of the cells that "
    note += "is left after sharing."
    if any(row.jvm is not None for row in rows):
        note += f"\nfrom Java, {gkl}: one call a region, in turns in one JVM."
    decimals = {"one call": 2, "computed": 2, "from Java": 2, gkl: 3, "times GKL": 1}
    table = _bench.Table("PDHMM, GCUPS (medians)", note=note, decimals=decimals)
    for row in rows:
        shown: _bench.Row = {
            "input": Path(row.input).name,
            "build": row.build,
            "threads": row.threads,
            "one call": row.gcups,
            "computed": row.computed,
        }
        if row.jvm is not None:
            shown |= {"from Java": row.jvm.shim, gkl: row.jvm.gkl, "times GKL": row.jvm.ratio}
        table.rows.append(shown)
    return table
