"""``gkl-shim doctor``: check what works on this machine."""

from __future__ import annotations

import dataclasses

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import gkl_shim
from gkl_shim import _checkup
from gkl_shim._output_files import check_outputs
from gkl_shim._printable import printable
from gkl_shim.cli import _options


@_options.command(name="doctor", epilog="Example: gkl-shim doctor --json - | jq .ok")
@_options.json_file("the report")
def command(json_file: str | None) -> int:
    """Check what works on this machine.

    Every engine build that this CPU can run computes PairHMM, PDHMM and Smith-Waterman of
    sequences with known results, and so does each GPU for PairHMM. The exit code is 1 if a result
    is wrong, a part is damaged or a setting is refused, and 0 otherwise. Missing parts are listed,
    but are no failure.
    """
    check_outputs(json_file)
    findings = [*_checkup.engines(), *_checkup.parts()]
    works = all(finding.state != "failed" for finding in findings)
    if json_file is not None:
        report = {
            "version": gkl_shim.__version__,
            "ok": works,
            "findings": [dataclasses.asdict(finding) for finding in findings],
        }
        _options.write_json(json_file, report)
    if json_file != "-":
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        table.add_column()
        table.add_column()
        table.add_column(overflow="fold")  # paths stay whole
        styles = {"ok": "green", "missing": "yellow", "failed": "bold red"}
        for finding in findings:
            state = f"[{styles[finding.state]}]{finding.state}[/]"
            table.add_row(finding.name, state, escape(printable(finding.detail)))
        console = Console()
        console.print(f"gkl-shim {gkl_shim.__version__}", highlight=False)
        console.print(table, highlight=False)
    return 0 if works else 1
