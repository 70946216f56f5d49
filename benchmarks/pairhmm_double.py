"""PairHMM on a CUDA device where pairs leave single precision: who computes them, at what cost.

    python -m benchmarks.pairhmm_double chr22=chr22.in [NAME=FILE.in ...] --json FILE.json

Inputs are regions as GKL_SHIM_RECORD writes them. Three things are measured:

- figures: what the CPU engine and the device say of the same regions, and whether the bits agree;
- streams: ``stream()`` over an input with the reads that leave single precision, and with other
  reads of the same regions in their place, as the device is and taken to be slow in double
  precision;
- unrelated: whole calls with reads that fit nowhere, so that all pairs leave single precision: on
  the device, by the CPU while the device goes on, and by the CPU engine alone.

It also runs with versions of the package that cannot be told how slow a device is.
"""

from __future__ import annotations

import argparse
import inspect
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import regions
from benchmarks.common.report import median_seconds
from benchmarks.pairhmm_cuda import STREAMED_CELLS
from gkl_shim import _native
from gkl_shim._batch import concatenated
from gkl_shim.cli import _generated
from gkl_shim.cuda import devices
from gkl_shim.cuda import pairhmm as cuda
from gkl_shim.formats import pairhmm_in
from gkl_shim.pairhmm import Batch, PairHMM, ReadBatch

SLOW = 64
CAN_BE_TOLD = "double_ratio" in inspect.signature(cuda.Engine).parameters
COMPARED = ("pairs", "computed_cells", "rescued_pairs", "rescaled_pairs")
UNRELATED_CELLS = 2e10
# Reads x haplotypes of a region, and their lengths.
SHAPES = (((40, 8), 100, 200), ((94, 134), 140, 190), ((40, 8), 250, 350))


@contextmanager
def taken_to_be(ratio: int) -> Iterator[None]:
    """Let engines take devices to be so slow in double precision when opened; 0: as they are."""
    if not ratio:
        yield
        return
    asked = devices.double_ratio
    devices.double_ratio = lambda number: ratio
    try:
        yield
    finally:
        devices.double_ratio = asked


def with_reads(batch: Batch, bases: Any, quals: Any) -> Batch:
    """Return a batch with other bases and qualities of its reads."""
    reads = batch.reads
    gaps = reads.insertion_quals, reads.deletion_quals, reads.continuation_quals
    changed = ReadBatch.from_arrays(reads.offsets, bases, quals, *gaps)
    return Batch(changed, batch.haplotypes, batch.region_reads, batch.region_haplotypes)


def unrelated(batch: Batch) -> Batch:
    """Return a batch whose reads are random letters of high quality."""
    random = np.random.default_rng(1)
    count = len(batch.reads.bases)
    letters = np.frombuffer(b"ACGT", np.uint8)[random.integers(0, 4, count)]
    return with_reads(batch, letters, np.full(count, 40, np.uint8))


def held(batch: Batch) -> Batch:
    """Return a batch with a read that single precision holds in the place of each other one.

    That is another one of its region, cut or repeated to the length. Pairs that have the same bits
    in both precisions were computed in double.
    """
    single, double = (
        PairHMM(backend="cpu", precision=p).compute(batch) for p in ("single", "double")
    )
    bases, quals = batch.reads.bases.copy(), batch.reads.quals.copy()
    ends, first_pair = batch.reads.offsets, 0
    for region in range(len(batch)):
        first, last = batch.region_reads[region : region + 2]
        columns = int(batch.region_haplotypes[region + 1] - batch.region_haplotypes[region])
        pairs = slice(first_pair, first_pair + int(last - first) * columns)
        first_pair = pairs.stop
        left = (single[pairs] == double[pairs]).reshape(-1, columns).any(axis=1)
        good = np.flatnonzero(~left) + first
        for k, read in enumerate(np.flatnonzero(left) + first if len(good) else ()):
            other = slice(*ends[good[k % len(good)] :][:2])
            place = slice(*ends[read : read + 2])
            for track in (bases, quals):
                track[place] = np.resize(track[other], place.stop - place.start)
    return with_reads(batch, bases, quals)


def figures(sets: dict[str, Batch]) -> dict[str, Any]:
    """What either engine says of each input."""
    found: dict[str, Any] = {}
    for name, batch in sets.items():
        cpu = PairHMM(backend="cpu")
        expected = cpu.compute(batch)
        rows: dict[str, Any] = {"cpu": {n: getattr(cpu.statistics, n) for n in COMPARED}}
        for ratio in (0, SLOW) if CAN_BE_TOLD else (0,):
            with taken_to_be(ratio):
                engine = cuda.Engine([0])
            values = engine.compute(batch)
            statistics = engine.statistics()
            rows["device" if not ratio else "device, slow in double"] = {
                **{n: statistics[n] for n in COMPARED},
                "cuda_pairs": statistics["cuda_pairs"],
                "same_bits": bool(np.array_equal(values.view("u8"), expected.view("u8"))),
            }
            engine.close()
        found[name] = rows
        print(name, json.dumps(rows, indent=1), flush=True)
    return found


def consume(pairhmm: PairHMM, batches: list[Batch]) -> None:
    """Compute a stream."""
    for _ in pairhmm.stream(batches):
        pass


def streams(sets: dict[str, Batch]) -> dict[str, Any]:
    """Time streams with and without what leaves single precision."""
    found: dict[str, Any] = {}
    for name, batch in sets.items():
        times = max(1, round(STREAMED_CELLS / batch.cells))
        for kind, each in (("as it is", batch), ("single precision holds all", held(batch))):
            for ratio in (0, SLOW) if CAN_BE_TOLD else (0,):
                with taken_to_be(ratio):
                    pairhmm = PairHMM(backend="cuda", devices=[0])

                took = median_seconds(partial(consume, pairhmm, [each] * times), 7)
                figure = pairhmm.statistics
                row = {
                    "batches": times,
                    "ms": round(took * 1e3, 2),
                    "tcups": round(each.cells * times / took / 1e12, 3),
                    "rescued_share": figure.rescued_pairs / figure.pairs,
                    "on_the_device": figure.cuda_pairs / figure.pairs,
                }
                key = f"{name}, {kind}" + (", slow in double" if ratio else "")
                found[key] = row
                print(key, row, flush=True)
                pairhmm.close()
    return found


def calls_with_unrelated_reads() -> dict[str, Any]:
    """Time whole calls in which nearly every pair leaves single precision."""
    found: dict[str, Any] = {}
    for shape, read, haplotype in SHAPES:
        cells = shape[0] * shape[1] * read * haplotype
        batch = unrelated(regions.uniform(round(UNRELATED_CELLS / cells), shape, read, haplotype))
        name = f"{shape[0]} x {shape[1]} of {read} x {haplotype} bases"
        rows = {}
        for ratio in (0, SLOW) if CAN_BE_TOLD else (0,):
            with taken_to_be(ratio):
                engine = cuda.Engine([0])
            took = median_seconds(partial(engine.compute, batch), 3)
            statistics = engine.statistics()
            rows["device" if not ratio else "device, slow in double: the CPU"] = {
                "gcups": round(batch.cells / took / 1e9, 1),
                "rescued_share": statistics["rescued_pairs"] / statistics["pairs"],
                "on_the_device": statistics["cuda_pairs"] / statistics["pairs"],
            }
            engine.close()
        part = batch[: max(1, len(batch) // 8)]
        for precision in ("single", "double"):
            cpu = PairHMM(backend="cpu", precision=precision)
            took = median_seconds(partial(cpu.compute, part), 3)
            rows[f"CPU alone, {precision}"] = {"gcups": round(part.cells / took / 1e9, 1)}
        found[name] = rows
        print(name, json.dumps(rows, indent=1), flush=True)
    return found


def main() -> None:
    """Measure all and write it down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("inputs", nargs="*", metavar="NAME=FILE.in")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    sets = {}
    for argument in arguments.inputs:
        name, path = argument.split("=", 1)
        with pairhmm_in.Reader(path) as reader:
            sets[name] = concatenated(list(reader))
    generated = _generated.regions(100)
    report = {
        "device": devices.describe()[0],
        "cpus": _native.cpu_count(),
        "note": "All cells of the input counted. Whole calls from Python, medians. 'Slow in "
        f"double': the device is taken to have a ratio of {SLOW}, and computes double precision as "
        "fast as ever.",
        "figures": figures(
            {**sets, "generated": generated, "generated, unrelated reads": unrelated(generated)}
        ),
        "streams": streams(sets),
        "unrelated": calls_with_unrelated_reads(),
    }
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
