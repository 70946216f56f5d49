"""Reads with many duplicates, ties, and tags of every type."""

from __future__ import annotations

import gzip
import random
import struct
import subprocess
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import require_tool

_CONTIGS = {"one": 2000, "two": 3000, "three": 1500}
_STARTS = range(200, 800, 97)
_QUALITIES = (2, 11, 14, 15, 25, 37, 40)
_TAGS = (
    *("NM:i:3", "XS:i:70000", "XZ:i:-5", "XY:i:-200", "XX:i:-70000", "XU:i:4000000000"),
    *("XI:i:255", "XJ:i:128", "XK:i:32768", "XL:i:65535", "XF:f:1.5", "XA:A:c", "MD:Z:10A5"),
    *("ZB:B:c,-1,2", "ZC:B:C,200,1", "ZS:B:S,60000", "Zs:B:s,-3", "ZI:B:I,4000000000"),
    *("Zi:B:i,-9", "ZF:B:f,1.25,-3", "DT:Z:SQ", "DI:i:3", "aa:Z:", "XM:Z:q"),
)
#: Java's hash of the first two is the same.
_END_BARCODES = ("Aa", "BB", "AA", "", None)
_PROGRAMS = ("bwa", "bwa", "other", "MarkDuplicates", None)


@dataclass(frozen=True)
class _End:
    """Where a read is aligned."""

    contig: int
    position: int
    cigar: str
    is_reverse: bool

    @property
    def place(self) -> str:
        return f"{list(_CONTIGS)[self.contig]}\t{self.position}"


def write(
    path: Path,
    seed: int,
    groups: Sequence[str],
    *,
    aligner: str = "one",
    library: str = "l",
    grouped: bool = False,
    templates: int = 700,
    barcodes: Sequence[str | None] = (),
    paired: bool = False,
) -> Path:
    """Write a BAM file.

    Parameters
    ----------
    path
        The file.
    seed
        The seed of all random choices.
    groups
        The names of the read groups. Two have a library in common. "none" has no library.
    aligner
        The command line of the aligner in the header.
    library
        How the names of libraries begin.
    grouped
        Whether reads are grouped by name, instead of sorted by coordinate.
    templates
        The number of names. 1,500 make more records than one batch holds.
    barcodes
        The values of the tag RX, None for no tag. The tags BX and BY are added with it.
    paired
        Whether all reads are paired. They have the CIGAR of their mate in the tag MC.
    """
    records = _records(random.Random(seed), path.stem, groups, templates, barcodes, paired)
    if not grouped:
        records.sort(key=lambda record: (record[0], record[1]))
    return from_text(path, _header(groups, aligner, library, grouped), [r[2] for r in records])


def from_text(path: Path, header: Sequence[str], records: Sequence[str]) -> Path:
    """Write a BAM file from the lines of a SAM file."""
    text = "".join(f"{line}\n" for line in (*header, *records))
    command = [require_tool("samtools"), "view", "--no-PG", "-b", "-o", str(path), "-"]
    subprocess.run(command, input=text, text=True, check=True)
    return path


def in_odd_blocks(path: Path, reads: Path, seed: int) -> Path:
    """Write a BAM file again, in compressed blocks of random sizes, many of them small."""
    choice = random.Random(seed)
    content = gzip.decompress(reads.read_bytes())
    blocks, start = [], 0
    while start < len(content):
        end = start + choice.choice((1, 17, 300, 4000, 65280))
        blocks.append(_block(content[start:end]))
        start = end
    path.write_bytes(b"".join((*blocks, _block(b""))))
    return path


def _block(content: bytes) -> bytes:
    """Return a block: section 4.1, "The BGZF compression format", of the SAM specification."""
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    deflated = deflate.compress(content) + deflate.flush()
    header = struct.pack("<4BIBBH2sHH", 31, 139, 8, 4, 0, 0, 255, 6, b"BC", 2, len(deflated) + 25)
    return header + deflated + struct.pack("<II", zlib.crc32(content), len(content))


def long_reads(path: Path, seed: int) -> Path:
    """Write a BAM file with reads that are longer than many others together."""
    choice = random.Random(seed)
    header = ["@HD\tVN:1.6\tSO:coordinate", "@SQ\tSN:one\tLN:1000000", "@RG\tID:A\tSM:s\tLB:l"]
    lines = []
    for k in range(1200):
        length = 400_000 if k in (300, 301, 900) else 20_000 if k % 250 == 0 else 30
        qualities = "".join(chr(33 + choice.randrange(2, 41)) for _ in range(length))
        place = f"r{k}\t0\tone\t{1 + k // 3}\t60\t{length}M\t*\t0\t0"
        lines.append(f"{place}\t{'ACGT' * (length // 4)}{'A' * (length % 4)}\t{qualities}\tRG:Z:A")
    return from_text(path, header, lines)


def text(path: Path) -> tuple[list[str], list[str]]:
    """Return the header and the records of a BAM file as lines of a SAM file."""
    command = [require_tool("samtools"), "view", "--no-PG", "-h", str(path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [x for x in lines if x.startswith("@")], [x for x in lines if not x.startswith("@")]


def _header(groups: Sequence[str], aligner: str, library: str, grouped: bool) -> list[str]:
    return [
        "@HD\tVN:1.6\tSO:" + ("unsorted" if grouped else "coordinate"),
        *(f"@SQ\tSN:{name}\tLN:{length}" for name, length in _CONTIGS.items()),
        *(
            f"@RG\tID:{group}\tSM:s" + ("" if group == "none" else f"\tLB:{library}{k // 2}")
            for k, group in enumerate(groups)
        ),
        "@RG\tID:unused\tSM:s\tLB:zz",
        f"@PG\tID:bwa\tPN:bwa\tCL:{aligner}",
        "@PG\tID:other\tPN:x\tPP:bwa",
        "@PG\tID:MarkDuplicates\tPN:y",
    ]


def _records(
    choice: random.Random,
    prefix: str,
    groups: Sequence[str],
    templates: int,
    barcodes: Sequence[str | None],
    paired: bool,
) -> list[tuple[int, int, str]]:
    """Return the sequence and the position of each record, for sorting, and its line."""
    records: list[tuple[int, int, str]] = []

    def add(name: str, flag: int, end: _End | None, mate: _End | None, *, placed: bool) -> None:
        elements = _elements(end.cigar) if end else [(20, "M")]
        length = sum(size for size, letter in elements if letter in "MIS=X")
        bases = "".join(choice.choices("ACGTN", k=length))
        same = choice.random() < 0.3
        scores = choice.choices(_QUALITIES, k=1 if same else length) * (length if same else 1)
        qualities = "".join(chr(33 + score) for score in scores)
        if choice.random() < 0.05:
            qualities = "*"
        tags = [f"RG:Z:{group}", *choice.sample(_TAGS, choice.randrange(9))]
        # htsjdk turns this type into another.
        tags += ["XH:H:1AE3"] if choice.random() < 0.03 else []
        program = choice.choice(_PROGRAMS)
        tags += [f"PG:Z:{program}"] if program else []
        if barcodes:
            ends = (("BX", choice.choice(_END_BARCODES)), ("BY", choice.choice(_END_BARCODES)))
            tags += [f"{tag}:Z:{x}" for tag, x in (("RX", barcode), *ends) if x is not None]
        if paired and mate:
            tags.append(f"MC:Z:{mate.cigar}")
        choice.shuffle(tags)
        where = end or mate
        place = where.place if where and placed else "*\t0"
        aligned = f"60\t{end.cigar}" if end else "0\t*"
        other = f"{mate.place}\t100" if mate else "*\t0\t0"
        line = f"{name}\t{flag}\t{place}\t{aligned}\t{other}\t{bases}\t{qualities}\t"
        order = (where.contig, where.position) if where and placed else (len(_CONTIGS), 0)
        records.append((*order, line + "\t".join(tags)))

    for number in range(templates):
        name = _name(choice, f"{prefix}{number}")
        group = choice.choice(list(groups))
        contig, start = choice.choice((0, 0, 1)), choice.choice(_STARTS)
        end = _end(choice, contig, start)
        extra = choice.choices((0, 512, 1024), (0.85, 0.08, 0.07))[0]
        kind = choice.uniform(0.25 if paired else 0, 1)
        barcode = choice.choice(barcodes) if barcodes else None
        if kind < 0.25:
            # Some places have single reads only.
            end = _end(choice, 2, start)
            add(name, extra | 16 * end.is_reverse, end, None, placed=True)
        elif kind < 0.75:
            far = choice.randrange(len(_CONTIGS)) if choice.random() < 0.15 else contig
            mate = _end(choice, far, choice.choice((start, start + 40, choice.choice(_STARTS))))
            first = choice.choice((64, 128))
            flag = 1 | extra | 16 * end.is_reverse | 32 * mate.is_reverse
            add(name, flag | first, end, mate, placed=True)
            if choice.random() < 0.1:
                add(name, flag | first | choice.choice((256, 2048)), end, mate, placed=True)
            if choice.random() < 0.93:
                flag = 1 | extra | 16 * mate.is_reverse | 32 * end.is_reverse
                add(name, flag | 192 - first, mate, end, placed=True)
        elif kind < 0.9:
            add(name, 1 | 8 | 64 | extra | 16 * end.is_reverse, end, end, placed=True)
            add(name, 1 | 4 | 128 | extra | 32 * end.is_reverse, None, end, placed=True)
        else:
            flag = 1 | 4 | 8 | 64
            add(name, flag if paired else choice.choice((4, flag)), None, None, placed=False)
    return records


def _name(choice: random.Random, start: str) -> str:
    """Return a name with a place on the flow cell, or without. Places reach beyond 16 bits."""
    tile = choice.choice((1101, 1101, 2205, 40000))
    x = choice.choice((0, 30000, 32760, 65636)) + choice.randrange(130)
    y = choice.choice((5, 32700, 70000)) + choice.randrange(130)
    forms = (
        f"{start}:1:{tile}:{x}:{y}",
        f"{start}:2:FC:1:{tile}:{x}:{y}",
        f"{start}:2:FC:1:{tile}:{x}:{y}#0",
        f"{start}:2:FC:1:{tile}:{x}:{y}:ACGT",
        f"{start}:2:FC:1:t{tile}:{x}:{y}",
        f"{start}:{x}:{y}",
        start,
    )
    return choice.choices(forms, (3, 6, 1, 0.3, 0.3, 0.3, 1))[0]


def _end(choice: random.Random, contig: int, start: int) -> _End:
    """Return an alignment whose 5' end is at one of few places, clipped or not."""
    before = choice.choice(("", "", "", "3S", "7H", "7H5S"))
    after = choice.choice(("", "", "", "2S", "6H", "4S6H"))
    middle = choice.choice(("20M", "20M", "8M2I10M", "6M3D14M", "6M50N14M", "5=1X14=", "5M1D1I14M"))
    clipped = [sum(size for size, _ in _elements(clip)) for clip in (before, after)]
    span = sum(size for size, letter in _elements(middle) if letter in "MDN=X")
    is_reverse = choice.random() < 0.4
    position = start + 100 - clipped[1] - span if is_reverse else start + clipped[0]
    return _End(contig, position, before + middle + after, is_reverse)


def _elements(cigar: str) -> list[tuple[int, str]]:
    elements, digits = [], ""
    for letter in cigar:
        if letter.isdigit():
            digits += letter
        else:
            elements.append((int(digits), letter))
            digits = ""
    return elements
