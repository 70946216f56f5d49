"""``gkl-shim smithwaterman``."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from gkl_shim.common import _native
from tests.cli.shim_command import refused, run
from tests.smithwaterman import oracle
from tests.smithwaterman.pairs import pairs

SAMPLE = pairs(120, seed=31, longest=130)
TEXT = b"".join(pair.line() for pair in SAMPLE)
WANT = "".join("{}\t{}\n".format(*oracle.align(*pair)) for pair in SAMPLE).encode()


def test_every_way_in_and_out_gives_the_same(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_bytes(TEXT)
    (tmp_path / "x.tsv.gz").write_bytes(gzip.compress(TEXT, mtime=0))
    done = run(tmp_path, "smithwaterman", "x.tsv", "-o", "out.tsv")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (tmp_path / "out.tsv").read_bytes() == WANT
    assert run(tmp_path, "smithwaterman", "x.tsv.gz").stdout == WANT
    crlf = TEXT.replace(b"\n", b"\r\n")
    assert run(tmp_path, "smithwaterman", "-", "--threads", "1", input=crlf).stdout == WANT
    assert run(tmp_path, "smithwaterman", "-", input=TEXT[:-1]).stdout == WANT
    for build in _native.builds():
        assert run(tmp_path, "smithwaterman", "x.tsv", "--build", build).stdout == WANT
    assert run(tmp_path, "smithwaterman", "-", input=b"").stdout == b""


@pytest.mark.parametrize(
    ("scores", "numbers", "overhang"),
    [
        ("haplotype", (200, -150, -260, -11), "indel"),
        ("read", (10, -15, -30, -5), "softclip"),
        ("dangling-end", (25, -50, -110, -6), "leading_indel"),
        ("1,-2,-3,-1", (1, -2, -3, -1), "ignore"),
    ],
)
def test_scores_and_strategies(tmp_path: Path, scores: str, numbers, overhang: str) -> None:
    text = b"".join(b"%s\t%s\n" % pair[:2] for pair in SAMPLE)
    want = [oracle.align(*pair[:2], numbers, overhang) for pair in SAMPLE]
    options = ["--scores", scores, "--overhang", overhang]
    found = run(tmp_path, "smithwaterman", "-", *options, input=text).stdout.decode()
    assert found == "".join(f"{offset}\t{cigar}\n" for offset, cigar in want)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"A\tC\nA\n", "x.tsv:2: 1 fields; expected a reference and an alternative"),
        (b"A\tC\t1,-1,-1,-1\n", "x.tsv:1: 3 fields; expected a reference and an alternative"),
        (b"\tC\n", "x.tsv:1: the reference has 0 letters, not 1 to 262144"),
        (b"C\t" + b"A" * 262_145 + b"\n", "x.tsv:1: the alternative has 262145 letters"),
        (b"A" * (1 << 24), "x.tsv:1: a line of more than 524388 bytes"),
        (b"A\tC\t1,2,3\tindel\n", "x.tsv:1: the scores are '1,2,3', not four whole numbers"),
        (b"A\tC\t1,2,3,2147483648\tindel\n", "x.tsv:1: the scores are '1,2,3,2147483648', not"),
        (b"A\tC\t1,2,3,\xff\tindel\n", "x.tsv:1: the scores are"),
        (b"A\tC\t1,2,3,4\tinto\n", "x.tsv:1: the overhang strategy is 'into', not one of"),
    ],
)
def test_wrong_content(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "x.tsv").write_bytes(text)
    (tmp_path / "out.tsv").write_text("before")
    code, told = refused(tmp_path, "smithwaterman", "x.tsv", "-o", "out.tsv")
    assert (code, told[: len(message)]) == (1, message)
    assert (tmp_path / "out.tsv").read_text() == "before"
