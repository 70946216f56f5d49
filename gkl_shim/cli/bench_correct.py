"""``gkl-shim bench correct``: measure the speed of read correction, and compare it with Lighter."""

from __future__ import annotations

import dataclasses
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from gkl_shim.cli import _bench, _processor
from gkl_shim.formats.reads import ReadsFile

_GENOME = 1_000_000
_DEPTH = 30
_LENGTH = 100
_ERRORS = 0.005
_LIGHTER_K = 19


@dataclasses.dataclass(frozen=True)
class _Row:
    """The time of a whole command on one input."""

    input: str
    reads: int
    tool: str
    threads: int
    seconds: float
    """The median of the rounds."""
    rounds: tuple[float, ...]


@click.command(
    name="correct",
    short_help="Read correction, beside Lighter.",
    epilog="Example: gkl-shim bench correct reads.fq --genome 5000000",
)
@click.argument("inputs", metavar="[READS]...", nargs=-1)
@click.option(
    "--genome",
    type=click.IntRange(1),
    default=_GENOME,
    show_default=True,
    help="The size of the genome, which Lighter asks for.",
)
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True)
@_bench.json_option
def command(inputs: tuple[str, ...], genome: int, rounds: int, json_file: str | None) -> None:
    """Time `gkl-shim correct` on this machine, and compare it with Lighter.

    Each tool corrects each file of READS as a whole command, with one thread and with all CPUs.
    Without a file, 300,000 reads of a random genome are generated. Lighter is compared if it is
    installed. The tools take turns, and the table shows medians.
    """
    here = _processor.describe()
    lighter = shutil.which("lighter")
    missing = {} if lighter else {"Lighter": "it is not installed (apt install lighter)"}
    rows: list[_Row] = []
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as temporary, _bench.progress() as show:
        folder = Path(temporary)
        files = [Path(name) for name in inputs] or [_generated(folder)]
        for path in files:
            show(f"{path.name}: counting reads")
            reads = _reads(path)
            for threads in sorted({1, here.usable_cpus}):
                show(f"{path.name}, threads: {threads}")
                tools = {"gkl-shim": _ours(path, folder, threads)}
                if lighter is not None:
                    options = ["-K", str(_LIGHTER_K), str(genome), "-t", str(threads)]
                    out = str(folder / "lighter")
                    tools["Lighter"] = [lighter, "-r", str(path.resolve()), *options, "-od", out]
                took: dict[str, list[float]] = {tool: [] for tool in tools}
                for _ in range(rounds):
                    for tool, line in tools.items():
                        took[tool].append(_seconds(line, folder))
                rows += [
                    _Row(path.name, reads, tool, threads, statistics.median(each), tuple(each))
                    for tool, each in took.items()
                ]
    figures = {"rows": [dataclasses.asdict(row) for row in rows]}
    _bench.publish(json_file, here, [], missing, _table(rows), figures)


def _ours(path: Path, folder: Path, threads: int) -> list[str]:
    code = "from gkl_shim.cli import main; main()"
    options = ["--threads", str(threads), "--force", "-o", str(folder / "ours.fq")]
    return [sys.executable, "-c", code, "correct", str(path.resolve()), *options]


def _seconds(line: list[str], folder: Path) -> float:
    # Started elsewhere, so that Python finds the installed package and not a source folder.
    start = time.perf_counter()
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(f"{Path(line[0]).name} failed: {done.stderr.strip()}")
    return time.perf_counter() - start


def _reads(path: Path) -> int:
    with ReadsFile(path, 0) as file:
        while file.next_chunk() is not None:
            pass
        return file.records


def _generated(folder: Path) -> Path:
    """Make the same reads in every run."""
    rng = random.Random(1)
    genome = "".join(rng.choices("ACGT", k=_GENOME))
    path = folder / "generated.fq"
    with path.open("w") as file:
        for k in range(_GENOME * _DEPTH // _LENGTH):
            start = rng.randrange(_GENOME - _LENGTH + 1)
            read = list(genome[start : start + _LENGTH])
            for _ in range(sum(rng.random() < _ERRORS * _LENGTH / 4 for _ in range(4))):
                read[rng.randrange(_LENGTH)] = rng.choice("ACGT")
            file.write(f"@r{k}\n{''.join(read)}\n+\n{'I' * _LENGTH}\n")
    return path


def _table(rows: list[_Row]) -> _bench.Table:
    table = _bench.Table(
        "Read correction, seconds of the whole command (medians)",
        decimals={"seconds": 2, "reads a second": 0, "times Lighter": 1},
    )
    lighter = {(row.input, row.threads): row.seconds for row in rows if row.tool == "Lighter"}
    for row in rows:
        shown: _bench.Row = {
            "input": row.input,
            "reads": row.reads,
            "tool": row.tool,
            "threads": row.threads,
            "seconds": row.seconds,
            "reads a second": row.reads / row.seconds,
        }
        if (row.input, row.threads) in lighter:
            shown["times Lighter"] = lighter[row.input, row.threads] / row.seconds
        table.rows.append(shown)
    return table
