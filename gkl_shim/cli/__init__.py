"""The command ``gkl-shim``. Each subcommand is the object ``command`` in the module of that name.

A subcommand returns its exit code, or None for 0. An exception becomes one line on stderr.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
import traceback
from typing import Any, NoReturn

import click

import gkl_shim
from gkl_shim.cli.common._command import Group
from gkl_shim.cli.common._early import wake_devices
from gkl_shim.cli.common._terminal import (
    end_on_signals,
    keep_exit_codes,
    open_standard_streams,
    show_warnings,
)
from gkl_shim.common._descriptors import own_descriptor
from gkl_shim.common._output_files import STANDARD_OUTPUT, WrongName
from gkl_shim.common._printable import printable
from gkl_shim.errors import BackendUnavailable, FormatError, MissingComponent

__all__ = ["cli", "main"]

_SUBCOMMANDS = {
    "doctor": "Check what works on this machine.",
    "env": "Print the environment variables that enable the shim in any GATK launcher.",
    "gatk": "Run GATK with or without the shim, and report the time in each kernel.",
    "validate": "Compare what GATK writes with and without the shim on your own data.",
    "demo": "Compare GATK with and without the shim on real reads.",
    "pairhmm": "Compute the likelihoods of reads given haplotypes.",
    "pdhmm": "Compute the same for partially determined haplotypes.",
    "prefilter": "Report which read-segment pairs are within a number of edits.",
    "smithwaterman": "Align pairs of sequences as GATK does.",
    "mem": "Find maximal exact matches, with mummer's options and output.",
    "correct": "Correct sequencing errors in short reads.",
    "bench": "Measure PairHMM on this machine, beside Intel's GKL.",
}


class _BrokenPipe(Exception):  # noqa: N818 - it wraps an error
    """Wraps a BrokenPipeError, for which click would end the command without a message."""


class _LazyGroup(Group):
    """Imports a subcommand only when it runs, so that no subcommand can break or slow another."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _BrokenPipe from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _SUBCOMMANDS:
            return None
        try:
            module = importlib.import_module(f"gkl_shim.cli.{cmd_name.replace('-', '_')}")
        except ImportError as error:
            raise click.ClickException(f"{cmd_name} cannot start: {error}") from error
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # Contexts are created while the subcommand is imported.
        wake_devices(args)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_SUBCOMMANDS.items()))


def _print_version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    # click.version_option() would look the version up in every run, which takes longer than most
    # imports.
    if wanted and not ctx.resilient_parsing:
        click.echo(f"gkl-shim {gkl_shim.__version__}")
        ctx.exit()


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: gkl-shim doctor",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Accelerate GATK, and run its native kernels and other algorithms on files."""


def main() -> NoReturn:
    """Run the command line and exit: 0 for success, 1 for a failure, 2 for wrong usage."""
    try:
        open_standard_streams()
        show_warnings()
        keep_exit_codes()
        end_on_signals()
        code = _run()
        sys.stderr.flush()
    except SystemExit as ended:
        # A signal ended the command. Standard output is not flushed, because nobody may read it.
        code = ended.code if isinstance(ended.code, int) else 1
    # Exit without joining threads: a background thread may wait for input that never comes.
    os._exit(code)


def _run() -> int:
    """Run the command line, print any error, and return the exit code."""
    try:
        try:
            result = cli.main(prog_name="gkl-shim", standalone_mode=False)
        except _BrokenPipe as wrapped:
            assert isinstance(wrapped.__cause__, OSError)
            raise wrapped.__cause__ from None
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.UsageError as error:
        hint = _option_for_threads(error)
        hint += f" (see `{error.ctx.command_path} --help`)" if error.ctx else ""
        return _fail(error.format_message().rstrip(".") + hint, 2)
    except click.ClickException as error:
        return _fail(error.format_message())
    except OSError as error:
        if isinstance(error, BrokenPipeError) and _is_standard_output(error.filename):
            # The reader has closed the pipe (`gkl-shim ... | head`). This needs no message.
            return 1
        reason = error.strerror or str(error)
        return _fail(f"{printable(str(error.filename))}: {reason}" if error.filename else reason)
    except MemoryError as error:
        return _fail(str(error) or "out of memory")
    except WrongName as error:
        return _fail(printable(str(error)), 2)
    except FormatError as error:
        return _fail(printable(str(error)))
    except (BackendUnavailable, MissingComponent) as error:
        return _fail(str(error))
    except Exception as error:
        # click turns an EOFError into Abort, as the end of a prompt. No subcommand prompts.
        fault = error.__cause__ or error if isinstance(error, click.Abort) else error
        frame = traceback.extract_tb(fault.__traceback__)[-1]
        return _fail(
            f"internal error: {type(fault).__name__}: {fault} ({frame.filename}:{frame.lineno}); "
            "please report it with what `gkl-shim doctor` prints"
        )
    return result if isinstance(result, int) else 0


def _is_standard_output(name: object) -> bool:
    """Return whether an error's file is standard output, also by a name such as /dev/stdout."""
    return name == STANDARD_OUTPUT or (isinstance(name, str) and own_descriptor(name) == 1)


def _option_for_threads(error: click.UsageError) -> str:
    """Name the option for threads if it was given as other programs have it: -t."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        for parameter in error.ctx.command.params:
            if parameter.name == "threads" and re.fullmatch(r"-t=?\d*", error.option_name):
                return f"; for threads give {parameter.opts[0]}"
    return ""


def _fail(message: str, code: int = 1) -> int:
    line = " ".join(part.strip() for part in message.splitlines())
    print("gkl-shim: error:", printable(line), file=sys.stderr)
    # Keep the output from before the error.
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    return code
