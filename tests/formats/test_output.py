"""Compressed outputs hold what was written, and every failure of theirs is one exception."""

from __future__ import annotations

import errno
import os
import random
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from gkl_shim.formats.input import Input
from gkl_shim.formats.output import open_output
from tests.conftest import require_tool

ENDS = (".gz", ".bz2", ".xz", ".zst")
#: Bytes that cannot be compressed: less than a block of the writer, and several.
SIZES = (0, 1000, 2_500_000)
TOOLS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("end", ENDS)
def test_what_was_written_is_read_again(tmp_path: Path, end: str, threads: int) -> None:
    rnd = random.Random(1)
    pieces = [b"ACGT" * rnd.randrange(200_000) for _ in range(20)]
    path = tmp_path / f"x{end}"
    with open_output(str(path), threads) as file:
        for piece in pieces:
            again = bytearray(piece)
            file.write(again)
            again[:] = bytes(len(again))  # the caller may refill its buffer at once
    done = subprocess.run([require_tool(TOOLS[end]), "-dc", path], capture_output=True, check=True)
    assert done.stdout == b"".join(pieces)
    content = bytearray(len(done.stdout) + 1)
    with Input(path) as source:
        assert source.readinto(content) == len(done.stdout)
    assert content[:-1] == done.stdout


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("end", [*ENDS, ""])
@pytest.mark.parametrize("kind", ["full", "closed"])
def test_a_failure_is_one_exception(
    tmp_path: Path, kind: str, end: str, threads: int, size: int
) -> None:
    """The first write may fail, or the last one, when the file is closed.

    ExitStack follows the contexts of an exception, for ever if they are a circle.
    """
    path = tmp_path / f"x{end}"
    if kind == "full":
        path.symlink_to("/dev/full")
    else:
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    content = random.Random(1).randbytes(size)
    with pytest.raises(OSError) as failed, ExitStack() as stack:
        other = stack.enter_context(open_output(str(tmp_path / "other.gz"), threads))
        file = stack.enter_context(open_output(str(path), threads))
        if kind == "closed":
            os.close(reader)
        for at in range(0, size, 700_000):
            file.write(content[at : at + 700_000])
            other.write(content[at : at + 700_000])
        if not size and not end:  # nothing is written into an empty plain file
            file.write(b"x")
    expected = errno.ENOSPC if kind == "full" else errno.EPIPE
    assert (failed.value.errno, failed.value.filename) == (expected, str(path))
    assert [found.name for found in tmp_path.iterdir()] == [path.name]
