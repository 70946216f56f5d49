"""Running out of memory does not end the process, and memory does not grow with the work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gkl_shim import paths
from tests.conftest import require_tool

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

def little_memory(room):
    # Allow `room` bytes more than the process has now, or any number if it is None.
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    limit = resource.RLIM_INFINITY if room is None else now + room
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
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


def test_out_of_memory_is_an_exception_and_the_handle_stays_usable(tmp_path):
    program = """
from gkl_shim.pairhmm import Batch, HaplotypeBatch, ReadBatch

batches = []
for length in (4_000_000, 16_000_000):
    haplotypes = HaplotypeBatch.from_arrays(
        np.arange(3) * length, random.choice(letters, 2 * length)
    )
    reads = ReadBatch.from_arrays([0, 30], haplotypes.bases[:30], np.full(30, 30, np.uint8))
    batches.append(Batch(reads, haplotypes))
refused = 0
for batch in batches:
    for room in (1, 2, 4, 8, 16, 32, 64):
        little_memory(room << 20)
        try:
            pairhmm.compute(batch)
        except MemoryError as error:
            refused += 1
            assert str(error) == "out of memory"
        assert (pairhmm.likelihoods(*small) == expected).all()
        little_memory(None)
        assert (pairhmm.likelihoods(*small) == expected).all()
print(refused)
"""
    assert int(run(program, tmp_path)) >= 8


def test_a_cpp_program_catches_its_own_bad_alloc_and_goes_on(tmp_path):
    """The program uses g++'s run-time library; the library contains another one."""
    program, library = tmp_path / "cpp_host", paths.library()
    source = Path(__file__).with_name("cpp_host.cpp")
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-O1", "-I", paths.header().parent]
    link = ["-L", library.parent, "-lgkl_shim", f"-Wl,-rpath,{library.parent}"]
    subprocess.run([require_tool("g++"), *flags, source, "-o", program, *link], check=True)
    rooms = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    done = subprocess.run([program, *map(str, rooms)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    out_of_memory = "bad_alloc 2 16 out of memory"
    assert len(lines) == len(rooms)
    for line in lines:  # a call that succeeds keeps the last error
        assert line == out_of_memory or line.startswith("bad_alloc 0 16 ")
    assert lines[:3] == [out_of_memory] * 3  # a haplotype's letters alone take 4 MB


def test_memory_does_not_grow_with_the_number_of_regions(tmp_path):
    program = """
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def many(count):
    for likelihoods in pairhmm.stream(small for _ in range(count)):
        assert (likelihoods == expected).all()

many(2_000)
before = peak()
many(12_000)
print(peak() - before)
"""
    assert int(run(program, tmp_path)) < 8 << 10  # KiB


def test_parsing_pairs_takes_memory_for_the_lines_not_for_the_bytes(tmp_path):
    """The capacity may be as large as the text, because a caller need not count the lines."""
    program = """
from gkl_shim.common import _native

ffi, lib = _native.library()
count = 4000
text = (b"A" * 500 + b"\\t" + b"C" * 500 + b"\\n") * count
capacity = len(text)
parameters = np.empty((capacity, 5), np.int32)
offsets, letters = np.empty(2 * capacity + 2, np.int64), np.zeros(len(text), np.uint8)
batch, used = ffi.new("gkl_shim_smithwaterman_batch *"), ffi.new("int64_t *")
arguments = (
    ffi.from_buffer("uint8_t[]", text),
    len(text),
    capacity,
    1,
    ffi.new("gkl_shim_smithwaterman_parameters *", (200, -150, -260, -11, 0)),
    ffi.from_buffer("gkl_shim_smithwaterman_parameters[]", parameters, require_writable=True),
    ffi.from_buffer("int64_t[]", offsets, require_writable=True),
    ffi.from_buffer("uint8_t[]", letters, require_writable=True),
    batch,
    used,
)
little_memory(8 << 20)  # two bytes for each byte of text
_native.check(lib.gkl_shim_smithwaterman_parse(*arguments))
little_memory(None)
assert batch.pairs == count and used[0] == len(text)
assert letters.tobytes() == b"A" * 500 * count + b"C" * 500 * count + bytes(2 * count)
"""
    run(program, tmp_path)


#: Beside the batch and the output, in MiB, as gkl_shim.h says: of a call, and of each thread.
MOST, MOST_A_THREAD = 192, 128

#: Regions that took far more than that, and the whole region in one native call.
ODD_SHAPES = """
from gkl_shim.pairhmm import _native_pairhmm
from gkl_shim.pairhmm import Batch, HaplotypeBatch, ReadBatch

def bases(count):
    return letters[random.integers(0, 4, count)]

def region(reads, haplotypes, gap_open=45):
    return Batch(
        ReadBatch.from_arrays(
            np.cumsum([0, *map(len, reads)]),
            np.concatenate(reads),
            np.full(sum(map(len, reads)), 30, np.uint8),
            gap_open,
            gap_open,
            10,
        ),
        HaplotypeBatch.from_arrays(
            np.cumsum([0, *map(len, haplotypes)]), np.concatenate(haplotypes)
        ),
    )

def many_haplotypes():
    # They differ just before the middle, so that no two share a head.
    first, last = bases(252), bases(262)
    codes = letters[np.arange(1 << 15)[:, None] >> np.arange(0, 16, 2) & 3]
    whole = np.concatenate([first, codes[0], last])
    reads = [whole[k : k + 500] for k in range(8)]
    return region(reads, [np.concatenate([first, code, last]) for code in codes])

def long_haplotype():
    return region([bases(10)], [np.full(20_000_000, ord("A"), np.uint8)])

def long_rescaled_haplotype():
    # A read with gap-open qualities of 0 leaves the range of both precisions.
    return region([bases(4)], [np.full(12_000_000, ord("A"), np.uint8)], gap_open=0)

def long_reads():
    return region([bases(1 << 20) for _ in range(4)], [bases(20)])

def tiny_regions():
    count = 1_000_000
    ends = np.arange(count + 1)
    reads = ReadBatch.from_arrays(ends, bases(count), np.full(count, 30, np.uint8))
    return Batch(reads, HaplotypeBatch.from_arrays(ends, bases(count)), ends, ends)

def memory(kind):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(kind))

def check(batch, threads):
    engine = _native_pairhmm.CpuEngine(threads, "single", None)
    out = np.full(batch.pairs, np.nan)
    pointer = _native_pairhmm.batch_pointer(*batch.arrays)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # resets the peak
    before = memory("VmRSS")
    engine.compute(pointer, out)
    print((memory("VmHWM") - before) >> 10)
    alone = PairHMM(threads=1, backend="cpu")
    if len(batch) > 1:
        places = [(k, k, k) for k in range(0, len(batch), 100_000)]
    else:
        count = len(batch.haplotypes)
        rows, columns = range(len(batch.reads)), range(0, count, 5_000)
        places = [(r * count + h, r, h) for r in rows for h in columns]
    for place, r, h in places:
        read, haplotype = batch.reads, batch.haplotypes
        start, stop = read.offsets[r : r + 2]
        tracks = [track[start:stop] for track in read.tracks]
        one = ReadBatch.from_arrays([0, stop - start], *tracks)
        start, stop = haplotype.offsets[h : h + 2]
        letters, ends = haplotype.bases[start:stop], [0, stop - start]
        if len(batch) == 1 and count > 1:
            # With another haplotype it is cut, too, and in the same place.
            letters, ends = np.append(letters, bases(4)), [*ends, ends[1] + 4]
        value = alone.compute(Batch(one, HaplotypeBatch.from_arrays(ends, letters)))[0]
        assert value.tobytes() == out[place].tobytes(), (r, h, value, out[place])
"""


@pytest.mark.parametrize(
    ("shape", "threads"),
    [
        ("many_haplotypes", 1),
        ("many_haplotypes", 2),
        ("long_haplotype", 1),
        ("long_rescaled_haplotype", 1),
        ("long_reads", 2),
        ("tiny_regions", 1),
    ],
)
def test_memory_is_bounded_for_every_shape(tmp_path, shape, threads):
    taken = int(run(ODD_SHAPES + f"check({shape}(), {threads})", tmp_path))
    assert taken <= MOST + MOST_A_THREAD * threads


def test_deep_regions_of_gatk_take_little_native_memory(tmp_path):
    """Containers leave GATK 1 GB beside Java's heap; half of it is for the JVM itself."""
    program = """
from gkl_shim import pdhmm, smithwaterman

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

sequence = bytes(random.choice(letters, 600))
haplotypes = [
    sequence[: 100 + 3 * k] + bytes(random.choice(letters, 1 + k % 5)) + sequence[100 + 3 * k :]
    for k in range(128)
]
reads = [Read(sequence[k % 400 :][:250], 30) for k in range(5000)]
before = peak()
with PairHMM(threads=4) as engine:
    likelihoods = engine.likelihoods(reads, haplotypes)
assert np.isfinite(likelihoods).all()
flags = [bytes(len(haplotype)) for haplotype in haplotypes]
with pdhmm.PDHMM(threads=4) as engine:
    engine.likelihoods(reads[:500], list(zip(haplotypes, flags)))
smithwaterman.align([sequence] * 128, haplotypes)
print(peak() - before - likelihoods.nbytes // 1024)
"""
    assert int(run(program, tmp_path)) < 64 << 10  # KiB
