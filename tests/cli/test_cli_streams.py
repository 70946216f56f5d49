"""Commands with closed, full or non-blocking streams, and with odd names, folders and locales."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shim_command import COMMAND, REGIONS, one_error, refused, run

PAIRS = b"ACGTACGT\tACGTACGT\n" * 1000
EDITS = b"0\tpass\n" * 1000
SUMMARY = b"1000 pairs: 1000 accepted (100.00%), 0 rejected, 0 undefined\n"


@pytest.fixture(scope="module")
def likelihoods(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    done = run(tmp_path_factory.mktemp("want"), "pairhmm", "-", input=REGIONS)
    assert done.stdout.count(b"\n") > 10
    return done.stdout


def inputs(folder: Path) -> None:
    (folder / "x.in").write_bytes(REGIONS)
    (folder / "x.tsv").write_bytes(PAIRS)


# Streams are opened again one after another, so two closed streams need no test.
@pytest.mark.parametrize("closed", [(0,), (1,), (0, 1, 2)])
def test_commands_run_with_closed_streams(
    tmp_path: Path, closed: tuple[int, ...], likelihoods: bytes
) -> None:
    inputs(tmp_path)

    def said(text: bytes, number: int) -> bytes:
        return b"" if number in closed else text

    done = run(tmp_path, "pairhmm", "x.in", "-o", "out", closed=closed)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (tmp_path / "out").read_bytes() == likelihoods

    missing = b"gkl-shim: error: standard output: it is closed\n"
    for arguments, want, word in (
        (["prefilter", "x.tsv", "-e", "1"], EDITS, SUMMARY),
        (["prefilter", "x.tsv", "-e", "1", "-o", "out", "--json", "-"], None, SUMMARY),
        (["--version"], None, b""),
    ):
        done = run(tmp_path, *arguments, closed=closed)
        if 1 in closed:
            assert (done.returncode, done.stderr) == (1, said(missing, 2)), arguments
        else:
            assert (done.returncode, done.stderr) == (0, said(word, 2)), arguments
            assert done.stdout == want if want else done.stdout

    done = run(tmp_path, "pairhmm", "-", "-o", "out2", closed=closed)
    if 0 in closed:
        message = b"gkl-shim: error: standard input is closed; name a file instead of -\n"
        assert (done.returncode, done.stderr) == (1, said(message, 2))
        assert not (tmp_path / "out2").exists()

    done = run(tmp_path, "pairhmm", "absent", closed=closed)
    assert done.returncode == 1
    assert done.stdout == b""


@pytest.mark.parametrize("way", ["-", "fifo"])
def test_a_non_blocking_output_is_written_completely(tmp_path: Path, way: str) -> None:
    """The output is larger than a pipe, and its reader is late."""
    (tmp_path / "x").write_bytes(REGIONS * 40)
    assert run(tmp_path, "pairhmm", "x", "-o", "want").returncode == 0
    want = (tmp_path / "want").read_bytes()
    assert len(want) > 1 << 17
    if way == "fifo":
        os.mkfifo(tmp_path / "fifo")
        reader, writer = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK), None
        os.set_blocking(reader, True)
        streams: dict[str, Any] = {}
    else:
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        streams = {"stdout": writer}
    process = subprocess.Popen(
        [COMMAND, "pairhmm", "x", "-o", way], cwd=tmp_path, stderr=subprocess.PIPE, **streams
    )
    if writer is not None:
        os.close(writer)
    deadline = time.monotonic() + 60
    while int.from_bytes(fcntl.ioctl(reader, termios.FIONREAD, bytes(4)), sys.byteorder) < 60_000:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.1)  # until it has found the pipe full
    got = b""
    with os.fdopen(reader, "rb") as file:
        while process.poll() is None or not got:
            got += file.read()
        got += file.read()
    _, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    assert got == want


FULL = b"gkl-shim: error: standard output: No space left on device\n"


@pytest.mark.parametrize(
    "command", ["pairhmm x.in", "prefilter x.tsv -e 1 -o out --json -", "--help"]
)
def test_a_full_standard_output_is_an_error(tmp_path: Path, command: str) -> None:
    inputs(tmp_path)
    with Path("/dev/full").open("wb") as full:
        done = run(tmp_path, *command.split(), stdout=full)
    assert (done.returncode, done.stderr) == (1, FULL)


def test_a_full_standard_error_is_ignored(tmp_path: Path) -> None:
    inputs(tmp_path)
    with Path("/dev/full").open("wb") as full:
        command = [COMMAND, "prefilter", "x.tsv", "-e", "1", "-o", "out"]
        assert subprocess.run(command, cwd=tmp_path, stderr=full, check=False).returncode == 0
        absent = subprocess.run([COMMAND, "pairhmm", "absent"], stderr=full, check=False)
        assert absent.returncode == 1
    assert (tmp_path / "out").read_bytes() == EDITS


# ---- text in messages


NAME = "a\x1b[2J  b\nc\u202e\r\x07\udcff"
SHOWN = "a\\x1b[2J  b\\nc\\u202e\\r\\x07\\xff"


def test_odd_names_are_escaped(tmp_path: Path) -> None:
    done = run(tmp_path, "pairhmm", NAME)
    assert done.returncode == 1
    assert one_error(done) == f"{SHOWN}: No such file or directory"
    (tmp_path / NAME).write_bytes(b"rubbish\n")
    assert one_error(run(tmp_path, "pairhmm", NAME)).startswith(f"{SHOWN}:1: expected ")
    inputs(tmp_path)
    done = run(tmp_path, "pairhmm", "x.in", "-o", f"{NAME}/out")
    assert one_error(done) == f"{SHOWN}/out: Not a directory"
    done = run(tmp_path, "pairhmm", "x.in", "-o", NAME)
    assert done.returncode == 0
    assert (tmp_path / NAME).read_bytes() != b"rubbish\n"


# One message of each kind of exception.
@pytest.mark.parametrize(
    "arguments",
    [
        ["pairhmm", "x.in", "--build", NAME],
        ["pairhmm", "x.in", "--devices", NAME],
        ["prefilter", "x.tsv", "-e", NAME],
        [NAME],
        ["bench", "pairhmm", "--gkl", NAME],
        ["gatk", "--classpath", NAME, "HaplotypeCaller"],
    ],
)
def test_odd_arguments_are_escaped(tmp_path: Path, arguments: list[str]) -> None:
    inputs(tmp_path)
    code, message = refused(tmp_path, *arguments)
    assert code in (1, 2)
    assert message.isprintable()
    assert "[2J" in message


def test_odd_content_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "x.fa").write_bytes(b">a\x1b[2J\xc2\x85\nAC\n>a\x1b[2J\xc2\x85\nAC\n")
    (tmp_path / "x.tsv").write_bytes(b"0\t\x1b[2J\t0\n")
    files = ["--reads", "x.fa", "--reference", "x.fa", "--candidates", "x.tsv"]
    for done in (
        run(tmp_path, "prefilter", "-e", "1", *files),
        run(tmp_path, "pairhmm", "-", input=b"1 1\n\x1b[2J\n"),
    ):
        assert done.returncode == 1
        assert one_error(done).isprintable()


LOCALES = [
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "utf-8:strict"},
]


@pytest.mark.parametrize("locale", LOCALES, ids=str)
def test_every_locale_can_show_every_name(tmp_path: Path, locale: dict[str, str]) -> None:
    """Names of any bytes, and letters that the terminal cannot show, are no errors."""
    name = tmp_path / os.fsdecode(b"\xff\xc3\xa9\xe2\x82\xac.in")
    name.write_bytes(REGIONS)
    done = run(tmp_path, "pairhmm", name, "-o", f"{name}.out", env=locale)
    assert (done.returncode, done.stderr) == (0, b"")
    assert Path(f"{name}.out").stat().st_size
    done = run(tmp_path, "pairhmm", f"{name}.absent", env=locale)
    assert done.returncode == 1
    assert one_error(done).endswith(".in.absent: No such file or directory")


# ---- paths of outputs


def test_commands_run_in_a_deleted_folder(tmp_path: Path, likelihoods: bytes) -> None:
    inputs(tmp_path)
    script = 'mkdir gone; cd gone; rmdir ../gone; exec "$@"'

    def there(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
        command = ["sh", "-c", script, "sh", str(COMMAND), *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)

    assert there("pairhmm", tmp_path / "x.in").stdout == likelihoods
    done = there("pairhmm", tmp_path / "x.in", "-o", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, b"")
    done = there("pairhmm", "x.in", "-o", tmp_path / "out")
    assert one_error(done) == "x.in: No such file or directory"
    done = there("pairhmm", tmp_path / "x.in", "-o", "out")
    assert one_error(done) == "out: No such file or directory"
    assert there("env").returncode == 0


def test_no_folder_for_temporary_files_is_needed(tmp_path: Path, likelihoods: bytes) -> None:
    inputs(tmp_path)
    done = run(tmp_path, "pairhmm", "x.in", env={"TMPDIR": "/absent"})
    assert (done.returncode, done.stdout) == (0, likelihoods)
