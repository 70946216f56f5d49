"""Every kind of source gives the same bytes, and can be closed while a thread waits for it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from gkl_shim.errors import FormatError
from gkl_shim.formats.input import Input
from gkl_shim.formats.pairhmm_in import Reader
from gkl_shim.formats.prefilter_text import TextReader, read_reads

TEXT = b"".join(b"%d\n" % number for number in range(100_000))
COMPRESSED = {
    "gzip": gzip.compress(TEXT, 1, mtime=0),
    "gzip members": gzip.compress(TEXT[:1000], 1, mtime=0) + gzip.compress(TEXT[1000:], 1, mtime=0),
    "gzip and zeros": gzip.compress(TEXT, 1, mtime=0) + bytes(1000),
    "bzip2": bz2.compress(TEXT, 1),
    "xz": lzma.compress(TEXT, preset=0),
}
REGION = b"1 1\nAC II II II ++\nACG\n"


def content_of(source: Input, size: int = 70_000) -> bytes:
    pieces, buffer = [], bytearray(size)
    while count := source.readinto(buffer):
        pieces.append(bytes(buffer[:count]))
    assert source.readinto(buffer) == 0
    return b"".join(pieces)


@contextmanager
def written(pieces: Iterable[bytes], blocking: bool) -> Iterator[int]:
    """Return the read end of a pipe into which the pieces are written one by one."""
    end, writer = os.pipe()
    os.set_blocking(end, blocking)

    def write() -> None:
        with os.fdopen(writer, "wb", buffering=0) as file:
            for piece in pieces:
                time.sleep(0.002)
                file.write(piece)

    # After a failure, a file that holds the pipe open may keep the thread waiting.
    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield end
    finally:
        os.close(end)
        thread.join(10)


@pytest.mark.parametrize("content", [TEXT, *COMPRESSED.values()], ids=["plain", *COMPRESSED])
def test_a_file_is_read_and_decompressed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with Input(path) as source:
        assert content_of(source) == TEXT
        assert source.bytes_read == len(content)
        assert source.name == str(path)
    with path.open("rb") as file:
        with Input(file, "given") as source:
            assert content_of(source, 1 << 20) == TEXT
            assert source.name == "given"
        assert not file.closed


def test_an_empty_file_has_no_content() -> None:
    assert content_of(Input(io.BytesIO())) == b""


@pytest.mark.parametrize("content", [TEXT, COMPRESSED["gzip"]], ids=["plain", "gzip"])
@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize("kind", ["path", "buffered", "raw"])
def test_a_slow_pipe_is_read_completely(content: bytes, blocking: bool, kind: str) -> None:
    """The first bytes arrive one by one, so the format is recognized late."""
    pieces = [content[k : k + 1] for k in range(5)]
    pieces += [content[k : k + 50_000] for k in range(5, len(content), 50_000)]
    with written(pieces, blocking) as end:
        if kind == "path":
            given: BinaryIO | str = f"/dev/fd/{end}"
        else:
            given = os.fdopen(os.dup(end), "rb", -1 if kind == "buffered" else 0)
        with Input(given) as source:
            assert content_of(source) == TEXT


@pytest.mark.parametrize("buffering", [-1, 0])
def test_a_non_blocking_pipe_is_read_completely(buffering: int) -> None:
    pieces = [REGION] * 10
    with written(pieces, False) as end, os.fdopen(end, "rb", buffering, closefd=False) as file:
        assert sum(map(len, Reader(file))) == len(pieces)
    pieces = [b"ACGT\tACGT\n" * 10] * 10
    with written(pieces, False) as end, os.fdopen(end, "rb", buffering, closefd=False) as file:
        assert sum(len(pairs.reads) for pairs in TextReader(file).pairs()) == 100
    with written([b">a\nAC\n", b"GT\n"], False) as end:
        assert len(read_reads(f"/dev/fd/{end}")) == 1


def test_a_socket_is_read_by_its_name() -> None:
    here, there = socket.socketpair()
    with here, there:
        there.sendall(TEXT[:1000])
        there.shutdown(socket.SHUT_WR)
        with Input(f"/dev/fd/{here.fileno()}") as source:
            assert content_of(source) == TEXT[:1000]


def test_an_open_file_is_read_from_its_position(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(TEXT)
    with path.open("rb", buffering=0) as file:
        file.read(10)
        with Input(f"/dev/fd/{file.fileno()}") as source:
            assert content_of(source) == TEXT[10:]


@pytest.mark.parametrize("start", [b"", REGION, gzip.compress(TEXT, mtime=0)[:500]])
def test_closing_ends_a_read_in_another_thread(start: bytes) -> None:
    end, writer = os.pipe()
    os.write(writer, start)
    source = Input(f"/dev/fd/{end}")
    errors: list[str] = []

    def read() -> None:
        try:
            content_of(source)
        except ValueError as error:
            errors.append(str(error))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    time.sleep(0.05)
    source.close()
    thread.join(20)
    assert not thread.is_alive()
    assert errors == [f"/dev/fd/{end} is closed"]
    with pytest.raises(ValueError, match="is closed"):
        source.readinto(bytearray(1))
    os.close(end)
    os.close(writer)


@pytest.mark.parametrize("content", COMPRESSED.values(), ids=COMPRESSED)
def test_truncated_or_damaged_data_are_refused(content: bytes) -> None:
    for cut in (1, len(content) // 2):
        with pytest.raises(FormatError, match=r"^x: the \w+ data are (cut off.*|damaged: .*)$"):
            content_of(Input(io.BytesIO(content.rstrip(b"\0")[:-cut]), "x"))
    damaged = bytearray(content)
    damaged[len(content) // 2] ^= 0xFF
    with pytest.raises(FormatError, match=r"^x: the \w+ data are (cut off.*|damaged: .*)$"):
        content_of(Input(io.BytesIO(damaged), "x"))


def test_bytes_after_gzip_data_are_refused() -> None:
    with pytest.raises(FormatError, match=r"^x: the gzip data are cut off, or other bytes follow"):
        content_of(Input(io.BytesIO(COMPRESSED["gzip"] + b"x"), "x"))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    with pytest.raises(FileNotFoundError) as error:
        Input(absent)
    assert error.value.filename == str(absent)
    with pytest.raises(IsADirectoryError) as error:
        Input(tmp_path)
    assert error.value.filename == str(tmp_path)
    # No memory is mapped at its start, so reading fails.
    with Input("/proc/self/mem") as source, pytest.raises(OSError) as failed:
        source.readinto(bytearray(10))
    assert (failed.value.errno, failed.value.filename) == (5, "/proc/self/mem")


def test_a_failing_file_of_the_caller_is_named() -> None:
    class Failing(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            raise OSError(5, "Input/output error")

    for content in (Reader(Failing(), "x.in"), TextReader(Failing(), "x.in").pairs()):  # type: ignore[arg-type]
        with pytest.raises(OSError) as error:
            list(content)  # type: ignore[call-overload]
        assert (error.value.errno, error.value.filename) == (5, "x.in")
