"""All commands that compute files treat help, wrong files and closed outputs in the same way."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import random
import re
import resource
import signal
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from gkl_shim.cli import _SUBCOMMANDS, cli
from gkl_shim.correct import Spectrum
from gkl_shim.gatk import gkl
from gkl_shim.mem import Index
from tests.cli.shim_command import COMMAND, FileCommand, one_error, refused, run, run_here
from tests.common.arguments import of_each
from tests.conftest import require_package, require_tool

COMMANDS: dict[str, FileCommand] = of_each("COMMAND")
#: The files of all commands, by name.
FILES = {name: text for command in COMMANDS.values() for name, text in command.files.items()}
# Mates, and a name that --plot takes.
FILES["mates.fq"] = FILES["reads.svg"] = FILES["reads.fq"]
#: Each way to write a file, but those of validate, bench and demo. OUT is its name.
OUTPUTS = [
    *(f"{command.options} {command.name} -o OUT" for command in COMMANDS.values()),
    "correct -k 11 --threshold 2 reads.fq -o /dev/null --json OUT",
    "correct -k 11 --threshold 2 reads.fq -o /dev/null --plot OUT.svg",
    "correct -k 11 --threshold 2 reads.fq -o /dev/null --save-spectrum OUT",
    "correct -k 11 --threshold 2 reads.fq mates.fq -o /dev/null --output2 OUT",
    "doctor --json OUT",
    "env --json OUT",
    "mem -save OUT reference.fa query.fa -o /dev/null",
    "prefilter -e 1 pairs.tsv -o /dev/null --json OUT",
]
#: A way to write OUT, and an input that OUT may not be.
READ_AND_WRITTEN = [
    *((f"{command.options} {command.name} -o OUT", command.name) for command in COMMANDS.values()),
    ("bench pairhmm regions.in --json OUT", "regions.in"),
    ("correct reads.fq -o new --json OUT", "reads.fq"),
    ("correct reads.fq mates.fq -o new --output2 OUT", "mates.fq"),
    ("correct reads.svg -o new --plot OUT", "reads.svg"),
    ("correct reads.fq -o new --save-spectrum OUT", "reads.fq"),
    ("correct reads.fq -o OUT --spectrum regions.in", "regions.in"),
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
def patience() -> Iterator[None]:
    """End a command in this process that waits for something that does not come."""
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("the command waits"))
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the inputs."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("command", [*_SUBCOMMANDS, "bench pairhmm"])
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
            assert run_here(folder, *words)[0] == 0
        zipped = folder / f"{threads}out{end}"
        assert zipped.read_bytes().startswith(magic)
        plain = (folder / f"{threads}plain").read_bytes()
        if end == ".zst":
            program = [require_tool("zstd"), "-dc", str(zipped)]
            content = subprocess.run(program, capture_output=True, check=True).stdout
        else:
            content = {".gz": gzip, ".bz2": bz2, ".xz": lzma}[end].decompress(zipped.read_bytes())
        assert content == plain != b""


@pytest.mark.parametrize(
    ("out", "code", "message"),
    [
        ("out", 1, "Is a directory"),
        ("absent/out", 1, "No such file or directory"),
        ("new/", 2, "it names a folder; name a file"),
    ],
)
@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("command", [*OUTPUTS, "bench pairhmm --seconds 600 --json OUT"])
def test_an_output_that_cannot_be_written_is_refused_before_any_work(
    folder: Path, command: str, out: str, code: int, message: str
) -> None:
    """The inputs have no writer, so a command that opened them first would wait forever."""
    for name in FILES:
        (folder / name).unlink()
        os.mkfifo(folder / name)
    for name in ("out", "out.svg"):
        (folder / name).mkdir()
    ending = "" if out.endswith("/") else ".svg"
    words = command.replace("OUT.svg", f"OUT{ending}").replace("OUT", out).split()
    before = set(folder.iterdir())
    found, told = refused(folder, *words)
    assert found == code
    # A plot is refused for the end of its name.
    assert told in [f"{word}: {message}" for word in words] or (code == 2 and "--plot" in words)
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize(("command", "name"), READ_AND_WRITTEN)
def test_an_output_that_is_an_input_is_refused(folder: Path, command: str, name: str) -> None:
    link, hard_link = f"link_{name}", f"hard_link_{name}"
    (folder / link).symlink_to(name)
    (folder / hard_link).hardlink_to(folder / name)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for out in (name, f"../{folder.name}/{name}", link, hard_link):
        message = f"{out}: it is also an input; name another output"
        assert refused(folder, *command.replace("OUT", out).split()) == (2, message)
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
        assert refused(folder, *given.split()) == (2, f"{named}: {twice}")
    assert {path.name for path in folder.iterdir()} == before


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_streams_are_compared_with_inputs(folder: Path, command: str) -> None:
    """As in `>> input` and `- < input`."""
    options, name, *_ = COMMANDS[command]
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    cases = [([name], os.devnull, "standard output"), (["-", "-o", name], name, name)]
    if command == "pairhmm":  # other names of the streams
        cases += [
            ([name, "-o", "/dev/stdout"], os.devnull, "standard output"),
            (["/dev/stdin"], name, "standard output"),
        ]
    for words, read, out in cases:
        with (folder / read).open("rb") as given, (folder / name).open("ab") as appended:
            taken = appended if out == "standard output" else subprocess.PIPE
            done = subprocess.run(
                [COMMAND, *options.split(), *words], cwd=folder, stdin=given, stdout=taken,
                stderr=subprocess.PIPE, check=False, timeout=120,
            )  # fmt: skip
        message = f"{out}: it is also an input; name another output"
        assert (done.returncode, one_error(done)) == (2, message)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


#: Options and arguments that take a name, with what else their command needs. EMPTY is the name.
NAMES = [
    "bench pairhmm --json EMPTY",
    "bench pairhmm --gkl EMPTY",
    "bench pairhmm EMPTY",
    "correct EMPTY",
    "correct reads.fq EMPTY --output2 new",
    "correct reads.fq --output2 EMPTY",
    "correct reads.fq --spectrum EMPTY",
    "correct reads.fq --save-spectrum EMPTY",
    "correct reads.fq --plot EMPTY",
    "correct reads.fq --json EMPTY",
    "demo --output EMPTY",
    "doctor --json EMPTY",
    "env --archive EMPTY",
    "env --json EMPTY",
    "env --archive new --classpath EMPTY",
    "env --swap library-path --output EMPTY",
    "gatk --classpath EMPTY HaplotypeCaller",
    "mem EMPTY query.fa",
    "mem reference.fa EMPTY",
    "mem reference.fa query.fa -load EMPTY",
    "mem reference.fa query.fa -save EMPTY",
    "pairhmm EMPTY",
    "pdhmm EMPTY",
    "prefilter -e 1 EMPTY",
    *(
        "prefilter -e 1 --reads a --reference b --candidates c".replace(f" {name} ", " EMPTY ", 1)
        for name in "ab"
    ),
    "prefilter -e 1 --reads a --reference b --candidates EMPTY",
    "smithwaterman EMPTY",
    "validate -I reads --reference EMPTY",
    "validate --reference reference --input EMPTY",
    "validate -R reference -I reads --intervals EMPTY",
    "validate -R reference -I reads --truth EMPTY",
    "validate -R reference -I reads --truth truth --confident EMPTY",
    "validate -R reference -I reads --output EMPTY",
    "validate -R reference -I reads --classpath EMPTY",
    *(f"{command.options} {command.name} --output EMPTY" for command in COMMANDS.values()),
]


@pytest.mark.parametrize("command", NAMES)
def test_an_empty_name_is_refused(folder: Path, command: str) -> None:
    """It is not taken for the current folder, nor for a name that was not given."""
    before = set(folder.iterdir())
    words = command.split()
    option = words[words.index("EMPTY") - 1]
    code, message = refused(folder, *("" if word == "EMPTY" else word for word in words))
    assert code == 2
    name, _, rest = message.partition(" is empty; give a name (see `gkl-shim ")
    assert rest
    assert name == option or (option[0] != "-" and name.split(".")[0].isupper())
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize(
    "command",
    ["demo -o reads.fq", "env --archive reads.fq", "env --swap library-path -o reads.fq"],
)
def test_a_file_is_no_folder(folder: Path, command: str) -> None:
    code, message = refused(folder, *command.split())
    assert (code, Path(message.partition(":")[0]).name) == (1, "reads.fq")
    assert message.endswith(": Not a directory")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_exists_is_replaced(folder: Path, command: str) -> None:
    options, name, *_ = COMMANDS[command]
    (folder / "there").write_text("before")
    for out in ("new", "there"):
        assert run_here(folder, *options.split(), name, "-o", out)[0] == 0
    assert (folder / "there").read_bytes() == (folder / "new").read_bytes() != b"before"


@pytest.mark.parametrize("command", COMMANDS)
def test_blank_last_lines_are_ignored(folder: Path, command: str) -> None:
    """All lines of a file may be blank, too: then it is empty."""
    options, name, *_ = COMMANDS[command]
    assert run_here(folder, *options.split(), name, "-o", "want")[0] == 0
    # A TAB alone is no pair of empty sequences, but what `paste` makes of two blank lines.
    for end in (b"\n \t\r\n\n", b"\t\n", b"\t", b" \n"):
        (folder / "blank").write_bytes(FILES[name] + end)
        assert run_here(folder, *options.split(), "blank", "-o", "out")[0] == 0
        assert (folder / "out").read_bytes() == (folder / "want").read_bytes() != b""
    told = []
    for content in (b"", b"\n \r\n\n"):
        (folder / "blank").write_bytes(content)
        code, text = run_here(folder, *options.split(), "blank", "-o", "none")
        told.append((code, text.replace("blank:3:", "blank:1:")))
    assert told[0] == told[1]


def saved_spectrum() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spectrum"
        with Spectrum.from_reads(["ACGTTGCATGCAACGTACGT"] * 3, k=11, threshold=2) as spectrum:
            spectrum.save(path)
        return path.read_bytes()


def saved_index() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        Index(["ACGTTGCATGCAACGTACGT"]).save(path)
        return path.read_bytes()


#: What is no text, and a part of the message. tests/formats/test_input.py has more of it.
NO_TEXT: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "compressed twice": (lambda text: gzip.compress(bz2.compress(text)), "it is compressed twice"),
    "truncated": (lambda text: gzip.compress(text)[:40], "the gzip data are cut off"),
    "zip": (lambda text: b"PK\x03\x04" + text, "it is a zip archive"),
    "NUL": (lambda text: text[:-3] + b"\0" + text[-3:], "it is no text: byte "),
    # Within a region, CR is white space.
    "CR": (lambda text: text.replace(b"\n", b"\r"), ""),
    "spectrum": (lambda text: saved_spectrum(), "it is a spectrum of correct; give it with"),
    "index": (lambda text: saved_index(), "it is an index of mem; give it with -load"),
    "bytes after xz": (lambda text: lzma.compress(text) + b"more", "the xz data are followed by"),
}


@pytest.mark.parametrize("kind", NO_TEXT)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_text_is_refused(folder: Path, command: str, kind: str) -> None:
    options, name, *_ = COMMANDS[command]
    make, message = NO_TEXT[kind]
    (folder / "odd").write_bytes(make(FILES[name]))
    code, told = refused(folder, *options.split(), "odd", "-o", "out")
    assert (code, told[:3]) == (1, "odd")
    assert message in told
    if kind == "CR" and "hmm" not in command:
        assert "CR alone" in told or "a CR is within the line" in told
    assert not (folder / "out").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_ignored_after_data_is_told_once(folder: Path, command: str) -> None:
    """Some commands read their files twice."""
    options, name, *_ = COMMANDS[command]
    (folder / "more").write_bytes(bz2.compress(FILES[name]) + b"more")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        assert run_here(folder, *options.split(), "more", "-o", "out")[0] == 0
    assert [str(one.message) for one in told] == [
        "gkl-shim: more: what follows the bzip2 data is ignored"
    ]


#: Command lines that warn, and a part of the line.
WARNED = [
    *(
        (f"{command.options} cut -o OUT", "the end marker of BGZF is absent", command.name)
        for command in COMMANDS.values()
    ),
    ("correct -k 11 --threshold 2 reads.fq other.fq -o OUT --output2 out2", "different names", ""),
    ("correct -k 11 --threshold 2 flat.fa -o OUT", "11-mers are solid", ""),
]


@pytest.mark.parametrize(("command", "told", "cut"), WARNED)
def test_python_s_filters_for_warnings_change_no_line(
    folder: Path, command: str, told: str, cut: str
) -> None:
    if cut:
        # A block of BGZF, without the empty one at the end.
        block = gzip.compress(FILES[cut], mtime=0)
        field = b"BC\x02\x00" + (len(block) + 7).to_bytes(2, "little")
        (folder / "cut").write_bytes(block[:3] + b"\x04" + block[4:10] + b"\x06\0" + field
                                     + block[10:])  # fmt: skip
    (folder / "other.fq").write_bytes(FILES["reads.fq"].replace(b"@", b"@other", 1))
    letters = b"".join(random.Random(1).choices([b"A", b"C", b"G", b"T"], k=2_000_000))
    (folder / "flat.fa").write_bytes(b">a\n" + letters + b"\n>b\n" + letters + b"\n")
    found = []
    for filters in ({}, {"PYTHONWARNINGS": "error"}, {"PYTHONWARNINGS": "ignore"},
                    {"PYTHONDEVMODE": "1"}):  # fmt: skip
        done = run(folder, *command.replace("OUT", "out").split(), env=filters)
        found.append((done.returncode, done.stderr, (folder / "out").read_bytes()))
    assert found[1:] == found[:1] * 3
    assert found[0][0] == 0
    assert re.search(rf"(?m)^gkl-shim: warning: .*{told}", found[0][1].decode())


@pytest.mark.parametrize("command", [*COMMANDS, "bench pairhmm"])
def test_an_option_that_is_given_twice_is_refused(folder: Path, command: str) -> None:
    """The first value would be lost. mummer refuses it, too."""
    words = ["--json", "a", "--json", "b"]
    if command in COMMANDS:
        options, name, *_ = COMMANDS[command]
        words = [*options.split()[1:], name, *["-o", "a", "-o", "b"]]
    code, message = refused(folder, *command.split(), *words)
    name = "--output" if command in COMMANDS else "--json"
    told = f"{name} is given twice (see `gkl-shim {command} --help`)"
    assert (code, message) == (2, told)


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_output_without_a_reader_is_silent(folder: Path, command: str) -> None:
    options, name, *_ = COMMANDS[command]
    reader, writer = os.pipe()
    os.close(reader)
    for out in ("-", "/dev/stdout"):
        arguments = [COMMAND, *options.split(), name, "-o", out]
        done = subprocess.run(
            arguments, cwd=folder, stdout=writer, stderr=subprocess.PIPE, timeout=120
        )
        assert (done.returncode, done.stderr) == (1, b"")
    os.close(writer)


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("command", OUTPUTS)
def test_another_pipe_without_a_reader_is_an_error(folder: Path, command: str) -> None:
    """As in `-o >(head -1)`, and with a FIFO."""
    if "--plot" in command:  # its name would end with .svg
        return
    reader, writer = os.pipe()
    os.close(reader)
    out = f"/dev/fd/{writer}"
    assert refused(folder, *command.replace("OUT", out).split()) == (1, f"{out}: Broken pipe")
    os.close(writer)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_build_that_does_not_exist_is_one_line(folder: Path, command: str) -> None:
    options, name, *_ = COMMANDS[command]
    code, message = refused(folder, *options.split(), name, "--build", "sse9")
    if not COMMANDS[command].has_builds:  # one build serves all CPUs
        assert (code, message.startswith("No such option")) == (2, True)
    else:
        assert (code, message.startswith("Invalid value for '--build': 'sse9'")) == (2, True)


@contextlib.contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let this process write no larger file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("command", OUTPUTS)
def test_a_full_disk_is_named(folder: Path, command: str) -> None:
    """A limit on the size of files is an error at the same place, and the file before remains."""
    if "--plot" in command:
        # matplotlib writes a list of fonts when it is imported first.
        require_package("matplotlib.font_manager")
    name = next(word for word in command.split() if word.startswith("OUT"))
    (folder / name).write_bytes(b"before")
    with files_of_at_most(4):
        assert refused(folder, *command.split()) == (1, f"{name}: File too large")
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, name])
    assert (folder / name).read_bytes() == b"before"


def test_a_full_disk_of_temporary_files_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(gkl, "classpath", lambda _: ("gkl-1.jar", None))
    with files_of_at_most(4):
        code, told = refused(folder, "bench", "pairhmm", "regions.in")
    place, _, rest = told.partition("/regions.in: ")
    assert (code, Path(place).parent, rest) == (1, folder, "File too large")
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)


@pytest.mark.parametrize("begin", [b"\n", b" \t\r\n\n"])
def test_blank_lines_before_fasta_are_ignored(folder: Path, begin: bytes) -> None:
    """As in the middle of it; in FASTQ they are an error."""
    fasta = b">a\nACGTTGCATGCAACGTACGT\n\n>b\nACGTTGCATGCAACGTACGT\n"
    (folder / "candidates").write_bytes(b"0\ta\t0\n1\tb\t0\n")
    reads = "--reference reference --candidates candidates --reads"
    (folder / "reference").write_bytes(fasta)
    for command in ("correct -k 11", "mem reference", f"prefilter -e 1 {reads}"):
        found = []
        for text in (fasta, begin + fasta):
            (folder / "in").write_bytes(text)
            assert run_here(folder, *command.split(), "in", "-o", "out")[0] == 0
            found.append((folder / "out").read_bytes())
        assert found[0] == found[1] != b""
    (folder / "in").write_bytes(begin + FILES["reads.fq"])
    code, told = refused(folder, "correct", "in", "-o", "none")
    assert (code, "a blank line is before it" in told) == (1, True)


@pytest.mark.parametrize("command", ["pairhmm", "pdhmm"])
def test_a_blank_line_within_a_region_is_named(folder: Path, command: str) -> None:
    name = COMMANDS[command].name
    (folder / "in").write_bytes(FILES[name].replace(b"\n", b"\n \n", 1))
    assert refused(folder, command, "in") == (1, "in:2: a blank line is within a region")
