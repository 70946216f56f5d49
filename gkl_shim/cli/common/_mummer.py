"""MUMmer's way of giving options: long names behind one hyphen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from gkl_shim.mem import Kind

_Function = TypeVar("_Function", bound=Callable[..., None])

_KINDS: dict[str, Kind] = {
    "maxmatch": "mem",
    "mum": "mum",
    "mumcand": "mumreference",
    "mumreference": "mumreference",
}


def flag(*names: str, help: str) -> Callable[[_Function], _Function]:
    """Return an option without a value."""
    return click.option(*names, is_flag=True, help=help)


def kind_of(flags: dict[str, bool]) -> Kind:
    """Take the options that choose the kind of matches out of `flags`."""
    kinds = {kind for name, kind in _KINDS.items() if flags.pop(name)}
    if len(kinds) > 1:
        raise click.UsageError("give one of -maxmatch, -mum and -mumreference")
    return kinds.pop() if kinds else "mumreference"
