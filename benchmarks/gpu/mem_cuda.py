"""Measure maximal exact matches on GPUs: from arrays to arrays, and by the number of GPUs.

    python -m benchmarks.gpu.mem_cuda --json FILE.json

The tables: `workloads`, those of the paper on MUMmerGPU 2.0 and two genomes, on one GPU; and
`devices`, references of 100 million letters and more on one GPU and on all. The total is the time
from arrays to matches, index included, the median of nine; one GPU and several take turns. Memory
has been allocated by an earlier search. The matches are compared with the CPU's.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import click

from benchmarks.common import report
from benchmarks.common.genomes import PAPER, Shape, Workload, generated
from benchmarks.common.report import Progress, Row, Table
from gkl_shim.cuda.devices import device_count
from gkl_shim.mem._cuda import Engine
from gkl_shim.mem._native_mem import Index, Matches

_T = TypeVar("_T")
_ROUNDS = 9
# Many matches of repeats, and few.
_LARGE = (
    Shape("100 Mb, 200,000 reads of 150", 100_000_000, 200_000, 150, 20, both_strands=True),
    Shape("100 Mb, 1,000,000 reads of 150", 100_000_000, 1_000_000, 150, 50, both_strands=True),
    Shape("100 Mb, 4,000,000 reads of 150", 100_000_000, 4_000_000, 150, 50, both_strands=True),
    Shape("250 Mb, 1,000,000 reads of 100", 250_000_000, 1_000_000, 100, 30, both_strands=True),
)


@click.command()
@report.json_option
@click.option("--smaller", type=int, default=1, help="Divide the workloads' sizes by this.")
def command(json_file: str | None, smaller: int) -> None:
    """Measure maximal exact matches on GPUs."""
    tables = {"workloads": partial(_workloads, smaller), "devices": partial(_devices, smaller)}
    report.measure_tables(tables, json_file)


def _workloads(smaller: int, step: Progress) -> Table:
    table = Table("Maximal exact matches on one GPU, seconds")
    for shape in PAPER:
        step(f"{shape.name}, l = {shape.min_length}")
        workload = generated(shape.smaller(smaller))
        (row,) = _rows(workload)
        table.rows.append({**row, "same as CPU": _same(workload, 1)})
    return table


def _devices(smaller: int, step: Progress) -> Table:
    table = Table("Maximal exact matches by the number of GPUs, seconds")
    for shape in _LARGE:
        workload = generated(shape.smaller(smaller))
        step(f"{shape.name}, l = {shape.min_length}")
        counts = range(1, device_count() + 1)
        for count, row in zip(counts, _rows(workload, counts), strict=True):
            table.rows.append({**row, "same as CPU": _same(workload, count)})
    return table


def _rows(workload: Workload, counts: Sequence[int] = (1,)) -> list[Row]:
    """Time the CUDA engine on the first devices, for each number of devices."""
    shape = workload.shape

    def found_by(engine: Engine) -> Matches:
        index = _index(workload, deferred=True)
        return index.find(workload.sequences, shape.min_length, "mem", shape.strands, engine=engine)

    rows = []
    with contextlib.ExitStack() as stack:
        engines = [
            stack.enter_context(contextlib.closing(Engine(range(count)))) for count in counts
        ]
        found = [found_by(engine) for engine in engines]
        times: list[list[float]] = [[] for _ in engines]
        for _ in range(_ROUNDS):
            for k, engine in enumerate(engines):
                found[k], total = _timed(partial(found_by, engine))
                times[k].append(total)
        for engine, matches, totals in zip(engines, found, times, strict=True):
            row: Row = {"workload": shape.name, "l": shape.min_length}
            row["engine"] = f"{len(engine.devices)} GPUs"
            _, row["output"] = _timed(partial(_size, matches, workload))
            _, row["array"] = _timed(matches.array)
            rows.append(row | {"total": statistics.median(totals), "matches": len(matches)})
    return rows


def _index(workload: Workload, *, deferred: bool = False) -> Index:
    return Index.build(
        workload.reference_sequence,
        min_length=workload.shape.min_length,
        query_letters=len(workload.queries) * (1 + workload.shape.both_strands),
        deferred=deferred,
        borrowed=deferred,
    )


def _timed(call: Callable[[], _T]) -> tuple[_T, float]:
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def _size(matches: Matches, workload: Workload) -> int:
    """Write the matches as text, and return its bytes."""
    return sum(map(len, matches.lines(*workload.names())))


def _same(workload: Workload, devices: int) -> str:
    """Compare the matches of both engines."""
    shape = workload.shape
    index = _index(workload)
    queries = workload.sequences
    want = index.find(queries, shape.min_length, "mem", shape.strands).array()
    with contextlib.closing(Engine(range(devices))) as engine:
        found = index.find(queries, shape.min_length, "mem", shape.strands, engine=engine).array()
    return "yes" if len(found) == len(want) and (found == want).all() else "NO"


if __name__ == "__main__":
    report.run(command)
