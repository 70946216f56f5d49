"""Measure PairHMM's calls and streams on one CUDA device and on several.

    python -m benchmarks.gpu.pairhmm_devices [INPUT.in]... --json FILE.json

The tables: `devices`, calls and streams by the number of devices; `threads`, calls on all devices
by the number of CPU threads; and `cpu`, streams beside calls on the CPU engine. A stream's batches
come from a generator that yields the same arrays again, from one whose arrays are read-only, and
from a list; then there are calls and lists of batches in pinned memory. Rates count all cells of
the input; they are medians of five rounds. The results of one device and of all are compared bit by
bit.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import click
import numpy as np

from benchmarks.common import regions, report
from benchmarks.common.report import Progress, Table
from gkl_shim.bench.regions import lone_regions
from gkl_shim.bench.timing import seconds_of
from gkl_shim.cuda.devices import device_count
from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM, ReadBatch

# The cells of a batch, the batches of a stream, and the part of both that the CPU engine gets.
_CELLS, _STREAMED, _CPU_SHARE = 3e11, 6, 1 / 250
_BASES, _READS, _HAPLOTYPES = 256, 64, 8
# The least time for a measurement, and for the work before it.
_SECONDS = 0.5


def _inputs(files: tuple[str, ...], cells: float = _CELLS) -> dict[str, Batch]:
    """Return a large batch of each kind."""
    found = {
        f"{name}, repeated": regions.repeated(batch, regions.copies(batch, cells))
        for name, batch in regions.read_all(files).items()
    }
    pair = _BASES * _BASES
    found["one haplotype, 64 reads of 256 bases"] = lone_regions(
        round(cells / pair), _READS, _BASES
    )
    count = round(cells / (pair * _READS * _HAPLOTYPES))
    shape = _READS, _HAPLOTYPES
    found["8 unrelated haplotypes, 64 reads of 256 bases"] = regions.uniform(
        count, shape, _BASES, _BASES
    )
    return found


def _pinned(array: Any) -> Any:
    made = importlib.import_module("cupyx").empty_pinned(array.shape, array.dtype)
    made[...] = array
    return made


def _read_only(array: Any) -> Any:
    made = np.array(array)
    made.setflags(write=False)
    return made


def _copy(batch: Batch, kept: Callable[[Any], Any]) -> Batch:
    """Return a batch of copies of all arrays, which kept() makes."""
    reads = ReadBatch.trusted(kept(batch.reads.offsets), *map(kept, batch.reads.tracks))
    reads.one_gap = batch.reads.one_gap
    haplotypes = HaplotypeBatch.trusted(
        kept(batch.haplotypes.offsets), kept(batch.haplotypes.bases)
    )
    return Batch(reads, haplotypes, kept(batch.region_reads), kept(batch.region_haplotypes))


def _rates(pairhmm: PairHMM, batch: Batch) -> report.Row:
    """Return the TCUPS of calls, and of streams of different sources."""

    def streamed(source: Callable[[], Iterable[Batch]]) -> None:
        for _ in pairhmm.stream_batches(source()):
            pass

    read_only = _copy(batch, _read_only)
    jobs: dict[str, tuple[Callable[[], object], int]] = {
        "call": (partial(pairhmm.compute, batch), 1),
        "generator": (partial(streamed, lambda: (batch for _ in range(_STREAMED))), _STREAMED),
        "read-only": (partial(streamed, lambda: (read_only for _ in range(_STREAMED))), _STREAMED),
        "list": (partial(streamed, lambda: [batch] * _STREAMED), _STREAMED),
    }
    if pairhmm.backend != "cpu":
        there = _copy(batch, _pinned)
        jobs["pinned call"] = (partial(pairhmm.compute, there), 1)
        jobs["pinned list"] = (partial(streamed, lambda: [there] * _STREAMED), _STREAMED)
    return {name: times * batch.cells / _seconds(job) / 1e12 for name, (job, times) in jobs.items()}


def _seconds(job: Callable[[], object]) -> float:
    """Return the median time of a job once the engine has all the memory that it keeps."""
    end = time.perf_counter() + _SECONDS
    while time.perf_counter() < end:
        job()
    return seconds_of(job, _SECONDS)


def _devices(files: tuple[str, ...], step: Progress) -> Table:
    table = Table("Calls and streams by the number of devices, TCUPS")
    counts = [count for count in (1, 2, 4, 8) if count <= device_count()]
    for name, batch in _inputs(files).items():
        first = None
        for count in counts:
            step(f"{name}, {count} devices")
            with PairHMM(backend="cuda", devices=range(count)) as pairhmm:
                values = pairhmm.compute(batch).view("u8").copy()
                first = values if first is None else first
                row = {"input": name, "devices": count, **_rates(pairhmm, batch)}
            table.rows.append({**row, "same bits": "yes" if (values == first).all() else "NO"})
    return table


def _threads(files: tuple[str, ...], step: Progress) -> Table:
    table = Table("Calls on all devices by the number of CPU threads, TCUPS")
    for name, batch in _inputs(files).items():
        row: report.Row = {"input": name, "devices": device_count()}
        for threads in (4, 8, 16, 32, 64):
            step(f"{name}, {threads} threads")
            with PairHMM(backend="cuda", threads=threads) as pairhmm:
                row[str(threads)] = batch.cells / _seconds(partial(pairhmm.compute, batch)) / 1e12
        table.rows.append(row)
    return table


def _cpu(files: tuple[str, ...], step: Progress) -> Table:
    table = Table("Calls and streams on the CPU, TCUPS")
    with PairHMM(backend="cpu") as pairhmm:
        for name, batch in _inputs(files, _CELLS * _CPU_SHARE).items():
            step(f"{name}, CPU")
            table.rows.append({"input": name, **_rates(pairhmm, batch)})
    return table


_TABLES = {"devices": _devices, "threads": _threads, "cpu": _cpu}


@click.command(name="pairhmm_devices")
@click.argument("files", metavar="[INPUT.in]...", nargs=-1)
@click.option(
    "--table",
    "names",
    type=click.Choice(list(_TABLES)),
    multiple=True,
    default=list(_TABLES),
    help="Measure only this table. Repeat the option for several tables. Default: all.",
)
@report.json_option
def command(files: tuple[str, ...], names: tuple[str, ...], json_file: str | None) -> None:
    """Measure PairHMM's calls and streams by the number of devices."""
    tables = {name: partial(_TABLES[name], files) for name in names}
    report.measure_tables(tables, json_file)


if __name__ == "__main__":
    report.run(command)
