"""Find ``tests/<algorithm>/common_cases.py``: what common tests need to know of each algorithm."""

from __future__ import annotations

import importlib
from typing import Any

from tests.conftest import ROOT


def of_each(name: str) -> dict[str, Any]:
    """Return a value of each algorithm's ``common_cases.py``, by algorithm."""
    found = sorted(path.parent.name for path in (ROOT / "tests").glob("*/common_cases.py"))
    modules = {folder: importlib.import_module(f"tests.{folder}.common_cases") for folder in found}
    return {folder: getattr(module, name) for folder, module in modules.items()}
