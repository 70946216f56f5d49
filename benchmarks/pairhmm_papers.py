"""Measure PairHMM on a GPU in the form of the tables in the literature.

    python -m benchmarks.pairhmm_papers [INPUT.in]... --json FILE.json --plot FILE.svg

Needs a CUDA device and CuPy. INPUT.in is recorded from GATK with GKL_SHIM_RECORD; without one,
regions are generated. The tables are in results/pairhmm/pairhmm-papers-h200.json. It also has the
energy of the GPU (NVML), the clock during the table `tiles`, and the tables `callers`, `jvm` and
`gatk` of threads that call.

The tables are those of Ren, Bertels and Al-Ars, *Evolutionary Bioinformatics* 14, 2018 (on a K40),
and of Li, 2021 (on a Titan RTX and a V100). They compare inter-task kernels, which give a pair to
few lanes and compute many pairs side by side, with intra-task kernels, which spread a pair over
many lanes. Here the inter-task kernel is the engine's kernel with the most rows per lane, so that a
read takes the fewest lanes, and the intra-task kernel is the one with the fewest.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import regions, report
from benchmarks.common.report import Progress, Row, Table, seconds_of
from benchmarks.gpu.call_parts import TimedEngine
from gkl_shim.common import _processor
from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.pairhmm import Batch, PairHMM
from gkl_shim.pairhmm import _cuda as cuda

# Inputs are repeated to about this many cells; 10s.in to 300 times.
_LARGE_CELLS = 18.7e9
_GENERATED_REGIONS = 200
# Reads and haplotypes of the generated regions.
_SHAPE = (20, 10)
_LARGE_SHAPE = (25, 40)

_GRID = ((32, 32), (32, 128), (64, 64), (64, 128), (64, 256), (128, 128), (128, 256), (128, 512),
         (256, 256), (256, 512), (512, 512))  # fmt: skip
_GRID_PAIRS = (200, 500_000)
_TILE_LENGTHS = (32, 64, 96, 128, 160, 192, 256)
_TILE_HAPLOTYPES = (200, 320)
_TILE_PAIRS = 200_000
_MANY_PAIRS = tuple(10**k for k in range(3, 9))
_REGION_SIZES = (0, 10, 50, 100, 200, 500, 1000, 10_000)
# Of 1,000 pairs: enough for every device to have many chunks.
_LARGE_REGIONS = 20_000
_WARP = 32

# What a host that sets up the rows of a read would send for a row: four coefficients, a fifth for
# the backward pass, and an emission for each of five letters, all float32. What the engine sends is
# a letter and four qualities.
_TABLE_BYTES = 4 * (4 + 1 + 5)
_ROW_BYTES = 5

_Compute = Callable[[Batch], object]


@dataclass(frozen=True)
class _Measuring:
    """The inputs and settings of all tables."""

    sets: dict[str, Batch]
    engine: cuda.Engine
    kernels: TimedEngine
    seconds: float
    """For each measurement."""

    def large(self, times: float = 1) -> Iterator[tuple[str, Batch]]:
        """Yield each set, repeated to some multiple of a large number of cells."""
        for name, batch in self.sets.items():
            yield name, regions.repeated(batch, regions.copies(batch, times * _LARGE_CELLS))

    def once_and_large(self) -> Iterator[tuple[str, int, Batch]]:
        """Yield each set once and repeated, with the number of copies."""
        for name, batch in self.sets.items():
            for copies in sorted({1, regions.copies(batch, _LARGE_CELLS)}):
                yield name, copies, regions.repeated(batch, copies)

    def timed(self, compute: _Compute, batch: Batch) -> Row:
        """Return the columns for the time and the speed of whole calls."""
        return _rate(batch, seconds_of(partial(compute, batch), self.seconds))


def _rate(batch: Batch, seconds: float) -> Row:
    return {"milliseconds": seconds * 1e3, "tcups": batch.cells / seconds / 1e12}


def inputs(on: _Measuring, step: Progress) -> Table:
    """Whole calls on the GPU and the CPU."""
    table = Table(
        "Inputs in one call, from Python, all cells counted",
        name="inputs", x="input", y="gcups", lines=("engine",), log="y",
        note="copies: how often the input is repeated in one call.",
    )  # fmt: skip
    threads = sorted({1, _processor.describe().usable_cpus})
    for name, copies, batch in on.once_and_large():
        step(f"{name} x {copies}")
        engines: dict[str, _Compute] = {"GPU": on.engine.compute}
        for count in threads if copies == 1 else threads[-1:]:
            label = f"CPU, {count} thread" + "s" * (count > 1)
            engines[label] = PairHMM(backend="cpu", threads=count).compute
        for label, compute in engines.items():
            seconds = seconds_of(partial(compute, batch), on.seconds)
            table.rows.append(
                {
                    "input": name,
                    "copies": copies,
                    "engine": label,
                    "milliseconds": seconds * 1e3,
                    "gcups": batch.cells / seconds / 1e9,
                }
            )
    return table


def stages(on: _Measuring, step: Progress) -> Table:
    """The parts of a call."""
    table = Table(
        "Preparation, transfer and kernels, each by itself",
        name="stages", x="input", y="milliseconds", lines=("stage",), log="y",
        note="A call overlaps them, in smaller chunks. The kernel includes the results' way back: "
        "it writes them to the host's memory.",
    )  # fmt: skip
    for name, copies, batch in on.once_and_large():
        step(f"stages of {name} x {copies}")
        found = on.kernels.parts(batch)
        for part, seconds in {
            "plan, write into pinned memory, collect results": found.host,
            "transfer": found.transfer,
            "kernel": found.kernel,
        }.items():
            table.rows.append(
                {
                    "input": f"{name} x {copies}",
                    "stage": part,
                    "milliseconds": seconds * 1e3,
                    "megabytes": found.bytes / 1e6 if part == "transfer" else None,
                    "tcups": found.tcups if part == "kernel" else None,
                    "raw_tcups": found.raw_tcups if part == "kernel" else None,
                }
            )
    return table


def sizes(on: _Measuring, step: Progress) -> Table:
    """How many regions and cells there are of each region size."""
    table = Table(
        "Region sizes: read-haplotype pairs",
        name="sizes", x="pairs", y="percent_of_regions", lines=("input",),
    )  # fmt: skip
    for name, batch in on.sets.items():
        step(f"sizes of {name}")
        pairs = batch.shapes.prod(axis=1)
        cells = _cells_by_region(batch)
        for low, high in itertools.pairwise((*_REGION_SIZES, np.inf)):
            within = (pairs >= low) & (pairs < high)
            table.rows.append(
                {
                    "input": name,
                    "pairs": f"{low} to {high - 1}" if high < np.inf else f"{low} and more",
                    "regions": int(within.sum()),
                    "percent_of_regions": 100 * float(within.mean()),
                    "percent_of_cells": 100 * float(cells[within].sum() / cells.sum()),
                }
            )
    return table


def _cells_by_region(batch: Batch) -> NDArray[np.int64]:
    reads = np.diff(batch.reads.offsets[batch.region_reads])
    haplotypes = np.diff(batch.haplotypes.offsets[batch.region_haplotypes])
    cells: NDArray[np.int64] = reads * haplotypes
    return cells


def grid(on: _Measuring, step: Progress) -> Table:
    """Inter-task and intra-task kernels, by the lengths of reads and haplotypes."""
    table = Table(
        "Inter-task and intra-task kernels",
        name="grid", x="read x haplotype", y="raw_tcups", lines=("kernel", "pairs"), log="y",
        note="inter-task: the kernel with the most rows per lane. intra-task: the one with the "
        "fewest, or the next wider one if a read does not fit a warp. If there are few tiles, as "
        "with 200 pairs, the engine gives each to several warps. Haplotypes share next to nothing.",
    )  # fmt: skip
    widths = cuda.widths("single")
    chosen = {"intra-task": widths[0], "inter-task": widths[-1], "as planned": 0}
    engines = {
        name: (TimedEngine(rows_per_lane=rows), cuda.Engine([0], rows_per_lane=rows))
        for name, rows in chosen.items()
    }
    for pairs, (read, haplotype) in itertools.product(_GRID_PAIRS, _GRID):
        batch = regions.uniform(pairs // math.prod(_SHAPE), _SHAPE, read, haplotype)
        for name, (kernels, engine) in engines.items():
            step(f"{pairs} pairs of {read} x {haplotype}, {name}")
            found = kernels.parts(batch)
            call = on.timed(engine.compute, batch)
            table.rows.append(
                {
                    "pairs": pairs,
                    "read x haplotype": f"{read} x {haplotype}",
                    "kernel": name,
                    "rows_per_lane": chosen[name] or None,
                    "kernel_milliseconds": found.kernel * 1e3,
                    "raw_tcups": found.raw_tcups,
                    "call_milliseconds": call["milliseconds"],
                    "call_tcups": call["tcups"],
                }
            )
    for kernels, engine in engines.values():
        kernels.close()
        engine.close()
    return table


def tiles(on: _Measuring, step: Progress) -> Table:
    """Each kernel, by the length of reads."""
    table = Table(
        "Rows a lane and lanes a read, kernel alone",
        name="tiles", x="read", y="raw_tcups", lines=("rows_per_lane", "haplotype"),
    )  # fmt: skip
    for rows in cuda.widths("single"):
        engine = TimedEngine(rows_per_lane=rows)
        for haplotype, read in itertools.product(_TILE_HAPLOTYPES, _TILE_LENGTHS):
            lanes = -(-read // rows)
            if lanes > _WARP or read > haplotype:
                continue
            step(f"{rows} rows per lane, {read} x {haplotype}")
            batch = regions.uniform(_TILE_PAIRS // math.prod(_SHAPE), _SHAPE, read, haplotype)
            table.rows.append(
                {
                    "rows_per_lane": rows,
                    "read": read,
                    "haplotype": haplotype,
                    "lanes_a_read": lanes,
                    "lanes_filled_percent": 100 * (_WARP // lanes) * read / (_WARP * rows),
                    "raw_tcups": engine.parts(batch).raw_tcups,
                }
            )
        engine.close()
    return table


def pairs(on: _Measuring, step: Progress) -> Table:
    """A kernel and a whole call, by the number of pairs."""
    table = Table(
        "Number of pairs, reads of 128 by haplotypes of 256",
        name="pairs", x="pairs", y="tcups", lines=("what",), log="x",
    )  # fmt: skip
    for count in _MANY_PAIRS:
        step(f"{count} pairs")
        batch = regions.uniform(count // math.prod(_LARGE_SHAPE), _LARGE_SHAPE, 128, 256)
        found = on.kernels.parts(batch, 1 if count > 10**6 else 5)
        call = on.timed(on.engine.compute, batch)
        for what, rate in (("kernel", _rate(batch, found.kernel)), ("call", call)):
            table.rows.append({"pairs": count, "what": what, **rate})
    return table


def initialization(on: _Measuring, step: Progress) -> Table:
    """Setting up the rows of reads on the device, beside what it would take on the host."""
    table = Table(
        "Set-up on the device, and what it would be on the host",
        name="initialization", x="input", y="milliseconds", lines=("what",), log="y",
        note=f"On the host: {_TABLE_BYTES} bytes a row of a read (transition coefficients, an "
        f"emission for each letter) instead of the {_ROW_BYTES} bytes of its letter and "
        "qualities, gathered from tables by NumPy with one thread. The device's own set-up is "
        "part of its kernel.",
    )  # fmt: skip
    for name, batch in on.sets.items():
        step(f"initialization for {name}")
        copies = regions.copies(batch, _LARGE_CELLS / 5)
        large = regions.repeated(batch, copies)
        sent, tables = (size * len(large.reads.bases) for size in (_ROW_BYTES, _TABLE_BYTES))
        saved = 100 * (1 - sent / tables)
        for what, seconds, size, percent in (
            ("device: transfer of letters and qualities", _transfer(on, sent), sent, saved),
            ("host: building the tables", _host_tables(on, large), None, None),
            ("host: transfer of the tables", _transfer(on, tables), tables, None),
        ):
            table.rows.append(
                {
                    "input": f"{name} x {copies}",
                    "what": what,
                    "milliseconds": seconds * 1e3,
                    "megabytes": None if size is None else size / 1e6,
                    "bytes_saved_percent": percent,
                }
            )
    return table


def _host_tables(on: _Measuring, batch: Batch) -> float:
    """Return the seconds for a host to gather a batch's tables."""
    _, base, insertion, deletion, continuation = batch.reads.tracks
    random = np.random.default_rng(1)
    by_quality = random.random((128, 5), np.float32)
    by_gap = random.random((128 * 128, 4), np.float32)
    by_continuation = random.random(128, np.float32)
    out = [np.empty((len(base), *rest), np.float32) for rest in ((5,), (4,), ())]

    def build() -> None:
        np.take(by_quality, base, axis=0, out=out[0])
        np.take(by_gap, insertion.astype(np.int32) * 128 + deletion, axis=0, out=out[1])
        np.take(by_continuation, continuation, out=out[2])

    return seconds_of(build, on.seconds)


def _transfer(on: _Measuring, size: int) -> float:
    """Return the seconds for bytes to go from pinned memory to the device."""
    api = cuda_devices.import_cupy().cuda
    host, there = api.alloc_pinned_memory(size), api.alloc(size)
    stream = api.Stream(non_blocking=True)

    def send() -> None:
        api.runtime.memcpyAsync(there.ptr, host.ptr, size, 1, stream.ptr)
        stream.synchronize()

    return seconds_of(send, on.seconds)


def streams(on: _Measuring, step: Progress) -> Table:
    """Whole calls, by how many chunks are in flight."""
    table = Table(
        "One stream and several: chunks in flight at once",
        name="streams", x="streams", y="tcups", lines=("input", "threads"),
        note="threads: of the host, each of which plans, launches and collects chunks.",
    )  # fmt: skip
    for name, batch in on.large(4):
        for threads, count in itertools.product((1, 4), (1, 2, 4, 8, 16)):
            if count < threads:
                continue
            step(f"{name}, {count} streams, {threads} threads")
            engine = cuda.Engine([0], streams=count, launch_threads=threads)
            rate = on.timed(engine.compute, batch)
            engine.close()
            table.rows.append({"input": name, "threads": threads, "streams": count, **rate})
    return table


def devices(on: _Measuring, step: Progress) -> Table:
    """Whole calls, by the number of devices."""
    table = Table("Devices", name="devices", x="devices", y="tcups", lines=("input",))
    count = cuda_devices.device_count()
    if count == 1:
        table.absent = "there is one device"
        return table
    uniform = regions.uniform(_LARGE_REGIONS, _LARGE_SHAPE, 128, 256)
    for name, batch in (("128 x 256", uniform), *on.large(8)):
        first = math.nan
        for used in sorted({1, *(2**k for k in range(1, 4) if 2**k <= count), count}):
            step(f"{name} on {used} devices")
            engine = cuda.Engine(range(used))
            took = seconds_of(partial(engine.compute, batch), on.seconds)
            engine.close()
            first = took if used == 1 else first
            row = {"input": name, "devices": used, **_rate(batch, took), "times_one": first / took}
            table.rows.append(row)
    return table


TABLES = {
    table.__name__: table
    for table in (
        inputs, stages, sizes, grid, tiles, pairs, initialization, streams, devices,
    )
}  # fmt: skip


@click.command()
@click.argument("paths", metavar="[INPUT.in]...", nargs=-1)
@report.table_option(TABLES)
@report.seconds_option(1.0)
@report.json_option
@report.plot_option
def command(
    paths: tuple[str, ...],
    names: tuple[str, ...],
    seconds: float,
    json_file: str | None,
    plot_file: str | None,
) -> None:
    """Measure PairHMM on the first GPU in the form of the tables in the literature."""
    sets = regions.read_all(paths) or {"generated": regions.generated(_GENERATED_REGIONS)}
    on = _Measuring(sets, cuda.Engine([0]), TimedEngine(), seconds)
    report.measure_tables([partial(TABLES[name], on) for name in names], json_file, plot_file)


if __name__ == "__main__":
    report.run(command)
