"""Measure PairHMM on GPUs where each region has one haplotype, beside the CPU engine."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable
from functools import partial

import numpy as np

from gkl_shim.bench.regions import lone_regions
from gkl_shim.bench.tables import Row, Table
from gkl_shim.bench.timing import in_turns
from gkl_shim.pairhmm import PairHMM

_BASES = (32, 64, 128, 256, 512, 1024)
# The most cells of a call to the GPUs, and bases of its reads. Shorter calls do not keep a large
# device busy.
_CELLS, _CALL_BASES = 1e10, 8e7
# By the number of reads a haplotype: the cells of the part that the CPU computes. It takes longer
# for lone reads, because each lane of a vector holds a read of the same region.
_PART_CELLS = {64: 1 << 29, 1: 1 << 26}
_SECONDS = 0.1


def measure(step: Callable[[str], None]) -> Table:
    """Measure whole calls of both engines, in turns, and compare the bits of their results.

    Parameters
    ----------
    step
        Called with the name of the next measurement.
    """
    rows: list[Row] = []
    with PairHMM(backend="cuda") as gpu, PairHMM(backend="cpu") as cpu:
        for reads, bases in itertools.product(_PART_CELLS, _BASES):
            step(f"one haplotype, reads: {reads}, bases: {bases}")
            batch = lone_regions(int(min(_CELLS / bases, _CALL_BASES) / bases), reads, bases)
            part = batch[: max(1, _PART_CELLS[reads] // (reads * bases * bases))]
            expected = cpu.compute(part).view(np.uint64)
            same = np.array_equal(gpu.compute(batch)[: part.pairs].view(np.uint64), expected)
            calls = [partial(gpu.compute, batch), partial(cpu.compute, part)]
            on_gpu, on_cpu = map(statistics.median, in_turns(calls, _SECONDS))
            rows.append(
                {
                    "reads_a_haplotype": reads,
                    "bases": bases,
                    "GPU": batch.cells / on_gpu / 1e12,
                    "CPU": part.cells / on_cpu / 1e12,
                    "same_bits": same,
                }
            )
    note = (
        "Reads and haplotypes have the same length, and gap qualities are numbers. Whole calls go "
        "from NumPy arrays to a NumPy array.\nThe CPU computes a part of the GPU's call, with all "
        "CPUs. same bits: whether the results of this part are equal."
    )
    title = "PairHMM, regions of one haplotype, TCUPS (medians)"
    return Table(title, rows, note, {"GPU": 3, "CPU": 3})
