"""The native readers of the .in formats agree with a plain one, what is written is read again, and
numbers are written as repr does."""

from __future__ import annotations

import gzip
import io
import random
import struct
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gkl_shim import pairhmm, pdhmm
from gkl_shim.bench.regions import regions as generated_regions
from gkl_shim.errors import FormatError
from gkl_shim.formats import pairhmm_in, pdhmm_in
from gkl_shim.formats.pairhmm_in import Reader, write
from gkl_shim.pairhmm import _native_pairhmm
from tests.conftest import RECORDED, recorded
from tests.formats import in_oracle

SPACES = (b" ", b"\t", b"  ", b" \x0b\x0c", b"\t ")
BLANK = (b"", b"", b"", b" ", b"\r")
ODD = b"\0\n\r\t '\"\\!-0159ACGTNX~acgtn\x7f\x80\x9f\xa0\xa1\xff"


#: Flags that are right.
FLAGS = (0, 0, 2, 4, 6, 9, 17, 33, 65, 129, 0x7F, 0xF9)


def _region(rnd: random.Random, longest: int, flagged: bool) -> Iterator[bytes]:
    """Return the lines of a region, written in one of the allowed ways."""
    reads, haplotypes = rnd.choice([(2, 1), (0, 0), (0, 2), (1, 0), (3, 4), (9, 2), (1, 17)])
    space, end = rnd.choice(SPACES), rnd.choice(BLANK)
    yield from [rnd.choice(BLANK)] * rnd.choice([0, 0, 1, 3])
    yield b"%d%b%d" % (reads, space, haplotypes) + end
    for _ in range(reads):
        size = rnd.randint(1, longest)
        tracks = [bytes(rnd.choice(b"ACGTNacgtn") for _ in range(size))]
        tracks += [bytes(rnd.randint(33, 160) for _ in range(size)) for _ in range(4)]
        yield rnd.choice(BLANK) + space.join(tracks) + end
    for _ in range(haplotypes):
        size = rnd.randint(1, longest)
        letters = bytes(rnd.choice(b"ACGTNacgtn") for _ in range(size))
        digits = bytes(rnd.choice(FLAGS) for _ in range(size)).hex().encode()
        digits = rnd.choice((digits, digits.upper()))
        yield (letters + space + digits if flagged else letters) + end


def _text(rnd: random.Random, regions: int, longest: int, flagged: bool = False) -> bytearray:
    lines = [line for _ in range(regions) for line in _region(rnd, longest, flagged)]
    return bytearray(b"\n".join(lines) + rnd.choice([b"", b"\n", b"\n\n", b" "]))


def _mutate(rnd: random.Random, text: bytearray) -> None:
    for _ in range(rnd.choice([0, 1, 1, 2, 5])):
        at = rnd.randrange(len(text) + 1)
        kind = rnd.choice(["change", "insert", "delete", "cut", "line"])
        if kind == "change" and at < len(text):
            text[at] = rnd.choice(ODD)
        elif kind == "insert":
            text[at:at] = bytes([rnd.choice(ODD)])
        elif kind == "delete":
            del text[at : at + rnd.choice([1, 1, 7])]
        elif kind == "cut" and rnd.random() < 0.3:
            del text[at:]
        elif kind == "line":
            start = text.rfind(b"\n", 0, at) + 1
            del text[start : text.find(b"\n", at) + 1]


def _found(batches: list[pairhmm.Batch] | list[pdhmm.Batch]) -> list[in_oracle.Region]:
    """Return what a reader found, in the oracle's form."""
    regions = []
    for batch in batches:
        reads, haplotypes = batch.reads, batch.haplotypes
        tracks = [track.tobytes() for track in reads.tracks]
        parts = [haplotypes.bases.tobytes()]
        if isinstance(batch, pdhmm.Batch):
            parts.append(batch.flags.tobytes())
        assert reads.offsets[-1] == len(reads.bases) == len(tracks[4])
        assert {len(part) for part in parts} == {haplotypes.offsets[-1]}
        read_ends, haplotype_ends = reads.offsets.tolist(), haplotypes.offsets.tolist()
        for g in range(len(batch)):
            regions.append(
                in_oracle.Region(
                    [
                        tuple(track[read_ends[k] : read_ends[k + 1]] for track in tracks)
                        for k in range(*batch.region_reads[g : g + 2])
                    ],
                    [
                        tuple(part[haplotype_ends[k] : haplotype_ends[k + 1]] for part in parts)
                        for k in range(*batch.region_haplotypes[g : g + 2])
                    ],
                )
            )
    return regions


def _agree(text: bytes, threads: int, longest_line: int = 1 << 26, flagged: bool = False) -> bool:
    """Compare reader and oracle; return whether the text is good."""
    reader = pdhmm_in.Reader if flagged else Reader
    try:
        want = in_oracle.parse(text, longest_line, flagged)
    except in_oracle.Fault as fault:
        with pytest.raises(FormatError) as error:
            list(reader(io.BytesIO(text), "f.in", threads))
        assert str(error.value) == f"f.in:{fault}"
        return False
    batches = list(reader(io.BytesIO(text), "f.in", threads))
    assert _found(batches) == want
    if not flagged:
        assert in_oracle.parse(_written(batches)) == want
    return True


def _written(batches: list[pairhmm.Batch]) -> bytes:
    text = io.BytesIO()
    for batch in batches:
        write(text, batch)
    return text.getvalue()


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_regions_are_written_as_they_were_read(name: str) -> None:
    path, _ = recorded(name)
    with Reader(path) as reader:
        assert _written(list(reader)) == path.read_bytes()


@pytest.mark.parametrize("flagged", [False, True])
@pytest.mark.parametrize("chunk", [2, 3, 17, 256, 1 << 18])
def test_mutated_texts_are_read_or_refused_like_the_oracle(
    monkeypatch: pytest.MonkeyPatch, chunk: int, flagged: bool
) -> None:
    monkeypatch.setattr(pairhmm_in, "_CHUNK", chunk)
    monkeypatch.setattr(pairhmm_in, "_BLOCK", max(chunk, 300))
    rnd = random.Random(chunk)
    good = 0
    for round_ in range(600):
        text = _text(rnd, rnd.choice([1, 2, 5]), rnd.choice([1, 3, 40, 100]), flagged)
        _mutate(rnd, text)
        good += _agree(bytes(text), 1 + round_ % 2, flagged=flagged)
    assert 100 < good < 500


@pytest.mark.parametrize(("threads", "flagged"), [(1, False), (2, True), (2, False)])
def test_texts_of_many_pieces_are_read_like_the_oracle(threads: int, flagged: bool) -> None:
    """Lines cross the borders between the threads' pieces, and several are wrong."""
    rnd = random.Random(threads)
    text = b""
    while len(text) < 700_000:
        text += bytes(_text(rnd, 50, 3000, flagged)).rstrip() + b"\n"
    assert _agree(text, threads, flagged=flagged)
    for _ in range(6):
        changed = bytearray(text)
        for _ in range(rnd.choice([1, 5])):
            changed[rnd.randrange(len(text))] = rnd.choice(b"\0\n X")
        _agree(bytes(changed), threads, flagged=flagged)


@pytest.mark.parametrize("chunk", [5, 1 << 18])
def test_a_line_is_refused_only_above_the_limit(
    monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(pairhmm_in, "_CHUNK", chunk)
    monkeypatch.setattr(pairhmm_in, "_BLOCK", chunk)
    monkeypatch.setattr(pairhmm_in, "_MAX_LINE", 100)
    for size in (99, 100, 101):
        for text in (
            b"0 1\n" + b"A" * size,
            b"0 1\n" + b"A" * size + b"\n1 0\nX\n",
            b"1 0\nA I I I I" + b" " * (size - 9) + b"\n",
            b"0 1\n" + b" " * size + b"\n",
            b" " * size + b"\n1 0\nA I I I I\n",
            b"0 2\nAX\n" + b"A" * size,
        ):
            _agree(text, 1, 100)


def test_a_wrong_line_is_found_before_its_region_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong line is found although the rest of its region never arrives."""
    monkeypatch.setattr(pairhmm_in, "_CHUNK", 1 << 12)
    monkeypatch.setattr(pairhmm_in, "_BLOCK", 1 << 12)

    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            first = b"999999999 1\n" if not self.given else b""
            text = (first + b"A I I I I\n" * len(buffer))[: len(buffer) - len(buffer) % 10 or 1]
            if self.given > 1 << 20:
                text = b"A I I I\n"
            buffer[: len(text)] = text
            self.given += len(text)
            return len(text)

    file = Endless()
    with pytest.raises(FormatError, match="a read has 5 fields"):
        list(Reader(io.BufferedReader(file), "f.in"))
    assert file.given < 1 << 22


def test_absurd_counts_do_not_allocate_memory() -> None:
    tracemalloc.start()
    with pytest.raises(FormatError, match="999999999 reads and 999999999 haplotypes are missing"):
        list(Reader(io.BytesIO(b"999999999 999999999\n")))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


def test_a_gzip_bomb_is_refused_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairhmm_in, "_MAX_LINE", 1 << 22)
    packed = gzip.compress(b"A" * (1 << 27), 9, mtime=0)
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"^f\.in:1: a line of more than 4194304 bytes$"):
        list(Reader(io.BytesIO(packed), "f.in"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 24


def test_memory_does_not_grow_with_the_file() -> None:
    text = _written([generated_regions(20)])
    peaks = []
    for copies in (20, 60):
        content = text * copies
        tracemalloc.start()
        regions = sum(len(batch) for batch in Reader(io.BytesIO(content)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert regions == 20 * copies
    assert peaks[1] < 1.2 * peaks[0]


def test_a_path_is_read_and_named_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "x.in"
    path.write_bytes(b"0 1\nA\n")
    with Reader(path) as reader:
        assert sum(map(len, reader)) == 1
        assert reader.bytes_read == 6
    path.write_bytes(gzip.compress(b"0 1\nA\n", mtime=0)[:-4])
    with pytest.raises(FormatError, match=r"the gzip data are cut off$") as error:
        list(Reader(str(path)))
    assert (error.value.path, error.value.line) == (str(path), 1)


def _lines(values: np.ndarray, threads: int = 0) -> list[str]:
    text = b"".join(map(bytes, _native_pairhmm.format_likelihoods(values, threads)))
    assert text.endswith(b"\n") or not len(values)
    return text.decode("ascii").splitlines()


def test_numbers_are_written_like_repr() -> None:
    values = [0.0, -0.0, -1.5, -10.0, 1e-5, 1e16, np.inf, -np.inf, np.nan, -np.nan, 5e-324, 0.1,
              1.7976931348623157e308, -2.2250738585072014e-308, 123456789012345680.0, -1e22, 1e23,
              9007199254740993.0, 4503599627370497.5, 1e-7, -614.0, 100.0]  # fmt: skip
    for power in range(-10, 25):
        at = float(f"1e{power}")
        values += [at, -at, np.nextafter(at, 0), np.nextafter(at, 1e300), 3 * at, at / 3]
    rnd = random.Random(7)
    for _ in range(60_000):
        values.append(struct.unpack("d", rnd.randbytes(8))[0])
        values.append(-rnd.random() * 10.0 ** rnd.randint(-6, 17))
        values.append(float(rnd.getrandbits(rnd.randint(1, 60))))
    array = np.array(values)
    want = [repr(value) for value in array.tolist()]
    for threads in (1, 2):
        assert _lines(array, threads) == want
    assert _lines(array[:0]) == []
    assert _lines(array[:1]) == want[:1]


def test_the_longest_numbers_fit() -> None:
    values = np.full(10_000, -2.2250738585072014e-308)
    assert _lines(values) == ["-2.2250738585072014e-308"] * 10_000
