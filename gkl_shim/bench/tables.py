"""Print tables of measurements."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeAlias

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from gkl_shim.common._printable import printable

Row: TypeAlias = dict[str, "str | int | float | None"]

_FILE_WIDTH = 160


@dataclasses.dataclass
class Table:
    """A table of measurements."""

    title: str
    rows: list[Row] = dataclasses.field(default_factory=list)
    note: str = ""
    decimals: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """The number of decimals, by column. Other floats show four significant digits."""


def wide_console() -> Console:
    """Return a console for standard output, wide enough for all columns unless on a terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=_FILE_WIDTH)


def print_table(console: Console, table: Table) -> None:
    """Print a table and its note. A column without any value is left out."""
    shown = RichTable(title=escape(table.title), title_justify="left", box=box.SIMPLE)
    columns = list(dict.fromkeys(name for row in table.rows for name in row))
    columns = [name for name in columns if any(row.get(name) is not None for row in table.rows)]
    for name in columns:
        is_text = all(isinstance(row.get(name), str | None) for row in table.rows)
        shown.add_column(name.replace("_", " "), justify="left" if is_text else "right")
    for row in table.rows:
        texts = (cell_text(row.get(name), table.decimals.get(name)) for name in columns)
        shown.add_row(*map(escape, texts))
    console.print(shown)
    if table.note:
        note = "\n".join(map(printable, table.note.split("\n")))
        soft_wrap = not console.is_terminal
        console.print(f"{note}\n", highlight=False, markup=False, soft_wrap=soft_wrap)


def cell_text(value: str | int | float | None, decimals: int | None = None) -> str:
    """Format a value for a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if decimals is not None:
            return f"{value:,.{decimals}f}"
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else printable(value)
