"""The length of k-mers."""

from __future__ import annotations

from gkl_shim.correct import _native_correct

_LARGEST_K = 27
# The k-mers of a genome are at most one in this many of all k-mers. If they were more, a wrong base
# would often make a k-mer that is elsewhere in the genome.
_KMERS_FOR_A_BASE = 1000


def chosen_k(mean_length: float, genome_size: int | None = None) -> int:
    """Return the k for reads of a mean length: half of it, odd, and at most 27.

    The mean is over bases, so that many short reads do not outweigh most of the sequence.

    For a genome that is too large for this k, it is the shortest odd k that suffices.
    """
    least, most = _native_correct.k_range()
    k = max(least, min(_LARGEST_K, int(mean_length) // 2 | 1))
    while k < most and 4**k < _KMERS_FOR_A_BASE * (genome_size or 0):
        k += 2
    return k
