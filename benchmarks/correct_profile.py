"""Profile the kernels of read correction, and count the look-ups in the spectrum.

    python -m benchmarks.correct_profile --json FILE.json

The tables: `profile`, Nsight Compute's figures of each kernel (ncu): the share of lanes that are
active in an instruction, occupancy, the use of memory, and registers; the largest launch is shown.
`look-ups`, of the screen and of the reads that fail it: how many k-mers are absent, and how many
bits of the spectrum each look-up reads. The reads are those of benchmarks/correct_cuda.py.
"""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
from functools import partial
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import report
from benchmarks.common.report import Progress, Row, Table
from benchmarks.correct_cuda import Generated, generated, genome_of
from gkl_shim._native_correct import METHODS
from gkl_shim.correct import Spectrum
from gkl_shim.cuda.correct import Engine

_SECTIONS = {
    "milliseconds": ("gpu__time_duration.sum", 1e-6),
    "active lanes %": ("smsp__thread_inst_executed_per_inst_executed.ratio", 100 / 32),
    "occupancy %": ("sm__warps_active.avg.pct_of_peak_sustained_active", 1),
    "issue slots %": ("sm__inst_issued.avg.pct_of_peak_sustained_active", 1),
    "L2 %": ("lts__throughput.avg.pct_of_peak_sustained_elapsed", 1),
    "DRAM %": ("dram__throughput.avg.pct_of_peak_sustained_elapsed", 1),
    "DRAM GB/s": ("dram__bytes.sum.per_second", 1e-9),
    "registers": ("launch__registers_per_thread", 1),
    "waits for memory": (
        "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 1,
    ),
    "waits for code": (
        "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio", 1,
    ),
    "million instructions": ("smsp__inst_executed.sum", 1e-6),
}  # fmt: skip
# The hash of kernels/correct/model.h.
_FACTORS = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)
_COUNT_BITS = 8


@click.command()
@report.json_option
@click.option("--genome", help="A genome in FASTA. By default a random one of E. coli's size.")
@click.option("--smaller", type=int, default=1, help="Divide the number of reads by this.")
@click.option("--profiled", is_flag=True, hidden=True, help="Only run the kernels.")
def command(json_file: str | None, genome: str | None, smaller: int, profiled: bool) -> None:
    """Profile the kernels of read correction, and count look-ups."""
    letters = genome_of(genome)
    data = generated("30x, 100 bases", letters, len(letters) * 30 // 100 // smaller, 100, 0.00144)
    if profiled:
        _run(data)
        return
    options = ["--smaller", str(smaller), *(["--genome", genome] if genome else [])]
    report.measure_tables(
        [partial(_profile, options), partial(_lookups, data)], json_file, gpu=True
    )


def _run(data: Generated) -> None:
    spectrum = Spectrum.from_reads(data.arrays, backend="cuda", devices=[0])
    engine = Engine([0])
    for method in METHODS:
        engine.measure(spectrum.native, data.arrays, data.qualities.reshape(-1), method, 1)
    engine.close()


def _profile(options: list[str], step: Progress) -> Table:
    table = Table("Profile of the kernels (ncu)", name="profile")
    ncu = shutil.which("ncu")
    if ncu is None:
        table.note = "ncu is not installed"
        return table
    step("profile")
    metrics = [metric for metric, _ in _SECTIONS.values()]
    line = [ncu, "--csv", "--clock-control", "none", "--print-units", "base"]
    line += ["--metrics", ",".join(metrics), sys.executable, "-m", "benchmarks.correct_profile"]
    output = subprocess.run([*line, "--profiled", *options], capture_output=True, text=True).stdout
    text = output[output.find('"ID"') :]
    launches: dict[str, dict[str, Any]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        launch = launches.setdefault(row["ID"], {"kernel": row["Kernel Name"].partition("(")[0]})
        launch[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    largest: dict[str, dict[str, Any]] = {}
    duration = _SECTIONS["milliseconds"][0]
    for launch in launches.values():
        before = largest.get(launch["kernel"])
        if before is None or launch[duration] > before[duration]:
            largest[launch["kernel"]] = launch
    for name, launch in largest.items():
        row_: Row = {"kernel": name.rpartition("::")[2]}
        for column, (metric, factor) in _SECTIONS.items():
            row_[column] = launch[metric] * factor if metric in launch else None
        table.rows.append(row_)
    if not table.rows:
        table.note = "ncu may not profile here"
    return table


def _lookups(data: Generated, step: Progress) -> Table:
    step("look-ups")
    spectrum = Spectrum.from_reads(data.arrays)
    table = Table("Look-ups in the spectrum", name="look-ups")
    last = data.letters.shape[1] - spectrum.k
    sampled = sorted({*range(0, last, spectrum.k // 2), last})
    failed = np.zeros(len(data.letters), bool)
    queries = absent = slots = 0
    for at in sampled:
        found, read = _look_up(spectrum, data.letters[:, at : at + spectrum.k])
        failed |= ~found
        queries, absent, slots = queries + len(found), absent + int((~found).sum()), slots + read
    table.rows.append(_row("screen, all reads", queries, absent, slots))
    queries = absent = slots = 0
    for at in range(last + 1):
        found, read = _look_up(spectrum, data.letters[failed, at : at + spectrum.k])
        queries, absent, slots = queries + len(found), absent + int((~found).sum()), slots + read
    table.rows.append(_row(f"all k-mers of {failed.sum()} reads", queries, absent, slots))
    table.note = (
        f"{spectrum.bytes} bytes; {spectrum.false_positive_rate:.2g} of absent k-mers are taken "
        "for present ones"
    )
    return table


def _row(name: str, queries: int, absent: int, slots: int) -> Row:
    return {
        "look-ups": name,
        "number": queries,
        "absent %": 100 * absent / queries,
        "bits a look-up": 32 * slots / queries,
    }


def _look_up(spectrum: Spectrum, kmers: NDArray[np.uint8]) -> tuple[NDArray[np.bool_], int]:
    """Return which k-mers, a row of letters each, are in the spectrum, and the slots read."""
    k, size = np.uint64(spectrum.k), np.uint64(spectrum.native.information().size)
    codes = (kmers >> 1 & 3).astype(np.uint64)
    forward, reverse = np.zeros(len(kmers), np.uint64), np.zeros(len(kmers), np.uint64)
    for p in range(spectrum.k):
        forward = forward << np.uint64(2) | codes[:, p]
        reverse = reverse << np.uint64(2) | codes[:, spectrum.k - 1 - p] ^ np.uint64(2)
    x = np.minimum(forward, reverse)
    mask = np.uint64((1 << 2 * spectrum.k) - 1)
    for factor in _FACTORS:
        x ^= x >> k
        x = (x * np.uint64(factor)) & mask
    at = (x << np.uint64(64 - 2 * spectrum.k) >> np.uint64(32)) * size >> np.uint64(32)
    wanted = x.astype(np.uint32) << np.uint32(_COUNT_BITS)
    slots = spectrum.native.information().slots
    found = np.zeros(len(x), bool)
    left, read = np.arange(len(x)), 0
    while len(left):
        here = slots[at[left]]
        read += len(left)
        same = (here != 0) & ((here >> np.uint32(_COUNT_BITS) << np.uint32(_COUNT_BITS))
                              == wanted[left])  # fmt: skip
        found[left[same]] = True
        left = left[~same & (here != 0)]
        at[left] += np.uint64(1)
    return found, read


if __name__ == "__main__":
    report.run(command)
