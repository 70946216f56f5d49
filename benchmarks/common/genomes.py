"""Generate reproducible genomes and reads for the benchmarks."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._naming import naming
from gkl_shim.mem._native_mem import Sequences

Letters = NDArray[np.uint8]

_BASES = np.frombuffer(b"ACGT", np.uint8)
_COMPLEMENT = np.arange(256, dtype=np.uint8)
_COMPLEMENT[_BASES] = _BASES[::-1]
# The length of each kind of repeat, one for how many letters, and how different its copies are.
_REPEATS = ((300, 20_000), (1_200, 100_000), (6_000, 1_000_000))
_DIVERGENCE = 0.1


@dataclasses.dataclass(frozen=True)
class Shape:
    """What is searched: reads, or a changed copy of the reference if `reads` is 0."""

    name: str
    letters: int
    """Of the reference."""
    reads: int
    read_length: int
    min_length: int
    both_strands: bool = False
    errors: float = 0.01

    @property
    def strands(self) -> str:
        """The strands, as the engines take them."""
        return "both" if self.both_strands else "forward"

    @property
    def options(self) -> list[str]:
        """The options of mummer."""
        return ["-maxmatch", "-l", str(self.min_length), *(["-b"] if self.both_strands else [])]

    def smaller(self, times: int) -> Shape:
        """Return the shape with a smaller reference and fewer reads."""
        return dataclasses.replace(self, letters=self.letters // times, reads=self.reads // times)


#: The workloads of MUMmerGPU 2.0 (Trapnell and Schatz, 2009), simulated, and two genomes.
PAPER = (
    Shape("genomes", 5_000_000, 0, 0, 20, both_strands=True, errors=0.02),
    Shape("genomes", 5_000_000, 0, 0, 50, both_strands=True, errors=0.02),
    Shape("800-base reads", 13_000_000, 60_000, 800, 100, errors=0.02),
    Shape("200-base reads", 2_900_000, 300_000, 200, 20, errors=0.02),
    Shape("36-base reads", 2_000_000, 500_000, 36, 10),
    Shape("29-base reads", 16_000_000, 500_000, 29, 14),
)


@dataclasses.dataclass(frozen=True)
class Workload:
    """A reference and queries, as letters and offsets."""

    shape: Shape
    reference: Letters
    queries: Letters
    offsets: NDArray[np.int64]

    @property
    def reference_sequence(self) -> Sequences:
        """The reference, as the engines take it."""
        return Sequences.from_arrays(self.reference, np.array([0, len(self.reference)]))

    @property
    def sequences(self) -> Sequences:
        """The queries, as the engines take them."""
        return Sequences.from_arrays(self.queries, self.offsets)

    def names(self) -> tuple[Sequences, Sequences]:
        """Return empty names of the reference and the queries."""
        none = np.empty(0, np.uint8)
        counts = 1, len(self.offsets) - 1
        one, many = (Sequences.from_arrays(none, np.zeros(n + 1, np.int64)) for n in counts)
        return one, many

    def write(self, folder: Path) -> list[Path]:
        """Write the reference and the queries as FASTA, and return the files."""
        files = [folder / "reference.fa", folder / "queries.fa"]
        ends = np.array([0, len(self.reference)])
        with naming(str(folder)):
            files[0].write_bytes(fasta(self.reference, ends, "reference"))
            files[1].write_bytes(fasta(self.queries, self.offsets, "query"))
        return files


def generated(shape: Shape) -> Workload:
    """Make the same workload in every run."""
    random = np.random.default_rng(7)
    reference = _genome(random, shape.letters)
    if not shape.reads:
        queries = mutated(reference, 1, shape.errors, 40)
        return Workload(shape, reference, queries, np.array([0, len(queries)]))
    starts = random.integers(0, shape.letters - shape.read_length, shape.reads)
    reads = reference[starts[:, None] + np.arange(shape.read_length)]
    _change(random, reads, shape.errors)
    turned = random.random(shape.reads) < 0.5
    reads[turned] = _COMPLEMENT[reads[turned][:, ::-1]]
    offsets = np.arange(shape.reads + 1) * shape.read_length
    return Workload(shape, reference, reads.ravel(), offsets)


def mutated(reference: Letters, seed: int, rate: float, pieces: int) -> Letters:
    """Change letters, shuffle pieces, and reverse-complement half of them."""
    random = np.random.default_rng(seed)
    copy = reference.copy()
    _change(random, copy, rate)
    parts = np.split(copy, np.sort(random.integers(0, len(copy), pieces - 1)))
    order = random.permutation(pieces)
    turned = random.random(pieces) < 0.5
    return np.concatenate([_COMPLEMENT[parts[k][::-1]] if turned[k] else parts[k] for k in order])


def fasta(letters: Letters, offsets: NDArray[np.int64], prefix: str) -> bytes:
    """Return sequences as FASTA, with names of a prefix and a number and lines of 80 letters."""
    lines = []
    for number in range(len(offsets) - 1):
        sequence = letters[offsets[number] : offsets[number + 1]].tobytes()
        lines.append(b">%s%d" % (prefix.encode(), number))
        lines += [sequence[k : k + 80] for k in range(0, len(sequence), 80)]
    return b"\n".join(lines) + b"\n"


def fastq(letters: Letters, offsets: NDArray[np.int64]) -> bytes:
    """Return reads as FASTQ, all with the same quality."""
    reads = (letters[begin:end].tobytes() for begin, end in itertools.pairwise(offsets))
    return b"".join(b"@r%d\n%s\n+\n%s\n" % (k, r, b"I" * len(r)) for k, r in enumerate(reads))


def _genome(random: np.random.Generator, letters: int) -> Letters:
    genome = random.choice(_BASES, letters)
    for length, distance in _REPEATS:
        repeat = random.choice(_BASES, length)
        for start in random.integers(0, max(letters - length, 1), letters // distance):
            copy = repeat[: letters - start].copy()
            _change(random, copy, _DIVERGENCE)
            genome[start : start + length] = copy
    return genome


def _change(random: np.random.Generator, letters: Letters, rate: float) -> None:
    changed = random.random(letters.shape) < rate
    letters[changed] = random.choice(_BASES, int(changed.sum()))
