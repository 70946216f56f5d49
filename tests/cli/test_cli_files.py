"""All commands that compute files treat help, wrong files and closed outputs in the same way."""

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path

import pytest

from gkl_shim.cli import _SUBCOMMANDS
from tests.cli.shim_command import COMMAND, REGIONS, one_error, run
from tests.conftest import DATA, require_tool

BENCHES = ("correct", "mem", "pairhmm", "pdhmm", "prefilter", "smithwaterman")
#: Small inputs by name.
FILES = {
    "regions.in": REGIONS,
    "regions.pdhmm.in": (DATA / "chr22_dragen.pdhmm.in").read_bytes(),
    "pairs.tsv": b"ACGTACGT\tACGTACGT\n" * 100,
    "reference.fa": b">one\n" + b"ACGTTGCAGATTACAGGCATCGATC" * 40 + b"\n",
    "query.fa": b">q\n" + b"ACGTTGCAGATTACAGGCATCGATC" * 4 + b"\n",
    "reads.fq": b"@r\nACGTTGCAGATTACAGGCATCGATC\n+\nIIIIIIIIIIIIIIIIIIIIIIIII\n" * 30,
}
#: The options of each command, and the name of its input.
COMMANDS = {
    "correct": ("correct -k 11 --threshold 2", "reads.fq"),
    "mem": ("mem reference.fa", "query.fa"),
    "pairhmm": ("pairhmm", "regions.in"),
    "pdhmm": ("pdhmm", "regions.pdhmm.in"),
    "prefilter": ("prefilter -e 1", "pairs.tsv"),
    "smithwaterman": ("smithwaterman", "pairs.tsv"),
}
#: Each way to write a file, but those of validate, bench and demo. OUT is its name.
OUTPUTS = [
    "correct -k 11 --threshold 2 --force reads.fq -o OUT",
    "correct -k 11 --threshold 2 --force reads.fq -o /dev/null --json OUT",
    "correct -k 11 --threshold 2 --force reads.fq -o /dev/null --plot OUT.svg",
    "correct -k 11 --threshold 2 --force reads.fq -o /dev/null --save-spectrum OUT",
    "doctor --json OUT",
    "mem -maxmatch reference.fa query.fa -o OUT",
    "mem -save OUT reference.fa query.fa -o /dev/null",
    "pairhmm regions.in -o OUT",
    "pdhmm regions.pdhmm.in -o OUT",
    "prefilter -e 1 pairs.tsv -o OUT",
    "prefilter -e 1 pairs.tsv -o /dev/null --json OUT",
    "smithwaterman pairs.tsv -o OUT",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the inputs."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize(
    "command", [*_SUBCOMMANDS, *(f"bench {algorithm}" for algorithm in BENCHES)]
)
def test_help_shows_an_example(tmp_path: Path, command: str) -> None:
    done = run(tmp_path, *command.split(), "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    text = " ".join(done.stdout.decode().split())
    assert f": gkl-shim {command}" in text or f"gkl-shim {command}" in text.partition("Example")[2]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "message"),
    [("absent", "absent: No such file or directory"), (".", ".: Is a directory")],
)
def test_a_wrong_input_is_one_line(folder: Path, command: str, name: str, message: str) -> None:
    options, _ = COMMANDS[command]
    done = run(folder, *options.split(), name, "-o", "out")
    assert done.returncode == 1
    assert one_error(done) == message
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_truncated_gzip_is_one_line(folder: Path, command: str) -> None:
    options, name = COMMANDS[command]
    zipped = gzip.compress(FILES[name], mtime=0)
    (folder / "cut.gz").write_bytes(zipped[: len(zipped) // 2])
    done = run(folder, *options.split(), "cut.gz", "-o", "out")
    assert done.returncode == 1
    message = one_error(done)
    assert message.startswith("cut.gz:")
    assert message.endswith("the gzip data are cut off")
    assert not (folder / "out").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_exists_as_a_folder_is_refused(folder: Path, command: str) -> None:
    options, name = COMMANDS[command]
    (folder / "out").mkdir()
    done = run(folder, *options.split(), name, "-o", "out")
    assert done.returncode == 1
    assert one_error(done) == "out: Is a directory"


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_output_without_a_reader_is_silent(folder: Path, command: str) -> None:
    options, name = COMMANDS[command]
    assert run(folder, *options.split(), name).stdout  # something is written
    reader, writer = os.pipe()
    os.close(reader)
    arguments = [COMMAND, *options.split(), name]
    done = subprocess.run(arguments, cwd=folder, stdout=writer, stderr=subprocess.PIPE, timeout=120)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_build_that_does_not_exist_is_one_line(folder: Path, command: str) -> None:
    options, name = COMMANDS[command]
    done = run(folder, *options.split(), name, "--build", "sse9")
    if command in ("correct", "mem"):  # one build serves all CPUs
        assert done.returncode == 2
        assert one_error(done).startswith("No such option")
    else:
        assert done.returncode == 1
        assert one_error(done).startswith('no build "sse9" here')


@pytest.mark.parametrize("command", OUTPUTS)
def test_a_full_disk_is_named(folder: Path, command: str) -> None:
    """A limit on the size of files is an error at the same place, and the file before remains."""
    name = next(word for word in command.split() if word.startswith("OUT"))
    (folder / name).write_bytes(b"before")
    limit = [require_tool("prlimit"), "--fsize=4", str(COMMAND)]
    done = subprocess.run(
        [*limit, *command.split()], cwd=folder, capture_output=True, check=False, timeout=120
    )
    assert done.returncode == 1
    assert one_error(done) == f"{name}: File too large"
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, name])
    assert (folder / name).read_bytes() == b"before"
