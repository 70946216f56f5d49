"""Measure PairHMM on a CUDA device where each region has one haplotype.

    python -m benchmarks.gpu.pairhmm_lone --json FILE.json

Needs a CUDA device and CuPy. Reads and haplotypes have the same length and share nothing with those
of other regions. Whole calls go from NumPy arrays to a NumPy array, in an engine that is open. The
results of a part of each input are compared with the CPU engine's, bit by bit. The JSON is
results/pairhmm/pairhmm-lone-h100.json.
"""

from __future__ import annotations

import statistics
import time
from functools import partial
from typing import Any

import click
import numpy as np

from benchmarks.common import report
from benchmarks.common.report import median_seconds
from benchmarks.gpu.call_parts import TimedEngine
from gkl_shim.bench.regions import lone_regions
from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM
from gkl_shim.pairhmm import _cuda as cuda

BASES = (32, 64, 128, 256, 512, 1024)
READS = (64, 1)
# Longer reads that fit nowhere leave double precision, too, and the CPU computes them.
BASES_THAT_DO_NOT_FIT = (32, 64, 128, 256, 512)
# The most cells and bases of a call's reads. With fewer, calls are too short to keep a device busy.
CELLS, CALL_BASES = 2e10, 1.6e8
# Pairs that the CPU engine computes, too.
COMPARED = 1 << 12
# Of insertions, deletions and their continuation: numbers, arrays of one value, arrays.
GAPS: dict[str, Any] = {
    "numbers": (45, 45, 10),
    "one": ((45, 46), (45, 46), (10, 11)),
    "varied": ((30, 46), (30, 46), (8, 13)),
}


def lone(reads: int, bases: int, gaps: str) -> Batch:
    """Make regions of one haplotype, as many as keep a device busy."""
    pairs = round(min(CELLS / bases, CALL_BASES) / bases)
    return lone_regions(pairs, reads, bases, GAPS[gaps])


def kernels_alone(engine: TimedEngine, batch: Batch) -> dict[str, float]:
    """Time the kernels."""
    parts = engine.parts(batch[: max(1, len(batch) // 4)], 3)
    return {
        "kernel_tcups": round(parts.tcups, 3),
        "bytes_a_pair": round(parts.bytes / (parts.cells / (batch.cells / batch.pairs)), 1),
    }


def whole_calls(engine: cuda.Engine, batch: Batch, repeats: int) -> dict[str, float]:
    """Time whole calls."""
    took = median_seconds(partial(engine.compute, batch), repeats)
    return {"call_tcups": round(batch.cells / took / 1e12, 3), "call_ms": round(took * 1e3, 2)}


def same_bits(engine: cuda.Engine, batch: Batch) -> bool:
    """Compare the first regions with the CPU engine."""
    some = batch[: COMPARED * len(batch) // batch.pairs]
    expected = PairHMM(backend="cpu").compute(some)
    return np.array_equal(engine.compute(some).view("u8"), expected.view("u8"))


def after(engine: cuda.Engine, first: Batch, batch: Batch) -> float:
    """Return the median time of three calls that follow calls with another batch."""
    seconds = []
    for _ in range(3):
        engine.compute(first)
        start = time.perf_counter()
        engine.compute(batch)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def beyond_single(single: cuda.Engine, reads: int, bases: int, repeats: int) -> dict[str, Any]:
    """Time calls whose reads do not fit, and the same work in double precision alone.

    After a call in which no read fitted, the next call computes in double precision first. So calls
    after reads that fit are timed, too.
    """
    fits = lone(reads, bases, "numbers")
    others = np.roll(fits.haplotypes.bases, bases)
    haplotypes = HaplotypeBatch.from_arrays(fits.haplotypes.offsets, others)
    batch = Batch(fits.reads, haplotypes, fits.region_reads, fits.region_haplotypes)
    before = single.statistics()["rescued_pairs"]
    single.compute(batch)
    rescued = (single.statistics()["rescued_pairs"] - before) / batch.pairs
    double, double_alone = cuda.Engine([0], "double"), TimedEngine("double")
    row = {
        "reads": reads,
        "bases": bases,
        "beyond_single": round(rescued, 3),
        "call_tcups": whole_calls(single, batch, repeats)["call_tcups"],
        "after_reads_that_fit_tcups": round(batch.cells / after(single, fits, batch) / 1e12, 3),
        "double": kernels_alone(double_alone, batch) | whole_calls(double, batch, repeats),
        "same_bits": same_bits(single, batch),
    }
    double.close()
    double_alone.close()
    return row


@click.command()
@click.option("--repeats", default=9, help="Whole calls of each input.")
@click.option("--gaps", "kinds", multiple=True, default=tuple(GAPS), help="Which gap qualities.")
@report.json_option
def command(repeats: int, kinds: tuple[str, ...], json_file: str | None) -> None:
    """Measure regions of one haplotype on the first GPU, kernels alone and whole calls."""
    found: dict[str, Any] = {
        **report.about(gpu=True),
        "note": "TCUPS: 10^12 cells a second. Kernel times are medians of 3 by events, results "
        f"included; call times are medians of {repeats}.",
        "rows": [],
        "reads_that_do_not_fit": [],
    }
    engine, alone = cuda.Engine([0]), TimedEngine()
    for gaps in kinds:
        for reads in READS:
            for bases in BASES:
                batch = lone(reads, bases, gaps)
                row = {"gap_qualities": gaps, "reads": reads, "bases": bases}
                row |= kernels_alone(alone, batch) | whole_calls(engine, batch, repeats)
                found["rows"].append({**row, "same_bits": same_bits(engine, batch)})
    for reads in READS:
        rows = [beyond_single(engine, reads, bases, repeats) for bases in BASES_THAT_DO_NOT_FIT]
        found["reads_that_do_not_fit"] += rows
    report.write_json(json_file or "-", found)


if __name__ == "__main__":
    report.run(command)
