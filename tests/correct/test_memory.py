"""Memory that counting takes does not grow with the number of reads, and k-mers are not lost."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from gkl_shim.common._ragged import ragged
from gkl_shim.correct import Spectrum, _native_correct
from gkl_shim.correct._processors import Processors

# Counts random k-mers: half of them once, a quarter twice and so on, and those of a genome 60
# times. Prints the passes, the peak memory in KiB, and the memory after the last pass. ru_maxrss
# would include the parent's.
_COUNT = """
import sys
import numpy as np
from gkl_shim.correct._native_correct import Counter
from gkl_shim.correct import Spectrum
from gkl_shim.correct._processors import Processors

kmers, memory = int(sys.argv[1]), int(sys.argv[2])
counter, passes = Counter(25, 2, memory, threshold=0), 0

def count(seed, letters, times):
    for begin in range(0, letters, 100_000):
        random = np.random.default_rng((seed, begin))
        codes = random.integers(0, 4, min(100_000, letters - begin), "u1")
        read = np.frombuffer(b"ACGT", np.uint8)[codes]
        for _ in range(times):
            counter.count((read, np.array([0, len(read)])))

complete = False
while not complete:
    for times in range(1, 9):
        count(times, kmers >> times, times)
    count(0, 150_000, 60)
    complete = counter.end_pass()
    passes += 1
kept = open("/proc/self/status").read().split("VmRSS:")[1].split()[0]
spectrum = Spectrum._from_counter(counter, None, Processors())
assert spectrum.threshold == 9 and 149_000 < spectrum.kmers < 151_000, spectrum.threshold
status = open("/proc/self/status").read()
print(passes, status.split("VmHWM:")[1].split()[0], kept)
"""


def _counted(kmers: int, memory: int) -> tuple[int, int, int]:
    done = subprocess.run(
        [sys.executable, "-c", _COUNT, str(kmers), str(memory)],
        check=True,
        capture_output=True,
        text=True,
        cwd="/",
    )
    passes, peak, kept = map(int, done.stdout.split())
    return passes, peak, kept


def test_peak_memory_is_the_same_for_more_reads() -> None:
    few, few_peak, few_kept = _counted(4_000_000, 30_000_000)
    many, many_peak, many_kept = _counted(10_000_000, 30_000_000)
    assert 1 < few < many
    assert many_peak < few_peak + 8 * 1024
    # The k-mers that occur twice or more would take over 20 MiB more.
    assert many_kept < few_kept + 8 * 1024


def partition(kmer: str) -> int:
    """Return the partition of a k-mer: the highest 9 bits of its hash."""
    k, mask = len(kmer), 4 ** len(kmer) - 1
    code = {"A": 0, "C": 1, "T": 2, "G": 3}
    forward = reverse = 0
    for letter in kmer:
        forward = forward << 2 | code[letter]
        reverse = reverse >> 2 | (code[letter] ^ 2) << 2 * k - 2
    x = min(forward, reverse)
    for factor in (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93):
        x = ((x ^ x >> k) * factor) & mask
    return x >> (2 * k - 9)


@pytest.mark.parametrize(("backend", "memory"), [("cpu", 1_500_000), ("cuda", 500_000)])
def test_a_first_pass_that_misleads(fake_gpus, backend, memory) -> None:
    """The valley of its histogram is too high, so it keeps too few k-mers."""
    rng = np.random.default_rng(1)
    # Of each half of the partitions: how many k-mers occur how often.
    wanted = (
        {1: 64, 2: 32, 3: 16, 4: 8, 5: 4, 6: 2, 20: 60},  # the valley is 7
        {1: 40, 3: 200},  # the valley of both halves together is 2
    )
    kmers: tuple[list[str], ...] = ([], [])
    while min(map(len, kmers)) < 300:
        kmer = "".join("ACGT"[base] for base in rng.integers(0, 4, 21))
        kmers[partition(kmer) // 256].append(kmer)
    reads = [
        kmer
        for of_half, numbers in zip(kmers, wanted, strict=True)
        for count, number in numbers.items()
        for kmer in [of_half.pop() for _ in range(number)]
        for _ in range(count)
    ]
    engine = None
    if backend == "cuda":
        from gkl_shim.correct._cuda import Engine

        fake_gpus(kernels="correct")
        engine = Engine()
    counter = _native_correct.Counter(21, 1, memory, engine, threshold=0)
    passes = 0
    complete = False
    while not complete:
        counter.count(ragged(reads, "reads"))
        complete = counter.end_pass()
        passes += 1
    found = Spectrum._from_counter(counter, None, Processors())
    want = Spectrum.from_reads(reads, k=21, threshold=2, backend="cpu")
    assert (found.threshold, found.kmers) == (2, 32 + 16 + 8 + 4 + 2 + 60 + 200)
    assert (found.histogram == want.histogram).all()
    assert (found._open().information().slots == want._open().information().slots).all()
    assert passes == 4  # two, and two more
    if engine is not None:
        engine.close()
