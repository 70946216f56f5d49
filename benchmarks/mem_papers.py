"""Measure the whole command `gkl-shim mem` beside mummer and, if given, copMEM2.

    python -m benchmarks.mem_papers --copmem2 PROGRAM --json FILE.json

The workloads are those of `gkl-shim bench mem --papers`: the paper's on MUMmerGPU 2.0, simulated,
and two genomes. The commands run in turns, with two threads where they have threads. They drop
their output; only copMEM2 writes a file. The table has the medians, and how many times as long the
others take. `--json` also has the steps in memory. copMEM2 serves lengths of 50 and more.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import click

from benchmarks.common import mem_times, report
from benchmarks.common.report import Progress, Table
from gkl_shim.bench.genomes import PAPER, Shape, generated
from gkl_shim.bench.timing import commands_in_turns, shim_command

# The least length that copMEM2 serves.
_COPMEM_FROM = 50


@click.command()
@report.json_option
@click.option("--mummer", default="mummer", help="The program. Default: the one on the PATH.")
@click.option("--copmem2", help="The program. Default: it is not measured.")
@click.option("--threads", type=int, default=2, show_default=True)
@click.option("--rounds", type=int, default=3, show_default=True)
@click.option("--smaller", type=int, default=1, help="Divide the workloads' sizes by this.")
def command(
    json_file: str | None, mummer: str, copmem2: str | None, threads: int, rounds: int, smaller: int
) -> None:
    """Measure the whole command beside mummer and copMEM2."""

    def commands(step: Progress) -> Table:
        table = Table(
            f"Whole commands with {threads} threads, seconds (medians of {rounds})", name="commands"
        )
        for shape in PAPER:
            step(f"{shape.name}, l = {shape.min_length}")
            table.rows.append(_commands(shape.smaller(smaller), mummer, copmem2, threads, rounds))
        return table

    def steps(step: Progress) -> Table:
        table = Table(f"Steps in memory with {threads} threads, seconds", name="steps")
        for shape in PAPER:
            step(f"{shape.name}, l = {shape.min_length}")
            table.rows.append(mem_times.on_cpu(generated(shape.smaller(smaller)), threads))
        return table

    report.measure_tables([commands, steps], json_file, gpu=False)


def _commands(
    shape: Shape, mummer: str, copmem2: str | None, threads: int, rounds: int
) -> report.Row:
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        files = list(map(str, generated(shape).write(Path(folder))))
        options = [*shape.options, *files]
        commands = {
            "gkl-shim": shim_command("mem", "-threads", str(threads), *options),
            "mummer": [mummer, *options],
        }
        if copmem2 is not None and shape.min_length >= _COPMEM_FROM:
            strands = ["-b"] if shape.both_strands else []
            commands["copMEM2"] = [
                copmem2, *strands, "-l", str(shape.min_length), "-t", str(threads),
                "-o", str(Path(folder, "copmem2.txt")), *files,
            ]  # fmt: skip
        times = commands_in_turns(commands, rounds)
    row: report.Row = {"workload": shape.name, "l": shape.min_length}
    row |= {name: statistics.median(each) for name, each in times.items()}
    for name in list(commands)[1:]:
        ratios = [other / ours for other, ours in zip(times[name], times["gkl-shim"], strict=True)]
        row[f"times {name}"] = statistics.median(ratios)
    return row


if __name__ == "__main__":
    report.run(command)
