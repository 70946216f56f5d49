"""How long does nucmer take with `gkl-shim mem` in place of its mummer?

The reference is E. coli. The query is a copy with 2% of its letters changed, some indels, an
inversion, a moved part and a part that occurs twice. Both runs of nucmer must write the same .delta
file. Seconds are medians: CPU seconds of all processes of a run, and wall-clock seconds.

Example: python -m benchmarks.mem_nucmer --ecoli NC_008253.fa.gz --json out.json
"""

from __future__ import annotations

import functools
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import click

from benchmarks.common import report, samples, simulated_samples
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import programs
from gkl_shim.mem._mummer_scripts import copies

_OPTIONS = ("--mumreference", "--mum", "--maxmatch")
_COMPLEMENT = str.maketrans("ACGT", "TGCA")


def _rearranged(letters: str) -> str:
    """Return a mutated copy with an inversion, a moved part and a part that occurs twice."""
    copy, _ = simulated_samples.mutated_copies(letters, 0.02, 3)
    one, two, three = (len(copy) * k // 10 for k in (2, 3, 5))
    inverted = copy[one:two].translate(_COMPLEMENT)[::-1]
    return copy[:one] + inverted + copy[three:] + copy[two:three] + copy[-len(copy) // 100 :]


def _shimmed(nucmer: str, folder: Path) -> str:
    """Return a copy of nucmer, in the folder, that calls `gkl-shim mem`."""
    for copy in copies(folder / "copies"):
        if copy.original.samefile(nucmer) and not copy.fault:
            return str(copy.path)
    raise MissingComponent(f"{nucmer} cannot be copied; see `gkl-shim mummer-scripts`")


def _seconds(program: str, option: str, folder: Path, prefix: str) -> tuple[float, float]:
    """Run nucmer, and return its CPU seconds and its wall-clock seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [program, option, "-p", prefix, "reference.fa", "query.fa"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MissingComponent(f"{program} failed: {done.stderr[-500:]}")
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def _measure(ecoli: Path, nucmer: str, rounds: int, step: report.Progress) -> report.Table:
    rows: list[report.Row] = []
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as temporary:
        folder = Path(temporary)
        letters = samples.read_fasta(ecoli)[1].upper()
        samples.write_reference(folder / "reference.fa", {"reference": letters})
        samples.write_reference(folder / "query.fa", {"query": _rearranged(letters)})
        tools = {"mummer": nucmer, "gkl-shim mem": _shimmed(nucmer, folder)}
        for option in _OPTIONS:
            took: dict[str, list[tuple[float, float]]] = {tool: [] for tool in tools}
            for _ in range(rounds):
                for tool, program in tools.items():
                    step(f"nucmer {option}, {tool}")
                    took[tool].append(_seconds(program, option, folder, tool.replace(" ", "-")))
            deltas = [(folder / f"{tool.replace(' ', '-')}.delta").read_bytes() for tool in tools]
            if deltas[0] != deltas[1]:
                raise MissingComponent(f"nucmer {option}: the .delta files differ")
            for tool, times in took.items():
                cpu, wall = (statistics.median(kind) for kind in zip(*times, strict=True))
                row = {"option": option, "matches by": tool, "CPU seconds": cpu, "seconds": wall}
                rows.append({**row, "lines of the .delta file": deltas[0].count(b"\n")})
    decimals = {"CPU seconds": 2, "seconds": 2}
    return report.Table(
        "nucmer with mummer and gkl-shim mem", rows, name="nucmer", decimals=decimals
    )


@click.command()
@click.option("--ecoli", type=Path, required=True, help="The genome of E. coli, in FASTA.")
@click.option("--rounds", default=3, show_default=True, help="Runs of each.")
@report.json_option
def command(ecoli: Path, rounds: int, json_file: str | None) -> None:
    """Time nucmer with mummer and with gkl-shim mem."""
    nucmer = programs.find("nucmer", "apt install mummer")
    report.measure_tables(
        [functools.partial(_measure, ecoli, nucmer, rounds)], json_file, gpu=False
    )


if __name__ == "__main__":
    report.run(command)
