"""Running out of memory is an error, not an end; and memory does not grow with the work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PREAMBLE = """
import resource
import numpy as np
from gkl_shim.pairhmm import PairHMM, Read

random = np.random.default_rng(1)
letters = np.frombuffer(b"ACGT", np.uint8)
pairhmm = PairHMM(threads=2)
read, haplotype = (bytes(random.choice(letters, n)) for n in (100, 200))
small = [Read(read, 30)] * 20, [haplotype] * 4
expected = pairhmm.likelihoods(*small)
"""


def run(program: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + program],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_out_of_memory_is_an_exception_and_the_handle_lives_on(tmp_path):
    program = """
long = [bytes(random.choice(letters, 20_000)) for _ in range(120)]
reads = [Read(bases, 30) for bases in long[:16]]
with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (100 << 20), resource.RLIM_INFINITY))
try:
    pairhmm.likelihoods(reads, long)
except MemoryError as error:
    assert "out of memory" in str(error)
else:
    raise AssertionError("120 haplotypes of 20,000 bases in 100 MB")
assert (pairhmm.likelihoods(*small) == expected).all()
"""
    run(program, tmp_path)


def test_memory_does_not_grow_with_the_number_of_regions(tmp_path):
    program = """
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def many(count):
    for likelihoods in pairhmm.stream(small for _ in range(count)):
        assert (likelihoods == expected).all()

many(3_000)
before = peak()
many(30_000)
print(peak() - before)
"""
    assert int(run(program, tmp_path)) < 8 << 10  # KiB
