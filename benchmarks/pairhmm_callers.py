"""Measure PairHMM on a GPU when Python threads and Java threads call it.

    python -m benchmarks.pairhmm_callers --json FILE.json

Needs a CUDA device and CuPy; the table `jvm` also needs a GATK (GATK_LOCAL_JAR, GATK_CLASSPATH, or
the one that `gkl-shim demo` has fetched). It is in results/pairhmm/pairhmm-jvm-h200.json, and
`callers` is in results/pairhmm/pairhmm-papers-h200.json. The table `gatk` in the first is of whole
runs before threads called regions: its `pairhmm_seconds` are by GATK's clock for all engines, and
its `call_seconds` are gkl-shim's own. gatk_run.py times such runs now.
"""

from __future__ import annotations

import itertools
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import regions, report
from benchmarks.common.report import Progress, Row, Table
from gkl_shim.errors import MissingComponent
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import kernel_times, replay, run
from gkl_shim.pairhmm import _cuda as cuda
from gkl_shim.pairhmm import _native_pairhmm

_CALLERS = (1, 4, 16)
# The numbers of reads and haplotypes in the region of a call.
_SHAPES = ((20, 4), (100, 16))


def callers(seconds: float, step: Progress) -> Table:
    """Python threads, which share the interpreter's lock, that call the GPU and the CPU engine."""
    table = Table(
        "Threads that call at once, a region each, in arrays that native code knows",
        name="callers", x="callers", y="gcups", lines=("engine", "region"), log="xy",
        note="Each caller waits for its result before it calls again. CPU: each caller computes "
        "with its own thread.",
    )  # fmt: skip
    engines = {
        "GPU": cuda.Engine([0], as_gkl=True).compute_pointer,
        "CPU": _native_pairhmm.CpuEngine(1, "single", None, as_gkl=True).compute,
    }
    for shape, count in itertools.product(_SHAPES, _CALLERS):
        batch = regions.generated(1, shape=shape)
        pointer = _native_pairhmm.batch_pointer(*batch.arrays)
        for engine, compute in engines.items():
            region = f"{shape[0]} x {shape[1]}"
            step(f"{count} callers, {region}, {engine}")
            calls, took = _concurrently(partial(compute, pointer), batch.pairs, count, seconds)
            table.rows.append(_row(region, count, engine, took / calls, batch.cells))
    return table


def _row(region: str, callers: int, engine: str, seconds: float, cells: int) -> Row:
    """Return a row; the seconds are those of a call, divided by how many callers there are."""
    return {
        "region": region,
        "callers": callers,
        "engine": engine,
        "microseconds_a_call": seconds * callers * 1e6,
        "regions_a_second": 1 / seconds,
        "gcups": cells / seconds / 1e9,
    }


def _concurrently(
    compute: Callable[[NDArray[np.float64]], None], pairs: int, callers: int, seconds: float
) -> tuple[int, float]:
    """Let threads make calls in a loop; return the number of calls and their time in seconds."""
    ready = threading.Barrier(callers + 1)
    times: list[float] = []

    def work() -> int:
        out = np.empty(pairs)
        compute(out)
        ready.wait()
        end, calls = time.perf_counter() + seconds, 0
        while time.perf_counter() < end:
            compute(out)
            calls += 1
        times.append(time.perf_counter())
        return calls

    with ThreadPoolExecutor(callers) as pool:
        working = [pool.submit(work) for _ in range(callers)]
        ready.wait()
        start = time.perf_counter()
        calls = sum(each.result() for each in working)
    return calls, max(times) - start


def jvm(seconds: float, step: Progress) -> Table:
    """Java threads that call the GPU engine, the CPU engine and GKL."""
    table = Table(
        "Java threads that call at once, a region each, through the classes that GATK calls",
        name="jvm", x="callers", y="gcups", lines=("engine", "region"), log="xy",
        note="Each caller waits for its result before it calls again. CPU and GKL: each caller "
        "computes with its own thread.",
    )  # fmt: skip
    try:
        table.rows += jvm_rows(run.find_classpath(), seconds, step)
    except MissingComponent as error:
        table.absent = str(error)
    return table


def jvm_rows(classpath: str, seconds: float, step: Progress) -> Iterator[Row]:
    """Let threads of a JVM call each engine with one region in a loop."""
    engines = replay.stock_and_shim(classpath)
    backends = {"cuda": {"shim": "GPU"}, "cpu": {"shim": "CPU", "stock": "Intel GKL"}}
    for shape, count in itertools.product(_SHAPES, _CALLERS):
        region = f"{shape[0]} x {shape[1]}"
        for backend, labels in backends.items():
            step(f"{count} Java threads, {region}, {backend}")
            with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
                path = Path(folder, "region.in")
                with path.open("wb") as file:
                    pairhmm_in.write(file, regions.generated(1, shape=shape))
                found = replay.replay(
                    path,
                    {engine: engines[engine] for engine in labels},
                    replay.Calls(seconds, callers=count, environment={"GKL_SHIM_BACKEND": backend}),
                )
            if backend == "cuda" and not kernel_times.pairs_on_gpu(found.log.encode()):
                said = [line for line in found.log.splitlines() if "warning" in line]
                raise MissingComponent(said[-1] if said else "the JVM did not use the GPU")
            for engine, label in labels.items():
                took = found.engines[engine].seconds_per_pass
                yield _row(region, count, label, took, found.cells)


TABLES = {table.__name__: table for table in (callers, jvm)}


@click.command()
@report.table_option(TABLES)
@report.seconds_option(1.0)
@report.json_option
@report.plot_option
def command(
    names: tuple[str, ...],
    seconds: float,
    json_file: str | None,
    plot_file: str | None,
) -> None:
    """Measure PairHMM on a GPU when Python threads and Java threads call it."""
    measures = [partial(TABLES[name], seconds) for name in names]
    report.measure_tables(measures, json_file, plot_file)


if __name__ == "__main__":
    report.run(command)
