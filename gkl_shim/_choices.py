"""Check arguments that are one of a few words. This module imports no NumPy, which takes long."""

from __future__ import annotations

from typing import Any, get_args

__all__ = ["check_choice"]


def check_choice(name: str, value: Any, allowed: Any) -> None:
    """Raise ValueError if an argument is none of the words of a ``Literal``."""
    if value not in get_args(allowed):
        raise ValueError(f"{name} is {value!r}, not one of {', '.join(get_args(allowed))}")
