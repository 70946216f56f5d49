"""``gkl-shim mummer-scripts``: nucmer and its kin with ``gkl-shim mem`` in place of mummer."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from gkl_shim.cli.common._command import subcommand
from gkl_shim.common._printable import printable
from gkl_shim.mem._mummer_scripts import copies


@subcommand(name="mummer-scripts", epilog="Example: gkl-shim mummer-scripts ~/mummer-with-gkl-shim")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
def command(folder: Path) -> int:
    """Copy MUMmer 3's scripts to FOLDER, and let the copies call `gkl-shim mem`.

    These are nucmer, promer, run-mummer1, run-mummer3 and dnadiff, as far as they are on the PATH.
    Each copy is tried on a small input, and is kept if it writes the same files as the original.
    The exit code is 1 if none does.
    """
    made = False
    for copy in copies(folder):
        made |= not copy.fault
        if copy.fault:
            click.echo(printable(f"{copy.original}: no copy: {copy.fault}"), err=True)
        else:
            click.echo(printable(f"{copy.path}: it writes the same files as {copy.original}"))
    place = str(folder.resolve())
    if made and os.pathsep not in place:
        click.echo(f'To use them: export PATH={shlex.quote(place)}:"$PATH"')
    elif made:
        click.echo("Call them by their paths: PATH cannot hold a folder with a colon.")
    return 0 if made else 1
