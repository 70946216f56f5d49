"""Run the CUDA kernels under compute-sanitizer, with each of its tools.

python tests/gpu/sanitize.py [RECORD.json]

Every kernel of every engine computes a little, and its results are compared with the CPU engine's.
The exit status is 0 where no tool finds anything.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from gkl_shim import mem
from gkl_shim.cli.common._json import write_json
from gkl_shim.correct import Spectrum
from gkl_shim.correct import _cuda as cuda_correct
from gkl_shim.correct._native_correct import METHODS
from gkl_shim.cuda import kernels
from gkl_shim.errors import BackendUnavailable
from gkl_shim.mem import _cuda as cuda_mem
from gkl_shim.pairhmm import Batch, PairHMM
from gkl_shim.pairhmm import _cuda as cuda_pairhmm
from gkl_shim.pairhmm._copies import concatenated
from gkl_shim.prefilter import Prefilter

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.common import report
from benchmarks.common.genomes import PAPER, generated
from tests.correct.test_correct import random_reads
from tests.correct.test_cuda import USUAL, counted, qualities_of, same_reads, same_spectrum
from tests.pairhmm.cuda.conftest import assert_same_bits, random_region
from tests.prefilter import simulate

TOOLS = {
    "memcheck": ("--leak-check", "no"),
    "racecheck": ("--racecheck-report", "all"),
    "initcheck": (),
    "synccheck": (),
}
SECONDS = 480
FOUND = re.compile(r"^=+ (?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)", re.M)


def pairhmm() -> None:
    """Run every kernel of PairHMM: by each width, with one warp a tile and with two."""
    rnd = random.Random(5)
    few = concatenated(
        [random_region(rnd, 5, 3, 90, kind) for kind in ("usual", "n", "wild", "open")]
    )
    # Some reads are long enough for stripes.
    long = random_region(rnd, 20, 2, 700, "usual")
    several = random_region(rnd, 200, 2, 40, "usual")
    # Regions of one haplotype: a read length for each kernel, and reads that do not fit.
    lone = [random_region(rnd, 9, 1, length, "usual") for length in (7, 100, 300, 400, 900)]
    unlike = [
        Batch(one.reads, random_region(rnd, 1, 1, 300, "usual").haplotypes) for one in lone[1:]
    ]
    lone_regions = concatenated([*lone, *unlike])
    for precision in ("single", "double"):
        on_cpu = PairHMM(backend="cpu", precision=precision)
        for rows in (0, *cuda_pairhmm.widths(precision)):
            engine = cuda_pairhmm.Engine([0], precision, rows_per_lane=rows)
            batches: list[Batch] = [few] if rows else [few, long]
            for batch in batches:
                assert_same_bits(engine.compute(batch), on_cpu.compute(batch))
            engine.close()
            # Of a small device each tile is computed by one warp.
            engine = cuda_pairhmm.Engine(
                [0], precision, rows_per_lane=rows, device={"multiprocessors": 1}
            )
            for batch in [several] if rows else [several, lone_regions]:
                assert_same_bits(engine.compute(batch), on_cpu.compute(batch))
            engine.close()


def prefilter() -> None:
    """Run every kernel of the pre-alignment filter."""
    reads, segments = simulate.pairs(600, seed=8)
    same = [(s * len(r))[: len(r)] for r, s in zip(reads, segments, strict=True)]
    long = [read * 30 for read in reads[:40]]
    cases: list[tuple[Any, Any, int, list[bytes], list[bytes]]] = [
        ("exact", mode, edits, reads, segments)
        for mode in ("global", "infix", "prefix")
        for edits in (3, 15, 40)
    ]
    cases += [
        ("gatekeeper", "global", 5, [r[:limit] for r in some], [s[:limit] for s in others])
        for limit, some, others in (
            (128, reads, same),
            (256, reads, same),
            (512, [r * 2 for r in reads], [s * 2 for s in same]),
            (9600, long, [s * 30 for s in same[:40]]),
        )
    ]
    for method, mode, edits, some, others in cases:
        want = Prefilter(edits, method=method, mode=mode, backend="cpu").edits(some, others)
        for encode in ("host", "device"):
            with Prefilter(
                edits, method=method, mode=mode, backend="cuda", encode=encode, devices=[0]
            ) as filtering:
                np.testing.assert_array_equal(filtering.edits(some, others), want)


def exact_matches() -> None:
    """Index, count and write exact matches: of one page, of several, and of long tables."""
    for shape in PAPER:
        workload = generated(shape.smaller(400))
        queries = (workload.queries, workload.offsets)
        index = mem.Index([workload.reference], min_length=shape.min_length, backend="cpu")
        given = mem.native_sequences(queries, "queries")
        for kind in ("mem", "mum"):
            want = index.find(queries, kind=kind, strands="both")
            for letters in (0, len(workload.reference) // 3 + 1):
                engine = cuda_mem.Engine([0], page_letters=letters)
                found = (
                    index._open().find(given, shape.min_length, kind, "both", engine=engine).array()
                )
                np.testing.assert_array_equal(found, want)
                engine.close()


def read_correction() -> None:
    """Count in tables that grow, and correct short and long reads with both methods."""
    clean, _ = random_reads(1, genome=3000, rate=0, depth=10)
    reads, qualities = random_reads(1, genome=3000, depth=2, length=90, rate=0.05)
    for _ in range(3):
        reads.append("".join(clean[0][k % len(clean[0])] for k in range(600)))
        qualities.append([30] * 600)
    engine = cuda_correct.Engine([0])
    want = Spectrum.from_reads(clean, k=21, threshold=2, backend="cpu")
    for memory in (0, 300_000):
        spectrum, _ = counted(clean, 21, 2, engine, memory)
        same_spectrum(spectrum, want)
    for method in METHODS:
        same_reads(want, reads, qualities_of(qualities), method, USUAL, engine)
    engine.close()


WORK = {
    "correct": read_correction,
    "mem": exact_matches,
    "pairhmm": pairhmm,
    "prefilter": prefilter,
}


def check(sanitizer: str, tool: str, work: str) -> dict[str, Any]:
    """Run one tool over some kernels."""
    command = [sanitizer, "--tool", tool, *TOOLS[tool], "--report-api-errors", "no"]
    command += ["--print-limit", "20", sys.executable, __file__, "--run", work]
    start = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        output, status = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired as error:
        output, status = (error.stdout or b"").decode(errors="replace"), None
    said = [int(one or other) for one, other in FOUND.findall(output)]
    clean = status == 0 and bool(said) and not any(said)
    result: dict[str, Any] = {
        "tool": tool,
        "kernels": work,
        "clean": clean,
        "found": sum(said) if said else None,
        "exit_status": status,
        "seconds": round(time.perf_counter() - start, 1),
    }
    if not clean:
        result["output"] = output[-6000:]
    return result


def main(record: str | None = None) -> int:
    """Run all tools, and write the record."""
    try:
        about = report.about(gpu=True)
    except BackendUnavailable as error:
        raise SystemExit(f"compute-sanitizer wants a CUDA device: {error}") from None
    sanitizer = shutil.which("compute-sanitizer") or shutil.which(
        "compute-sanitizer", path="/usr/local/cuda/bin"
    )
    if sanitizer is None:
        raise SystemExit("compute-sanitizer is not installed; it comes with the CUDA toolkit")
    version = subprocess.run([sanitizer, "--version"], capture_output=True, text=True).stdout
    checks = []
    # Side by side: most of it is the tools' own work on the CPU.
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        for one in pool.map(lambda case: check(sanitizer, *case), product(TOOLS, WORK)):
            checks.append(one)
            print(f"{one['kernels']}, {one['tool']}: {'clean' if one['clean'] else 'NOT CLEAN'} "
                  f"({one['found']} found, {one['seconds']} s)", flush=True)  # fmt: skip
            if not one["clean"]:
                print(one["output"], flush=True)
    if record is not None:
        found = {
            **about,
            "compute-sanitizer": version.strip().splitlines()[-1] if version else None,
            "kernels": {file: kernels.fingerprint(file) for file in kernels.files()},
            "checks": checks,
        }
        write_json(record, found)
    return 0 if all(one["clean"] for one in checks) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        WORK[sys.argv[2]]()
    else:
        sys.exit(main(*sys.argv[1:]))
