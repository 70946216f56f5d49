"""``gkl-shim bench``: measure the speed of this machine.

Each of its subcommands is the object ``command`` in a module ``bench_<algorithm>``.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import click


@click.group(name="bench", epilog="Example: gkl-shim bench pairhmm --seconds 2")
def command() -> None:
    """Measure the speed of this machine."""


for _file in sorted(Path(__file__).parent.glob("bench_*.py")):
    command.add_command(importlib.import_module(f"gkl_shim.cli.{_file.stem}").command)
