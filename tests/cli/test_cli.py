"""The whole command line: help, exit codes, and one line for each error."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

import gkl_shim
from gkl_shim.cli import _SUBCOMMANDS
from tests.cli.shim_command import COMMAND, REGIONS, one_error, run


def test_version_is_printed(tmp_path: Path) -> None:
    done = run(tmp_path, "--version")
    assert done.returncode == 0
    assert done.stdout.decode() == f"gkl-shim {gkl_shim.__version__}\n"


def test_help_lists_every_command(tmp_path: Path) -> None:
    text = run(tmp_path, "--help").stdout.decode()
    listed = [line.split()[0] for line in text.partition("Commands:")[2].splitlines() if line]
    assert [name for name in listed if name in _SUBCOMMANDS] == list(_SUBCOMMANDS)


def test_no_arguments_show_the_help(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 2
    assert b"Usage: gkl-shim" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "No such command 'nonsense' (see `gkl-shim --help`)"),
        (["pairhmm"], "Missing argument 'IN' (see `gkl-shim pairhmm --help`)"),
        (["pairhmm", "x", "--threads", "-1"], "Invalid value for '--threads'"),
        (["pairhmm", "x", "--backend", "tpu"], "Invalid value for '--backend'"),
        (["bench", "pairhmm", "--seconds", "0"], "Invalid value for '--seconds'"),
        (["bench", "prefilter", "-e", "300"], "Invalid value for '-e'"),
    ],
)
def test_wrong_usage_is_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = run(tmp_path, *arguments)
    assert done.returncode == 2
    assert one_error(done).startswith(message)


def test_a_missing_library_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, "pairhmm", "-", env={"GKL_SHIM_LIBRARY": "/absent.so"})
    assert done.returncode == 1
    assert one_error(done) == "GKL_SHIM_LIBRARY names /absent.so, which is not a file"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_no_files(tmp_path: Path, number: signal.Signals, code: int) -> None:
    process = subprocess.Popen(
        [COMMAND, "pairhmm", "-", "-o", "out.txt"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        # A background job of a shell ignores SIGINT, and its children inherit this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(REGIONS)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()):  # until it has begun to write and waits for input
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(number)
    try:
        # Its input stays open, and it must not wait for more.
        assert process.wait(20) == code
    finally:
        process.kill()
    assert list(tmp_path.iterdir()) == []
    assert process.stderr.read().strip() == b""
    process.stdin.close()
    process.stderr.close()


def test_a_broken_pipe_is_silent(tmp_path: Path) -> None:
    path = tmp_path / "x.in"
    path.write_bytes(REGIONS * 20)
    process = subprocess.Popen(
        [COMMAND, "pairhmm", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait(60) == 1
    process.stderr.close()
