"""``gkl-shim bench``: measure the speed of this machine.

Each of its subcommands is the object ``command`` in the module of that name.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import click

from gkl_shim.cli.common._command import Group


@click.group(name="bench", cls=Group, epilog="Example: gkl-shim bench pairhmm --seconds 2")
def command() -> None:
    """Measure the speed of this machine."""


for _file in sorted(Path(__file__).parent.glob("[!_]*.py")):
    command.add_command(importlib.import_module(f"gkl_shim.cli.bench.{_file.stem}").command)
