"""The GPU runtime alone, with an algorithm that it does not know: runtime.cpp squares numbers."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import HEADER_FOLDERS, ROOT, require_tool

KERNELS = ROOT / "kernels"
RUNTIME = ("call", "devices", "launch_threads")
NUMBERS, CHUNK = 1000, 7
CHUNKS = 143
# The device memory of a chunk; kept memory is never smaller.
CHUNK_MEMORY = 1 << 16


class Run(NamedTuple):
    on_cpu: list[int]
    lost: list[tuple[int, str]]
    any_left: bool
    launched: list[int]
    most_in_flight: list[int]
    most_memory: list[int]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return what computes twice, and says what happened."""
    program = tmp_path_factory.mktemp("runtime") / "runtime"
    sources = [Path(__file__).with_name("runtime.cpp")]
    sources += [KERNELS / "gpu" / f"{name}.cpp" for name in RUNTIME]
    sources += [
        KERNELS / "common" / f"{name}.cpp" for name in ("api", "cpu", "interrupt", "thread_pool")
    ]
    command = [require_tool("c++"), "-std=gnu++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
               '-DGKL_SHIM_VERSION="0"', *(f"-I{folder}" for folder in (KERNELS, *HEADER_FOLDERS)),
               "-fsanitize=thread", "-pthread"]  # fmt: skip
    subprocess.run([*command, *sources, "-o", program], check=True)

    def run(
        *, devices, slots=4, threads=2, in_flight=2, failing=-1, after=0, memory=1 << 62
    ) -> Run:
        arguments = (NUMBERS, CHUNK, devices, slots, threads, in_flight, failing, after, memory)
        done = subprocess.run(
            [program, *map(str, arguments)], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr
        lines = [line.split() for line in done.stdout.splitlines()]
        of_devices = [line for line in lines if line[0] == "device"]
        return Run(
            [int(line[1]) for line in lines if line[0] == "on_cpu"],
            [(int(line[1]), " ".join(line[2:])) for line in lines if line[0] == "lost"],
            ["any", "1"] in lines,
            [int(line[2]) for line in of_devices],
            [int(line[3]) for line in of_devices],
            [int(line[4]) for line in of_devices],
        )

    return run


@pytest.mark.parametrize("devices", [1, 3])
@pytest.mark.parametrize(("threads", "in_flight"), [(1, 1), (1, 4), (3, 2)])
def test_every_number_once(run, devices, threads, in_flight):
    done = run(devices=devices, slots=4, threads=threads, in_flight=in_flight)
    assert (done.on_cpu, done.lost, done.any_left) == ([0, 0], [], True)
    assert sum(done.launched) == 2 * CHUNKS
    # One queue for all: whatever is in flight is spread over the devices.
    least = -(-min(threads * in_flight, 4 * devices) // devices)
    assert max(done.most_in_flight) <= max(least, 1)


def test_no_more_slots_than_told(run):
    done = run(devices=1, slots=2, threads=2, in_flight=4)
    assert done.launched == [2 * CHUNKS]
    assert done.most_in_flight == [2]


def test_threads_that_wait_for_a_slot(run):
    done = run(devices=1, slots=1, threads=4, in_flight=1)
    assert done.launched == [2 * CHUNKS]
    assert done.most_in_flight == [1]


@pytest.mark.parametrize(("threads", "in_flight"), [(1, 1), (1, 4), (4, 1), (4, 2)])
@pytest.mark.parametrize("chunks", [1, 3])
def test_no_more_memory_than_told(run, threads, in_flight, chunks):
    memory = chunks * CHUNK_MEMORY + CHUNK_MEMORY // 2
    done = run(devices=1, slots=8, threads=threads, in_flight=in_flight, memory=memory)
    assert (done.on_cpu, done.lost, done.launched) == ([0, 0], [], [2 * CHUNKS])
    assert CHUNK_MEMORY <= done.most_memory[0] <= chunks * CHUNK_MEMORY


@pytest.mark.parametrize("threads", [1, 4])
def test_chunks_that_are_too_large_for_a_device(run, threads):
    done = run(devices=1, threads=threads, memory=CHUNK_MEMORY - 1)
    assert (done.on_cpu, done.lost, done.launched) == ([NUMBERS, NUMBERS], [], [0])
    assert done.any_left
    assert done.most_memory == [0]


@pytest.mark.parametrize("after", [0, 1, 20, 2 * CHUNKS - 1])
def test_a_device_that_fails(run, after):
    done = run(devices=1, failing=0, after=after)
    assert done.lost == [(0, "cuLaunchKernel: LOST (LOST)")]
    assert not done.any_left
    assert done.launched == [after]
    assert sum(done.on_cpu) == 2 * NUMBERS - after * CHUNK + (CHUNK * CHUNKS - NUMBERS) * (
        after // CHUNKS
    )


def test_another_device_goes_on(run):
    done = run(devices=2, failing=1, after=5)
    assert done.lost == [(1, "cuLaunchKernel: LOST (LOST)")]
    assert done.any_left
    assert done.launched[1] == 5
    # Each launch thread may lose one chunk with the device.
    lost = 2 * CHUNKS - sum(done.launched)
    assert 1 <= lost <= 2
    assert sum(done.on_cpu) <= lost * CHUNK


def test_all_devices_fail(run):
    done = run(devices=3, failing=-2, after=4)
    assert sorted(number for number, _ in done.lost) == [0, 1, 2]
    assert done.launched == [4, 4, 4]
    assert sum(done.on_cpu) >= 2 * NUMBERS - 12 * CHUNK


def test_it_names_no_algorithm():
    for path in (KERNELS / "gpu").iterdir():
        if path.stem in (*RUNTIME, "driver", "kept_memory"):
            text = path.read_text().lower()
            assert not any(name in text for name in ("pairhmm", "prefilter", "haplotype")), path
