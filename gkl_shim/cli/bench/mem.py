"""``gkl-shim bench mem``: compare the whole command with MUMmer's ``mummer``."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import click

from gkl_shim.bench.genomes import PAPER, generated
from gkl_shim.bench.timing import command_rows, shim_command
from gkl_shim.cli.common import _bench, _options
from gkl_shim.cli.common._command import subcommand
from gkl_shim.common import _processor
from gkl_shim.cuda.devices import device_names

# Without --papers, the workloads are this many times smaller.
_SMALLER = 10


@subcommand(
    name="mem",
    short_help="Maximal exact matches, beside mummer.",
    epilog="Example: gkl-shim bench mem --papers --json mem.json",
)
@click.option("--papers", is_flag=True, help="Measure workloads of the paper's size.")
@click.option("--rounds", type=_options.WholeRange(1), default=3, show_default=True)
@_bench.json_option
def command(papers: bool, rounds: int, json_file: str | None) -> None:
    """Time `gkl-shim mem` on this machine, and compare it with mummer.

    The workloads have the shapes of those in the paper on MUMmerGPU 2.0 (Trapnell and Schatz,
    2009), and are generated. Without --papers they are a tenth of the size.

    Whole commands are timed, from files to lines: gkl-shim with all CPUs, gkl-shim on GPUs if
    there are any, and mummer if it is installed. They take turns, and the table shows medians.
    """
    here = _processor.describe()
    missing: dict[str, str] = {}
    cuda = _bench.cuda_devices(device_names, missing)
    mummer = shutil.which("mummer")
    if mummer is None:
        missing["mummer"] = "it is not installed (Debian: mummer)"
    rows: list[dict[str, Any]] = []
    with _bench.progress() as step, tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        for shape in PAPER:
            step(f"{shape.name}, l = {shape.min_length}")
            shape = shape if papers else shape.smaller(_SMALLER)
            given = [*shape.options, *map(str, generated(shape).write(Path(folder)))]
            commands = {"gkl-shim": shim_command("mem", "--backend", "cpu", *given)}
            if cuda:
                commands["gkl-shim on GPUs"] = shim_command("mem", "--backend", "cuda", *given)
            if mummer is not None:
                commands["mummer"] = [mummer, *given]
            about = {"workload": shape.name, "l": shape.min_length}
            rows += command_rows(about, commands, rounds)
    _bench.publish_commands(json_file, here, cuda, missing, "Maximal exact matches", rows)
