"""PairHMM on a CUDA device, kernels alone and end to end from Python: every figure in one JSON.

    python benchmarks/pairhmm_cuda.py 10s=10s.in wgs30=wgs30.in [NAME=FILE.in ...] --json FILE.json

Inputs are regions as GKL_SHIM_RECORD writes them; ``10s`` is the set of Ren et al. 2018. Results
are compared with the CPU engine's, bit by bit. The profile is ncu's, where that is on the path.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from gkl_shim import _native, traffic
from gkl_shim._batch import concatenated
from gkl_shim.cuda import pairhmm as cuda
from gkl_shim.cuda.stages import stages
from gkl_shim.formats import pairhmm_in
from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM, ReadBatch

READS, HAPLOTYPES = 64, 8
CELLS = 1.2e10
STREAMED_CELLS = 4e10
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


def unrelated(haplotype_length: int, read_length: int, cells: float = CELLS) -> Batch:
    """Regions whose haplotypes share nothing, with reads that come from them."""
    random = np.random.default_rng(1)
    letters = np.frombuffer(b"ACGT", np.uint8)
    regions = max(1, int(cells / (READS * HAPLOTYPES * read_length * haplotype_length)))
    reads, bases = regions * READS, regions * READS * read_length
    haplotypes = letters[random.integers(0, 4, (regions, HAPLOTYPES, haplotype_length))]
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
            np.arange(regions * HAPLOTYPES + 1) * haplotype_length, haplotypes.ravel()
        ),
        np.arange(regions + 1) * READS,
        np.arange(regions + 1) * HAPLOTYPES,
    )


def kernels(engine: cuda.Engine, batch: Batch) -> dict[str, float]:
    """Time the launches of a batch by events, chunk after chunk."""
    found = stages(engine, batch)
    return {
        "ms": round(found.kernel * 1e3, 4),
        "tcups": round(found.tcups, 3),
        "raw_tcups": round(found.raw_tcups, 3),
    }


def seconds(call: Callable[[], Any], repeats: int) -> float:
    """Return the median over calls, after one to get warm."""
    call()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def end_to_end(engine: cuda.Engine, sets: dict[str, Batch]) -> dict[str, dict[str, float]]:
    """Time whole calls from Python, results in a NumPy array."""
    found: dict[str, dict[str, float]] = {}

    def measure(name: str, batch: Batch, repeats: int) -> None:
        took = seconds(lambda: engine.compute(batch), repeats)
        found[name] = {"us": round(took * 1e6, 1), "tcups": round(batch.cells / took / 1e12, 3)}

    small = traffic.regions(1, shape=(20, 4))
    measure("one region, 20 reads x 4 haplotypes", small, 1000)
    for name, batch in sets.items():
        if batch.cells < 1e8:
            measure(f"{name} once", batch, 300)
        times = max(1, round(1.9e10 / batch.cells))
        measure(f"{name} x {times}", concatenated([batch] * times), 7)
    pairhmm = PairHMM(backend="cuda", devices=[0])

    def measure_stream(name: str, batches: list[Batch]) -> None:
        def streamed() -> None:
            for _ in pairhmm.stream(batches):
                pass

        took = seconds(streamed, 5)
        cells = sum(batch.cells for batch in batches)
        found[f"stream(), {name}"] = {
            "us": round(took * 1e6, 1),
            "tcups": round(cells / took / 1e12, 3),
        }

    made = traffic.regions(3000)
    for count in (12, 36):
        measure_stream(f"{count} batches of 3000 generated regions", [made] * count)
    for name, batch in sets.items():
        # A file that is read comes in batches like this.
        times = max(1, round(STREAMED_CELLS / batch.cells))
        measure_stream(f"{times} batches of {name}", [batch] * times)
    return found


def same_bits(sets: dict[str, Batch]) -> dict[str, Any]:
    """Compare with the CPU engine; returns which sets are the same."""
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
    """What bounds the main kernel, by ncu; None where that cannot be had."""
    ncu = shutil.which("ncu")
    if ncu is None:
        return None
    command = [ncu, "--csv", "--clock-control", "none", "--metrics", ",".join(METRICS.values())]
    command += ["-k", "regex:pairhmm_single", "-c", "1", sys.executable, __file__, "--profiled"]
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


def main() -> None:
    """Measure all and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="*", metavar="NAME=FILE.in")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--profiled", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    cuda._CHUNK_CELLS["single"] = 1 << 36
    cuda._SCRATCH_BYTES = 1 << 35
    if arguments.profiled:
        cuda.Engine([0]).compute(unrelated(320, 128, 5e9))
        return
    sets = {}
    for argument in arguments.inputs:
        name, path = argument.split("=", 1)
        with pairhmm_in.Reader(path) as reader:
            sets[name] = concatenated(list(reader))
    by_shape: dict[str, dict[str, Any]] = {}
    by_input: dict[str, dict[str, Any]] = {}
    many = {
        name: concatenated([batch] * max(1, round(6e9 / batch.cells)))
        for name, batch in sets.items()
    }
    many["generated"] = traffic.regions(2500)
    engines = {
        str(rows) if rows else "chosen": cuda.Engine([0], rows_a_lane=rows)
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
    cuda._CHUNK_CELLS["single"], cuda._SCRATCH_BYTES = CHUNK
    engine = cuda.Engine([0])
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    report = {
        "device": f"{properties['name'].decode()}, CuPy {cupy.__version__}, "
        f"{_native.cpu_count()} CPU cores",
        "note": "TCUPS: 10^12 cells a second, all cells of the input counted; raw: only those "
        "computed. Kernel times are medians of 5 by events, results and set-up included.",
        "kernels_by_read_length": {
            "regions": f"{READS} reads x {HAPLOTYPES} unrelated haplotypes",
            "haplotype x read, raw TCUPS, the best of the widths": {
                shape: max(by_shape[rows][shape]["raw_tcups"] for rows in by_shape)
                for shape in by_shape["chosen"]
            },
            "by_rows_a_lane": by_shape,
        },
        "kernels_by_input": {"by_rows_a_lane": by_input},
        "end_to_end_from_python": end_to_end(engine, sets),
        "same_bits_as_cpu": same_bits(sets),
        "profile": profile(),
    }
    text = json.dumps(report, indent=1)
    if arguments.json:
        arguments.json.write_text(text + "\n")
    else:
        print(text)


CHUNK = cuda._CHUNK_CELLS["single"], cuda._SCRATCH_BYTES

if __name__ == "__main__":
    main()
