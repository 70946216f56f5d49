"""The .in format is read, written, and refused with a message that names the line."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gkl_shim.bench.regions import regions as generated_regions
from gkl_shim.errors import FormatError
from gkl_shim.formats import pairhmm_in
from gkl_shim.formats.pairhmm_in import Reader, write
from gkl_shim.pairhmm import Batch, _native_pairhmm
from gkl_shim.pairhmm._batch import concatenated
from tests.conftest import RECORDED, recorded

REGION = b"2 1\nACGT IIII JJJJ KKKK ++++\nAC !! II II ++\nACGTA\n"
TWO = REGION + b"1 2\nN ~ I I +\nacgt\nACGG\n"


def _read(text: bytes) -> Batch:
    return concatenated(list(Reader(io.BytesIO(text), "f.in")))


def _same(batch: Batch, other: Batch) -> bool:
    return (
        all(map(np.array_equal, batch.reads.tracks, other.reads.tracks))
        and np.array_equal(batch.reads.offsets, other.reads.offsets)
        and np.array_equal(batch.haplotypes.offsets, other.haplotypes.offsets)
        and np.array_equal(batch.haplotypes.bases, other.haplotypes.bases)
        and np.array_equal(batch.shapes, other.shapes)
    )


def test_a_file_is_read_into_a_batch() -> None:
    batch = _read(TWO)
    assert batch.shapes.tolist() == [[2, 1], [1, 2]]
    assert batch.reads.offsets.tolist() == [0, 4, 6, 7]
    assert batch.reads.bases.tobytes() == b"ACGTACN"
    assert batch.reads.quals.tolist() == [40, 40, 40, 40, 0, 0, 93]
    assert batch.reads.insertion_quals.tolist() == [41] * 4 + [40] * 3
    assert batch.reads.deletion_quals.tolist() == [42] * 4 + [40] * 3
    assert batch.reads.continuation_quals.tolist() == [10] * 7
    assert batch.haplotypes.offsets.tolist() == [0, 5, 9, 13]
    assert batch.haplotypes.bases.tobytes() == b"ACGTAacgtACGG"


@pytest.mark.parametrize(
    "text",
    [
        TWO.replace(b"\n", b"\r\n"),
        TWO.rstrip(b"\n"),
        TWO.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
        TWO.replace(b" ", b"\t"),
        b"\n" + TWO + b"\n\n",
    ],
    ids=["CRLF", "no last newline", "both", "tabs", "blank lines"],
)
def test_variants_of_the_format_are_read(text: bytes) -> None:
    assert _same(_read(text), _read(TWO))


def test_damaged_gzip_data_are_refused() -> None:
    """test_pairhmm_text.py compares all other messages with those of a plain reader."""
    with pytest.raises(FormatError, match=r"^f\.in:1: the gzip data are cut off$"):
        _read(gzip.compress(TWO, mtime=0)[:-4])


def test_line_numbers_continue_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairhmm_in, "_CHUNK", 7)
    assert _same(_read(TWO), concatenated([_read(REGION), _read(TWO[len(REGION) :])]))
    with pytest.raises(FormatError, match=r"^f\.in:12: letter 'X' of the haplotype"):
        _read(REGION * 2 + REGION.replace(b"ACGTA", b"ACGXA"))


def test_an_endless_line_is_refused_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairhmm_in, "_MAX_LINE", 1 << 22)

    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            buffer[:] = b"A" * len(buffer)
            return len(buffer)

    with pytest.raises(FormatError, match=r"^f\.in:1: a line of more than 4194304 bytes$"):
        list(Reader(io.BufferedReader(Endless()), "f.in"))


@pytest.mark.parametrize("ending", [b"\nA\n", b""])
def test_the_limit_of_a_line_is_told_in_bytes(ending: bytes) -> None:
    """The last line may be incomplete."""
    for spaces, fault in ((0, None), (1, "a line of more than 20 bytes")):
        text = bytearray(b"1 1\nACG III III III +++ " + b" " * spaces + ending)
        found = _native_pairhmm.parse_regions(text, len(text), 20)
        assert found.fault == fault


def test_absurd_counts_do_not_allocate_memory() -> None:
    tracemalloc.start()
    with pytest.raises(FormatError, match="999999999 reads and 999999999 haplotypes are missing"):
        _read(b"999999999 999999999\n")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


def test_a_gzip_bomb_is_refused_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairhmm_in, "_MAX_LINE", 1 << 22)
    packed = gzip.compress(b"A" * (1 << 27), 9, mtime=0)
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"^f\.in:1: a line of more than 4194304 bytes$"):
        _read(packed)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 24


def test_memory_does_not_grow_with_the_file() -> None:
    text = io.BytesIO()
    write(text, generated_regions(20))
    peaks = []
    for copies in (20, 60):
        content = text.getvalue() * copies
        tracemalloc.start()
        regions = sum(len(batch) for batch in Reader(io.BytesIO(content)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert regions == 20 * copies
    assert peaks[1] < 1.2 * peaks[0]


def test_a_path_is_read_and_named_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "x.in"
    path.write_bytes(TWO)
    with Reader(path) as reader:
        assert sum(map(len, reader)) == 2
        assert reader.bytes_read == len(TWO)
    path.write_bytes(b"rubbish")
    with pytest.raises(FormatError) as error:
        list(Reader(str(path)))
    assert (error.value.path, error.value.line) == (str(path), 1)
    with pytest.raises(FileNotFoundError):
        Reader(tmp_path / "absent.in")


letters = st.text("ACGTNacgtn", min_size=1, max_size=30).map(str.encode)


@st.composite
def regions(draw: st.DrawFn) -> tuple[list[tuple[bytes, ...]], list[bytes]]:
    reads = []
    for bases in draw(st.lists(letters, max_size=4)):
        size = len(bases)
        track = st.lists(st.integers(0, 127), min_size=size, max_size=size).map(bytes)
        reads.append((bases, *(draw(track) for _ in range(4))))
    return reads, draw(st.lists(letters, max_size=4))


@given(st.lists(regions(), min_size=1, max_size=5), st.booleans())
@settings(deadline=None)
def test_regions_are_read_as_they_were_written(
    content: list[tuple[list[tuple[bytes, ...]], list[bytes]]], packed: bool
) -> None:
    text = b""
    for reads, haplotypes in content:
        text += b"%d %d\n" % (len(reads), len(haplotypes))
        for bases, *tracks in reads:
            printable = [bytes(qual + 33 for qual in track) for track in tracks]
            text += b" ".join([bases, *printable]) + b"\n"
        text += b"".join(haplotype + b"\n" for haplotype in haplotypes)
    batch = _read(gzip.compress(text, mtime=0) if packed else text)
    assert [tuple(shape) for shape in batch.shapes.tolist()] == [
        (len(reads), len(haplotypes)) for reads, haplotypes in content
    ]
    back = io.BytesIO()
    write(back, batch)
    assert back.getvalue() == text


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_regions_are_written_as_they_were_read(name: str) -> None:
    back = io.BytesIO()
    path, _ = recorded(name)
    with Reader(path) as reader:
        for batch in reader:
            write(back, batch)
    assert back.getvalue() == path.read_bytes()
