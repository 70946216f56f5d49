"""Measure PairHMM on a CUDA device: kernels alone, and whole calls from Python.

    python -m benchmarks.pairhmm_cuda [INPUT.in]... --json FILE.json

Needs a CUDA device and CuPy. INPUT.in is recorded from GATK with GKL_SHIM_RECORD, or is 10s.in of
Ren et al. 2018. Results are compared with the CPU engine's, bit by bit. If Nsight Compute's `ncu`
is on the PATH, the main kernel is profiled. The JSON is results/pairhmm-cuda-h200.json.
"""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import click
import numpy as np

from benchmarks.common import regions, report
from benchmarks.common.call_parts import TimedEngine
from benchmarks.common.report import median_seconds
from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM, ReadBatch
from gkl_shim.pairhmm import _cuda as cuda

READS, HAPLOTYPES = 64, 8
# Of a call: with unrelated haplotypes, of a kernel alone, of a whole call and of a stream.
UNRELATED_CELLS = 1.2e10
KERNEL_CELLS = 6e9
CALL_CELLS = 1.9e10
STREAMED_CELLS = 4e10
# Inputs of fewer cells are also computed once.
SMALL_CELLS = 1e8
# Generated regions of a batch, and the batches of a stream of these.
GENERATED_REGIONS = 3000
GENERATED_BATCHES = (12, 36)
SHAPES = [(200, rows) for rows in (32, 64, 96, 128, 160, 192)] + [
    (320, rows) for rows in (32, 64, 96, 128, 160, 192, 256)
]
METRICS = {
    "issue_slots_busy_percent": "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "fma_pipe_percent": "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "shared_memory_percent": "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg."
    "pct_of_peak_sustained_elapsed",
    "warps_a_scheduler": "smsp__warps_active.avg.per_cycle_active",
    "dram_percent": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
}


def unrelated(haplotype_length: int, read_length: int, cells: float = UNRELATED_CELLS) -> Batch:
    """Make regions whose haplotypes share nothing, with reads that come from them."""
    random = np.random.default_rng(1)
    letters = np.frombuffer(b"ACGT", np.uint8)
    count = max(1, int(cells / (READS * HAPLOTYPES * read_length * haplotype_length)))
    reads, bases = count * READS, count * READS * read_length
    haplotypes = letters[random.integers(0, 4, (count, HAPLOTYPES, haplotype_length))]
    places = random.integers(0, haplotype_length - read_length + 1, READS)
    pieces = [
        haplotypes[:, read % HAPLOTYPES, place : place + read_length]
        for read, place in enumerate(places)
    ]
    ranges = ((20, 41), (30, 46), (30, 46), (8, 13))
    return Batch(
        ReadBatch.from_arrays(
            np.arange(reads + 1) * read_length,
            np.stack(pieces, axis=1).ravel(),
            *(random.integers(*limits, bases).astype(np.uint8) for limits in ranges),
        ),
        HaplotypeBatch.from_arrays(
            np.arange(count * HAPLOTYPES + 1) * haplotype_length, haplotypes.ravel()
        ),
        np.arange(count + 1) * READS,
        np.arange(count + 1) * HAPLOTYPES,
    )


def kernels(engine: TimedEngine, batch: Batch) -> dict[str, float]:
    """Time the launches of a batch with events, chunk by chunk."""
    found = engine.parts(batch)
    return {
        "ms": round(found.kernel * 1e3, 4),
        "tcups": round(found.tcups, 3),
        "raw_tcups": round(found.raw_tcups, 3),
    }


def end_to_end(engine: cuda.Engine, sets: dict[str, Batch]) -> dict[str, dict[str, float]]:
    """Time whole calls from Python, with results in a NumPy array."""
    found: dict[str, dict[str, float]] = {}

    def measure(name: str, batch: Batch, repeats: int) -> None:
        took = median_seconds(partial(engine.compute, batch), repeats)
        found[name] = {"us": round(took * 1e6, 1), "tcups": round(batch.cells / took / 1e12, 3)}

    small = regions.generated(1, shape=(20, 4))
    measure("one region, 20 reads x 4 haplotypes", small, 1000)
    for name, batch in sets.items():
        if batch.cells < SMALL_CELLS:
            measure(f"{name} once", batch, 300)
        times = regions.copies(batch, CALL_CELLS)
        measure(f"{name} x {times}", regions.repeated(batch, times), 7)
    pairhmm = PairHMM(backend="cuda", devices=[0])

    def measure_stream(name: str, batches: list[Batch]) -> None:
        def streamed() -> None:
            for _ in pairhmm.stream(batches):
                pass

        took = median_seconds(streamed, 5)
        cells = sum(batch.cells for batch in batches)
        found[f"stream(), {name}"] = {
            "us": round(took * 1e6, 1),
            "tcups": round(cells / took / 1e12, 3),
        }

    made = regions.generated(GENERATED_REGIONS)
    for count in GENERATED_BATCHES:
        name = f"{count} batches of {GENERATED_REGIONS} generated regions"
        measure_stream(name, [made] * count)
    for name, batch in sets.items():
        # Reading the file gives batches of about this size.
        times = regions.copies(batch, STREAMED_CELLS)
        measure_stream(f"{times} batches of {name}", [batch] * times)
    return found


def same_bits(sets: dict[str, Batch]) -> dict[str, Any]:
    """Return which sets get the same bits as from the CPU engine."""
    pairs = 0
    same: dict[str, Any] = {}
    for precision in ("single", "double"):
        engine = cuda.Engine([0], precision)
        same[precision] = []
        for name, batch in sets.items():
            expected = PairHMM(backend="cpu", precision=precision).compute(batch)
            if np.array_equal(engine.compute(batch).view("u8"), expected.view("u8")):
                same[precision].append(name)
        engine.close()
        pairs = sum(batch.pairs for batch in sets.values())
    return {**same, "pairs": pairs}


def profile() -> dict[str, Any] | None:
    """Return ncu's profile of the main kernel. None if ncu is missing or may not profile."""
    ncu = shutil.which("ncu")
    if ncu is None:
        return None
    command = [ncu, "--csv", "--clock-control", "none", "--metrics", ",".join(METRICS.values())]
    command += ["-k", "regex:pairhmm_single", "-c", "1", sys.executable]
    command += ["-m", "benchmarks.pairhmm_cuda", "--profiled"]
    output = subprocess.run(command, capture_output=True, text=True).stdout
    table = output[output.find('"ID"') :]
    values = {row["Metric Name"]: row["Metric Value"] for row in csv.DictReader(io.StringIO(table))}
    numbers = {
        name: float(values[metric].replace(",", ""))
        for name, metric in METRICS.items()
        if metric in values
    }
    if not numbers:
        return None
    return {"kernel": "reads of 128, haplotypes of 320", **numbers}


def kernel_figures(sets: dict[str, Batch]) -> dict[str, Any]:
    """Time each kernel by the length of reads, and on each input."""
    many = {
        name: regions.repeated(batch, regions.copies(batch, KERNEL_CELLS))
        for name, batch in sets.items()
    }
    many["generated"] = regions.generated(GENERATED_REGIONS)
    by_shape: dict[str, dict[str, Any]] = {}
    by_input: dict[str, dict[str, Any]] = {}
    engines = {
        str(rows) if rows else "chosen": TimedEngine(rows_per_lane=rows)
        for rows in (*cuda.widths("single")[1:], 0)
    }
    for haplotype, read in SHAPES:
        batch = unrelated(haplotype, read)
        for rows, engine in engines.items():
            by_shape.setdefault(rows, {})[f"{haplotype}x{read}"] = kernels(engine, batch)
    for name, batch in many.items():
        for rows, engine in engines.items():
            by_input.setdefault(rows, {})[name] = kernels(engine, batch)
    for engine in engines.values():
        engine.close()
    return {
        "kernels_by_read_length": {
            "regions": f"{READS} reads x {HAPLOTYPES} unrelated haplotypes",
            "haplotype x read, raw TCUPS, the best of the widths": {
                shape: max(by_shape[rows][shape]["raw_tcups"] for rows in by_shape)
                for shape in by_shape["chosen"]
            },
            "by_rows_per_lane": by_shape,
        },
        "kernels_by_input": {"by_rows_per_lane": by_input},
    }


@contextmanager
def one_chunk() -> Iterator[None]:
    """Make engines that are opened in this block put a whole batch into one chunk."""
    cells, scratch = cuda._CHUNK_CELLS["single"], cuda._SCRATCH_BYTES
    cuda._CHUNK_CELLS["single"], cuda._SCRATCH_BYTES = 1 << 36, 1 << 35
    try:
        yield
    finally:
        cuda._CHUNK_CELLS["single"], cuda._SCRATCH_BYTES = cells, scratch


@click.command()
@click.argument("inputs", metavar="[INPUT.in]...", nargs=-1)
@click.option("--profiled", is_flag=True, hidden=True)
@report.json_option
def command(inputs: tuple[str, ...], profiled: bool, json_file: str | None) -> None:
    """Measure PairHMM on the first GPU, kernels alone and whole calls from Python."""
    about = report.about(gpu=True)
    with one_chunk():
        if profiled:
            cuda.Engine([0]).compute(unrelated(320, 128, 5e9))
            return
        sets = regions.read_all(inputs)
        figures = kernel_figures(sets)
    found = {
        **about,
        "note": "TCUPS: 10^12 cells a second, all cells of the input counted; raw: only those "
        "computed. Kernel times are medians of 5 by events, results and set-up included.",
        **figures,
        "end_to_end_from_python": end_to_end(cuda.Engine([0]), sets),
        "same_bits_as_cpu": same_bits(sets),
        "profile": profile(),
    }
    report.write_json(json_file or "-", found)


if __name__ == "__main__":
    report.run(command)
