"""Measure PairHMM of 10,000-base reads on a CUDA device in double precision, from Python.

    python -m benchmarks.gpu.pairhmm_long_reads --json FILE.json

Needs a CUDA device and CuPy. Each read is alone in its region with a haplotype of its length, from
which it differs in one base of 200. The first pairs of each batch are compared with the CPU
engine's results, bit by bit; the CPU takes up to ten seconds for them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import click
import numpy as np

from benchmarks.common import report
from benchmarks.common.report import median_seconds
from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM, ReadBatch
from gkl_shim.pairhmm import _cuda as cuda

BASES = 10_000
PAIRS = (1, 10, 200, 2000)
CELLS = 2e10  # about, of all calls with a number of pairs; these are 3 to 15


def long_reads(pairs: int, bases: int = BASES) -> Batch:
    """Make regions of one pair; a smaller batch is the beginning of a larger one."""
    letters = np.frombuffer(b"ACGT", np.uint8)
    reads, haplotypes = [], []
    tracks: list[list[Any]] = [[], [], [], []]
    for pair in range(pairs):
        random = np.random.default_rng(pair)
        haplotype = letters[random.integers(0, 4, bases)]
        errors = random.random(bases) < 1 / 200
        reads.append(np.where(errors, letters[random.integers(0, 4, bases)], haplotype))
        haplotypes.append(haplotype)
        for track, limits in zip(tracks, ((20, 41), (30, 46), (30, 46), (8, 13)), strict=True):
            track.append(random.integers(*limits, bases).astype(np.uint8))
    ends = np.arange(pairs + 1)
    return Batch(
        ReadBatch.from_arrays(ends * bases, np.concatenate(reads), *map(np.concatenate, tracks)),
        HaplotypeBatch.from_arrays(ends * bases, np.concatenate(haplotypes)),
        ends,
        ends,
    )


def measured(pairs: int, on_cpu: PairHMM, compared: int) -> dict[str, Any]:
    """Time a batch with a new engine, and compare its first results."""
    batch, engine = long_reads(pairs), cuda.Engine([0], "double")
    repeats = int(np.clip(CELLS / batch.cells, 3, 15))
    took = median_seconds(partial(engine.compute, batch), repeats)
    values = engine.compute(batch)
    statistics = engine.statistics()
    engine.close()
    before = on_cpu.statistics.seconds
    expected = on_cpu.compute(batch[:compared])
    cpu_seconds = on_cpu.statistics.seconds - before
    return {
        "pairs": pairs,
        "milliseconds": round(took * 1e3, 3),
        "gcups": round(batch.cells / took / 1e9, 1),
        "on_the_gpu": statistics["cuda_pairs"] / statistics["pairs"],
        "compared_pairs": compared,
        "same_bits": bool((values[:compared].view("u8") == expected.view("u8")).all()),
        "cpu_gcups": round(compared * BASES**2 / cpu_seconds / 1e9, 2),
    }


@click.command()
@click.option("--compare", default=10, metavar="PAIRS", help="Compare at most this many pairs.")
@report.json_option
def command(compare: int, json_file: str | None) -> None:
    """Measure PairHMM of long reads on the first GPU."""
    about = report.about(gpu=True)
    on_cpu = PairHMM(backend="cpu", precision="double")
    rows = []
    for pairs in PAIRS:
        rows.append(measured(pairs, on_cpu, min(pairs, compare)))
        click.echo(rows[-1], err=True)
    found = {
        **about,
        "note": f"Reads and haplotypes of {BASES:,} bases, a region a pair, double precision.",
        "rows": rows,
    }
    report.write_json(json_file or "-", found)


if __name__ == "__main__":
    report.run(command)
