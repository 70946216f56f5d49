"""Files of steps: which are the same, and what is said of those that are not."""

from __future__ import annotations

import hashlib
import random
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pysam
import pytest

from gkl_shim.errors import FormatError
from gkl_shim.validation.compared_files import FileComparison, compare
from tests.validation.fake_java import block

BLOCK = 4000


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    stock, shim = tmp_path / "stock", tmp_path / "gkl-shim"
    stock.mkdir()
    shim.mkdir()
    return stock, shim


def content(folder: Path, change: Callable[[pysam.AlignedSegment, int], None]) -> bytes:
    """Return an inflated BAM file of 500 reads on two contigs."""
    draws = random.Random(1)
    header = {"HD": {"VN": "1.6", "SO": "coordinate"},
              "SQ": [{"SN": "one", "LN": 90_000}, {"SN": "two", "LN": 90_000}]}  # fmt: skip
    path = folder / "made.bam"
    with pysam.AlignmentFile(str(path), "wb", header=header) as bam:
        for number in range(500):
            read = pysam.AlignedSegment(bam.header)
            read.query_name = f"read{number}"
            read.reference_id, read.reference_start = number // 250, number % 250 * 300
            read.cigarstring = "50M"
            read.query_sequence = "".join(draws.choices("ACGT", k=50))
            read.query_qualities = pysam.qualitystring_to_array("".join(draws.choices("IA5", k=50)))
            change(read, number)
            bam.write(read)
    with pysam.BGZFile(str(path), "r") as stream:
        inflated = bytes(stream.read())
    path.unlink()
    return inflated


def write(folder: Path, inflated: bytes, levels: Sequence[int] = (6,), size: int = BLOCK) -> None:
    """Write a BAM file with blocks of these levels by turns, its index and its MD5."""
    pieces = [inflated[start : start + size] for start in range(0, len(inflated), size)]
    blocks = [block(piece, levels[k % len(levels)]) for k, piece in enumerate([*pieces, b""])]
    path = folder / "out.bam"
    path.write_bytes(b"".join(blocks))
    pysam.index(str(path), str(folder / "out.bai"))
    (folder / "out.bam.md5").write_text(hashlib.md5(path.read_bytes()).hexdigest())


def same(read: pysam.AlignedSegment, number: int) -> None:
    pass


def found(folders: tuple[Path, Path], *names: str) -> dict[str, FileComparison]:
    return {file.name: file for file in compare(*folders, names or NAMES)}


NAMES = ("out.bai", "out.bam.md5", "out.bam")


def test_the_same_bytes(folders: tuple[Path, Path]) -> None:
    for folder in folders:
        write(folder, content(folder, same))
    files = found(folders)
    assert list(files) == ["out.bam", "out.bai", "out.bam.md5"]
    assert {(file.same, file.how) for file in files.values()} == {(True, "the same bytes")}
    (folders[1] / "out.bai").write_bytes((folders[0] / "out.bai").read_bytes() + b"x")
    (folders[1] / "out.bam.md5").write_text("other")
    assert [file.same for file in found(folders).values()] == [True, False, False]


def test_blocks_that_are_compressed_otherwise(folders: tuple[Path, Path]) -> None:
    inflated = content(folders[0], same)
    write(folders[0], inflated)
    write(folders[1], inflated, (6, 6, 6, 1))
    files = found(folders)
    assert all(file.same for file in files.values())
    blocks = -(-len(inflated) // BLOCK) + 1
    changed = blocks // 4 - (blocks % 4 == 0)  # the empty last one is the same at both levels
    assert files["out.bam"].how == (
        f"the same content; {changed} of {blocks} blocks are compressed to other bytes"
    )
    assert files["out.bai"].how.startswith("the same places in the BAM files")
    assert files["out.bam.md5"].how == "other bytes; each is the MD5 of the BAM file beside it"
    # Unchanged, the two files differ.
    for name in ("out.bai", "out.bam.md5"):
        assert (folders[0] / name).read_bytes() != (folders[1] / name).read_bytes()
        (folders[1] / name).write_bytes((folders[0] / name).read_bytes())
    files = found(folders)
    assert [file.same for file in files.values()] == [True, False, False]
    assert files["out.bam.md5"].how == "gkl-shim has not written the MD5 of its BAM file"


def test_every_address_of_an_index_counts(folders: tuple[Path, Path]) -> None:
    inflated = content(folders[0], same)
    write(folders[0], inflated)
    write(folders[1], inflated, (1,))
    index = (folders[1] / "out.bai").read_bytes()
    checked = 0
    for place in range(0, len(index) - 7, 4):
        (number,) = struct.unpack_from("<Q", index, place)
        if number > 1 << 16 and number >> 16 < (folders[1] / "out.bam").stat().st_size:
            changed = struct.pack("<Q", number ^ 1)
            (folders[1] / "out.bai").write_bytes(index[:place] + changed + index[place + 8 :])
            assert not found(folders)["out.bai"].same, place
            checked += 1
    assert checked > 20
    (folders[1] / "out.bai").write_bytes(index[:100])
    assert found(folders)["out.bai"].how == "one is damaged"


def test_other_blocks(folders: tuple[Path, Path]) -> None:
    inflated = content(folders[0], same)
    write(folders[0], inflated)
    write(folders[1], inflated, size=BLOCK + 1)
    files = found(folders)
    assert all(file.same for file in files.values())
    assert files["out.bam"].how == "the same content in other blocks"
    path = folders[1] / "out.bam"
    path.write_bytes(path.read_bytes().removesuffix(block(b"")))
    files = found(folders)
    assert not any(file.same for file in files.values())
    assert files["out.bam"].how == "one file ends without the block that marks the end"


def flag(read: pysam.AlignedSegment, number: int) -> None:
    if number >= 333:
        read.is_duplicate = True


@pytest.mark.parametrize(
    ("change", "how"),
    [
        (lambda inflated: inflated, "record 334 differs: read333, two:24901"),
        (lambda inflated: inflated.replace(b"LN:90000", b"LN:90001", 1), "the headers differ"),
    ],
)
def test_the_first_record_that_differs(
    folders: tuple[Path, Path], change: Callable[[bytes], bytes], how: str
) -> None:
    write(folders[0], content(folders[0], same))
    write(folders[1], change(content(folders[1], flag)))
    files = found(folders)
    assert (files["out.bam"].same, files["out.bam"].how) == (False, how)
    for name in ("out.bai", "out.bam.md5"):
        assert (files[name].same, files[name].how) == (
            False, "not compared, because the BAM files differ",
        )  # fmt: skip


def test_a_record_that_only_one_file_has(folders: tuple[Path, Path]) -> None:
    inflated = content(folders[0], same)
    write(folders[0], inflated)
    last = _last_record(inflated)
    write(folders[1], inflated[:-last])
    assert found(folders)["out.bam"].how == "record 500 is in one file only: read499, two:74701"


def _last_record(inflated: bytes) -> int:
    """Return the length of the last record."""
    return len(inflated) - inflated.rindex(b"read499\0") + 36


def test_damaged_files(folders: tuple[Path, Path]) -> None:
    inflated = content(folders[0], same)
    for damage, message in (
        (lambda whole: whole[:-9], "it is truncated"),
        (lambda whole: b"x" + whole, "not a BAM file"),
        (lambda whole: whole[:60] + b"xxxx" + whole[64:], "damaged"),
    ):
        write(folders[0], inflated)
        write(folders[1], inflated)
        path = folders[1] / "out.bam"
        path.write_bytes(damage(path.read_bytes()))
        with pytest.raises(FormatError, match=message):
            found(folders)


def test_texts(folders: tuple[Path, Path]) -> None:
    """Only in metrics, and only lines of one "#", are left out."""
    stock, shim = folders
    (stock / "m.txt").write_text("## a\n# Started on: 1\nx\n")
    (shim / "m.txt").write_text("## a\n# Started on: 2\nx\n")
    (stock / "t.table").write_text("# 1\nx\n")
    (shim / "t.table").write_text("# 2\nx\n")
    (stock / "stock.only").write_text("")
    files = found(folders, "m.txt", "t.table", "stock.only")
    assert files["m.txt"] == FileComparison("m.txt", True, "the same but for the lines with dates")
    assert files["t.table"] == FileComparison("t.table", False, "line 1 differs")
    assert files["stock.only"] == FileComparison("stock.only", False, "gkl-shim has not written it")
    (shim / "m.txt").write_text("## b\n# Started on: 2\nx\n")
    assert not found(folders, "m.txt")["m.txt"].same
    (shim / "m.txt").write_text("## a\n# Started on: 2\nx\n\n")
    assert found(folders, "m.txt")["m.txt"].how == "line 4 differs"
