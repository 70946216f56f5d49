"""The filter in front of a verifier: edlib on what a seeder proposes, with the filter and without.

The seeder is minimap2, asked for every chain of seeds that it finds, not the best ones only.
"""

from __future__ import annotations

import dataclasses
import importlib
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim._sequences import Sequences, contig_sequences
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch
from gkl_shim.prefilter import ABOVE, Prefilter

__all__ = ["Proposed", "Verification", "made_reads", "propose", "verifications"]

# Short seeds, one of which is enough for a chain, however often it occurs; all chains (-P).
_SEEDING = ("-P", "-k", "15", "-w", "5", "-n", "1", "-m", "10", "-f", "100000",
            "-t", "1")  # fmt: skip
_MOST = 1_000_000
_MADE_READS = 10_000
_EDITS = (2, 5, 10)
_COMPLEMENT = bytes.maketrans(b"ACGTacgt", b"TGCAtgca")


@dataclasses.dataclass(frozen=True)
class Verification:
    """edlib on all candidates, beside the filter and edlib on what it accepts."""

    filter: str
    """What filtered."""
    max_edits: int
    reads: int
    candidates: int
    passed: int
    mappings: int
    """Candidates within the threshold, for which edlib gives a path."""
    same_mappings: bool
    """Whether these, paths included, are the same with the filter and without."""
    seeding: float
    """Seconds, of one thread like all others, but for CUDA."""
    edlib_alone: float
    filtering: float
    """Candidates in, results out; reads and reference are encoded before."""
    edlib_after: float

    @property
    def speedup(self) -> float:
        """How much sooner all candidates are verified."""
        return self.edlib_alone / (self.filtering + self.edlib_after)


@dataclasses.dataclass(frozen=True)
class Proposed:
    """Where a seeder would try reads."""

    reads: Sequences
    contigs: Sequences
    which: NDArray[np.int32]
    on: NDArray[np.int32]
    positions: NDArray[np.int64]
    reverse: NDArray[np.bool_]
    seconds: float


def made_reads() -> tuple[Sequences, Sequences]:
    """Make a reference with a family of repeats, and reads of it with errors, from a seed."""
    rng = np.random.default_rng(3)
    letters = np.frombuffer(b"ACGT", np.uint8)
    genome = rng.choice(letters, 1_000_000)
    repeat = rng.choice(letters, 300)
    for start in rng.integers(0, len(genome) - 300, 400):
        copy = repeat.copy()
        changed = rng.random(300) < 0.15
        copy[changed] = rng.choice(letters, int(changed.sum()))
        genome[start : start + 300] = copy
    length, count = 100, _MADE_READS
    starts = rng.integers(0, len(genome) - length - 1, count)
    late = np.arange(length) >= rng.integers(0, 5 * length, count)[:, None]
    reads = genome[starts[:, None] + np.arange(length) + late]
    changed = rng.random(reads.shape) < 0.02
    reads[changed] = rng.choice(letters, int(changed.sum()))
    complement = np.frombuffer(bytes.maketrans(b"ACGT", b"TGCA"), np.uint8)
    reads[::2] = complement[reads[::2, ::-1]]
    return Sequences.from_matrix(reads), contig_sequences([genome])


def propose(reads: Sequences, contigs: Sequences) -> Proposed:
    """Let minimap2 propose places.

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
        seeder = fetch.tool("minimap2", "verification needs it (Debian: apt install minimap2)")
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
    places = np.array(sorted(found)[:_MOST], np.int64).reshape(-1, 4)
    return Proposed(
        reads,
        contigs,
        places[:, 0].astype(np.int32),
        places[:, 1].astype(np.int32),
        places[:, 2].copy(),
        places[:, 3].astype(np.bool_),
        seconds,
    )


def verifications(proposed: Proposed, backends: list[Any]) -> Iterator[Verification]:
    """Verify what was proposed, alone and after the filter, on each backend.

    Parameters
    ----------
    backends
        ``"cpu"``, and ``"cuda"`` where there is a device.
    """
    edlib = importlib.import_module("edlib")
    reads, contigs = (list(_texts(side)) for side in (proposed.reads, proposed.contigs))
    pairs = []
    for read, contig, position, reverse in zip(
        proposed.which, proposed.on, proposed.positions, proposed.reverse, strict=True
    ):
        query = reads[read]
        segment = contigs[contig][position : position + len(query)]
        pairs.append((query.translate(_COMPLEMENT)[::-1] if reverse else query, segment))

    def verify(which: Any, max_edits: int) -> tuple[dict[int, str], float]:
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
            # What is undefined passes.
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
