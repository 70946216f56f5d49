"""Readers and writers of text from C: the libraries of all compilers, and texts of one long line.

The work of each reader grows with the text's size, however long a line is.

The readers cut a text into pieces, one for a thread. A reader that searches from each piece to the
end of a line searches the same bytes again for each of the line's pieces. The tests count the bytes
that are searched, because times depend on the machine.
"""

from __future__ import annotations

import os
import random
import struct
import subprocess
from pathlib import Path

import pytest

import gkl_shim
from tests.conftest import library_for, require_tool

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


SOURCE = Path(__file__).parent / "text.c"


@pytest.fixture(scope="module", params=["installed", "jar", "aarch64"])
def program(request, compile_c, tmp_path_factory) -> list[str]:
    """A C program that reads and writes texts; the one for aarch64 is emulated."""
    if request.param == "aarch64":
        compiler, emulator, library = map(
            request.getfixturevalue,
            ("aarch64_compiler", "aarch64_emulator", "aarch64_library"),
        )
        return [*emulator, str(compile_c(compiler, SOURCE, library))]
    library = gkl_shim.paths.library()
    if request.param == "jar":
        library = library_for(os.uname().machine, tmp_path_factory.mktemp("jar"))
    return [str(compile_c(require_tool("cc"), SOURCE, library))]


@pytest.mark.parametrize("threads", [1, 2])
def test_text_is_parsed_and_written_from_c(program, region_file, tmp_path, threads):
    """Parsed text is written back unchanged, and numbers are written as Python writes them."""
    rnd = random.Random(threads)
    values = [0.0, -0.0, -1.5, 1e-5, 1e16, 1e15, 5e-324, -2.2250738585072014e-308]
    for _ in range(5000):
        values.append(struct.unpack("d", rnd.randbytes(8))[0])
        values.append(-rnd.random() * 10.0 ** rnd.randint(-6, 17))
    numbers = tmp_path / "numbers"
    numbers.write_bytes(struct.pack(f"{len(values)}d", *values))
    command = [*program, region_file, numbers, str(threads)]
    done = subprocess.run(command, check=True, capture_output=True)
    assert done.stdout.startswith(region_file.read_bytes())
    lines = done.stdout[region_file.stat().st_size :].decode("ascii").splitlines()
    assert lines == [repr(value) for value in values]
