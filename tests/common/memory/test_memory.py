"""How much memory calls take: bounded for every shape, refused without harm, freed afterwards.

Last, the memory that this process may use (gkl_shim/common/_memory.py), with made control groups.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gkl_shim.common._memory import usable_memory
from tests.common.memory import scarce
from tests.common.memory.kept_buffers import LARGE
from tests.conftest import ROOT

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


@pytest.fixture
def run_main(preloaded: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run main() of a module of these tests with an argument, with the preloaded library."""

    def run(module: str, argument: str) -> subprocess.CompletedProcess[str]:
        # The tests' folder comes after the installed package, not before.
        program = f"import sys; sys.path.append({str(ROOT)!r}); from {module} import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", program, argument],
            env={**os.environ, "LD_PRELOAD": str(preloaded)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done

    return run


#: Parts whose calls start a second thread, where there is a CPU for it.
THREADED = ("mem", "pairhmm large", "smithwaterman")


@pytest.mark.skipif(os.confstr("CS_GNU_LIBC_VERSION") is None, reason="needs glibc")
@pytest.mark.parametrize("part", scarce.PARTS)
def test_every_refused_request_is_an_error_or_does_no_harm(
    run_main: Callable[..., subprocess.CompletedProcess[str]], part: str
) -> None:
    """Without threads the caller computes alone."""
    done = run_main("tests.common.memory.scarce", part)
    # A recording that could not begin does not prevent the next one.
    assert "another setting names this file" not in done.stderr
    memory, threads = map(int, done.stdout.split())
    assert memory > 0
    if len(os.sched_getaffinity(0)) > 1:
        assert threads > 0 or part not in THREADED


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="needs glibc 2.33")
@pytest.mark.parametrize(
    ("call", "exception"),
    [
        ("OwnWithoutRoom", "java/lang/IllegalArgumentException: likelihoods has room for 0 values"),
        ("OwnRecorded", ""),
        ("GklReads", "java/lang/IllegalArgumentException: read 1 has no bases"),
        ("SmithWaterman", "java/lang/IllegalArgumentException: references: sequence 0 has"),
    ],
)
def test_large_buffers_are_freed(
    run_main: Callable[..., subprocess.CompletedProcess[str]], call: str, exception: str
) -> None:
    done = run_main("tests.common.memory.kept_buffers", call)
    said, kept = done.stdout.splitlines()
    assert said.startswith(exception) if exception else said == ""
    # The engines themselves keep some memory.
    assert int(kept) < LARGE // 2


PHYSICAL = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
UNLIMITED = "9223372036854771712"
"""What version 1 says where there is no limit."""
MIB = 1 << 20


@pytest.mark.parametrize(
    ("own", "files", "limit"),
    [
        ("", {}, None),
        ("0::/\n", {"memory.max": "max\n"}, None),
        # In a container, its group is the root.
        ("0::/\n", {"memory.max": f"{8 * MIB}\n"}, 8),
        ("0::/kubepods/pod1\n", {"memory.max": f"{8 * MIB}\n"}, 8),
        # The lowest limit of the group and its parents counts.
        (
            "0::/slice/job/step\n",
            {
                "slice/memory.max": f"{4 * MIB}\n",
                "slice/job/memory.max": f"{16 * MIB}\n",
                "slice/job/step/memory.max": "max\n",
                "other/memory.max": f"{MIB}\n",
            },
            4,
        ),
        ("0::/a:b\n", {"a:b/memory.max": f"{2 * MIB}\n"}, 2),
        # Outside the namespace of the process.
        ("0::/../other\n", {"other/memory.max": f"{MIB}\n"}, None),
        ("4:memory:/docker/1\n", {"memory/memory.limit_in_bytes": f"{UNLIMITED}\n"}, None),
        (
            "5:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/1\n0::/\n",
            {
                "memory/docker/1/memory.limit_in_bytes": f"{8 * MIB}\n",
                "memory/docker/memory.limit_in_bytes": f"{6 * MIB}\n",
                "memory/x/memory.limit_in_bytes": f"{MIB}\n",
            },
            6,
        ),
        ("no group\n", {"memory.max": "no number\n"}, None),
    ],
)
def test_the_lowest_limit_of_control_groups(
    tmp_path: Path, own: str, files: dict[str, str], limit: int | None
) -> None:
    groups, list_of_groups = tmp_path / "cgroup", tmp_path / "own"
    list_of_groups.write_text(own)
    for name, text in files.items():
        (groups / name).parent.mkdir(parents=True, exist_ok=True)
        (groups / name).write_text(text)
    expected = PHYSICAL if limit is None else limit * MIB
    assert usable_memory(groups, list_of_groups) == expected


def test_a_system_without_control_groups(tmp_path: Path) -> None:
    assert usable_memory(tmp_path / "absent", tmp_path / "absent") == PHYSICAL


def test_the_memory_of_this_process() -> None:
    assert 0 < usable_memory() <= PHYSICAL
