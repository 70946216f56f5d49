"""The command's lines against those of ``mummer`` itself."""

from __future__ import annotations

import gzip
import itertools
import subprocess
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.common.genomes import mutated
from gkl_shim.cli import mem as cli
from gkl_shim.formats.mem_fasta import BlockSize, QueryReader, read_reference
from gkl_shim.mem import Index
from tests.conftest import require_tool, shared_data
from tests.mem.sequences import fasta, pair

KINDS = {"-maxmatch": "mem", "-mumreference": "mumreference", "-mum": "mum"}


@pytest.fixture
def mummer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run mummer in the folder, which becomes the working directory, and return its lines."""
    program = require_tool("mummer")
    monkeypatch.chdir(tmp_path)

    def called(*arguments: str) -> bytes:
        done = subprocess.run([program, *arguments], cwd=tmp_path, capture_output=True, check=True)
        return done.stdout

    return called


def found_by_command(*arguments: str) -> bytes:
    """Return what ``gkl-shim mem`` prints, in this process: a new one takes longer to start."""
    done = CliRunner().invoke(cli.command, arguments, catch_exceptions=False)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout_bytes


def ordered(lines: bytes, options: Collection[str] = ()) -> list[list[tuple[bytes, ...]]]:
    """Sort the matches of each query at each position of it, which mummer lists in its tree's
    order."""
    queries: list[list[tuple[bytes, ...]]] = []
    rest = iter(lines.splitlines())
    for line in rest:
        if line.startswith(b">"):
            queries.append([(line,)])
        else:
            queries[-1].append((line, next(rest)) if "-s" in options else (line,))
    # With -c, the positions of reverse matches descend.
    down = -1 if "-c" in options else 1
    for query in queries:
        sign = down if b" Reverse" in query[0][0] else 1
        query[1:] = sorted(query[1:], key=lambda match: (sign * int(match[0].split()[-2]), match))
    return queries


def genome(name: str) -> np.ndarray:
    """The letters of a shared genome of one sequence."""
    text = gzip.decompress(shared_data("genomes", name).read_bytes())
    return np.frombuffer(text.partition(b"\n")[2].replace(b"\n", b"").upper(), np.uint8)


@pytest.mark.parametrize(
    "options",
    [
        ["-maxmatch", "-b", "-l", "20"],
        ["-maxmatch", "-b", "-l", "50"],
        ["-maxmatch", "-b", "-c", "-l", "15", "-n", "-s", "-L"],
        ["-mum", "-b"],
        ["-mumreference", "-r", "-F"],
    ],
)
def test_ecoli_against_a_mutated_copy(tmp_path: Path, mummer, options: list[str]) -> None:
    letters = genome("NC_008253_ecoli536.fa.gz")[:500_000]
    (tmp_path / "ref.fa").write_bytes(fasta([letters.tobytes().decode()]))
    copy = mutated(letters, 1, 0.02, 20).tobytes().decode()
    (tmp_path / "query.fa").write_bytes(fasta([copy], "q"))
    want = mummer(*options, "ref.fa", "query.fa")
    found = found_by_command(*options, "ref.fa", "query.fa", "-threads", "2")
    assert want.count(b"\n") > 1500
    if "-maxmatch" not in options:
        assert found == want
    else:
        assert ordered(found, options) == ordered(want, options)


@pytest.mark.parametrize("kind", ["-maxmatch", "-mumreference", "-mum"])
@pytest.mark.parametrize("min_length", ["14", "25"])
def test_reads_of_the_human_megabase(tmp_path: Path, mummer, kind: str, min_length: str) -> None:
    letters = genome("human_g1k_v37_chr17_1Mb.fa.gz")
    random = np.random.default_rng(2)
    reads = []
    for length in random.choice([29, 36, 100, 250], 2000):
        start = random.integers(0, len(letters) - length)
        reads.append(mutated(letters[start : start + length], start, 0.01, 1).tobytes().decode())
    # No read lies in the run of N alone: mummer would compare all its positions with all others.
    reads = [read for read in reads if read.count("N") < 20]
    (tmp_path / "ref.fa").write_bytes(fasta([letters.tobytes().decode()]))
    (tmp_path / "reads.fa").write_bytes(fasta(reads, "read"))
    options = [kind, "-b", "-l", min_length, "ref.fa", "reads.fa"]
    want, found = mummer(*options), found_by_command(*options)
    assert want.count(b"\n") > 6000
    assert found == want if kind != "-maxmatch" else ordered(found) == ordered(want)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    pair(200),
    st.sampled_from([1, 2, 4, 7, 12, 20]),
    st.sampled_from(list(KINDS)),
    st.sampled_from(["", "-b", "-r"]),
    st.sets(st.sampled_from(["-n", "-s", "-F", "-L", "-c"])),
    st.sampled_from([1, 7, 60, 1000]),
    st.data(),
)
def test_repetitive_sequences_and_all_options(
    tmp_path: Path, mummer, sequences, min_length: int, kind, strand, flags, width, data
) -> None:
    if not strand:
        flags = flags - {"-c"}
    references, queries = sequences
    # mummer refuses a file whose only sequence is empty.
    references, queries = ([*s, "A"] if s == [""] else s for s in (references, queries))
    (tmp_path / "ref.fa").write_bytes(fasta(references, width=width))
    (tmp_path / "query.fa").write_bytes(fasta(queries, "q", width))
    options = [kind, *filter(None, [strand]), *sorted(flags), "-l", str(min_length)]
    want = mummer(*options, "ref.fa", "query.fa")

    # Not the command, but its parts: pages, blocks of queries and parts of a search are small.
    subject = read_reference(tmp_path / "ref.fa")
    index = Index(
        subject.sequences,
        min_length=min_length,
        nucleotides_only="-n" in flags,
        page_letters=data.draw(st.sampled_from([0, 3, 40])),
    )
    found = b""
    strands = {"": "forward", "-b": "both", "-r": "reverse"}[strand]
    size = BlockSize()
    size.bytes = data.draw(st.sampled_from([1, 30, 1 << 20]))
    most = data.draw(st.sampled_from([0, 1, 20]))
    for queries_read in QueryReader(tmp_path / "query.fa", size=size):
        given = queries_read.sequences, min_length, KINDS[kind], strands
        for matches in index.in_parts(*given, most):
            lines = matches.lines(
                subject.names,
                queries_read.names,
                substrings="-s" in flags,
                four_columns="-F" in flags,
                lengths="-L" in flags,
                original_positions="-c" in flags,
            )
            found += b"".join(map(bytes, lines))
    if kind != "-maxmatch":
        assert found == want
    else:
        assert ordered(found, flags) == ordered(want, flags)


@pytest.mark.parametrize(("reference", "matches"), [("GATT", 0), ("AGTT", 1)])
def test_mummer_takes_the_first_letter_for_repeated(
    tmp_path: Path, mummer, reference: str, matches: int
) -> None:
    (tmp_path / "ref.fa").write_bytes(fasta([reference]))
    (tmp_path / "q.fa").write_bytes(fasta(["CGC"], "q"))
    options = ["-mum", "-l", "1", "ref.fa", "q.fa"]
    want = mummer(*options)
    assert want.count(b"\n") == 1 + matches
    assert found_by_command(*options) == want


def test_many_small_sequences(tmp_path: Path, mummer) -> None:
    random = np.random.default_rng(4)
    pool = ["".join(random.choice(list("ACGT"), 300)) for _ in range(20)]
    pieces = []
    for _ in range(4000):
        start = random.integers(0, 280)
        pieces.append(random.choice(pool)[start : start + random.integers(0, 60)])
    (tmp_path / "ref.fa").write_bytes(fasta(pieces[:1500], "reference"))
    for number in range(5):
        (tmp_path / f"q{number}.fa").write_bytes(fasta(pieces[1500 + number :: 5], "q"))
    files = ["ref.fa", *(f"q{number}.fa" for number in range(5))]
    for kind, strand in itertools.product(KINDS, ["-b", "-r"]):
        options = [kind, strand, "-l", "12"]
        want = mummer(*options, *files)
        found = found_by_command(*options, *files)
        assert found == want if kind != "-maxmatch" else ordered(found) == ordered(want)


@pytest.mark.parametrize(
    "text",
    [
        b"ACGT\n>a\nACGTACGTA\n",
        b">a\r\nACGTACGTA\r\nAC GT\tAC\r\n",
        b">\nACGTACGTA\n",
        b"> a\nACGTACGTA\n",
        b">a b\nACGTACG>b\nTACGTACGT\n",
        b">a>b\nACGTACGTA",
        b">a\n>b\nACGTACGTA\n\n\n>c\n",
        b">a\n>b\n",
        b"\n\n>a\nACGT\n\nACGTA\n",
        b">x\nACG\x01T\x7fAC*-.GTACGT\n",
        b">a\nacgtACGTnnRYKM\n>b",
        # The longest name is the width of a column.
        b">a\nACGTACGTA\n>longest",
        b">a\nACGTACGTA\n>longest\n",
        b">a\nACGTACGTA\n>longest of all",
        b">a\nACGTACGTA\nAC>longest>name",
    ],
)
def test_odd_fasta_is_read_as_mummer_reads_it(tmp_path: Path, mummer, text: bytes) -> None:
    (tmp_path / "odd.fa").write_bytes(text)
    (tmp_path / "plain.fa").write_bytes(b">plain\nACGTACGTA\n")
    for files in itertools.permutations(["odd.fa", "plain.fa"]):
        options = ["-maxmatch", "-L", "-b", "-l", "3", *files]
        assert ordered(found_by_command(*options)) == ordered(mummer(*options))


@pytest.mark.parametrize("options", [[], ["-n"], ["-b"], ["-r", "-c"], ["-s", "-F", "-L"]])
@pytest.mark.parametrize(
    ("reference", "query"),
    [
        ("ACGTACGTACGTACGTACGTACGT", "ACGTA"),  # shorter than -l
        ("ACGTACGTACGTACGTACGTACGT", "ACGTACGTACGTACGTACGTACGT"),
        ("N" * 30, "n" * 22),
        ("MKVLAWQRSTEDDFGHIKLPMKV", "mkvlawqrstEDDfghiklpmkv"),
        ("ACGTRYKMACGTRYKMACGTRYKM", "KMRYACGTKMRYACGTKMRYACGTA"),
        ("ACGTRYSWKMBDHVNACGTRYSWKMBDHVN", "TGCAYRSWMKVHDBNTGCAYRSWMKVHDBN"),  # complements
    ],
)
def test_letters_of_any_kind_and_each_option(
    tmp_path: Path, mummer, reference: str, query: str, options: list[str]
) -> None:
    (tmp_path / "ref.fa").write_bytes(fasta([reference]))
    (tmp_path / "q.fa").write_bytes(fasta([query, "", query[::-1]], "q"))
    for kind in KINDS:
        arguments = [kind, *options, "ref.fa", "q.fa"]
        found, want = found_by_command(*arguments), mummer(*arguments)
        assert ordered(found, options) == ordered(want, options)
