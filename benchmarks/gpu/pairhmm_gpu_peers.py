"""Measure Endeavor's and gpuPairHMM's CUDA kernels beside ours, in one run on one device.

    python -m benchmarks.gpu.pairhmm_gpu_peers --endeavor DIR --gpupairhmm DIR --json FILE.json

DIR is a clone of github.com/champ-hub/pairhmm-endeavor (its folder GPU/CUDA) or of
github.com/asbschmidt/gpuPairHMM. Their programs are built in PROGRAMS if they are not there. Needs
nvcc, make, zlib, a CUDA device and CuPy. The JSON is
results/pairhmm/pairhmm-gpu-peers-h100.json.

Reads and haplotypes have the same length. Kernel times are of each program's own benchmark, which
makes its own pairs: Endeavor's pairs share nothing, gpuPairHMM's are regions of 32 reads and 32
haplotypes. Ours are regions of one haplotype with 64 reads or one, in single and double precision;
reads of more than 1,024 bases are computed in double precision alone. Our whole calls go from NumPy
arrays to a NumPy array. The peers have no such calls, but programs for files: gpuPairHMM's and ours
are timed with the same file, and both outputs are compared with our CPU engine in double
precision. Endeavor's program for files writes no results.
"""

from __future__ import annotations

import itertools
import math
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks.common import report
from benchmarks.common.report import median_seconds
from benchmarks.gpu.call_parts import TimedEngine
from benchmarks.gpu.pairhmm_lone import lone
from benchmarks.gpu.pairhmm_long_reads import long_reads
from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.formats import pairhmm_in
from gkl_shim.pairhmm import PairHMM
from gkl_shim.pairhmm import _cuda as cuda

# Pairs and lengths. Endeavor's benchmark halves the number of pairs at each third length. It has
# 1 << 22 pairs itself, which take minutes to make if they are long.
ENDEAVOR_RUNS = {
    "short": (1 << 22, (32, 64, 128)),
    "middle": (1 << 20, (256, 512, 1024)),
    "long": (1 << 11, (2048, 4096, 8192, 16384)),
}
LONE = (32, 64, 128, 256, 512, 1024)
LONG = (2048, 4096, 8192, 16384)
LONG_CELLS = 2e10
FILE_BASES, FILE_REGIONS = 128, 2000
# A line of gpuPairHMM's benchmark that runs a kernel: its name, lanes, and rows per lane.
KERNEL = re.compile(r"^ *RUN_(\w+)\((\d+), *(\d+).*\);?$", re.MULTILINE)


def run(*command: str | Path, cwd: Path) -> str:
    """Run a program, and return what it prints."""
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def build_endeavor(source: Path, folder: Path) -> None:
    """Build Endeavor's benchmark with fewer pairs, once for each run."""
    shutil.copytree(source, folder)
    program = (folder / "pairHMM.cu").read_text()
    for name, (pairs, lengths) in ENDEAVOR_RUNS.items():
        listed = ", ".join(map(str, lengths))
        changed = program.replace("batchsize = 4194304", f"batchsize = {pairs}")
        changed = re.sub(r"lengths\[13\] = {.*?}", f"lengths[13] = {{{listed}}}", changed)
        changed = changed.replace("lenidx == 13", f"lenidx == {len(lengths)}")
        (folder / f"{name}.cu").write_text(changed)
        options = ("-O3", "-arch=native", "--fmad=true", "--expt-relaxed-constexpr")
        run("nvcc", *options, f"{name}.cu", "-o", name, "-lz", cwd=folder)


def build_gpupairhmm(source: Path, folder: Path) -> None:
    """Build gpuPairHMM, and its benchmark without pauses and with these lengths only."""
    shutil.copytree(source, folder)

    def chosen(call: re.Match[str]) -> str:
        kind, lanes, rows = call.groups()
        wanted = kind == "SINGLE_TILE" and int(lanes) * int(rows) in LONE
        return call.group() if wanted else ""

    file = folder / "benchmark_peakperformance.cu"
    program = file.read_text().replace("std::this_thread::sleep_for(2s);", "")
    file.write_text(KERNEL.sub(chosen, program))
    number = cuda_devices.describe()[0]["compute_capability"].replace(".", "")
    options = (f"GPUARCH={number}", f"TUNINGARCH={number}")
    run("make", "-j4", *options, "gpuPairHMM", "benchmark_peakperformance", cwd=folder)


def endeavor(folder: Path) -> list[dict[str, Any]]:
    """Run Endeavor's benchmark."""
    rows = []
    for name, bits in itertools.product(ENDEAVOR_RUNS, (32, 64)):
        out = run(f"./{name}", "--benchmark", "--precision", str(bits), cwd=folder)
        for bases, rate in re.findall(
            r"Sequence Lengths: (\d+).*?Throughput: ([\d.]+)", out, re.DOTALL
        ):
            row = {"program": "Endeavor", "bits": bits, "bases": int(bases)}
            rows.append({**row, "kernel_tcups": round(float(rate), 3)})
    return rows


def gpupairhmm(folder: Path) -> list[dict[str, Any]]:
    """Run gpuPairHMM's benchmark; for each length, take its fastest kernel."""
    best: dict[int, float] = {}
    for line in run("./benchmark_peakperformance", cwd=folder).splitlines():
        numbers = line.split(",")
        if len(numbers) == 6:
            bases, mean = int(numbers[2]), float(numbers[4]) / 1e3
            best[bases] = max(best.get(bases, 0), mean)
    return [
        {"program": "gpuPairHMM", "bits": 32, "bases": bases, "kernel_tcups": round(rate, 3)}
        for bases, rate in sorted(best.items())
    ]


def ours(bits: int, bases: int, reads: int, repeats: int) -> dict[str, Any]:
    """Time our kernels alone and whole calls."""
    batch = lone(reads, bases, "numbers")
    precision: cuda.Precision = "single" if bits == 32 else "double"
    engine = cuda.Engine([0], precision)
    took = median_seconds(partial(engine.compute, batch), repeats)
    engine.close()
    row: dict[str, Any] = {"program": "gkl-shim", "bits": bits, "bases": bases, "reads": reads}
    # Single precision has no kernels for longer reads.
    if bits == 64 or bases <= 1024:
        alone = TimedEngine(precision)
        row["kernel_tcups"] = round(alone.parts(batch[: max(1, len(batch) // 4)], 3).tcups, 3)
        alone.close()
    return {**row, "call_tcups": round(batch.cells / took / 1e12, 3)}


def ours_long(bases: int, repeats: int) -> dict[str, Any]:
    """Time whole calls with long reads, a region each."""
    batch = long_reads(max(1, int(LONG_CELLS / bases**2)), bases)
    engine = cuda.Engine([0], "double")
    took = median_seconds(partial(engine.compute, batch), repeats)
    engine.close()
    rate = round(batch.cells / took / 1e12, 3)
    return {"program": "gkl-shim", "bits": 64, "bases": bases, "reads": 1, "call_tcups": rate}


def number(word: str) -> float:
    """Return a number, or NaN: gpuPairHMM sometimes runs several into each other."""
    try:
        return float(word)
    except ValueError:
        return math.nan


def files(peer: Path, folder: Path, repeats: int) -> list[dict[str, Any]]:
    """Time whole commands with one file, and compare their results with double precision."""
    batch = lone(64, FILE_BASES, "one")[:FILE_REGIONS]
    source = folder / "pairs.in"
    with source.open("wb") as file:
        pairhmm_in.write(file, batch)
    with PairHMM(backend="cpu", precision="double") as engine:
        expected = engine.compute(batch)
    shim = (sys.executable, "-c", "from gkl_shim.cli import main; main()", "pairhmm")
    out = folder / "out"
    commands = {
        "gpuPairHMM": (peer, "--inputfile", source, "--outputfile", out),
        "gkl-shim, CUDA": (*shim, "--backend", "cuda", source, "-o", out),
        "gkl-shim, CPU": (*shim, "--backend", "cpu", source, "-o", out),
    }
    rows = []
    for name, command in commands.items():
        took = median_seconds(partial(run, *command, cwd=folder), repeats)
        words = [line for line in out.read_text().split("\n")[:-1] if line != "64 1"]
        values = np.array([number(word) for word in words])
        row = {
            "program": name,
            "bases": FILE_BASES,
            "pairs": batch.pairs,
            "command_seconds": round(took, 3),
            "lines_that_are_no_number": int(np.isnan(values).sum()),
        }
        if len(values) == len(expected):
            row["largest_difference"] = float(np.nanmax(np.abs(values - expected)))
        rows.append(row)
    return rows


@click.command()
@click.option("--endeavor", "endeavor_source", required=True, type=click.Path(path_type=Path))
@click.option("--gpupairhmm", "gpupairhmm_source", required=True, type=click.Path(path_type=Path))
@click.option("--programs", default="build/peers", type=click.Path(path_type=Path))
@click.option("--build-only", is_flag=True, help="Build the peers' programs, and measure nothing.")
@click.option("--repeats", default=5, help="Whole calls and commands of each input.")
@report.json_option
def command(
    endeavor_source: Path,
    gpupairhmm_source: Path,
    programs: Path,
    build_only: bool,
    repeats: int,
    json_file: str | None,
) -> None:
    """Measure the kernels of Endeavor, gpuPairHMM and gkl-shim on the first GPU."""
    peers = {"endeavor": endeavor_source, "gpupairhmm": gpupairhmm_source}
    builders = {"endeavor": build_endeavor, "gpupairhmm": build_gpupairhmm}
    programs = programs.resolve()
    for name, source in peers.items():
        if not (programs / name).exists():
            with tempfile.TemporaryDirectory() as folder:
                builders[name](source, Path(folder) / name)
                shutil.copytree(Path(folder) / name, programs / name)
    if build_only:
        return
    rows = [*endeavor(programs / "endeavor"), *gpupairhmm(programs / "gpupairhmm")]
    for bits, reads, bases in itertools.product((32, 64), (64, 1), LONE):
        rows.append(ours(bits, bases, reads, repeats))
    rows += [ours_long(bases, repeats) for bases in LONG]
    with tempfile.TemporaryDirectory() as folder:
        commands = files(programs / "gpupairhmm" / "gpuPairHMM", Path(folder), repeats)
    found = {
        **report.about(gpu=True),
        "note": "TCUPS: 10^12 cells a second. Kernels: means of the peers' own benchmarks, and "
        f"medians of 3 of ours, results included. Calls and commands: medians of {repeats}.",
        "rows": rows,
        "files": commands,
    }
    report.write_json(json_file or "-", found)


if __name__ == "__main__":
    report.run(command)
