"""Reports as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gkl_shim.common._output_files import atomic_output

_JSON_LINE = 400
"""The longest line of a report that holds more than one value."""


def write_json(path: str, report: Mapping[str, Any]) -> None:
    """Write a complete report or nothing; ``-`` is standard output.

    What fits in one line stays there, so a table has a line for each row.
    """
    with atomic_output(path) as file:
        file.write((_json_lines(report) + "\n").encode())


def _json_lines(value: Any, indent: int = 0) -> str:
    text = json.dumps(value)
    if indent + len(text) <= _JSON_LINE or not isinstance(value, (Mapping, list, tuple)):
        return text
    margin = " " * (indent + 1)
    if isinstance(value, Mapping):
        parts = [f"{json.dumps(k)}: {_json_lines(v, indent + 1)}" for k, v in value.items()]
    else:
        parts = [_json_lines(part, indent + 1) for part in value]
    first, last = "{}" if isinstance(value, Mapping) else "[]"
    return f"{first}\n{margin}" + f",\n{margin}".join(parts) + f"\n{' ' * indent}{last}"
