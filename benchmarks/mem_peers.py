"""How long does `gkl-shim mem` take beside mummer, from files to lines?

    python -m benchmarks.mem_peers --papers --json mem.json

The workloads have the shapes of those in the paper on MUMmerGPU 2.0 (Trapnell and Schatz, 2009),
and are generated. Without --papers they are a tenth of the size. Whole commands are timed: gkl-shim
with all CPUs, gkl-shim on GPUs if there are any, and mummer. They take turns, and the table shows
medians.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import click

from benchmarks.common import report
from benchmarks.common.commands import command_rows, shim_command
from benchmarks.common.genomes import PAPER, generated
from gkl_shim.cuda.devices import device_names
from gkl_shim.errors import BackendUnavailable, MissingComponent

# Without --papers, the workloads are this many times smaller.
_SMALLER = 10


@click.command()
@click.option("--papers", is_flag=True, help="Measure workloads of the paper's size.")
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True)
@report.json_option
def command(papers: bool, rounds: int, json_file: str | None) -> None:
    """Compare `gkl-shim mem` with mummer."""
    mummer = shutil.which("mummer")
    if mummer is None:
        raise MissingComponent("mummer is not installed (Debian: mummer)")
    rows: list[dict[str, Any]] = []
    with report.progress() as step, tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        for shape in PAPER:
            step(f"{shape.name}, l = {shape.min_length}")
            shape = shape if papers else shape.smaller(_SMALLER)
            given = [*shape.options, *map(str, generated(shape).write(Path(folder)))]
            commands = {"gkl-shim": shim_command("mem", "--backend", "cpu", *given)}
            if _has_gpus():
                commands["gkl-shim on GPUs"] = shim_command("mem", "--backend", "cuda", *given)
            commands["mummer"] = [mummer, *given]
            about = {"workload": shape.name, "l": shape.min_length}
            rows += command_rows(about, commands, rounds)
    if json_file is not None:
        report.write_json(json_file, {**report.about(), "rows": rows})
    if json_file != "-":
        shown = [{name: row[name] for name in row if name != "rounds"} for row in rows]
        title = "Maximal exact matches, seconds of the whole command (medians)"
        report.print_tables([], [report.Table(title, shown)])


def _has_gpus() -> bool:
    try:
        return bool(device_names())
    except BackendUnavailable:
        return False


if __name__ == "__main__":
    report.run(command)
