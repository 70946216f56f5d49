"""``gkl-shim doctor``: check what works on this machine."""

from __future__ import annotations

import dataclasses

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import gkl_shim
from gkl_shim.cli.common import _options
from gkl_shim.cli.common._command import subcommand
from gkl_shim.cli.common._json import write_json
from gkl_shim.common._output_files import check_outputs
from gkl_shim.common._printable import printable
from gkl_shim.gatk import checkup

_STYLES = {"ok": "green", "missing": "yellow", "ignored": "yellow", "failed": "bold red"}


@subcommand(name="doctor", epilog="Example: gkl-shim doctor --json - | jq .ok")
@_options.json_file("the report")
def command(json_file: str | None) -> int:
    """Check what works on this machine.

    Every engine build that this CPU can run computes PairHMM, PDHMM and Smith-Waterman of
    sequences with known results, and so does each GPU for PairHMM. The exit code is 1 if a result
    is wrong, a part is damaged, a setting has a wrong value or Java cannot start, and 0 otherwise.
    Missing parts and unknown settings are listed, but are no failure.
    """
    check_outputs(json_file)
    findings = [*checkup.engines(), *checkup.parts()]
    works = all(finding.state != "failed" for finding in findings)
    if json_file is not None:
        report = {
            "version": gkl_shim.__version__,
            "ok": works,
            "findings": [dataclasses.asdict(finding) for finding in findings],
        }
        write_json(json_file, report)
    if json_file != "-":
        click.echo(f"gkl-shim {gkl_shim.__version__}")
        _print(findings)
    return 0 if works else 1


def _print(findings: list[checkup.Finding]) -> None:
    """Print a table. Lines are divided on a terminal only."""
    rows = [
        (printable(finding.name), finding.state, printable(finding.detail)) for finding in findings
    ]
    console = Console()
    if not console.is_terminal:
        width = max(len(name) for name, _, _ in rows)
        for name, state, detail in rows:
            click.echo(f"{name:{width}}  {state:7}  {detail}")
        return
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column()
    table.add_column(overflow="fold")  # paths stay whole
    for name, state, detail in rows:
        table.add_row(escape(name), f"[{_STYLES[state]}]{state}[/]", escape(detail))
    console.print(table, highlight=False)
