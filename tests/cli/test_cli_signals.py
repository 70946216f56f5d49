"""One signal ends every command quickly, whatever it waits for, and leaves no files."""

from __future__ import annotations

import gzip
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shim_command import COMMAND, REGIONS

# The capacity of a pipe.
HELD = 50_000
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
PAIRS = b"ACGTACGT\tACGTACGT\n" * 100
COMMANDS = {
    "pairhmm": (["pairhmm"], REGIONS),
    "prefilter": (["prefilter", "-e", "2"], PAIRS),
    "smithwaterman": (["smithwaterman"], PAIRS),
}
# A command ends well within a second; a busy machine gets more time.
PATIENCE = 20.0


@contextmanager
def started(
    folder: Path, arguments: list[str], ignored: tuple[int, ...] = (), **streams: Any
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command in a folder, and wait until its signal handlers are installed."""

    def prepare() -> None:
        # A background job of a shell ignores SIGINT, and its children inherit this.
        for number in CODES:
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    streams = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, **streams}
    process = subprocess.Popen([COMMAND, *arguments], cwd=folder, preexec_fn=prepare, **streams)
    try:
        until(lambda: handles(process.pid, signal.SIGTERM) or process.poll() is not None)
        yield process
    finally:
        process.kill()
        process.communicate()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def handles(pid: int, number: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def wait_until_idle(process: subprocess.Popen[bytes]) -> None:
    """Wait until the process has used no CPU time for a while, because it waits for the test."""
    used, since = -1, time.monotonic()
    deadline = since + 60
    while time.monotonic() - since < 0.5:
        assert process.poll() is None
        assert time.monotonic() < deadline
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        now = int(fields[11]) + int(fields[12])
        if now != used:
            used, since = now, time.monotonic()
        time.sleep(0.05)


def end(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal once. The command must end with its exit code and print nothing."""
    process.send_signal(number)
    assert process.wait(PATIENCE) == CODES[number]
    if process.stderr is not None:
        assert process.stderr.read() == b""


def fifo(path: Path) -> str:
    os.mkfifo(path)
    return str(path)


# ---- inputs: each returns the name of the input, and the options of the process


def unopened(folder: Path, content: bytes, held: ExitStack) -> tuple[str, dict[str, Any]]:
    return fifo(folder / "in"), {}


def stalled(folder: Path, content: bytes, held: ExitStack) -> tuple[str, dict[str, Any]]:
    path = fifo(folder / "in")
    # Opened for reading and writing, so that it does not wait for the reader.
    file = held.enter_context(os.fdopen(os.open(path, os.O_RDWR), "wb", buffering=0))
    file.write(content[:HELD])
    return path, {}


def stalled_gzip(folder: Path, content: bytes, held: ExitStack) -> tuple[str, dict[str, Any]]:
    return stalled(folder, gzip.compress(content, mtime=0)[:-100], held)


def pipe(folder: Path, content: bytes, held: ExitStack) -> tuple[str, dict[str, Any]]:
    reader, writer = os.pipe()
    held.callback(os.close, reader)
    held.callback(os.close, writer)
    os.write(writer, content[:HELD])
    return "-", {"stdin": reader}


def pipe_not_blocking(folder: Path, content: bytes, held: ExitStack) -> tuple[str, dict[str, Any]]:
    name, streams = pipe(folder, content, held)
    os.set_blocking(streams["stdin"], False)
    return name, streams


def connection(folder: Path, content: bytes, held: ExitStack) -> tuple[str, dict[str, Any]]:
    here, there = socket.socketpair()
    held.enter_context(here)
    held.enter_context(there)
    there.sendall(content[:HELD])
    return "/dev/stdin", {"stdin": here}


def terminal(folder: Path, content: bytes, held: ExitStack) -> tuple[str, dict[str, Any]]:
    here, there = pty.openpty()
    held.callback(os.close, here)
    held.callback(os.close, there)
    os.write(here, content[:100])
    return "-", {"stdin": there}


INPUTS = (unopened, stalled, stalled_gzip, pipe, pipe_not_blocking, connection, terminal)


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("give", INPUTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_signal_ends_a_command_that_waits_for_input(
    tmp_path: Path,
    command: str,
    give: Callable[[Path, bytes, ExitStack], tuple[str, dict[str, Any]]],
    number: signal.Signals,
) -> None:
    arguments, content = COMMANDS[command]
    with ExitStack() as held:
        name, streams = give(tmp_path, content, held)
        before = set(tmp_path.iterdir())
        with started(tmp_path, [*arguments, name, "-o", "out"], **streams) as process:
            wait_until_idle(process)
            assert set(tmp_path.iterdir()) != before  # it has begun to write
            end(process, number)
            assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("which", ["--reads", "--reference", "--candidates"])
@pytest.mark.parametrize("give", [unopened, stalled])
def test_a_signal_ends_a_command_that_waits_for_reads_or_reference(
    tmp_path: Path,
    which: str,
    give: Callable[[Path, bytes, ExitStack], tuple[str, dict[str, Any]]],
) -> None:
    contents = {"--reads": b"@a\nAC\n+\nII\n", "--reference": b">r\nAC\n", "--candidates": b""}
    arguments = ["prefilter", "-e", "2", "-o", "out"]
    with ExitStack() as held:
        for option, content in contents.items():
            path = tmp_path / option
            path.write_bytes(content)
            arguments += [option, str(path)]
        name, _ = give(tmp_path, contents[which], held)
        arguments[arguments.index(which) + 1] = name
        before = set(tmp_path.iterdir())
        with started(tmp_path, arguments) as process:
            wait_until_idle(process)
            end(process, signal.SIGTERM)
            assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("where", ["unopened", "full", "stdout"])
def test_a_signal_ends_a_command_whose_output_stalls(
    tmp_path: Path, command: str, where: str, number: signal.Signals
) -> None:
    arguments, content = COMMANDS[command]
    (tmp_path / "in").write_bytes(content * 200)
    arguments = [*arguments, str(tmp_path / "in")]
    streams: dict[str, Any] = {}
    with ExitStack() as held:
        if where == "stdout":
            reader, writer = os.pipe()
            held.callback(os.close, reader)
            held.callback(os.close, writer)
            streams["stdout"] = writer
        else:
            path = fifo(tmp_path / "out")
            arguments += ["-o", path]
            if where == "full":
                held.callback(os.close, os.open(path, os.O_RDWR))
        before = set(tmp_path.iterdir())
        with started(tmp_path, arguments, **streams) as process:
            wait_until_idle(process)
            end(process, number)
            assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("arguments", [["doctor", "--json", "-"], ["pairhmm", "--help"]])
def test_a_signal_ends_a_command_whose_report_stalls(tmp_path: Path, arguments: list[str]) -> None:
    with full_pipe() as writer, started(tmp_path, arguments, stdout=writer) as process:
        wait_until_idle(process)
        end(process, signal.SIGTERM)


def test_a_signal_ends_a_command_whose_summary_stalls(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(PAIRS)
    arguments = ["prefilter", "-e", "2", "in", "-o", "out"]
    with full_pipe() as writer, started(tmp_path, arguments, stderr=writer) as process:
        wait_until_idle(process)
        end(process, signal.SIGTERM)


def test_a_signal_ends_a_command_whose_error_message_stalls(tmp_path: Path) -> None:
    with full_pipe() as writer, started(tmp_path, ["pairhmm", "none"], stderr=writer) as process:
        wait_until_idle(process)
        end(process, signal.SIGTERM)


@contextmanager
def full_pipe() -> Iterator[int]:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(writer, bytes(1 << 12))
    os.set_blocking(writer, True)
    try:
        yield writer
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.parametrize("number", CODES)
def test_a_signal_ends_a_command_that_computes_a_large_region(
    tmp_path: Path, number: signal.Signals
) -> None:
    read = b" ".join([b"ACGTA" * 1000, *[b"I" * 5000] * 4]) + b"\n"
    content = b"400 400\n" + read * 400 + (b"ACGTC" * 1000 + b"\n") * 400
    (tmp_path / "in").write_bytes(content)
    command_line = ["pairhmm", "in", "-o", "out", "--threads", "1"]
    with started(tmp_path, command_line) as process:
        until(lambda: used_seconds(process.pid) > 1.5)
        end(process, number)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_signal_ends_a_command_with_endless_input(
    tmp_path: Path, command: str, number: signal.Signals
) -> None:
    arguments, content = COMMANDS[command]
    reader, writer = os.pipe()
    streams = {"stdin": reader, "stdout": subprocess.DEVNULL}

    def write() -> None:
        with os.fdopen(writer, "wb", buffering=0) as file, suppress(BrokenPipeError):
            while True:
                file.write(content)

    feeder = threading.Thread(target=write)
    with started(tmp_path, [*arguments, "-", "--threads", "1"], **streams) as process:
        os.close(reader)
        feeder.start()
        until(lambda: used_seconds(process.pid) > 1.5)
        end(process, number)
    feeder.join()


def used_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_an_ignored_signal_stays_ignored(tmp_path: Path) -> None:
    """As under nohup, or in a background job of a script."""
    ignored = (signal.SIGHUP, signal.SIGINT)
    arguments = ["pairhmm", "-", "-o", "out"]
    with started(tmp_path, arguments, ignored, stdin=subprocess.PIPE) as process:
        for number in ignored:
            process.send_signal(number)
        assert process.communicate(REGIONS, timeout=60) == (None, b"")
        assert process.returncode == 0
    assert (tmp_path / "out").stat().st_size


STUCK = """
import ctypes, sys
from gkl_shim._output_files import atomic_output
from gkl_shim.cli import _terminal
lock = ctypes.create_string_buffer(256)
stick = ctypes.CDLL(None).pthread_mutex_lock
_terminal.end_on_signals()
stick(lock)
with atomic_output("out") as file:
    try:
        print("ready", flush=True)
        if "now" in sys.argv:
            stick(lock)  # a call into native code that does not come back
        sys.stdin.read()
    finally:
        stick(lock)
"""


@pytest.mark.parametrize("where", ["work", "clean-up"])
def test_a_call_that_does_not_come_back(tmp_path: Path, where: str) -> None:
    """One signal ends the process, whether the work or the clean-up after the signal hangs."""
    command = [sys.executable, "-c", STUCK, *(["now"] if where == "work" else [])]
    process = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(1)  # until it is in the call after that line
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 143
    finally:
        process.kill()
        process.communicate()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_an_error_does_not_wait_for_input(tmp_path: Path, command: str) -> None:
    """The output fails while a thread waits for more input."""
    arguments, content = COMMANDS[command]
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [COMMAND, *arguments, "-", "-o", "/dev/full"], stdin=reader, stderr=subprocess.PIPE
    )
    os.close(reader)
    try:
        with os.fdopen(writer, "wb") as file:
            # Enough for results before the input ends.
            file.write(content * ((40 << 20) // len(content)))
            file.flush()
            _, error = process.communicate(timeout=60)
    except BrokenPipeError:
        _, error = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 1
    assert error == b"gkl-shim: error: /dev/full: No space left on device\n"
