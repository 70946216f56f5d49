"""The command ``gkl-shim``. Each subcommand is the object ``command`` of a module of its name.

A subcommand returns its exit code, or None for 0. What it raises becomes one line on stderr.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import traceback
from types import FrameType
from typing import NoReturn

import click

import gkl_shim
from gkl_shim.errors import BackendUnavailable, FormatError, MissingComponent

__all__ = ["cli", "main"]

_SUBCOMMANDS = {
    "doctor": "Show what this machine can do, and prove it.",
    "env": "Print the export line that puts the shim under any GATK launcher.",
    "gatk": "Run GATK with the shim, or without, and report PairHMM's time.",
    "demo": "Compare stock and shimmed GATK on real reads.",
    "pairhmm": "Compute the likelihoods of a .in file.",
    "prefilter": "Say which pairs of a read and a segment are within so many edits.",
    "bench": "Measure speed, beside Intel's GKL where that is at hand.",
}


class _LazyGroup(click.Group):
    """Imports a subcommand only when it runs, so that none can break or slow another."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _SUBCOMMANDS:
            return None
        try:
            module = importlib.import_module(f"gkl_shim.cli.{cmd_name}")
        except ImportError as error:
            raise click.ClickException(f"{cmd_name} cannot start: {error}") from error
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_SUBCOMMANDS.items()))


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: gkl-shim doctor",
)
@click.version_option(gkl_shim.__version__, prog_name="gkl-shim", message="%(prog)s %(version)s")
def cli() -> None:
    """PairHMM for GATK: the same answers as Intel's GKL, faster."""


def main() -> NoReturn:
    """Run the command line and leave the process: 0 done, 1 failed, 2 used wrongly."""
    # Raised as an exception, so that a half-written output is removed on the way out.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _terminated)
    try:
        result = cli.main(prog_name="gkl-shim", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as error:
        _leave(error.code if isinstance(error.code, int) else 1)
    except (KeyboardInterrupt, click.Abort):
        _leave(130)
    except BrokenPipeError:
        # The reader has gone (`gkl-shim … | head`): nothing to say, and nobody to say it to.
        _leave(1)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        _leave(2)
    except click.UsageError as error:
        hint = f" (see `{error.ctx.command_path} --help`)" if error.ctx else ""
        _fail(error.format_message().rstrip(".") + hint, 2)
    except click.ClickException as error:
        _fail(error.format_message(), 1)
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), 1)
    except MemoryError as error:
        _fail(str(error) or "out of memory", 1)
    except (BackendUnavailable, FormatError, MissingComponent) as error:
        _fail(str(error), 1)
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        _fail(
            f"unexpected {type(error).__name__}: {error} ({frame.filename}:{frame.lineno}); "
            "please report it with what `gkl-shim doctor` prints",
            1,
        )
    sys.exit(result if isinstance(result, int) else 0)


def _fail(message: str, code: int) -> NoReturn:
    print("gkl-shim: error:", " ".join(message.split()), file=sys.stderr)
    _leave(code)


def _leave(code: int) -> NoReturn:
    """Leave at once: a background thread may be waiting for input that never comes."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
