"""Measure maximal exact matches on GPUs: from arrays to arrays, and by the number of GPUs.

    python -m benchmarks.gpu.mem_cuda --json FILE.json

The tables: `workloads`, those of the paper on MUMmerGPU 2.0 and two genomes, on one GPU; and
`devices`, references of 100 million letters and more on one GPU and on all. The total is the time
from arrays to matches, index included, the median of nine; one GPU and several take turns. Memory
has been allocated by an earlier search. The matches are compared with the CPU's.
"""

from __future__ import annotations

import contextlib
from functools import partial

import click

from benchmarks.common import mem_times, report
from benchmarks.common.report import Progress, Table
from gkl_shim.bench.genomes import PAPER, Shape, Workload, generated
from gkl_shim.cuda.devices import device_count
from gkl_shim.mem._cuda import Engine

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
    report.measure_tables(
        [partial(_workloads, smaller), partial(_devices, smaller)],
        json_file,
        gpu=True,
    )


def _workloads(smaller: int, step: Progress) -> Table:
    table = Table("Maximal exact matches on one GPU, seconds", name="workloads")
    for shape in PAPER:
        step(f"{shape.name}, l = {shape.min_length}")
        workload = generated(shape.smaller(smaller))
        (row,) = mem_times.on_devices(workload)
        table.rows.append({**row, "same as CPU": _same(workload, 1)})
    return table


def _devices(smaller: int, step: Progress) -> Table:
    table = Table("Maximal exact matches by the number of GPUs, seconds", name="devices")
    for shape in _LARGE:
        workload = generated(shape.smaller(smaller))
        step(f"{shape.name}, l = {shape.min_length}")
        counts = range(1, device_count() + 1)
        for count, row in zip(counts, mem_times.on_devices(workload, counts), strict=True):
            table.rows.append({**row, "same as CPU": _same(workload, count)})
    return table


def _same(workload: Workload, devices: int) -> str:
    """Compare the matches of both engines."""
    shape = workload.shape
    index = mem_times.index_of(workload)
    queries = workload.sequences
    want = index.find(queries, shape.min_length, "mem", shape.strands).array()
    with contextlib.closing(Engine(range(devices))) as engine:
        found = engine.find(index, queries, shape.min_length, "mem", shape.strands).array()
    return "yes" if len(found) == len(want) and (found == want).all() else "NO"


if __name__ == "__main__":
    report.run(command)
