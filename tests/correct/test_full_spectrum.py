"""More solid k-mers than the spectrum has slots for are refused, and the k-mers are not lost.

That takes 4.29 billion of them, unless their hashes are nearly equal. The test makes k-mers from
hashes that are all in the last of 512 parts of the hashes, so that the slots behind them run out.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gkl_shim.common._ragged import ragged
from gkl_shim.correct import Spectrum, _native_correct
from gkl_shim.correct._processors import Processors
from tests.cli.shim_command import refused

K = 31
MASK = 4**K - 1
#: k-mers that occur three times, and that occur twice.
FREQUENT, OTHERS = 65_000, 3_000
#: The multipliers of the hash, and their inverses.
FACTORS = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
INVERSES = [pow(factor, -1, 1 << 64) for factor in FACTORS]
#: Letters in the order of their codes; each differs from its complement in the second bit.
LETTERS = "ACTG"


def _unhash(hash: int) -> int:
    """Return the k-mer with this hash, which is a bijection."""
    for inverse in reversed(INVERSES):
        hash = hash * inverse & MASK
        hash ^= hash >> K
    return hash


def _letters(kmer: int) -> str:
    return "".join(LETTERS[kmer >> 2 * (K - 1 - at) & 3] for at in range(K))


def _complement(kmer: int) -> int:
    digits = (kmer >> 2 * at & 3 for at in range(K))
    reverse = 0
    for digit in digits:
        reverse = reverse << 2 | digit ^ 2
    return reverse


@pytest.fixture(scope="module")
def kmers() -> dict[int, str]:
    """k-mers and their hashes. The hash is of the smaller number of the two strands."""
    found: dict[int, str] = {}
    step = 2 ** (2 * K - 9) // (3 * (FREQUENT + OTHERS))
    hash = MASK
    while len(found) < FREQUENT + OTHERS:
        kmer = _unhash(hash)
        if kmer < _complement(kmer):
            found[hash] = _letters(kmer)
        hash -= step
    return found


@pytest.fixture(scope="module")
def reads(kmers: dict[int, str]) -> list[str]:
    sequences = list(kmers.values())
    return sequences * 2 + sequences[:FREQUENT]


def _placed(hashes: list[int]) -> tuple[NDArray[np.uint32], int]:
    """Return the slots of k-mers that occur three times, and how many k-mers find none.

    Each takes the first free slot from its own on. The last slot stays empty.
    """
    size = len(hashes) * 5 // 3
    slots = np.zeros(size + min(len(hashes), 65_536) + 1, np.uint32)
    next_free = left_over = 0
    for hash in sorted(hashes):
        home = (hash << (64 - 2 * K) >> 32) * size >> 32
        at = max(home, next_free)
        next_free = at + 1
        if at < len(slots) - 1:
            slots[at] = (hash & 0xFFFFFF) << 8 | 3
        else:
            left_over += 1
    return slots, left_over


@pytest.fixture(scope="module")
def message(kmers: dict[int, str]) -> str:
    _, left_over = _placed(list(kmers))
    assert left_over > 0
    return (
        f"{left_over} of {FREQUENT + OTHERS} solid k-mers do not fit into the spectrum; take a "
        "threshold above 2, so that fewer are solid"
    )


def test_a_higher_threshold_succeeds_after_one_with_too_many(
    kmers: dict[int, str], reads: list[str], message: str
) -> None:
    counter = _native_correct.Counter(K, 2, 1 << 30, threshold=2)
    counter.count(ragged(reads, "reads"))
    assert counter.end_pass()
    for _ in range(2):
        with pytest.raises(ValueError, match=f"^{message}$"):
            Spectrum._from_counter(counter, 2, Processors())
    spectrum = Spectrum._from_counter(counter, 3, Processors())
    slots, left_over = _placed(list(kmers)[:FREQUENT])
    assert left_over == 0
    assert spectrum.kmers == FREQUENT
    np.testing.assert_array_equal(spectrum._open().information().slots, slots)


def test_the_command_says_what_to_do(tmp_path: Path, reads: list[str], message: str) -> None:
    (tmp_path / "reads.fa").write_text("".join(f">r\n{read}\n" for read in reads))
    arguments = "correct", "reads.fa", "-k", str(K), "--threshold", "2", "-o", "out.fa"
    assert refused(tmp_path, *arguments) == (1, f"reads.fa: {message}")
    assert not (tmp_path / "out.fa").exists()
