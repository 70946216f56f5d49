"""How long `gkl-shim pairhmm` takes to read and write, beside `wc` on the same files.

    python benchmarks/file_to_file.py 10s.in --json FILE.json

From the command's time are taken its start, which is the time for a region of one pair, and the
time within the engine, by its own statistics. What is left, reading and writing, is compared with
`wc` on the input and on the output. Command, start and `wc` take turns; all files are in memory.
`taskset -c 0,1` in front gives all of them two CPUs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ONE_PAIR = b"1 1\nA I I I I\nA\n"
CHILD = """
import sys
from gkl_shim import pairhmm
from gkl_shim.cli import pairhmm as subcommand
made = []
class Watched(pairhmm.PairHMM):
    def __init__(self, **options):
        super().__init__(**options)
        made.append(self)
subcommand.PairHMM = Watched
subcommand.command.main(sys.argv[1:], standalone_mode=False)
print(made[0].statistics.seconds)
"""


def command(source: Path, output: Path, options: list[str]) -> tuple[float, float]:
    """Seconds in all, and within the engine."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(source), "-o", str(output), *options],
        check=True,
        cwd=source.parent,
        stdout=subprocess.PIPE,
    )
    return time.perf_counter() - start, float(done.stdout)


def counted(*files: Path) -> float:
    """Seconds that `wc` takes, decompressing what is compressed."""
    start = time.perf_counter()
    for file in files:
        if file.suffix == ".gz":
            subprocess.run(f"zcat {file} | wc", shell=True, check=True, stdout=subprocess.PIPE)
        else:
            subprocess.run(["wc", file], check=True, stdout=subprocess.PIPE)
    return time.perf_counter() - start


def measured(name: str, source: Path, turns: int, options: list[str]) -> dict[str, Any]:
    """Time one input."""
    output, tiny = source.with_suffix(".out"), source.with_name("tiny.in")
    tiny.write_bytes(ONE_PAIR)
    rows = []
    for turn in range(turns + 1):
        start, _ = command(tiny, tiny.with_suffix(".out"), options)
        total, engine = command(source, output, options)
        wc = counted(source, output)
        if turn:  # the first is to warm up
            rest = total - start - engine
            rows.append((total, start, engine, wc, rest, rest / wc))
    medians = [round(statistics.median(column), 3) for column in zip(*rows, strict=True)]
    keys = ("command_s", "start_s", "engine_s", "wc_s", "reading_and_writing_s", "times_wc")
    with output.open("rb") as file:
        results = sum(1 for _ in file)
    sizes = {"bytes_in": source.stat().st_size, "bytes_out": output.stat().st_size}
    return {
        "input": name,
        "results": results,
        **sizes,
        **dict(zip(keys, medians, strict=True)),
        "times_wc_all": [round(row[-1], 3) for row in rows],
    }


def inputs(tens: Path, folder: Path) -> dict[str, Path]:
    """10s.in many times, plain and gzipped, and a deep sample."""
    from gkl_shim.cli import _generated
    from gkl_shim.formats import pairhmm_in

    content = tens.read_bytes() * 300
    many = folder / "many.in"
    many.write_bytes(content)
    packed = folder / "many.in.gz"
    packed.write_bytes(gzip.compress(content, 6))
    deep = folder / "deep.in"
    with deep.open("wb") as file:
        for seed in range(10):
            pairhmm_in.write(file, _generated.regions(11, seed=seed + 1, shape=(1000, 50)))
    return {
        "10s.in 300 times": many,
        "10s.in 300 times, gzipped": packed,
        "110 regions of 1,000 reads by 50 haplotypes": deep,
    }


def main() -> None:
    """Measure all and write it down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tens", type=Path, metavar="10s.in")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--options", default="--backend cpu", help="for the command")
    arguments = parser.parse_args()
    options = arguments.options.split()
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for name, source in inputs(arguments.tens, Path(folder)).items():
            rows.append(measured(name, source, arguments.turns, options))
            print(rows[-1], flush=True)
    report = {"cpus": len(os.sched_getaffinity(0)), "options": options, "rows": rows}
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
