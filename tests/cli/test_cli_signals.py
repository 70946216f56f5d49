"""One signal ends every command quickly, whatever it waits for, and leaves no files."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
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

#: The arguments of a command and the options of its process, in this folder.
Prepared = tuple[list[str], dict[str, Any]]
Prepare = Callable[[Path, ExitStack], Prepared]


def all_end(folder: Path, cases: Sequence[tuple[Prepare, signal.Signals]], begun: bool) -> None:
    """Start all commands, wait until each waits for the test, and end each with one signal."""
    with ExitStack() as held:
        running = []
        for place, (prepare, number) in enumerate(cases):
            own = folder / str(place)
            own.mkdir()
            arguments, streams = prepare(own, held)
            before = set(own.iterdir())
            process = held.enter_context(started(own, arguments, **streams))
            running.append((process, number, own, before))
        if begun:  # to write
            for _, _, own, before in running:
                until(lambda own=own, before=before: set(own.iterdir()) != before)
        wait_until_idle([process for process, *_ in running])
        for process, number, own, before in running:
            end(process, number)
            assert set(own.iterdir()) == before


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


def wait_until_idle(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait until none has used CPU time for a while, because all wait for the test."""
    used, since = -1.0, time.monotonic()
    deadline = since + 60
    while time.monotonic() - since < 0.5:
        assert all(process.poll() is None for process in processes)
        assert time.monotonic() < deadline
        now = sum(used_seconds(process.pid) for process in processes)
        if now != used:
            used, since = now, time.monotonic()
        time.sleep(0.05)


def used_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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


def reads_from(give: Callable[..., tuple[str, dict[str, Any]]], command: str) -> Prepare:
    def prepare(folder: Path, held: ExitStack) -> Prepared:
        arguments, content = COMMANDS[command]
        name, streams = give(folder, content, held)
        return [*arguments, name, "-o", "out"], streams

    return prepare


def test_a_signal_ends_a_command_that_waits_for_input(tmp_path: Path) -> None:
    """Each kind of input once, each command's reader, and each signal."""
    inputs = (unopened, stalled, stalled_gzip, pipe, pipe_not_blocking)
    rows = [(reads_from(give, "pairhmm"), signal.SIGTERM) for give in inputs]
    rows += [
        (reads_from(stalled, "pairhmm"), signal.SIGINT),
        (reads_from(stalled, "prefilter"), signal.SIGHUP),
        (reads_from(stalled, "smithwaterman"), signal.SIGINT),
    ]
    all_end(tmp_path, rows, begun=True)


def mem_with_index(folder: Path, held: ExitStack) -> Prepared:
    """Two outputs are unfinished while it waits for queries."""
    (folder / "reference").write_bytes(b">r\n" + b"ACGTTGCA" * 50 + b"\n")
    name, streams = stalled(folder, b">q\nACGT", held)
    return ["mem", "-save", "index", "-o", "out", "reference", name], streams


def candidates(folder: Path, held: ExitStack) -> Prepared:
    """The first of three files has no writer."""
    (folder / "reference").write_bytes(b">r\nAC\n")
    (folder / "candidates").touch()
    arguments = ["prefilter", "-e", "2", "-o", "out", "--reads", fifo(folder / "reads")]
    return [*arguments, "--reference", "reference", "--candidates", "candidates"], {}


def test_a_signal_ends_a_command_that_waits_for_other_files(tmp_path: Path) -> None:
    rows = [(candidates, signal.SIGTERM), (mem_with_index, signal.SIGTERM)]
    all_end(tmp_path, rows, begun=False)


def writes_to(where: str, command: str) -> Prepare:
    def prepare(folder: Path, held: ExitStack) -> Prepared:
        arguments, content = COMMANDS[command]
        (folder / "in").write_bytes(content * 200)
        arguments = [*arguments, "in"]
        if where == "stdout":
            return arguments, {"stdout": held.enter_context(full_pipe())}
        path = fifo(folder / "out")
        if where == "full":
            held.callback(os.close, os.open(path, os.O_RDWR))
        return [*arguments, "-o", path], {}

    return prepare


def says_to(stream: str, *arguments: str) -> Prepare:
    def prepare(folder: Path, held: ExitStack) -> Prepared:
        (folder / "in").write_bytes(PAIRS)
        return list(arguments), {stream: held.enter_context(full_pipe())}

    return prepare


def test_a_signal_ends_a_command_whose_output_stalls(tmp_path: Path) -> None:
    rows = [
        (writes_to("unopened", "pairhmm"), signal.SIGINT),
        (writes_to("full", "pairhmm"), signal.SIGHUP),
        (writes_to("stdout", "pairhmm"), signal.SIGTERM),
        (writes_to("full", "prefilter"), signal.SIGTERM),
        (writes_to("full", "smithwaterman"), signal.SIGTERM),
        (says_to("stdout", "doctor", "--json", "-"), signal.SIGTERM),
        (says_to("stdout", "pairhmm", "--help"), signal.SIGTERM),
        # The summary of a command, and an error message.
        (says_to("stderr", "prefilter", "-e", "2", "in", "-o", "/dev/null"), signal.SIGTERM),
        (says_to("stderr", "pairhmm", "none"), signal.SIGTERM),
    ]
    all_end(tmp_path, rows, begun=False)


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


def test_a_signal_ends_a_command_that_computes_a_large_region(tmp_path: Path) -> None:
    read = b" ".join([b"ACGTA" * 1000, *[b"I" * 5000] * 4]) + b"\n"
    content = b"400 400\n" + read * 400 + (b"ACGTC" * 1000 + b"\n") * 400
    (tmp_path / "in").write_bytes(content)
    command_line = ["pairhmm", "in", "-o", "out", "--threads", "1"]
    with started(tmp_path, command_line) as process:
        until(lambda: used_seconds(process.pid) > 1)
        end(process, signal.SIGTERM)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


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
from gkl_shim.common._output_files import atomic_output
from gkl_shim.cli.common import _terminal
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
        time.sleep(0.2)  # until it is in the call after that line
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


def test_gatks_exit_code_is_known_where_the_parent_ignores_sigchld(tmp_path: Path) -> None:
    """A process inherits that, and the kernel then discards the exit codes of its children."""
    java = tmp_path / "home" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\nexit 3\n")
    java.chmod(0o755)
    (tmp_path / "gatk.jar").write_bytes(b"x")
    done = subprocess.run(
        [COMMAND, "gatk", "--stock", "-c", "gatk.jar", "HaplotypeCaller"],
        cwd=tmp_path,
        env={**os.environ, "JAVA_HOME": str(tmp_path / "home")},
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 3, done.stderr
