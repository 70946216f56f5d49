"""Time the reading and writing of `gkl-shim pairhmm`, and compare it with `wc` on the same files.

    python -m benchmarks.pairhmm_file_to_file 10s.in --json FILE.json

The time for reading and writing is the command's whole time, less its start-up and the time in the
engine. The start-up is the command's time for a region of one pair. The engine's statistics give
the time in the engine. `wc` reads the input and the output; `zcat` decompresses a gzipped input for
it. The command, its start-up and `wc` take turns, and the table shows medians. Keep the files in
memory, for example with TMPDIR=/dev/shm. `taskset -c 0,1` limits the programs to two CPUs.
"""

from __future__ import annotations

import gzip
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from benchmarks.common import regions, report
from benchmarks.common.report import Progress, Row, Table
from gkl_shim.formats import pairhmm_in

ONE_PAIR = b"1 1\nA I I I I\nA\n"
# Runs the command in a separate process, and prints the seconds within the engine.
COMMAND = """
import sys
from gkl_shim import pairhmm
from gkl_shim.cli import pairhmm as subcommand
opened = []
class Watched(pairhmm.PairHMM):
    def __init__(self, **options):
        super().__init__(**options)
        opened.append(self)
subcommand.PairHMM = Watched
subcommand.command.main(sys.argv[1:], standalone_mode=False)
print(opened[0].statistics.seconds)
"""
COLUMNS = ("command", "start", "engine", "wc", "reading_and_writing", "times_wc")
DEEP_SHAPE = (1000, 50)
DEEP_REGIONS = 11


def run_command(source: Path, output: Path, options: Sequence[str]) -> tuple[float, float]:
    """Return the seconds of the command, and those within the engine."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, str(source), "-o", str(output), *options],
        check=True,
        cwd=source.parent,
        stdout=subprocess.PIPE,
    )
    return time.perf_counter() - start, float(done.stdout)


def count_lines(*files: Path) -> float:
    """Return the seconds that `wc` takes."""
    start = time.perf_counter()
    for file in files:
        command = ["sh", "-c", 'zcat "$0" | wc' if file.suffix == ".gz" else 'wc "$0"', str(file)]
        subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return time.perf_counter() - start


def measure(name: str, source: Path, turns: int, options: Sequence[str]) -> Row:
    """Time one input."""
    output, tiny = source.with_suffix(".out"), source.with_name("tiny.in")
    tiny.write_bytes(ONE_PAIR)
    times = []
    for turn in range(turns + 1):
        start, _ = run_command(tiny, tiny.with_suffix(".out"), options)
        total, engine = run_command(source, output, options)
        wc = count_lines(source, output)
        if turn:  # the first one fills caches
            rest = total - start - engine
            times.append((total, start, engine, wc, rest, rest / wc))
    with output.open("rb") as file:
        results = sum(1 for _ in file)
    medians = [round(statistics.median(column), 3) for column in zip(*times, strict=True)]
    return {
        "input": name,
        "results": results,
        "bytes_in": source.stat().st_size,
        "bytes_out": output.stat().st_size,
        **dict(zip(COLUMNS, medians, strict=True)),
    }


def write_inputs(recorded: Path, copies: int, folder: Path) -> dict[str, Path]:
    """Write the repeated input, plain and gzipped, and deep regions."""
    content = recorded.read_bytes() * copies
    many, packed, deep = (folder / name for name in ("many.in", "packed.in.gz", "deep.in"))
    many.write_bytes(content)
    packed.write_bytes(gzip.compress(content, 6))
    count = max(1, copies // 30)
    with deep.open("wb") as file:
        for seed in range(count):
            batch = regions.generated(DEEP_REGIONS, seed=seed + 1, shape=DEEP_SHAPE)
            pairhmm_in.write(file, batch)
    reads, haplotypes = DEEP_SHAPE
    return {
        f"{recorded.stem}, {copies} times": many,
        f"{recorded.stem}, {copies} times, gzipped": packed,
        f"{DEEP_REGIONS * count} regions of {reads} x {haplotypes}": deep,
    }


def file_to_file(
    recorded: Path, copies: int, turns: int, options: Sequence[str], step: Progress
) -> Table:
    """Time each input."""
    table = Table(
        "gkl-shim pairhmm from file to file, seconds",
        name="file_to_file",
        note=f"The command had the options {' '.join(options)}.",
    )
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        for name, source in write_inputs(recorded, copies, Path(folder)).items():
            step(name)
            table.rows.append(measure(name, source, turns, options))
    return table


@click.command()
@click.argument(
    "recorded",
    metavar="INPUT.in",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--copies", default=300, show_default=True, help="How often to repeat INPUT.in.")
@click.option("--turns", default=9, show_default=True, help="How often to time each program.")
@click.option("--backend", default="cpu", show_default=True, help="The command's --backend.")
@report.json_option
def command(recorded: Path, copies: int, turns: int, backend: str, json_file: str | None) -> None:
    """Measure how long `gkl-shim pairhmm` takes to read and write."""
    options = ("--backend", backend)
    measures = [partial(file_to_file, recorded, copies, turns, options)]
    report.measure_tables(measures, json_file, gpu=backend != "cpu")


if __name__ == "__main__":
    report.run(command)
