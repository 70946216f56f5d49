"""Measure maximal exact matches on GPUs: from arrays to arrays, and by the number of GPUs.

    python -m benchmarks.mem_cuda --json FILE.json

The tables: `steps`, the workloads of the paper on MUMmerGPU 2.0 and two genomes, on one GPU; and
`devices`, a reference of 100 million letters on one GPU and on all. All times include indexing.
Memory has been allocated by an earlier search. The matches are compared with the CPU's.
"""

from __future__ import annotations

from functools import partial

import click

from benchmarks.common import report
from benchmarks.common.report import Progress, Table
from gkl_shim.cli import bench_mem
from gkl_shim.cli._generated_mem import PAPER, Shape, Workload, generated
from gkl_shim.cuda.devices import device_count
from gkl_shim.cuda.mem import Engine

_LARGE = Shape("100 million letters", 100_000_000, 200_000, 150, 20, both_strands=True)


@click.command()
@report.json_option
@click.option("--letters", type=int, default=_LARGE.letters, help="Of the largest reference.")
@click.option("--smaller", type=int, default=1, help="Divide the other workloads' sizes by this.")
def command(json_file: str | None, letters: int, smaller: int) -> None:
    """Measure maximal exact matches on GPUs."""
    report.measure_tables(
        [partial(_steps, smaller), partial(_devices, letters)], json_file, gpu=True
    )


def _steps(smaller: int, step: Progress) -> Table:
    table = Table("Maximal exact matches on one GPU, seconds", name="steps")
    for shape in PAPER:
        step(f"{shape.name}, l = {shape.min_length}")
        workload = generated(shape.smaller(smaller))
        row, _ = bench_mem.on_devices(workload, [0])
        table.rows.append({**row, "same as CPU": _same(workload)})
    return table


def _devices(letters: int, step: Progress) -> Table:
    table = Table("Maximal exact matches by the number of GPUs, seconds", name="devices")
    reads = _LARGE.reads * letters // _LARGE.letters
    workload = generated(Shape(f"{letters:,} letters", letters, reads, 150, 20, both_strands=True))
    for count in range(1, device_count() + 1):
        step(f"{count} GPUs")
        row, _ = bench_mem.on_devices(workload, range(count))
        table.rows.append(row)
    return table


def _same(workload: Workload) -> str:
    """Compare the matches of both engines."""
    shape = workload.shape
    index = bench_mem.index_of(workload)
    queries = workload.sequences
    want = index.find(queries, shape.min_length, "mem", shape.strands).array()
    engine = Engine([0])
    found = engine.find(index, queries, shape.min_length, "mem", shape.strands).array()
    return "yes" if len(found) == len(want) and (found == want).all() else "NO"


if __name__ == "__main__":
    report.run(command)
