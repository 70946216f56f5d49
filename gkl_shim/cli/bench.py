"""``gkl-shim bench``: measure the speed of this machine."""

from __future__ import annotations

import click

from gkl_shim.cli import bench_pairhmm, bench_prefilter


@click.group(name="bench", epilog="Example: gkl-shim bench pairhmm --seconds 2")
def command() -> None:
    """Measure the speed of this machine."""


command.add_command(bench_pairhmm.command)
command.add_command(bench_prefilter.command)
