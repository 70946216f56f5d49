"""Reads of every shape that an aligner may write, and some that it may not."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pysam

from benchmarks.common.samples import write_reference
from gkl_shim.gatk.data import Sample

_CONTIGS = {"one": 7000, "two": 2500}
_CLIPPED = ("5S", "1S", "7H", "3H4S", "")
_MIDDLES = (
    ("30M", "4I", "40M"),
    ("30M", "1D", "40M"),
    ("20M", "25D", "20M"),
    ("12M", "60N", "30M"),
    ("15=", "1X", "30="),
    ("1M", "2I", "1M", "2D", "50M"),
    ("25M", "3I", "2D", "25M"),
    ("25M", "2D", "3I", "25M"),
    ("10M", "2P", "3I", "40M"),
    ("20M", "1D", "1M", "1D", "1M", "1I", "20M"),
    ("1M",),
    ("5I", "40M"),
    ("40M", "6I"),
    ("30M", "0D", "5I", "0M", "30M"),
)
_UNUSUAL = (
    ("3D", "40M"),
    ("40M", "3D"),
    ("20I",),
    ("40N", "30M"),
    ("10M", "5S", "10M"),
    ("60M", "3S", "14D", "40M"),
    ("60M", "3H", "14D", "40M"),
)


def write(folder: Path, seed: int, *, samples: tuple[str, ...] = ("one",), wild: bool) -> Sample:
    """Write a reference and reads.

    Parameters
    ----------
    folder
        The output folder.
    seed
        The seed of all random choices.
    samples
        The names of the samples. The first one has more variants.
    wild
        Whether some reads have alignments that GATK refuses if its filters let them pass.
    """
    folder.mkdir(exist_ok=True)
    choice = random.Random(seed)
    contigs = {name: _reference(choice, length) for name, length in _CONTIGS.items()}
    reference = folder / "odd.fa"
    write_reference(reference, contigs)
    lines = ["@HD\tVN:1.6", *(f"@SQ\tSN:{n}\tLN:{len(s)}" for n, s in contigs.items())]
    lines += [f"@RG\tID:{name}\tSM:{name}\tPL:ILLUMINA\tLB:1" for name in samples]
    number = 0
    for name, sequence in contigs.items():
        variants = {
            p: choice.choice("ACGT") for p in range(len(sequence)) if choice.random() < 0.004
        }
        for start in _starts(choice, len(sequence)):
            group = choice.choice(samples)
            present = {
                p: base
                for p, base in variants.items()
                if (group == samples[0] or p % 3 == 0) and choice.random() < 0.5
            }
            read = _read(choice, number, name, sequence, start, present, wild=wild)
            if read is not None:
                lines.append(f"{read}\tRG:Z:{group}")
            number += 1
    unsorted = folder / "odd.sam"
    unsorted.write_text("\n".join(lines) + "\n")
    reads = folder / "odd.bam"
    pysam.sort("-o", str(reads), str(unsorted))
    pysam.index(str(reads))
    return Sample("odd", f"reads of odd shapes, seed {seed}", reference, reads)


#: What makes GATK refuse a read once its filters are off.
REFUSED = ("no sample", "unmapped", "no qualities", "no bases", "last deleted")


def spoil(sample: Sample, what: str, folder: Path) -> Sample:
    """Copy a sample. A read in the middle of its first contig becomes one of REFUSED."""
    folder.mkdir()
    path = folder / "spoiled.bam"
    with (
        pysam.AlignmentFile(str(sample.reads)) as reads,
        pysam.AlignmentFile(str(path), "wb", template=reads) as spoiled,
    ):
        for read in _spoiled(reads, what):
            spoiled.write(read)
    pysam.index(str(path))
    return Sample("spoiled", what, sample.reference, path)


def _spoiled(reads: pysam.AlignmentFile, what: str) -> Iterator[pysam.AlignedSegment]:
    is_done = False
    for read in reads:
        length = read.query_length
        is_plain = read.cigarstring == f"{length}M" and length > 100
        if not is_done and read.reference_start > 4000 and is_plain:
            is_done = True
            match what:
                case "no sample":
                    read.set_tag("RG", None)
                case "unmapped":
                    read.is_unmapped = True
                    read.cigarstring = None
                case "no qualities":
                    read.query_qualities = None
                case "no bases":
                    read.query_sequence = None
                case "last deleted":
                    read.cigarstring = f"{length}M3D"
        yield read
    assert is_done


def _reference(choice: random.Random, length: int) -> str:
    letters = choice.choices("ACGT", k=length)
    for k in choice.sample(range(length), 30):
        letters[k] = choice.choice("NRYacgtnM")
    letters[length // 3 : length // 3 + 40] = "N" * 40
    return "".join(letters)


def _starts(choice: random.Random, length: int) -> list[int]:
    """Return the starts of reads: piles, gaps, both ends of the contig, and reads everywhere."""
    starts = [choice.randrange(length) for _ in range(length // 5)]
    gap = range(length // 2, length // 2 + 500)
    starts = [start for start in starts if start not in gap]
    for pile in (0, length // 4, length - 120, length // 2 + 520):
        starts += [pile] * choice.randint(20, 130)
    starts += [length // 4 + k for k in range(40) for _ in range(8)]
    return starts


def _read(
    choice: random.Random,
    number: int,
    contig: str,
    sequence: str,
    start: int,
    variants: dict[int, str],
    *,
    wild: bool,
) -> str | None:
    cigar = [f"{choice.randint(60, 151)}M"]
    if choice.random() < 0.3:
        cigar = list(choice.choice(_MIDDLES))
        if wild and choice.random() < 0.03:
            cigar = list(choice.choice(_UNUSUAL))
        first, last = choice.choice(_CLIPPED), choice.choice(_CLIPPED)
        if last == "3H4S":
            last = "4S3H"
        cigar = [first, *cigar, last]
    error = choice.choice((0.002, 0.01, 0.08))
    bases: list[str] = []
    position = start
    for part in re.findall(r"\d+\D", "".join(cigar)):
        length, operator = int(part[:-1]), part[-1]
        if operator in "M=X":
            for p in range(position, position + length):
                letter = variants.get(p, sequence[p].upper() if p < len(sequence) else "A")
                wrong = choice.random() < error
                bases.append(choice.choice("ACGTN") if wrong or letter not in "ACGTN" else letter)
        elif operator in "IS":
            bases += choice.choices("ACGT", k=length)
        if operator in "MDN=X":
            position += length
    if position > len(sequence) or not bases:
        return None
    qualities = [choice.choice((2, 5, 6, 7, 10, 11, 20, 28, 29, 30, 37, 41)) for _ in bases]
    if choice.random() < 0.6:
        qualities = [choice.choice((30, 35, 37, 40)) for _ in bases]
    flag, mate, fragment = _pair(choice, start + 1, position)
    fields = (
        f"read{number // 2}",
        flag,
        contig,
        start + 1,
        choice.choice((60, 60, 60, 60, 30, 20, 19, 0)),
        "".join(cigar),
        "*" if mate == 0 else "=",
        mate,
        fragment,
        "".join(bases),
        "".join(chr(33 + quality) for quality in qualities),
    )
    return "\t".join(map(str, fields))


def _pair(choice: random.Random, start: int, end: int) -> tuple[int, int, int]:
    """Return a flag, the start of the mate, and the length of the fragment."""
    reverse = choice.random() < 0.5
    flag = (16 if reverse else 0) | (1024 if choice.random() < 0.02 else 0)
    if choice.random() < 0.2:
        return flag, 0, 0
    flag |= 1 | choice.choice((64, 128)) | (0 if choice.random() < 0.2 else 2)
    if choice.random() < 0.9:
        flag |= 0 if reverse else 32
    else:
        flag |= 32 if reverse else 0
    if choice.random() < 0.05:
        return flag | 8, start, 0
    fragment = choice.choice((choice.randint(20, 110), choice.randint(100, 400)))
    mate = max(1, end - fragment + choice.randint(0, 9)) if reverse else start + fragment // 2
    return flag, mate, -fragment if reverse else fragment
