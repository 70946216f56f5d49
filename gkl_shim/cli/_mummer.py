"""MUMmer's way of giving options: long names behind one hyphen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from gkl_shim.cli import _options
from gkl_shim.mem import Kind

__all__ = ["Command", "flag", "kind_of"]

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


class Command(_options.Command):
    """A command that names the whole of an unknown option.

    One hyphen begins MUMmer's long options, but also several letters that are joined, so Click
    takes ``-child`` for ``-c``, ``-h`` and an unknown ``-i``.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            word = self._first_unknown(ctx, given)
            raise click.NoSuchOption(word, possibilities=error.possibilities, ctx=ctx) from None

    def _first_unknown(self, ctx: click.Context, words: list[str]) -> str:
        """Return the word with an unknown option: the last one of the shortest part with one."""
        for count in range(1, len(words)):
            try:
                self.make_parser(ctx).parse_args(words[:count])
            except click.NoSuchOption:
                return words[count - 1]
            except click.UsageError:
                pass  # the last option lacks its value
        return words[-1]


def kind_of(flags: dict[str, bool]) -> Kind:
    """Take the options that choose the kind of matches out of `flags`."""
    kinds = {kind for name, kind in _KINDS.items() if flags.pop(name)}
    if len(kinds) > 1:
        raise click.UsageError("give one of -maxmatch, -mum and -mumreference")
    return kinds.pop() if kinds else "mumreference"
