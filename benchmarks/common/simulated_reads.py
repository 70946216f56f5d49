"""Simulate single reads with known errors: ART's profiles, uniform errors, and two haplotypes."""

from __future__ import annotations

import dataclasses
import gzip
import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.common.genomes import fastq
from gkl_shim.errors import MissingComponent

_LETTERS = np.frombuffer(b"ACGT", np.uint8)
_COMPLEMENT = np.frombuffer(bytes.maketrans(b"ACGT", b"TGCA"), np.uint8)


@dataclasses.dataclass(frozen=True)
class Reads:
    """Reads of one length."""

    fastq: Path
    letters: NDArray[np.uint8]
    """One row for each read."""
    truth: NDArray[np.uint8]
    """The reads without errors. After an indel, what the genome has at each position."""
    starts: NDArray[np.int64]
    """Where each read starts in the genome, counted from 0."""
    reverse: NDArray[np.bool_]

    def genome_positions(self) -> NDArray[np.int64]:
        """Return the position in the genome of each base."""
        length = self.truth.shape[1]
        offsets = np.arange(length)
        return self.starts[:, None] + np.where(
            self.reverse[:, None], length - 1 - offsets[None, :], offsets[None, :]
        )


def read_genome(fasta: Path) -> NDArray[np.uint8]:
    """Read all sequences of a FASTA file, which may be gzipped, as one: the letters ACGT."""
    data = fasta.read_bytes()
    text = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    lines = [line for line in text.split(b"\n") if not line.startswith(b">")]
    letters = np.frombuffer(b"".join(lines).upper(), np.uint8)
    return letters[np.isin(letters, _LETTERS)]


def reverse_complement(letters: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the other strand of each sequence, which lies along the last axis."""
    other: NDArray[np.uint8] = _COMPLEMENT[letters[..., ::-1]]
    return other


def other_bases(letters: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return another base for each one, all equally likely."""
    codes = np.searchsorted(_LETTERS, letters)
    others: NDArray[np.uint8] = _LETTERS[(codes + rng.integers(1, 4, len(codes))) % 4]
    return others


def letters_of(fastq: Path, length: int) -> NDArray[np.uint8]:
    """Read the bases of a FASTQ file in which all reads have the same length."""
    joined = b"".join(fastq.read_bytes().split(b"\n")[1::4]).upper()
    return np.frombuffer(joined, np.uint8).reshape(-1, length)


def mutated(genome: NDArray[np.uint8], rate: float, seed: int) -> NDArray[np.uint8]:
    """Return a copy with substitutions."""
    rng = np.random.default_rng(seed)
    at = np.flatnonzero((rng.random(len(genome)) < rate) & (genome != ord("N")))
    copy: NDArray[np.uint8] = genome.copy()
    others = np.array([[b for b in b"ACGT" if b != letter] for letter in genome[at]], np.uint8)
    copy[at] = others[np.arange(len(at)), rng.integers(0, 3, len(at))]
    return copy


def drawn(
    genome: NDArray[np.uint8], count: int, length: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.bool_]]:
    """Return reads of both strands without errors, their starts, and which are reversed."""
    starts = rng.integers(0, len(genome) - length + 1, count)
    truth = genome[starts[:, None] + np.arange(length)]
    reverse = rng.random(count) < 0.5
    truth[reverse] = reverse_complement(truth[reverse])
    return truth, starts, reverse


def simulate_uniform(
    folder: Path, genome: NDArray[np.uint8], depth: float, length: int, rate: float, seed: int
) -> Reads:
    """Simulate reads with substitutions that are equally likely everywhere."""
    rng = np.random.default_rng(seed)
    count = int(len(genome) * depth / length)
    truth, starts, reverse = drawn(genome, count, length, rng)
    letters = truth.copy()
    at = np.nonzero(rng.random(letters.shape) < rate)
    letters[at] = other_bases(truth[at], rng)
    path = folder / "reads.fq"
    path.write_bytes(fastq(letters.ravel(), np.arange(count + 1) * length))
    return Reads(path, letters, truth, starts, reverse)


def simulate_art(
    folder: Path, genome: NDArray[np.uint8], depth: float, length: int, profile: str, seed: int
) -> Reads:
    """Simulate reads with one of ART's built-in profiles, such as HS25."""
    fasta, prefix = folder / "genome.fa", folder / "reads"
    fasta.write_bytes(b">g\n%s\n" % genome.tobytes())
    options = ["-ss", profile, "-l", length, "-f", depth, "-rs", seed, "-ef", "-na", "-q"]
    try:
        subprocess.run(
            list(map(str, ["art_illumina", *options, "-i", fasta, "-o", prefix])),
            check=True,
            stdout=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise MissingComponent(
            "art_illumina is not installed (apt install art-nextgen-simulation-tools)"
        ) from None
    starts, reverse, truth = [], [], []
    without_errors = folder / "reads_errFree.sam"
    with without_errors.open("rb") as lines:
        for line in lines:
            fields = line.split(b"\t", 10)
            if len(fields) < 10:
                continue  # the header
            starts.append(int(fields[3]) - 1)
            reverse.append(bool(int(fields[1]) & 16))
            truth.append(fields[9])
    for sam in (without_errors, folder / "reads.sam"):
        sam.unlink(missing_ok=True)
    rows = np.frombuffer(b"".join(truth), np.uint8).reshape(-1, length).copy()
    back = np.array(reverse)
    rows[back] = reverse_complement(rows[back])
    path = prefix.with_suffix(".fq")
    return Reads(path, letters_of(path, length), rows, np.array(starts, np.int64), back)
