"""The classes of all commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import click

from gkl_shim.errors import FormatError


class _Documented(click.Command):
    """A command that has its help also under ``python -OO``, which drops docstrings."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        if self.help is None and self.callback is not None:
            # Imported late, because no other command needs them.
            import ast
            import inspect

            definition = ast.parse(inspect.getsource(self.callback)).body[0]
            assert isinstance(definition, ast.FunctionDef)
            self.help = ast.get_docstring(definition)


class Group(_Documented, click.Group):
    """A command with subcommands."""


class Command(_Documented):
    """A command that refuses an empty name, and an option that is given twice.

    An empty name would be taken for the current folder. Of an option that is given twice, the first
    value would be lost. The whole of an unknown option is named: one hyphen may begin several
    letters that are joined, so Click takes ``-discard`` for an unknown ``-d``.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line."""
        try:
            values, _, given = self.make_parser(ctx).parse_args(list(args))
        except click.NoSuchOption as error:
            shown = {
                name for option in self.params if not _is_hidden(option) for name in option.opts
            }
            word = self._first_unknown(ctx, args)
            with_two_hyphens = f"-{word}"
            near = [with_two_hyphens, *(error.possibilities or ())]
            raise click.NoSuchOption(
                word, possibilities=[name for name in near if name in shown], ctx=ctx
            ) from None
        seen = set()
        for parameter in given:
            if _takes_names(parameter) and "" in _listed(values[str(parameter.name)]):
                raise click.UsageError(f"{_label(parameter)} is empty; give a name", ctx)
            # --help may be repeated.
            if isinstance(parameter, click.Option) and not (
                parameter.multiple or parameter.is_eager
            ):
                if parameter in seen:
                    raise click.UsageError(f"{parameter.opts[-1]} is given twice", ctx)
                seen.add(parameter)
        return super().parse_args(ctx, args)

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


def _is_hidden(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and parameter.hidden


def _takes_names(parameter: click.Parameter) -> bool:
    """Return whether the values are names of files, folders or other things."""
    if isinstance(parameter.type, click.Path):
        return True
    return parameter.type is click.STRING and parameter.default != ""


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]


def _label(parameter: click.Parameter) -> str:
    """Return what the help calls a parameter."""
    if isinstance(parameter, click.Option):
        return parameter.opts[-1]
    return parameter.human_readable_name.strip("[].")


#: Makes a :class:`Command`.
subcommand = partial(click.command, cls=Command)


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn the error of an engine that refuses an option into wrong usage, which exits with 2."""
    try:
        yield
    except FormatError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from error
