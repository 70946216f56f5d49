"""Random regions of partially determined haplotypes, and their pairs one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st

from gkl_shim.pdhmm import Batch, HaplotypeBatch, ReadBatch

Read = tuple[bytes, bytes, bytes, bytes, bytes]
Haplotype = tuple[bytes, bytes]
Region = tuple[list[Read], list[Haplotype]]

#: Each flag alone, and mixtures of those for deletions with those for SNPs.
FLAGS = [0, 2, 4, 6, *(d | 1 | bases for d in (0, 2, 4, 6) for bases in (8, 16, 32, 64, 72, 120))]


def letters(longest: int, alphabet: bytes = b"ACGTN") -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from(alphabet), min_size=1, max_size=longest).map(bytes)


@st.composite
def regions(draw: st.DrawFn, alphabet: bytes = b"ACGTN", longest: int = 24) -> Region:
    """A region whose haplotypes often begin and end alike, and whose reads often match."""
    first = draw(letters(longest, alphabet))
    haplotypes = []
    for _ in range(draw(st.integers(1, 4))):
        bases = draw(st.just(first) | letters(longest, alphabet))
        dense = st.lists(st.sampled_from(FLAGS), min_size=len(bases), max_size=len(bases))
        few = st.dictionaries(
            st.integers(0, len(bases) - 1), st.sampled_from(FLAGS), max_size=4
        ).map(lambda found, bases=bases: [found.get(k, 0) for k in range(len(bases))])
        haplotypes.append((bases, bytes(draw(few | dense))))
    reads = []
    for _ in range(draw(st.integers(1, 9))):
        at = draw(st.integers(0, len(first) - 1))
        bases = draw(st.just(first[at : at + 12]) | letters(longest, alphabet))
        least = draw(st.sampled_from([0, 4, 20]))
        quals = st.binary(min_size=len(bases), max_size=len(bases)).map(
            lambda track, least=least: bytes(least + value % (61 - least) for value in track)
        )
        reads.append((bases, *(draw(quals) for _ in range(4))))
    return reads, haplotypes


def batch(region: Region) -> Batch:
    reads, haplotypes = region
    ends = np.cumsum([0, *(len(read[0]) for read in reads)])
    tracks = [np.frombuffer(b"".join(track), np.uint8) for track in zip(*reads, strict=True)]
    letters_of = np.cumsum([0, *(len(bases) for bases, _ in haplotypes)])
    bases, flags = (b"".join(track) for track in zip(*haplotypes, strict=True))
    return Batch(
        ReadBatch.from_arrays(ends, *tracks), HaplotypeBatch.from_arrays(letters_of, bases, flags)
    )


def pairs(batch: Batch) -> Iterator[tuple[bytes, ...]]:
    """Yield a read's five tracks and a haplotype's two, in the order of the results."""
    reads, haplotypes = batch.reads, batch.haplotypes
    for region in range(len(batch)):
        for r in range(*batch.region_reads[region : region + 2]):
            start, stop = reads.offsets[r : r + 2]
            for h in range(*batch.region_haplotypes[region : region + 2]):
                first, last = haplotypes.offsets[h : h + 2]
                yield (
                    *(track[start:stop].tobytes() for track in reads.tracks),
                    haplotypes.bases[first:last].tobytes(),
                    haplotypes.flags[first:last].tobytes(),
                )
