"""PairHMM of reads of 10,000 bases on a CUDA device, in double precision, whole calls from Python.

    python benchmarks/pairhmm_long_reads.py --json FILE.json

Each read has a haplotype of its length for itself, from which it differs in one base of 200. The
first pairs of each batch are compared with the CPU engine's results, bit by bit; for so many it
takes a second or ten.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from pairhmm_cuda import seconds

from gkl_shim.cuda import devices
from gkl_shim.cuda import pairhmm as cuda
from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM, ReadBatch

BASES = 10_000
PAIRS = (1, 10, 200, 2000)
CELLS = 2e10  # of each number of pairs, about: how often calls are repeated, 3 to 15 times


def long_reads(pairs: int) -> Batch:
    """Regions of one pair; those of a smaller batch are the first ones of a larger one."""
    letters = np.frombuffer(b"ACGT", np.uint8)
    reads, haplotypes = [], []
    tracks: list[list[Any]] = [[], [], [], []]
    for pair in range(pairs):
        random = np.random.default_rng(pair)
        haplotype = letters[random.integers(0, 4, BASES)]
        errors = random.random(BASES) < 1 / 200
        reads.append(np.where(errors, letters[random.integers(0, 4, BASES)], haplotype))
        haplotypes.append(haplotype)
        for track, limits in zip(tracks, ((20, 41), (30, 46), (30, 46), (8, 13)), strict=True):
            track.append(random.integers(*limits, BASES).astype(np.uint8))
    ends = np.arange(pairs + 1)
    return Batch(
        ReadBatch.from_arrays(ends * BASES, np.concatenate(reads), *map(np.concatenate, tracks)),
        HaplotypeBatch.from_arrays(ends * BASES, np.concatenate(haplotypes)),
        ends,
        ends,
    )


def measured(pairs: int, on_cpu: PairHMM, compared: int) -> dict[str, Any]:
    """Time a batch, and compare its first results; the engine is its own, as are the figures."""
    batch, engine = long_reads(pairs), cuda.Engine([0], "double")
    took = seconds(lambda: engine.compute(batch), int(np.clip(CELLS / batch.cells, 3, 15)))
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


def main() -> None:
    """Measure all and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compare", type=int, default=10, metavar="PAIRS", help="at most so many")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    on_cpu = PairHMM(backend="cpu", precision="double")
    rows = []
    for pairs in PAIRS:
        rows.append(measured(pairs, on_cpu, min(pairs, arguments.compare)))
        print(rows[-1], flush=True)
    report = {
        "device": devices.describe()[0],
        "note": f"Reads and haplotypes of {BASES:,} bases, a region a pair, double precision.",
        "rows": rows,
    }
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
