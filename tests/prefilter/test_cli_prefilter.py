"""``gkl-shim prefilter``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from gkl_shim.formats import prefilter_text
from tests.cli.shim_command import one_error, refused, run

PAIRS = b"ACGTACGT\tACGTACGT\nACGTACGA\tACGTTACG\nTTTTTTTT\tACGTACGT\nACGNACGT\tacgaacgt\n"
PACKED = gzip.compress(PAIRS * 1000, mtime=0)
LINES = b"0\tpass\n2\tpass\n-1\treject\n-2\tundefined\n"
READS = b"@r0\nACGTTG\n+\nIIIIII\n@r1 more\nTTACC\n+\nIIIII\n"
REFERENCE = b">one with words\nGGACGT\nTGGG\n>two\nCCGGTAA\n"
CANDIDATES = b"0\tone\t2\n1\ttwo\t2\t-\n1\ttwo\t2\t+\n0\tone\t8\n"


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_pairs_are_filtered_and_summarized(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_bytes(PAIRS)
    done = run(tmp_path, "prefilter", "x.tsv", "-e", "2", "-o", "out.tsv", "--json", "sum.json")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"4 pairs: 2 accepted (50.00%), 1 rejected, 1 undefined\n"
    assert (tmp_path / "out.tsv").read_bytes() == LINES
    assert json.loads((tmp_path / "sum.json").read_text()) == {
        "pairs": 4, "accepted": 2, "rejected": 1, "undefined": 1, "acceptance_rate": 0.5,
    }  # fmt: skip
    assert files(tmp_path) == ["out.tsv", "sum.json", "x.tsv"]


def test_the_summary_counts_the_verdicts_of_the_output(tmp_path: Path) -> None:
    options = ("--undefined", "reject", "-o", "out.tsv", "--json", "-")
    done = run(tmp_path, "prefilter", "-", "-e", "2", *options, input=PAIRS)
    assert (tmp_path / "out.tsv").read_bytes() == LINES.replace(b"undefined", b"reject")
    assert done.stderr == b"4 pairs: 2 accepted (50.00%), 2 rejected, 0 undefined\n"
    assert json.loads(done.stdout) == {
        "pairs": 4, "accepted": 2, "rejected": 2, "undefined": 0, "acceptance_rate": 0.5,
    }  # fmt: skip


def test_every_input_gives_the_same_edits(tmp_path: Path) -> None:
    (tmp_path / "x.tsv.gz").write_bytes(gzip.compress(PAIRS, mtime=0))
    command = ("prefilter", "-e", "2")
    assert run(tmp_path, *command, "x.tsv.gz").stdout == LINES
    for text in (PAIRS, PAIRS[:-1], PAIRS.replace(b"\n", b"\r\n"), gzip.compress(PAIRS, mtime=0)):
        assert run(tmp_path, *command, "-", input=text).stdout == LINES
    done = run(tmp_path, *command, "-", "--undefined", "undefined", input=PAIRS)
    assert done.stdout == LINES
    done = run(tmp_path, *command, "-", "--method", "gatekeeper", "--threads", "1", input=PAIRS)
    assert done.stdout.splitlines()[0] == b"0\tpass"
    done = run(tmp_path, "prefilter", "-e", "0", "--mode", "infix", "-", input=b"CG\tACGT\n")
    assert done.stdout == b"0\tpass\n"


def test_an_empty_text_gives_an_empty_output(tmp_path: Path) -> None:
    done = run(tmp_path, "prefilter", "-", "-e", "3", "--json", "-", "-o", "out.tsv", input=b"")
    assert done.returncode == 0
    assert json.loads(done.stdout)["acceptance_rate"] is None
    assert (tmp_path / "out.tsv").read_bytes() == b""


def test_a_text_of_many_chunks_is_read_completely(tmp_path: Path) -> None:
    """Lines cross the borders between chunks."""
    count = 200_000
    with (tmp_path / "x.tsv").open("wb") as file:
        for k in range(count):
            bases = (b"ACGT" * 26)[: k % 97 + 1]
            file.write(bases + b"\t" + (bases[:-1] or b"A") + b"\n")
    done = run(tmp_path, "prefilter", "x.tsv", "-e", "1", "--json", "-", "-o", "out.tsv")
    assert json.loads(done.stdout)["accepted"] == count
    lines = (tmp_path / "out.tsv").read_bytes().splitlines()
    assert len(lines) == count
    assert lines.count(b"0\tpass") == -(-count // 97)


@pytest.mark.parametrize("compress", [False, True])
def test_candidates_are_filtered(tmp_path: Path, compress: bool) -> None:
    end = ".gz" if compress else ""
    for name, content in (("r.fq", READS), ("ref.fa", REFERENCE), ("c.tsv", CANDIDATES)):
        (tmp_path / (name + end)).write_bytes(
            gzip.compress(content, mtime=0) if compress else content
        )
    inputs = ("--reads", f"r.fq{end}", "--reference", f"ref.fa{end}", "--candidates", f"c.tsv{end}")
    done = run(tmp_path, "prefilter", *inputs, "-e", "4")
    assert done.stdout == b"0\tpass\n0\tpass\n4\tpass\n4\tpass\n"
    done = run(tmp_path, "prefilter", *inputs, "-e", "1", "--mode", "infix")
    assert done.stdout == b"0\tpass\n0\tpass\n-1\treject\n-1\treject\n"


BAD_PAIRS = {
    b"ACGT ACGT\n": "x.tsv:1: expected a read, a TAB and a segment; there is no TAB",
    b"A\tC\n \r\nA\tC\n": "x.tsv:2: the line is blank; only the last lines of a file may be",
    b"A\tC\nA\tC\tG\n": "x.tsv:2: expected a read, a TAB and a segment; there is a second TAB",
    b"read\tsegment\nA\tC\n": "x.tsv:1: it is a header, not a pair of sequences; leave it out",
    b"A\tC\n\tC\n": "x.tsv:2: the read is empty",
    b"A\tC\nC\t\r\n": "x.tsv:2: the segment is empty",
    b"A\tC\nC\tAC4T\n": "x.tsv:2: '4' in column 5, in the segment, is no letter",
    b"A\tC\nC\tAC T\n": "x.tsv:2: byte 0x20 in column 5, in the segment, is no letter",
    b"\x89PNG\r\n\x1a\n\0\0": "x.tsv:1: expected a read, a TAB and a segment; there is no TAB",
    b"\xff\xfd\tA\n": "x.tsv:1: byte 0xff in column 1, in the read, is no letter",
    b"A\tC\nA\0A\tA\n": "x.tsv:2: it is no text: byte 2 is NUL",
    b"A\tC\n" + b"A" * 10_001 + b"\tC\n":
        "x.tsv:2: the read has 10001 bases; at most 10000 are possible",
    b"A" * (1 << 25): "x.tsv:1: a line of more than 65536 bytes",
    b"A\tC\n" * 9 + b"\0" * (1 << 25): "x.tsv:10: a line of more than 65536 bytes",
    b"A\tC\n" * 300_000 + b"C\tA-T\n" + b"A\tC\n" * 300_000:
        "x.tsv:300001: '-' in column 4, in the segment, is no letter",
    PACKED[:-300] + b"\0" * 300: "x.tsv:1: the gzip data are damaged: ",
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD_PAIRS.items(), ids=range(len(BAD_PAIRS)))
def test_wrong_pairs_are_refused_and_keep_the_output(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "x.tsv").write_bytes(content)
    (tmp_path / "out.tsv").write_text("before")
    outputs = ("-o", "out.tsv", "--json", "sum.json")
    code, told = refused(tmp_path, "prefilter", "x.tsv", "-e", "2", *outputs)
    assert (code, told[: len(message)]) == (1, message)
    assert (tmp_path / "out.tsv").read_text() == "before"
    assert files(tmp_path) == ["out.tsv", "x.tsv"]


def test_gatekeeper_refuses_unequal_lengths_with_the_line(tmp_path: Path) -> None:
    text = b"A\tC\n" * 200_000 + b"ACG\tAC\n"
    done = run(tmp_path, "prefilter", "-", "-e", "2", "--method", "gatekeeper", input=text)
    assert done.returncode == 1
    assert one_error(done) == (
        "stdin:200001: gatekeeper needs equal lengths; the read has 3 bases, the segment 2"
    )


FILES = {"r.fq": READS, "ref.fa": REFERENCE, "c.tsv": CANDIDATES}
BAD_CANDIDATES = [
    ("c.tsv", b"0\tone\n", "c.tsv:1: expected a read's index, a contig, a position and at most"),
    ("c.tsv", b"0\tone\t1\t+\t9\n", "c.tsv:1: expected a read's index, a contig, a position"),
    ("c.tsv", b"0\tone\t1\n-1\tone\t1\n", "c.tsv:2: the read's index is not a whole number"),
    ("c.tsv", b"r0\tone\t1\n", "c.tsv:1: the read's index is not a whole number from 0 on"),
    ("c.tsv", b"2\tone\t1\n", "c.tsv:1: read 2: there are 2 reads, counted from 0"),
    ("c.tsv", b"0\tthree\t1\n", 'c.tsv:1: contig "three" is not in the reference'),
    ("c.tsv", b"0\t\xfcne\t1\n", 'c.tsv:1: contig "\\xfcne" is not in the reference'),
    ("c.tsv", b"0\tone\t10\n", 'c.tsv:1: position 10 is past the end of contig "one", which has'),
    ("c.tsv", b"0\tone\t1.5\n", "c.tsv:1: the position is not a whole number from 0 on"),
    ("c.tsv", b"0\tone\t9" + b"9" * 30, "c.tsv:1: the position is not a whole number from 0 on"),
    ("c.tsv", b"0\tone\t1\t*\n", "c.tsv:1: the strand is neither + nor -"),
    ("r.fq", b"", "r.fq: the file holds no read"),
    ("r.fq", b"@r0\n\n+\n\n", "c.tsv:1: read 0 has 0 bases, not 1 to 10,000"),
    (
        "r.fq",
        READS.replace(b"TTACC\n+\nIIIII", b"A" * 10_001 + b"\n+\n" + b"I" * 10_001),
        "c.tsv:2: read 1 has 10,001 bases, not 1 to 10,000",
    ),
    ("r.fq", READS[:-9], "r.fq: record 2 (r1) is cut off: it has 2 of 4 lines"),
    ("r.fq", READS.replace(b"TTACC", b"TT\nACC"), "r.fq: record 2 (r1) is wrapped: its sequence"),
    ("r.fq", b"\n" + READS, "r.fq: record 1: a blank line is before it; only the last lines of a"),
    ("r.fq", READS.replace(b"@r1", b"\r\n@r1"), "r.fq: record 2: a blank line is before it; only"),
    ("r.fq", b"\0\1\2\3", "r.fq: it is no text: byte 1 is NUL"),
    ("ref.fa", b"", "ref.fa: there is no sequence; expected FASTA"),
    ("ref.fa", b">a\nACGT\n>a\nAC\n", 'ref.fa: there are two contigs "a"'),
    ("ref.fa", b">one\n>two\nCCGGTAA\n", 'c.tsv:1: position 2 is past the end of contig "one", wh'),
    ("ref.fa", b">two\nCCGGTAA\n>one", 'c.tsv:1: position 2 is past the end of contig "one", wh'),
    ("ref.fa", b"ACGT\n", "ref.fa: expected FASTA, which begins with >"),
    ("ref.fa", b"A\n" + REFERENCE, "ref.fa: expected FASTA, which begins with >"),
    ("ref.fa", REFERENCE.replace(b"TGGG", b"TG>G"), "ref.fa: a > is within a line; it must begin"),
    ("ref.fa", READS, "ref.fa: it is FASTQ; convert it to FASTA"),
]


def refused_candidates(folder: Path, contents: dict[str, bytes], *options: str) -> tuple[int, str]:
    """Filter the candidates of these files; return the exit code and the message."""
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    inputs = ("--reads", "r.fq", "--reference", "ref.fa", "--candidates", "c.tsv")
    return refused(folder, "prefilter", *inputs, "-e", "3", *options)


@pytest.mark.parametrize(("name", "content", "message"), BAD_CANDIDATES)
def test_wrong_candidates_are_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    code, told = refused_candidates(tmp_path, {**FILES, name: content}, "-o", "out.tsv")
    assert (code, told[: len(message)]) == (1, message)
    assert files(tmp_path) == sorted(FILES)


def test_what_no_candidate_names_is_not_refused(tmp_path: Path) -> None:
    """Reads and contigs that cannot be computed, a name in the third line, and blank lines."""
    odd = {
        "r.fq": READS.replace(b"\n+\n", b"\n+other name\n")
        + b"@empty\n\n+\n\n@long\n" + b"A" * 10_001 + b"\n+\n" + b"I" * 10_001
        + b"\n@end\n\n+\n\n\n\r\n",
        "ref.fa": b"\n" + REFERENCE.replace(b">two", b">empty\n>two") + b">end\n\n",
        "c.tsv": CANDIDATES + b"\n \r\n\n",
    }  # fmt: skip
    outputs = []
    for contents in (FILES, odd):
        for name, content in contents.items():
            (tmp_path / name).write_bytes(content)
        inputs = ("--reads", "r.fq", "--reference", "ref.fa", "--candidates", "c.tsv")
        outputs.append(run(tmp_path, "prefilter", *inputs, "-e", "4"))
    assert outputs[0].stdout == b"0\tpass\n0\tpass\n4\tpass\n4\tpass\n"
    assert outputs[1].stdout == outputs[0].stdout


def test_a_contig_that_is_too_long_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefilter_text, "MAX_CONTIG", 3)
    code, told = refused_candidates(tmp_path, FILES, "-o", "out.tsv")
    assert code == 1
    assert told.startswith('ref.fa: contig "one" has ')
    assert told.endswith(" bases; at most 3 are possible")


def test_gatekeeper_refuses_a_segment_beyond_the_end_of_a_contig(tmp_path: Path) -> None:
    code, message = refused_candidates(tmp_path, FILES, "--method", "gatekeeper")
    assert code == 1
    assert message.startswith("c.tsv:4: the segment would reach beyond its contig")
