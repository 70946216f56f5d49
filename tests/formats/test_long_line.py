"""The work of each reader of text grows with the text's size, however long a line is.

The readers cut a text into pieces, one for a thread. A reader that searches from each piece to the
end of a line searches the same bytes again for each of the line's pieces. The tests count the bytes
that are searched, because times depend on the machine.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import gkl_shim
from tests.conftest import require_tool

#: 32 pieces.
LONG = b"ACGT" * (1 << 21)
SHORT = b"ACGT"
QUALITIES = b" IIII" * 4


@pytest.fixture(scope="module")
def long_line(compile_c) -> Path:
    source = Path(__file__).with_name("long_line.c")
    return compile_c(require_tool("cc"), source, gkl_shim.paths.library())


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize(
    ("reader", "text"),
    [
        pytest.param("mem", b">a\n" + LONG + b"\n>b\n" + SHORT + b"\n", id="sequence"),
        pytest.param("mem", b">a " + LONG + b"\n" + SHORT + b"\n>b\n", id="description"),
        pytest.param("mem", b">" + LONG + b"\n" + SHORT, id="name"),
        pytest.param("mem", b">a\n" + LONG, id="no-newline"),
        pytest.param("correct", b">a\n" + LONG + b"\n>b\n" + SHORT + b"\n", id="fasta"),
        pytest.param("correct", b"@a\n" + LONG + b"\n+\n" + LONG[::-1] + b"\n", id="fastq"),
        pytest.param("pairhmm", b"1 1\nACGT" + QUALITIES + b"\n" + LONG + b"\n", id="regions"),
        pytest.param("pdhmm", b"1 1\nACGT" + QUALITIES + b"\n" + LONG + b"\n", id="flagged"),
        pytest.param("pairs", b"A\tC\n" + LONG + b"\tA\nA\tC\n", id="pairs"),
        pytest.param("candidates", b"0\tc\t1\n0\t" + LONG + b"\t1\n0\tc\t1\n", id="candidates"),
        pytest.param("smithwaterman", b"A\tC\n" + LONG + b"\tA\nA\tC\n", id="alignable"),
    ],
)
def test_a_reader_searches_each_byte_a_few_times(
    long_line: Path, tmp_path: Path, reader: str, text: bytes, threads: str
) -> None:
    (tmp_path / "text").write_bytes(text)
    command = [long_line, reader, tmp_path / "text", threads]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    size, searched = map(int, done.stdout.split())
    assert size == len(text)
    # Every reader looks for the end of the long line at least once.
    assert len(LONG) <= searched <= 6 * size
