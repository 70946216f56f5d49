"""Whether a step of a pipeline has written the same files with gkl-shim as without it.

Files are read block by block, so their sizes do not matter.
"""

from __future__ import annotations

import gzip
import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

import numpy as np

from gkl_shim.common._naming import naming
from gkl_shim.errors import FormatError

_Pair = tuple[Path, Path]
_Verdict = tuple[bool, str]
"""The last two fields of a `FileComparison`."""
_SAME_BYTES = (True, "the same bytes")

_PIECE = 1 << 20
# The header of a block with one extra field, BSIZE (SAMv1, 4.1). htsjdk and htslib write no others.
_BLOCK_HEADER = 18
_BLOCK_START = b"\x1f\x8b\x08\x04"
_BSIZE_FIELD = b"\x06\x00BC\x02\x00"
_METADATA_BIN = 37450  # SAMv1, 5.2: its first chunk has addresses, its second one counts


@dataclass(frozen=True)
class FileComparison:
    """What was found of a file."""

    name: str
    same: bool
    """Whether the files have the same content."""
    how: str
    """In what they agree, or the first place where they do not."""


def compare(stock: Path, shim: Path, names: Iterable[str]) -> list[FileComparison]:
    """Compare files of two folders.

    The blocks of BAM files are compared compressed, and inflated if they differ: at level 2, what
    Intel's deflater makes of a block depends on an address in memory, in stock GATK too.
    Then indexes are compared by the places in the inflated files that they point to, and each MD5
    file must have the MD5 of the BAM file beside it. In a text file (``.txt``), lines that begin
    with "# " are left out: Picard's metrics have the time there.

    Parameters
    ----------
    stock, shim
        The folders.
    names
        The names of the files. A file that only one folder has is a difference.

    Returns
    -------
    list of FileComparison
        BAM files come first, then the others by name.

    Raises
    ------
    FormatError
        If a BAM file is damaged.
    """
    found: dict[str, FileComparison] = {}
    for name in sorted(set(names), key=lambda name: (not name.endswith(".bam"), name)):
        paths = stock / name, shim / name
        absent = [path.parent.name for path in paths if not path.is_file()]
        if absent:
            verdict = False, f"{absent[0]} has not written it"
        elif name.endswith(".bam"):
            verdict = _bams(*paths)
        elif bam := next((bam for bam in found if _belongs_to(name, bam)), None):
            verdict = _companions(paths, (stock / bam, shim / bam), found[bam])
        else:
            verdict = _texts(paths, name.endswith(".txt"))
        found[name] = FileComparison(name, *verdict)
    return list(found.values())


def _belongs_to(name: str, bam: str) -> bool:
    return name in (f"{bam}.md5", f"{bam}.bai", f"{bam.removesuffix('.bam')}.bai")


def _bams(stock: Path, shim: Path) -> _Verdict:
    total = other = 0
    for one, two in zip_longest(_blocks(stock), _blocks(shim)):
        total += 1
        if one != two:
            if one is None or two is None or _inflated(one, stock) != _inflated(two, shim):
                return _first_difference(stock, shim)
            other += 1
    if not other:
        return _SAME_BYTES
    return True, f"the same content; {other:,} of {total:,} blocks are compressed to other bytes"


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield the compressed blocks of a file in BGZF."""
    with naming(str(path)), path.open("rb", buffering=_PIECE) as stream:
        while head := stream.read(_BLOCK_HEADER):
            if head[:4] != _BLOCK_START or head[10:16] != _BSIZE_FIELD:
                raise FormatError(str(path), None, "not a BAM file as GATK writes them")
            size = struct.unpack("<H", head[16:])[0] + 1
            block = head + stream.read(size - _BLOCK_HEADER)
            if len(block) < size:
                raise FormatError(str(path), None, "it is truncated")
            yield block


def _inflated(block: bytes, path: Path) -> bytes:
    try:
        return gzip.decompress(block)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(str(path), None, f"damaged BAM file: {error}") from error


def _first_difference(stock: Path, shim: Path) -> _Verdict:
    """Find the first record of two BAM files that differs."""
    try:
        with gzip.open(stock) as one, gzip.open(shim) as two:
            text, contigs = header(one)
            if (text, contigs) != header(two):
                return False, "the headers differ"
            for number, (a, b) in enumerate(zip_longest(alignments(one), alignments(two)), 1):
                if a != b:
                    why = "differs" if a and b else "is in one file only"
                    return False, f"record {number:,} {why}: {_place(a or b or b'', contigs)}"
    except (EOFError, gzip.BadGzipFile, zlib.error, struct.error) as error:
        raise FormatError(f"{stock} or {shim}", None, f"damaged BAM file: {error}") from error
    if _last_block(stock) != _last_block(shim):
        return False, "one file ends without the block that marks the end"
    return True, "the same content in other blocks"


def _last_block(path: Path) -> bytes:
    *_, last = _blocks(path)
    return last


def header(stream: BinaryIO | gzip.GzipFile) -> tuple[bytes, list[str]]:
    """Read the header of a BAM file: its text, and the contigs."""
    _, length = struct.unpack("<4si", stream.read(8))
    text = stream.read(length)
    contigs = []
    for _ in range(_number(stream)):
        contigs.append(stream.read(_number(stream))[:-1].decode(errors="replace"))
        stream.read(4)
    return text, contigs


def alignments(stream: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
    """Yield the bytes of each record of a BAM file, without the number in front of them."""
    while size := stream.read(4):
        yield stream.read(struct.unpack("<i", size)[0])


def _number(stream: BinaryIO | gzip.GzipFile) -> int:
    return int(struct.unpack("<i", stream.read(4))[0])


def _place(record: bytes, contigs: list[str]) -> str:
    """Return the name of a read, and its position from 1."""
    contig, position, length = struct.unpack_from("<iiB", record)
    name = record[32 : 32 + length - 1].decode(errors="replace")
    return f"{name}, {contigs[contig]}:{position + 1}" if contig >= 0 else f"{name}, unplaced"


def _companions(paths: _Pair, bams: _Pair, found: FileComparison) -> _Verdict:
    """Compare the indexes or the MD5 files of two BAM files."""
    if (found.same, found.how) == _SAME_BYTES:
        return _texts(paths, metrics=False)
    if not found.same:
        return False, "not compared, because the BAM files differ"
    if paths[0].suffix == ".bai":
        try:
            places = [_index(path, bam) for path, bam in zip(paths, bams, strict=True)]
        except struct.error:
            return False, "one is damaged"
        if places[0] == places[1]:
            return True, "the same places in the BAM files, whose blocks have other addresses"
        return False, "it points to other places in the BAM file"
    for path, bam in zip(paths, bams, strict=True):
        if path.read_text().strip() != _md5(bam):
            return False, f"{path.parent.name} has not written the MD5 of its BAM file"
    return True, "other bytes; each is the MD5 of the BAM file beside it"


def _md5(path: Path) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    with naming(str(path)), path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _index(path: Path, bam: Path) -> list[int]:
    """Return the numbers in a BAI, with the places in the inflated file for virtual offsets."""
    sizes = [(len(block), struct.unpack("<I", block[-4:])[0]) for block in _blocks(bam)]
    starts, inflated = np.cumsum([(0, 0), *sizes], axis=0, dtype=np.uint64).T

    def offsets(count: int) -> list[int]:
        found = np.frombuffer(stream.read(8 * count), "<u8")
        block = np.searchsorted(starts, found >> np.uint64(16), side="right") - 1
        return [int(place) for place in inflated[block] + (found & np.uint64(0xFFFF))]

    numbers: list[int] = []
    with naming(str(path)), path.open("rb") as stream:
        stream.read(4)
        for _ in range(_number(stream)):
            for _ in range(_number(stream)):
                bin_number, chunks = struct.unpack("<Ii", stream.read(8))
                addresses = 1 if bin_number == _METADATA_BIN else chunks
                numbers += [bin_number, chunks, *offsets(2 * addresses)]
                numbers += stream.read(16 * (chunks - addresses))
            numbers += offsets(_number(stream))
        numbers += stream.read()
    return numbers


def _texts(paths: _Pair, metrics: bool) -> _Verdict:
    """Compare files byte by byte, or lines of metrics."""
    with paths[0].open("rb") as one, paths[1].open("rb") as two:
        if metrics:
            pairs = zip_longest(_without_times(one), _without_times(two))
        else:
            pairs = zip_longest(one, two)
        for number, (a, b) in enumerate(pairs, 1):
            if a != b:
                return False, f"line {number:,} differs"
    return (True, "the same but for the lines with dates") if metrics else _SAME_BYTES


def _without_times(stream: BinaryIO) -> Iterator[bytes]:
    return (b"" if line.startswith(b"# ") else line for line in stream)
