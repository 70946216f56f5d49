"""``gkl-shim mem``: inputs, refusals, and saved indexes."""

from __future__ import annotations

import gzip
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

from gkl_shim.formats.mem_fasta import BlockSize, QueryReader
from gkl_shim.mem._native_mem import Fasta
from tests.cli.shim_command import one_error, refused, run
from tests.mem.sequences import fasta, parsed
from tests.mem.test_find import related

REFERENCE, QUERIES = related(21, 2000, 30)

#: Bytes of a text that one thread reads.
PIECE = 1 << 18


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a reference and queries."""
    (tmp_path / "ref.fa").write_bytes(fasta([REFERENCE]))
    (tmp_path / "q.fa").write_bytes(fasta(QUERIES, "q"))
    return tmp_path


def test_every_way_in_and_out_gives_the_same(files: Path) -> None:
    options = ["mem", "-maxmatch", "-b", "-l", "12"]
    want = run(files, *options, "ref.fa", "q.fa").stdout
    assert want.count(b"\n") > 200
    for name in ("ref.fa", "q.fa"):
        (files / f"{name}.gz").write_bytes(gzip.compress((files / name).read_bytes()))
    assert run(files, *options, "ref.fa.gz", "q.fa.gz").stdout == want
    text = (files / "q.fa").read_bytes()
    assert run(files, *options, "ref.fa", "-", input=text).stdout == want
    reference = (files / "ref.fa").read_bytes()
    assert run(files, *options, "-", "q.fa", input=reference.lower()).stdout == want
    done = run(files, *options, "ref.fa", "q.fa", "-o", "out", "-threads", "1")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (files / "out").read_bytes() == want
    assert run(files, *options, "ref.fa", "q.fa", "-qthreads", "2").stdout == want
    assert run(files, *options, "ref.fa", "q.fa", "q.fa").stdout == 2 * want
    pages = run(files, *options, "ref.fa", "q.fa", "--page-letters", "300", "-v")
    assert pages.stdout == want
    assert b"# 2000 letters in 7 pages of 300, index " in pages.stderr
    assert b"peak memory" in pages.stderr
    whole = run(files, *options, "ref.fa", "q.fa", "-v").stderr
    larger = run(files, *options, "ref.fa", "q.fa", "--page-letters", str(2**62), "-v").stderr
    described = re.compile(rb"# 2000 letters in 1 pages of \d+, index [^,]*")
    assert described.findall(larger) == described.findall(whole) != []


def test_little_memory_makes_pages(tmp_path: Path) -> None:
    letters = np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(12).integers(0, 4, 2_000_000)]
    (tmp_path / "ref.fa").write_bytes(fasta([letters.tobytes().decode()]))
    (tmp_path / "q.fa").write_bytes(fasta([letters[::-1][:2000].tobytes().decode()], "q"))
    options = ["mem", "-maxmatch", "-l", "10", "-v", "ref.fa", "q.fa"]
    whole, paged = (run(tmp_path, *options, "--memory", memory) for memory in ("1", "0.001"))
    assert b" in 1 pages of " in whole.stderr
    assert re.search(rb" in [2-9] pages of ", paged.stderr), paged.stderr
    assert paged.stdout == whole.stdout
    assert whole.stdout.count(b"\n") > 1000


@pytest.mark.parametrize("option", ["-h", "-help"])
def test_help_has_mummers_name(tmp_path: Path, option: str) -> None:
    asked, usual = (run(tmp_path, "mem", name) for name in (option, "--help"))
    assert (asked.returncode, asked.stdout) == (0, usual.stdout)
    assert b"-qthreads" in usual.stdout


def test_a_folder_of_queries_is_refused_before_the_work(files: Path) -> None:
    done = run(files, "mem", "ref.fa", "q.fa", ".")
    assert done.stdout == b""
    assert one_error(done) == ".: Is a directory"


def test_kinds_are_mummers(files: Path) -> None:
    plain = run(files, "mem", "ref.fa", "q.fa").stdout
    for kind in ("-mumreference", "-mumcand"):
        assert run(files, "mem", kind, "ref.fa", "q.fa").stdout == plain


@pytest.mark.parametrize("size", [1, 10, 300, 5000])
def test_blocks_of_queries_lose_nothing(files: Path, size: int) -> None:
    (files / "q.fa").write_bytes(b"AC\n>a x\nGT>b\nAC\n\n>c\n" + fasta(QUERIES, "q"))
    found = []
    blocks = BlockSize()
    blocks.bytes = size
    for block in QueryReader(files / "q.fa", size=blocks):
        letters, offsets = block.sequences.arrays()
        for k in range(len(block.sequences)):
            found.append((block.name(k), letters[offsets[k] : offsets[k + 1]].tobytes().decode()))
        if size > 100:
            blocks.adapt(0)
    want = [("a", "ACGT"), ("b", "AC"), ("c", "")]
    assert found == want + [(f"q{k}", letters) for k, letters in enumerate(QUERIES)]


def test_lines_of_any_length_are_read() -> None:
    """Threads read pieces of 256 KiB that begin at the beginning of a line."""
    random = np.random.default_rng(11)
    records = []
    for number, length in enumerate([300_000, 3, 900_000, 262_144, 1, 0]):
        name = b"%d" % number + b"n" * length
        words = b" and more" * (length // 2)
        sizes = random.integers(0, 99_999, 5).tolist()
        lines = [b"ACGT"[k % 4 :] * size for k, size in enumerate(sizes)]
        records.append((name, words, lines))
    text = b"".join(
        b">" + name + words + b"\n" + b"".join(line + b"\r\n" for line in lines)
        for name, words, lines in records
    )
    fasta = Fasta(text, 2)
    letters, offsets = fasta.sequences.arrays()
    assert [fasta.name(k).encode() for k in range(len(records))] == [name for name, _, _ in records]
    wanted = [b"".join(lines) for _, _, lines in records]
    assert np.diff(offsets).tolist() == [len(each) for each in wanted]
    assert letters.tobytes() == b"".join(wanted)


def _text_with_lines_that_end_near_borders(random: Random) -> bytes:
    """Lines of sequences and descriptions, most of which end near a border of pieces."""
    text = bytearray()
    for _ in range(random.randint(2, 5)):
        border = (len(text) // PIECE + random.randint(1, 3)) * PIECE
        end = random.choice([b"\n", b"\n", b"\r\n", b"\n\n"])
        start = random.choice([b"", b">", b">a b", b"AC>b ", b"A C"])
        letters = random.choice([b"ACGT", b"ACGT", b"AC GT", b"AC>GT", b" "])
        missing = border + random.randint(-3, 3) - len(text) - len(start) - len(end)
        text += start + (letters * (missing // len(letters) + 1))[: max(missing, 0)] + end
    if random.random() < 0.3:
        del text[random.randint(-3, -1) :]
    return bytes(text)


def test_lines_may_begin_and_end_anywhere_near_the_borders_of_pieces() -> None:
    random = Random(5)
    for _ in range(60):
        text = _text_with_lines_that_end_near_borders(random)
        fasta = Fasta(text, 2)
        letters, offsets = fasta.sequences.arrays()
        ranges = itertools.pairwise(offsets.tolist())
        found = [
            (fasta.name(k).encode(), letters[begin:end].tobytes())
            for k, (begin, end) in enumerate(ranges)
        ]
        assert found == parsed(text)


@pytest.mark.parametrize(
    ("resident", "sizes"),
    [
        (True, [1 << 20, 1 << 18, 1 << 19, 1 << 16, 1 << 24]),
        # Each block builds the index, so all blocks are large.
        (False, [1 << 24, 1 << 28, 1 << 28, 1 << 24, 1 << 28]),
    ],
)
def test_blocks_have_the_size_for_a_number_of_matches(resident: bool, sizes: list[int]) -> None:
    blocks = BlockSize(resident)
    found = [blocks.bytes]
    for matches in (1 << 20, 1 << 17, 1 << 40, 0):
        blocks.adapt(matches)
        found.append(blocks.bytes)
    assert found == sizes


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "bad.fa: there is no sequence; expected FASTA, with a line of >name"),
        (b"ACGT\n", "bad.fa: there is no sequence; expected FASTA, with a line of >name"),
        (b">name\n", "bad.fa: its only sequence is empty"),
        # mummer takes "II" for the name of a sequence.
        (
            b"@r\nACGTACGT\n+\nIIII>IIC\n@s\nAC\n+\nII\n",
            "bad.fa: it is FASTQ; convert it to FASTA, as seqtk seq -A does",
        ),
        (b"\n @r\nAC\n+\n>I\n", "bad.fa: it is FASTQ; convert it to FASTA, as seqtk seq -A does"),
        (b">name\nAC\0GT\n", "bad.fa: it is no text: byte 9 is NUL"),
        (
            gzip.compress(b"", mtime=0),
            "bad.fa: there is no sequence; expected FASTA, with a line of >name",
        ),
    ],
)
def test_bad_files_are_refused(files: Path, content: bytes, message: str) -> None:
    (files / "bad.fa").write_bytes(content)
    for arguments in (["bad.fa", "q.fa"], ["ref.fa", "bad.fa"]):
        assert refused(files, "mem", *arguments, "-o", "out") == (1, message)
        assert not (files / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-l", "0"], "Invalid value for '-l': 0 is not in the range 1<=x<=4611686018427387904"),
        (["-mum", "-maxmatch"], "give one of -maxmatch, -mum and -mumreference"),
        (["-b", "-r"], "give one of -b and -r"),
        (["-c"], "-c needs -b or -r"),
        (["-"], "only one of the inputs can be standard input"),
        (["--memory", "nan"], "Invalid value for '--memory': 'nan' is not a number"),
        (["--page-letters", "9" * 20], "Invalid value for '--page-letters': 9999"),
    ],
)
def test_wrong_use_is_refused(files: Path, arguments: list[str], message: str) -> None:
    last = ["-"] if arguments == ["-"] else []
    code, told = refused(files, "mem", *arguments, "ref.fa", "q.fa", *last)
    assert (code, told[: len(message)]) == (2, message)


@pytest.mark.parametrize("option", ["-child", "-bcx", "-maxmatchx", "--child", "-x"])
def test_an_unknown_option_is_named_as_it_was_given(files: Path, option: str) -> None:
    code, message = refused(files, "mem", "-l", "20", option, "0", "ref.fa", "q.fa")
    assert code == 2
    assert re.match(rf"No such option:? '?{option}'?[ .]", message)


@pytest.mark.parametrize(
    ("words", "unknown"),
    [
        ("-maxmatch -t 4 ref.fa q.fa", "-t"),
        ("-mumreference -maxmatch -bx ref.fa q.fa", "-bx"),
        ("-maxmatch ref.fa q.fa --max", "--max"),
        # What stands for a value, and what follows --, is no option.
        ("-o -x -maxmatch -xb ref.fa -- q.fa", "-xb"),
    ],
)
def test_known_options_before_an_unknown_one(files: Path, words: str, unknown: str) -> None:
    code, message = refused(files, "mem", *words.split())
    assert code == 2
    assert re.match(rf"No such option:? '?{unknown}'?[ .;]", message)


def test_a_saved_index_is_used_and_checked(files: Path) -> None:
    want = run(files, "mem", "-b", "ref.fa", "q.fa").stdout
    assert run(files, "mem", "-b", "-save", "index", "ref.fa", "q.fa").stdout == want
    assert run(files, "mem", "-b", "-load", "index", "ref.fa", "q.fa").stdout == want
    longer = run(files, "mem", "-l", "25", "-load", "index", "ref.fa", "q.fa").stdout
    assert longer == run(files, "mem", "-l", "25", "ref.fa", "q.fa").stdout
    other = REFERENCE.translate(str.maketrans("ACGT", "CGTA"))
    (files / "other.fa").write_bytes(fasta([other]))
    damaged = bytearray((files / "index").read_bytes())
    damaged[1000] ^= 1
    (files / "damaged").write_bytes(damaged)
    for arguments, message in (
        (["-l", "19", "-load", "index", "ref.fa"], "is for matches of 20 letters or more"),
        (["-n", "-load", "index", "ref.fa"], "was made without -n"),
        (["-load", "index", "other.fa"], "is of another reference"),
        (["-load", "damaged", "ref.fa"], "the bytes are not an index"),
        (["-load", "absent", "ref.fa"], "absent: No such file or directory"),
    ):
        code, told = refused(files, "mem", *arguments, "q.fa")
        assert code == 1
        assert message in told


def test_the_command_does_not_import_numpy(files: Path) -> None:
    """Importing it would be a large part of a short run."""
    code = """
import sys
from gkl_shim.cli import mem
mem.command.main(["-maxmatch", "-b", "-o", "out", "ref.fa", "q.fa"], standalone_mode=False)
assert "numpy" not in sys.modules
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], cwd=files, env=environment, check=True)
