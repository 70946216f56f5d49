"""All commands that compute files treat help, wrong files and closed outputs in the same way."""

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from xopen import xopen

from gkl_shim.cli import _SUBCOMMANDS, cli
from tests.cli.file_command import FileCommand
from tests.cli.shim_command import COMMAND, one_error, refused, run
from tests.common_cases import of_each
from tests.conftest import require_package, require_tool

BENCHES = ("correct", "mem", "pairhmm", "pdhmm", "prefilter", "smithwaterman")
COMMANDS: dict[str, FileCommand] = of_each("COMMAND")
#: The files of all commands, by name.
FILES = {name: text for command in COMMANDS.values() for name, text in command.files.items()}
# Mates, and a name that --plot takes.
FILES["mates.fq"] = FILES["reads.svg"] = FILES["reads.fq"]
#: Each way to write a file, but those of validate, bench and demo. OUT is its name.
OUTPUTS = [
    *(f"{command.options} {command.name} -o OUT" for command in COMMANDS.values()),
    "correct -k 11 --threshold 2 --force reads.fq -o /dev/null --json OUT",
    "correct -k 11 --threshold 2 --force reads.fq -o /dev/null --plot OUT.svg",
    "correct -k 11 --threshold 2 --force reads.fq -o /dev/null --save-spectrum OUT",
    "correct -k 11 --threshold 2 --force reads.fq mates.fq -o /dev/null --output2 OUT",
    "doctor --json OUT",
    "env --json OUT",
    "mem -save OUT reference.fa query.fa -o /dev/null",
    "prefilter -e 1 pairs.tsv -o /dev/null --json OUT",
]
#: A way to write OUT, and an input that OUT may not be.
READ_AND_WRITTEN = [
    *((f"{command.options} {command.name} -o OUT", command.name) for command in COMMANDS.values()),
    ("bench correct reads.fq --json OUT", "reads.fq"),
    ("bench pairhmm regions.in --json OUT", "regions.in"),
    ("bench pdhmm regions.pdhmm.in --json OUT", "regions.pdhmm.in"),
    ("bench smithwaterman pairs.tsv --json OUT", "pairs.tsv"),
    ("correct reads.fq -o new --json OUT", "reads.fq"),
    ("correct reads.fq mates.fq -o new --output2 OUT", "mates.fq"),
    ("correct reads.svg -o new --plot OUT", "reads.svg"),
    ("correct reads.fq -o new --save-spectrum OUT", "reads.fq"),
    ("correct reads.fq -o OUT --force --spectrum regions.in", "regions.in"),
    ("mem reference.fa query.fa -o OUT", "reference.fa"),
    ("mem reference.fa query.fa -save OUT -o new", "reference.fa"),
    ("mem reference.fa query.fa -load regions.in -save OUT -o new", "regions.in"),
    ("prefilter -e 1 pairs.tsv -o new --json OUT", "pairs.tsv"),
    *(
        ("prefilter -e 1 --reads reads.fq --reference query.fa --candidates pairs.tsv -o OUT", name)
        for name in ("reads.fq", "query.fa", "pairs.tsv")
    ),
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
def test_help_shows_an_example(command: str) -> None:
    done = CliRunner().invoke(cli, [*command.split(), "--help"], prog_name="gkl-shim")
    assert done.exit_code == 0
    text = " ".join(done.stdout.split())
    assert f": gkl-shim {command}" in text or f"gkl-shim {command}" in text.partition("Example")[2]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "message"),
    [("absent", "absent: No such file or directory"), (".", ".: Is a directory")],
)
def test_a_wrong_input_is_one_line(folder: Path, command: str, name: str, message: str) -> None:
    options = COMMANDS[command].options
    assert refused(folder, *options.split(), name, "-o", "out") == (1, message)
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_truncated_gzip_is_one_line(folder: Path, command: str) -> None:
    options, name, *_ = COMMANDS[command]
    zipped = gzip.compress(FILES[name], mtime=0)
    (folder / "cut.gz").write_bytes(zipped[: len(zipped) // 2])
    code, message = refused(folder, *options.split(), "cut.gz", "-o", "out")
    assert code == 1
    assert message.startswith("cut.gz:")
    assert message.endswith("the gzip data are cut off, or other bytes follow them")
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("end", "magic"),
    [(".gz", b"\x1f\x8b"), (".bz2", b"BZh"), (".xz", b"\xfd7zXZ"), (".zst", b"\x28\xb5\x2f\xfd")],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_is_compressed_if_its_name_asks_for_it(
    folder: Path, command: str, end: str, magic: bytes
) -> None:
    options, name, *_ = COMMANDS[command]
    for threads in (1, 2):
        for out in ("plain", f"out{end}"):
            words = [*options.split(), "--threads", str(threads), name, "-o", f"{threads}{out}"]
            assert run(folder, *words).returncode == 0
        zipped = folder / f"{threads}out{end}"
        assert zipped.read_bytes().startswith(magic)
        with xopen(zipped, "rb", threads=0) as file:
            assert file.read() == (folder / f"{threads}plain").read_bytes() != b""


@pytest.mark.parametrize(
    ("out", "message"), [("out", "Is a directory"), ("absent/out", "No such file or directory")]
)
@pytest.mark.parametrize(
    "command",
    [
        *OUTPUTS,
        "bench pairhmm --seconds 600 --json OUT",
        "bench prefilter --seconds 600 --json OUT",
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    folder: Path, command: str, out: str, message: str
) -> None:
    """The inputs have no writer, so a command that opened them first would wait forever."""
    for name in FILES:
        (folder / name).unlink()
        os.mkfifo(folder / name)
    for name in ("out", "out.svg"):
        (folder / name).mkdir()
    words = command.replace("OUT", out).split()
    before = set(folder.iterdir())
    done = run(folder, *words)
    assert done.returncode == 1
    assert one_error(done) in [f"{word}: {message}" for word in words]
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize(("command", "name"), READ_AND_WRITTEN)
def test_an_output_that_is_an_input_is_refused(folder: Path, command: str, name: str) -> None:
    link, hard_link = f"link_{name}", f"hard_link_{name}"
    (folder / link).symlink_to(name)
    (folder / hard_link).hardlink_to(folder / name)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for out in (name, f"../{folder.name}/{name}", link, hard_link):
        message = f"{out}: it is also an input; name another output"
        assert refused(folder, *command.replace("OUT", out).split()) == (1, message)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "command",
    [
        "correct reads.fq -o OUT --json OUT",
        "correct reads.fq mates.fq -o OUT --output2 OUT",
        "correct reads.fq -o OUT --plot OUT",
        "correct reads.fq -o OUT --save-spectrum OUT",
        "mem reference.fa query.fa -o OUT -save OUT",
        "prefilter -e 1 pairs.tsv -o OUT --json OUT",
    ],
)
def test_an_output_that_is_given_twice_is_refused(folder: Path, command: str) -> None:
    twice = "it is given twice; name another output"
    (folder / "link.svg").symlink_to("new.svg")
    before = {path.name for path in folder.iterdir()}
    cases = [("new.svg", "new.svg", "new.svg"), ("new.svg", "link.svg", "link.svg")]
    if "--plot" not in command:
        cases.append(("-", "-", "standard output"))
    for first, second, named in cases:
        given = command.replace("OUT", first, 1).replace("OUT", second, 1)
        assert refused(folder, *given.split()) == (1, f"{named}: {twice}")
    assert {path.name for path in folder.iterdir()} == before


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_output_without_a_reader_is_silent(folder: Path, command: str) -> None:
    options, name, *_ = COMMANDS[command]
    reader, writer = os.pipe()
    os.close(reader)
    arguments = [COMMAND, *options.split(), name]
    done = subprocess.run(arguments, cwd=folder, stdout=writer, stderr=subprocess.PIPE, timeout=120)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_build_that_does_not_exist_is_one_line(folder: Path, command: str) -> None:
    options, name, *_ = COMMANDS[command]
    code, message = refused(folder, *options.split(), name, "--build", "sse9")
    if not COMMANDS[command].has_builds:  # one build serves all CPUs
        assert (code, message.startswith("No such option")) == (2, True)
    else:
        assert (code, message.startswith('no build "sse9" here')) == (1, True)


@pytest.mark.parametrize(
    "command",
    [*OUTPUTS, "bench prefilter --length 100 --max-edits 1 --seconds 0.01 --json OUT"],
)
def test_a_full_disk_is_named(folder: Path, command: str) -> None:
    """A limit on the size of files is an error at the same place, and the file before remains."""
    if "--plot" in command:
        # matplotlib writes a list of fonts when it is imported first.
        require_package("matplotlib.font_manager")
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


def test_a_full_disk_of_temporary_files_is_named(tmp_path: Path) -> None:
    limit = [require_tool("prlimit"), "--fsize=4", str(COMMAND)]
    done = subprocess.run(
        [*limit, "bench", "correct"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    folder, _, rest = one_error(done).partition("/generated.fq: ")
    assert (Path(folder).parent, rest) == (tmp_path, "File too large")
    assert not list(tmp_path.iterdir())
