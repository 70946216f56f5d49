"""The installed command, run as a user runs it, and small uses of it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gkl_shim import cli
from gkl_shim.bench.regions import regions as generated_regions
from gkl_shim.formats.pairhmm_in import write

COMMAND = Path(sys.executable).parent / "gkl-shim"


class FileCommand(NamedTuple):
    """A command line without its input and output, with small files for it."""

    options: str
    """The command and its options."""
    name: str
    """The name of the input."""
    files: dict[str, bytes]
    """The input and other files, by name."""
    has_builds: bool = True
    """Whether there is a build for each instruction set, and so ``--build``."""


def run(
    folder: Path,
    *arguments: str | Path,
    input: bytes = b"",
    env: dict[str, str] | None = None,
    stdout: Any = subprocess.PIPE,
    closed: tuple[int, ...] = (),
) -> subprocess.CompletedProcess[bytes]:
    """Run ``gkl-shim`` in a folder; `env` is added to the environment.

    Some of the descriptors 0, 1 and 2 may be closed.
    """
    return subprocess.run(
        [COMMAND, *map(str, arguments)],
        input=input,
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, **(env or {})},
        preexec_fn=(lambda: [os.close(number) for number in closed]) if closed else None,
        check=False,
        timeout=300,
    )


def doctor(folder: Path, **environment: str) -> dict[str, tuple[str, str]]:
    """Run ``gkl-shim doctor``, and return the state and the detail of each finding by its name."""
    done = run(folder, "doctor", "--json", "-", env=environment)
    report = json.loads(done.stdout)
    found = {each["name"]: (each["state"], each["detail"]) for each in report["findings"]}
    failed = any(state == "failed" for state, _ in found.values())
    assert (done.returncode, done.stderr, report["ok"]) == (int(failed), b"", not failed)
    return found


def one_error(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the message of a command that must fail with one line."""
    return _one_error(done.stderr.decode())


def refused(folder: Path, *arguments: str | Path) -> tuple[int, str]:
    """Run a command that must fail with one line; return its exit code and the message."""
    code, told = run_here(folder, *arguments)
    return code, _one_error(told)


def run_here(folder: Path, *arguments: str | Path) -> tuple[int, str]:
    """Run a command whose output goes to a file; return its exit code and what it told.

    It runs in this process, because a new one would take longer to start than to fail.
    """
    told = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stderr(told):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["gkl-shim", *map(str, arguments)])
        code = cli._run()
    return code, told.getvalue()


def here(
    folder: Path, *arguments: str | Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command that prints lines as :func:`run` does, but in this process."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        code, told = run_here(folder, *arguments)
    return subprocess.CompletedProcess(arguments, code, printed.getvalue().encode(), told.encode())


def _one_error(text: str) -> str:
    lines = text.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("gkl-shim: error: ")
    return lines[0].removeprefix("gkl-shim: error: ")


def _regions() -> bytes:
    """A few regions in the .in format."""
    text = io.BytesIO()
    write(text, generated_regions(5))
    return text.getvalue()


REGIONS = _regions()
