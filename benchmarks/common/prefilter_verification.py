"""Time edlib on a seeder's candidates, with and without the filter in front of it.

The seeder is minimap2. It reports every chain of seeds that it finds, not only the best.
"""

from __future__ import annotations

import dataclasses
import importlib
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import programs
from gkl_shim.prefilter import ABOVE, Backend, Prefilter, Sequences
from gkl_shim.prefilter._sequences import contig_sequences

# All chains (-P) of short seeds. One seed is enough for a chain, even a very frequent one.
_SEEDING = ("-P", "-k", "15", "-w", "5", "-n", "1", "-m", "10", "-f", "100000",
           "-t", "1")  # fmt: skip
_MOST_CANDIDATES = 1_000_000
_GENERATED_READS = 10_000
_EDITS = (2, 5, 10)
_COMPLEMENT = bytes.maketrans(b"ACGTacgt", b"TGCAtgca")


@dataclasses.dataclass(frozen=True)
class Verification:
    """Times in seconds of edlib alone, and of the filter followed by edlib."""

    filter: str
    """The engine of the filter."""
    max_edits: int
    reads: int
    candidates: int
    passed: int
    mappings: int
    """Candidates within the threshold, for which edlib returns a path."""
    same_mappings: bool
    """Whether the mappings and their paths are the same with and without the filter."""
    seeding: float
    """minimap2 with one thread."""
    edlib_alone: float
    """edlib on all candidates, with one thread."""
    filtering: float
    """The filter from candidates to results, with one thread or on CUDA devices. Encoding the reads
    and the reference is not included."""
    edlib_after: float
    """edlib on the candidates that the filter accepts, with one thread."""

    @property
    def speedup(self) -> float:
        """The speed-up of verifying all candidates by the filter."""
        return self.edlib_alone / (self.filtering + self.edlib_after)


@dataclasses.dataclass(frozen=True)
class Proposed:
    """Reads, and the candidate positions that a seeder found for them."""

    reads: Sequences
    contigs: Sequences
    which: NDArray[np.int32]
    on: NDArray[np.int32]
    positions: NDArray[np.int64]
    reverse: NDArray[np.bool_]
    seconds: float


def generated_reads() -> tuple[Sequences, Sequences]:
    """Generate a reference with a family of repeats, and reads of it with errors."""
    rng = np.random.default_rng(3)
    letters = np.frombuffer(b"ACGT", np.uint8)
    genome = rng.choice(letters, 1_000_000)
    repeat = rng.choice(letters, 300)
    for start in rng.integers(0, len(genome) - 300, 400):
        copy = repeat.copy()
        changed = rng.random(300) < 0.15
        copy[changed] = rng.choice(letters, int(changed.sum()))
        genome[start : start + 300] = copy
    length, count = 100, _GENERATED_READS
    starts = rng.integers(0, len(genome) - length - 1, count)
    late = np.arange(length) >= rng.integers(0, 5 * length, count)[:, None]
    reads = genome[starts[:, None] + np.arange(length) + late]
    changed = rng.random(reads.shape) < 0.02
    reads[changed] = rng.choice(letters, int(changed.sum()))
    complement = np.frombuffer(bytes.maketrans(b"ACGT", b"TGCA"), np.uint8)
    reads[::2] = complement[reads[::2, ::-1]]
    return Sequences.from_matrix(reads), contig_sequences([genome])


def propose(reads: Sequences, contigs: Sequences) -> Proposed:
    """Run minimap2 to find candidate positions.

    Raises
    ------
    MissingComponent
        If it is not installed, or fails.
    """
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        files = []
        for name, side in (("reference.fa", contigs), ("reads.fa", reads)):
            files.append(Path(folder) / name)
            with files[-1].open("wb") as file:
                for k, letters in enumerate(_texts(side)):
                    file.write(b">%d\n%s\n" % (k, letters))
        seeder = programs.find("minimap2", "verification needs it (Debian: apt install minimap2)")
        start = time.perf_counter()
        done = subprocess.run([seeder, *_SEEDING, *files], capture_output=True, check=False)
        seconds = time.perf_counter() - start
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise MissingComponent(f"verification: minimap2 fails: {lines[-1]}")
    lengths = contigs.lengths
    found = set()
    for line in done.stdout.splitlines():
        read, size, begin, end, strand, contig, _, at = line.split(b"\t", 8)[:8]
        reverse = strand == b"-"
        position = int(at) - (int(size) - int(end) if reverse else int(begin))
        if 0 <= position <= int(lengths[int(contig)]) - int(size):
            found.add((int(read), int(contig), position, reverse))
    places = np.array(sorted(found)[:_MOST_CANDIDATES], np.int64).reshape(-1, 4)
    return Proposed(
        reads,
        contigs,
        places[:, 0].astype(np.int32),
        places[:, 1].astype(np.int32),
        places[:, 2].copy(),
        places[:, 3].astype(np.bool_),
        seconds,
    )


def verifications(proposed: Proposed, backends: list[Backend]) -> Iterator[Verification]:
    """Verify all candidates, and only those that the filter accepts on each backend."""
    edlib = importlib.import_module("edlib")
    reads, contigs = (list(_texts(side)) for side in (proposed.reads, proposed.contigs))
    pairs = []
    for read, contig, position, reverse in zip(
        proposed.which, proposed.on, proposed.positions, proposed.reverse, strict=True
    ):
        query = reads[read]
        segment = contigs[contig][position : position + len(query)]
        pairs.append((query.translate(_COMPLEMENT)[::-1] if reverse else query, segment))

    def verify(which: Iterable[int], max_edits: int) -> tuple[dict[int, str], float]:
        paths = {}
        start = time.perf_counter()
        for k in which:
            result = edlib.align(*pairs[k], task="path", k=max_edits)
            if result["editDistance"] >= 0:
                paths[int(k)] = result["cigar"]
        return paths, time.perf_counter() - start

    for max_edits in _EDITS:
        alone, edlib_alone = verify(range(len(pairs)), max_edits)
        for backend in backends:
            threads = 1 if backend == "cpu" else 0
            with Prefilter(max_edits, backend=backend, threads=threads) as prefilter:
                resident = prefilter.resident(proposed.reads, proposed.contigs)
                places = (proposed.which, proposed.positions, proposed.on, proposed.reverse)
                results = resident.edits(*places)
                start = time.perf_counter()
                resident.edits(*places, out=results)
                filtering = time.perf_counter() - start
                name = ", ".join(prefilter.devices) or f"CPU, {prefilter.build}, one thread"
            # A pair with an undefined letter passes.
            accepted = np.flatnonzero(results != ABOVE)
            after, edlib_after = verify(accepted, max_edits)
            yield Verification(
                name, max_edits, len(reads), len(pairs), len(accepted), len(alone),
                after == alone, proposed.seconds, edlib_alone, filtering, edlib_after,
            )  # fmt: skip


def _texts(side: Sequences) -> Iterator[bytes]:
    letters = side.raw.letters
    assert letters is not None
    text = letters.tobytes().upper()
    for start, length in zip(side.starts.tolist(), side.lengths.tolist(), strict=True):
        yield text[start : start + length]
