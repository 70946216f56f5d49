"""Every kind of source gives the same bytes, and can be closed while a thread waits for it."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import socket
import subprocess
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pysam
import pytest

from gkl_shim.errors import FormatError
from gkl_shim.formats.input import Input
from gkl_shim.formats.pairhmm_in import Reader
from gkl_shim.formats.prefilter_text import TextReader
from tests.conftest import require_tool

TEXT = b"".join(b"%d\n" % number for number in range(100_000))
COMPRESSED = {
    "gzip": gzip.compress(TEXT, 1, mtime=0),
    "gzip members": gzip.compress(TEXT[:1000], 1, mtime=0) + gzip.compress(TEXT[1000:], 1, mtime=0),
    "gzip and zeros": gzip.compress(TEXT, 1, mtime=0) + bytes(1000),
    "bzip2": bz2.compress(TEXT, 1),
    "xz": lzma.compress(TEXT, preset=0),
}
#: The empty block at the end of a BGZF file.
BGZF_END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
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
        with pytest.raises(FormatError, match=r"^x: the \w+ data are (cut off|damaged: .*)$"):
            content_of(Input(io.BytesIO(content.rstrip(b"\0")[:-cut]), "x"))
    damaged = bytearray(content)
    damaged[len(content) // 2] ^= 0xFF
    with pytest.raises(FormatError, match=r"^x: the \w+ data are (cut off|damaged: .*)$"):
        content_of(Input(io.BytesIO(damaged), "x"))


#: What follows a file's data. MEMBER is the same data again.
ENDINGS = {
    "nothing": b"",
    "a member": b"MEMBER",
    "8 zeros": bytes(8),
    "9 zeros": bytes(9),
    "200,000 zeros": bytes(200_000),
    "zeros and a member": bytes(8) + b"MEMBER",
    "text": b"other bytes",
    "zeros and text": bytes(8) + b"other bytes",
    "half a member": b"HALF",
    "the first byte of a member": b"FIRST",
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("tool", ["gzip", "bzip2", "xz", "zstd"])
def test_what_follows_the_data_is_treated_as_by_the_formats_own_tool(
    tool: str, ending: str
) -> None:
    """An error of the tool is an error, and "ignored" is a warning."""
    program = require_tool(tool)
    member = subprocess.run([program, "-c"], input=TEXT, capture_output=True, check=True).stdout
    content = member + ENDINGS[ending].replace(b"MEMBER", member).replace(
        b"HALF", member[: len(member) // 2]
    ).replace(b"FIRST", member[:1])
    done = subprocess.run([program, "-dc"], input=content, capture_output=True, check=False)
    ignored = b"ignored" in done.stderr
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        if done.returncode and not ignored:
            with pytest.raises(FormatError, match=rf"^x: the {tool} data are "):
                content_of(Input(io.BytesIO(content), "x"))
        else:
            assert content_of(Input(io.BytesIO(content), "x")) == done.stdout
    assert [str(one.message) for one in told] == (
        [f"gkl-shim: x: what follows the {tool} data is ignored"] if ignored else []
    )


def gzip_member(
    text: bytes, extra: int = 0, name: int = 0, comment: int = 0, checksum: bool = False
) -> bytes:
    """Return a member whose header has fields of these sizes."""
    flags = 4 * bool(extra) | 8 * bool(name) | 16 * bool(comment) | 2 * checksum
    header = b"\x1f\x8b\x08" + bytes([flags, 0, 0, 0, 0, 0, 255])
    if extra:
        header += extra.to_bytes(2, "little") + bytes(extra)
    header += b"n" * name + bytes(bool(name)) + b"c" * comment + bytes(bool(comment))
    if checksum:
        header += (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little")
    return header + gzip.compress(text, 1, mtime=0)[10:]


#: Fields that the first 512 bytes hold, that end beyond them, and that end with them.
HEADERS: list[dict[str, int]] = [
    {"extra": 600},
    {"extra": 600, "name": 10},  # as dictzip writes
    {"extra": 65_535, "name": 100_000, "comment": 300_000, "checksum": True},
    {"name": 600, "comment": 1},
    {"name": 600, "checksum": True},
    {"name": 499, "checksum": True},
    {"name": 501},
    {"name": 400, "comment": 400},
    {"name": 10, "comment": 10, "checksum": True},
    {"extra": 500, "checksum": True},
    *({"name": at, "checksum": True} for at in (496, 497, 498, 500, 502)),
]


@pytest.mark.parametrize("header", HEADERS, ids=str)
@pytest.mark.parametrize("before", [0, 1, 100, 130_000], ids="after {} bytes".format)
def test_a_gzip_header_may_have_any_length(header: dict[str, int], before: int) -> None:
    """The first member's, and that of one after a member of about so many bytes."""
    first = gzip_member(os.urandom(before)) if before else b""
    content = first + gzip_member(TEXT, **header) + gzip_member(b"end\n", **header)
    program = require_tool("gzip")
    done = subprocess.run([program, "-dc"], input=content, capture_output=True, check=True)
    assert content_of(Input(io.BytesIO(content), "x")) == done.stdout
    pieces = [content[at : at + 300] for at in range(0, 3000, 300)] + [content[3000:]]
    with written(pieces, blocking=True) as end, open(end, "rb", closefd=False) as file:
        assert content_of(Input(file)) == done.stdout


@pytest.mark.parametrize("kept", [2, 9, 12, 300, 511, 512, 513, 1228, 1229])
def test_a_gzip_header_that_is_cut_off(kept: int) -> None:
    content = gzip_member(TEXT, extra=600, name=600, checksum=True)[:kept]
    for before in b"", gzip_member(b"text\n"):
        with pytest.raises(FormatError, match=r"^x: the gzip data are cut off$"):
            content_of(Input(io.BytesIO(before + content), "x"))


def test_a_gzip_header_whose_checksum_is_wrong() -> None:
    content = bytearray(gzip_member(TEXT, name=600, checksum=True))
    content[100] += 1
    with pytest.raises(FormatError, match=r"^x: the gzip data are damaged: "):
        content_of(Input(io.BytesIO(content), "x"))


def test_a_gzip_header_without_an_end() -> None:
    """It is not read into memory whole."""
    content = gzip_member(b"", name=(1 << 24) + 200_000)
    with pytest.raises(FormatError, match=r"^x: the gzip data are damaged: a header has more than"):
        content_of(Input(io.BytesIO(content), "x"))


# The greatest window that is read without asking, and what others need.
WINDOWS = [
    (["--long=27"], None),
    (["--zstd=windowLog=28"], 256),
    (["--long=29"], 512),
    (["--long=31"], 2048),
]


@pytest.mark.parametrize(("options", "window"), WINDOWS)
def test_a_zstd_window_that_is_too_large_is_named(options: list[str], window: int | None) -> None:
    """zstd itself refuses it, too, and reads it with the option that the message names."""
    program = require_tool("zstd")
    # The size of what comes from a pipe is unknown, so the window is as large as asked for.
    frame = subprocess.run(
        [program, "-c", *options], input=TEXT, capture_output=True, check=True
    ).stdout
    skipped = b"\x50\x2a\x4d\x18\x04\0\0\0abcd"
    small = subprocess.run([program, "-c"], input=TEXT, capture_output=True, check=True).stdout
    for before in b"", skipped, small:
        if window is None:
            assert content_of(Input(io.BytesIO(before + frame), "x")).endswith(TEXT)
            continue
        refused = subprocess.run([program, "-dc"], input=frame, capture_output=True, check=False)
        assert refused.returncode
        with pytest.raises(FormatError) as error:
            content_of(Input(io.BytesIO(before + frame), "x"))
        option = f"--memory={window}MB"
        assert str(error.value) == (
            f"x: the zstd data are compressed with a window of {window:,} MiB, more than the 128 "
            f"MiB that are read; decompress them with zstd -d {option}"
        )
        done = subprocess.run(
            [program, "-dc", option], input=frame, capture_output=True, check=True
        )
        assert done.stdout == TEXT


def test_a_zstd_frame_whose_window_is_its_size_is_refused_by_it() -> None:
    """Without the content: 200 MB in one segment."""
    for descriptor, size in ((0xA0, 4), (0xE0, 8), (0xA1, 4), (0xE3, 8)):
        number = bytes((0, 1, 2, 4)[descriptor & 3])
        head = b"\x28\xb5\x2f\xfd" + bytes([descriptor]) + number
        content = head + (200 << 20).to_bytes(size, "little") + bytes(20)
        with pytest.raises(FormatError, match="with a window of 200 MiB, more than the 128 MiB"):
            content_of(Input(io.BytesIO(content), "x"))


def test_skippable_frames_of_zstd_are_skipped() -> None:
    """pzstd writes one before each frame, other programs where they like."""
    frame = subprocess.run(
        [require_tool("zstd"), "-c"], input=TEXT, capture_output=True, check=True
    ).stdout
    for first in (0x50, 0x5F):
        skipped = (
            bytes([first]) + b"\x2a\x4d\x18" + (200_000).to_bytes(4, "little") + bytes(200_000)
        )
        assert content_of(Input(io.BytesIO(skipped + frame + skipped))) == TEXT
    assert content_of(Input(io.BytesIO(skipped))) == b""
    with pytest.raises(FormatError, match=r"^x: the zstd data are cut off$"):
        content_of(Input(io.BytesIO(frame + skipped[:-1]), "x"))


def test_bgzf_without_its_end_marker_is_named_as_by_samtools(tmp_path: Path) -> None:
    """Only the last of joined files needs the marker."""
    text = b">a\n" + b"ACGTTGCA\n" * 20_000
    path = tmp_path / "x.fa.gz"
    with pysam.BGZFile(str(path), "wb") as file:
        file.write(text)
    whole = path.read_bytes()
    assert whole.endswith(BGZF_END)
    cut = whole[: -len(BGZF_END)]
    for content, expected, complete in (
        (whole, text, True),
        (BGZF_END, b"", True),
        (cut, text, False),
        (whole + whole, text + text, True),
        (whole + cut, text + text, False),
    ):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            assert content_of(Input(io.BytesIO(content), "x")) == expected
        message = "gkl-shim: x: the end marker of BGZF is absent; the file may be cut off"
        assert [str(one.message) for one in told] == ([] if complete else [message])
        if expected:
            path.write_bytes(content)
            samtools = [require_tool("samtools"), "import", "-o", "/dev/null", path]
            done = subprocess.run(samtools, capture_output=True, check=True)
            assert (b"EOF marker is absent" in done.stderr) == (not complete)


#: Content that is no text, and what it is.
OTHERS = {
    b"PK\x03\x04": "a zip archive",
    lzma.compress(TEXT, lzma.FORMAT_ALONE): "lzma data",
    b"\x04\x22\x4d\x18": "lz4 data",
    b"\x1f\x9d\x90": "data of compress",
    b"BAM\x01": "a BAM file",
    b"CRAM\x03": "a CRAM file",
    b"a.fa".ljust(257, b"\0") + b"ustar": "a tar archive",
    b"\xef\xbb\xbf>a\nAC\n": "text with a byte order mark",
    ">a\nAC\n".encode("utf-16"): "UTF-16 text",
    codecs.BOM_UTF16_BE + ">a\nAC\n".encode("utf-16-be"): "UTF-16 text",
    ">a\nAC\n".encode("utf-32"): "UTF-32 text",
    codecs.BOM_UTF32_BE + ">a\nAC\n".encode("utf-32-be"): "UTF-32 text",
    b"@HD\tVN:1.6\tSO:unsorted\n": "SAM text",
    b"@SQ\tLN:10\tSN:one\n@CO\tmade by hand\n": "SAM text",
    b"@RG\tSM:HG002\tID:1\n": "SAM text",
    b"@PG\tID:bwa\tCL:bwa mem\n": "SAM text",
    b"@CO\tmade by hand\n@SQ\tSN:one\tLN:10\n": "SAM text",
    b"@CO\tmade by hand\nr\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n": "SAM text",
    b"@CO\t" + 600 * b"long ": "SAM text",
}


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("content", OTHERS)
def test_what_is_no_text_is_named(content: bytes, compress: Callable[[bytes], bytes]) -> None:
    with pytest.raises(FormatError, match=f"^x: it is {OTHERS[content]}; "):
        content_of(Input(io.BytesIO(compress(content)), "x"))


@pytest.mark.parametrize("bases", [b"ACGT\n", b"ACGT\r\n", b"\n", 600 * b"A" + b"\n"])
def test_a_read_with_the_name_of_a_comment_is_no_sam(bases: bytes) -> None:
    fastq = b"@CO\tof a read\n" + bases + b"+\n" + bases.replace(b"A", b"I")
    assert content_of(Input(io.BytesIO(fastq), "x")) == fastq


@pytest.mark.parametrize("before", [b"", b"\n", b" \r\n\t"])
@pytest.mark.parametrize("tag", [b"<!DOCTYPE html>", b"<!doctype", b"<Html>", b"<head>", b"<?xml"])
def test_a_page_of_the_web_is_named(before: bytes, tag: bytes) -> None:
    """Its > would begin a sequence of FASTA."""
    with pytest.raises(FormatError, match=r"^x: it is a page of the web, "):
        content_of(Input(io.BytesIO(before + tag + b"\n<p>Not found</p>\n"), "x"))


@pytest.mark.parametrize("kind", [name for name in COMPRESSED if " " not in name])
def test_what_is_compressed_twice_is_named(kind: str) -> None:
    content = bz2.compress(COMPRESSED[kind])
    with pytest.raises(FormatError, match=f"^x: it is compressed twice, with {kind} and bzip2; "):
        content_of(Input(io.BytesIO(content), "x"))


@pytest.mark.parametrize("before", [0, 511, 512, 70_000, 199_999])
def test_a_nul_byte_is_named_where_a_parser_would_take_it(before: int) -> None:
    content = b"A" * before + b"\0" + b"A" * (200_000 - before)
    assert content_of(Input(io.BytesIO(content), "x")) == content
    with pytest.raises(FormatError, match=f"^x: it is no text: byte {before + 1:,} is NUL$"):
        content_of(Input(io.BytesIO(content), "x", refuse_nul=True))


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
