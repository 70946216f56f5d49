"""Regions of reads and haplotypes, and their likelihoods by tests/pairhmm/oracle.py."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.pairhmm import oracle


@dataclass(frozen=True)
class Read:
    """A read with its four quality tracks, all of one length."""

    bases: bytes
    quals: bytes
    insertion: bytes
    deletion: bytes
    continuation: bytes

    def tracks(self) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        return self.bases, self.quals, self.insertion, self.deletion, self.continuation


@dataclass(frozen=True)
class Region:
    reads: list[Read]
    haplotypes: list[bytes]


def likelihoods(region: Region) -> list[float]:
    """Return the log10 likelihoods, read by read, with the meaning that GKL gives to the bytes."""
    return [
        oracle.likelihood(letters(read.bases), *_qualities(read), letters(haplotype))
        for read in region.reads
        for haplotype in region.haplotypes
    ]


def _qualities(read: Read) -> tuple[bytes, bytes, bytes, bytes]:
    _, *tracks = read.tracks()
    first, second, third, fourth = (bytes(q & 127 for q in track) for track in tracks)
    return first, second, third, fourth


def letters(sequence: bytes) -> bytes:
    """Return the letters that GKL sees: any byte other than ACGTN counts as A, also lower case."""
    return bytes(b if b in b"ACGTN" else ord("A") for b in sequence)


def recorded(region: Region) -> str:
    """The region as GKL_SHIM_RECORD writes it."""
    lines = [f"{len(region.reads)} {len(region.haplotypes)}"]
    for read in region.reads:
        tracks = [bytes(min(q & 127, 93) + 33 for q in track) for track in read.tracks()[1:]]
        lines.append(b" ".join([letters(read.bases), *tracks]).decode())
    lines += [letters(haplotype).decode() for haplotype in region.haplotypes]
    return "\n".join(lines) + "\n"


def typical(seed: int, reads: int = 6, haplotypes: int = 4, length: int = 60) -> Region:
    """Return a region like GATK's: haplotypes that differ a little, and reads from one of them."""
    chance = random.Random(seed)
    first = bytes(chance.choices(b"ACGT", k=length))
    others = [_mutated(chance, first) for _ in range(haplotypes - 1)]
    result = []
    for _ in range(reads):
        source = chance.choice([first, *others])
        start = chance.randrange(len(source) // 2)
        bases = _mutated(chance, source[start : start + chance.randint(5, length // 2)])
        result.append(
            Read(
                bases,
                bytes(chance.choices(range(6, 42), k=len(bases))),
                bytes(chance.choices(range(30, 46), k=len(bases))),
                bytes(chance.choices(range(30, 46), k=len(bases))),
                bytes(chance.choices((10, 10, 10, 20), k=len(bases))),
            )
        )
    return Region(result, [first, *others])


def _mutated(chance: random.Random, sequence: bytes) -> bytes:
    changed = bytearray(sequence)
    changed[chance.randrange(len(changed))] = chance.choice(b"ACGT")
    return bytes(changed)


def large(seed: int, reads: int, read_length: int, haplotypes: int, length: int) -> Region:
    """Return a region whose haplotypes share nothing, so that its size determines its memory."""
    chance = random.Random(seed)
    sources = [bytes(chance.choices(b"ACGT", k=length)) for _ in range(haplotypes)]
    tracks = [bytes([quality] * read_length) for quality in (30, 45, 45, 10)]
    copies = read_length // length + 1
    read_bases = [(sources[k % haplotypes] * copies)[:read_length] for k in range(reads)]
    return Region([Read(bases, *tracks) for bases in read_bases], sources)


def odd() -> list[Region]:
    """Return edge cases: length 1, prefixes, any byte as base or quality, values below double."""

    def constant(bases: bytes, quality: int, gap: int = 45, extend: int = 10) -> Read:
        n = len(bases)
        return Read(bases, *(bytes([value] * n) for value in (quality, gap, gap, extend)))

    every_byte = bytes(range(256))
    return [
        Region([constant(b"A", 30)], [b"A"]),
        Region([constant(b"A", 30), constant(b"C" * 50, 20)], [b"A", b"AC", b"ACC", b"C" * 70]),
        Region([constant(b"acgtnACGTN", 30), constant(b"NNNN", 2)], [b"ACGTNACGTN", b"nnNN"]),
        Region(
            [Read(every_byte, every_byte, every_byte[::-1], every_byte, every_byte[::-1])],
            [every_byte, b"ACGT" * 60],
        ),
        Region([constant(b"ACGTACGT", q) for q in (0, 1, 127, 128, 158, 255)], [b"ACGTTACGT"]),
        Region([constant(b"ACGTACGT", 30, gap) for gap in (0, 1, 3, 127)], [b"ACGTTACGT"]),
        Region([constant(b"C" * 200, 93, 93, 93)], [b"G" * 150, b"C" * 210]),
    ]
