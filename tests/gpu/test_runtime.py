"""The GPU runtime alone, with an algorithm that it does not know: runtime.cpp squares numbers.

It is what all algorithms share, so here is tested what they share: queues, slots, memory, and the
loss of a device at any of the driver's functions. Each algorithm tests its own results after one.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import HEADER_FOLDERS, ROOT, require_tool
from tests.fakes.driver import FALLIBLE

KERNELS = ROOT / "kernels"
RUNTIME = ("devices", "launch_threads")
NUMBERS, CHUNK = 1000, 7
CHUNKS = 143
# The device memory of a chunk; kept memory is never smaller.
CHUNK_MEMORY = 1 << 16


class Run(NamedTuple):
    on_cpu: list[int]
    """Of each call."""
    lost: dict[int, str]
    """The reason for each device that was lost."""
    left: list[int]
    launched: list[int]
    """By each device, in all calls."""
    reports: list[dict[str, Any]]
    """Of the driver, after the first calls and at the end."""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return what computes twice, checks the results and the use of the driver, and says what
    happened."""
    program = tmp_path_factory.mktemp("runtime") / "runtime"
    sources = [Path(__file__).with_name("runtime.cpp"), ROOT / "tests" / "fakes" / "driver.cpp"]
    sources += [KERNELS / "gpu" / f"{name}.cpp" for name in RUNTIME]
    sources += [
        KERNELS / "common" / f"{name}.cpp" for name in ("api", "cpu", "interrupt", "thread_pool")
    ]
    command = [require_tool("c++"), "-std=gnu++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
               '-DGKL_SHIM_VERSION="0"', *(f"-I{folder}" for folder in (KERNELS, *HEADER_FOLDERS)),
               "-fsanitize=thread", "-pthread"]  # fmt: skip
    subprocess.run([*command, *sources, "-o", program], check=True)

    def run(devices: int = 1, **options: object) -> Run:
        given = {
            "numbers": NUMBERS, "chunk": CHUNK, "callers": 1, "devices": devices, "slots": 4,
            "threads": 2, "in_flight": 2, "memory": 1 << 62, "slow": 1, "after": 0, "on": -1,
            "loses": 1,
        } | options  # fmt: skip
        command = [program, *(f"{name}={value}" for name, value in given.items())]
        # ThreadSanitizer would sleep for a second at the end.
        environment = {**os.environ, "TSAN_OPTIONS": "atexit_sleep_ms=0"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
        facts = {
            name: [text for found, text in lines if found == name]
            for name in ("on_cpu", "lost", "left", "any", "report")
        }
        reports = list(map(json.loads, facts["report"]))
        losses = [text.split(" ", 1) for text in facts["lost"]]
        lost = {int(number): reason for number, reason in losses}
        assert len(lost) == len(losses), "a loss is told twice"
        left = list(map(int, facts["left"]))
        assert sorted([*lost, *left]) == list(range(10, 10 + devices))
        assert facts["any"] == ["left"] * bool(left)
        end = reports[-1]
        assert (end["misused"], end["pushed"]) == ([], 0)
        # Where a context cannot be made current, nothing can be waited for or freed.
        if given.get("failing") != "cuCtxPushCurrent_v2":
            assert end["live"] == []
            assert all(report["in_flight"] == 0 for report in reports)
        launched = Counter(device for device, _ in end["launched"])
        on_cpu = list(map(int, facts["on_cpu"]))
        return Run(on_cpu, lost, left, [launched[k] for k in range(devices)], reports)

    return run


@pytest.mark.parametrize("devices", [1, 3])
@pytest.mark.parametrize(("threads", "in_flight"), [(1, 1), (1, 4), (3, 2)])
def test_every_number_once(run, devices, threads, in_flight):
    done = run(devices, threads=threads, in_flight=in_flight)
    assert (done.on_cpu, done.lost) == ([0, 0], {})
    assert sum(done.launched) == 2 * CHUNKS
    # One queue for all: whatever is in flight is spread over the devices.
    most = -(-min(threads * in_flight, 4 * devices) // devices)
    assert max(done.reports[-1]["most_in_flight"]) <= most
    # A second call like the first allocates nothing.
    first, last = (dict(report["calls"]) for report in done.reports)
    if threads == 1:
        for name in ("cuMemAlloc_v2", "cuMemHostAlloc", "cuStreamCreate"):
            assert first[name] == last[name]


@pytest.mark.parametrize(
    ("slots", "threads", "in_flight"),
    [(2, 2, 4), pytest.param(1, 4, 1, id="threads wait for a slot")],
)
def test_no_more_slots_than_told(run, slots, threads, in_flight):
    done = run(slots=slots, threads=threads, in_flight=in_flight)
    assert done.launched == [2 * CHUNKS]
    assert done.reports[-1]["most_in_flight"] == [slots]


@pytest.mark.parametrize("slow", [0, 1])
def test_callers_share_the_devices(run, slow):
    done = run(2, slots=3, callers=6, slow=slow)
    assert (done.on_cpu, done.lost) == ([0] * 12, {})
    assert sum(done.launched) == 12 * CHUNKS
    assert dict(done.reports[-1]["calls"])["cuStreamCreate"] <= 6


@pytest.mark.parametrize(
    ("chunks", "callers", "threads", "in_flight"),
    [(1, 1, 1, 4), (1, 1, 4, 1), (1, 3, 2, 2), (3, 1, 4, 2)],
)
def test_no_more_memory_than_told(run, chunks, callers, threads, in_flight):
    memory = chunks * CHUNK_MEMORY + CHUNK_MEMORY // 2
    done = run(slots=8, callers=callers, threads=threads, in_flight=in_flight, memory=memory)
    assert (done.on_cpu, done.lost) == ([0, 0] * callers, {})
    assert done.launched == [2 * CHUNKS * callers]
    (most,) = done.reports[-1]["most_memory"]
    assert CHUNK_MEMORY <= most <= chunks * CHUNK_MEMORY


@pytest.mark.parametrize("threads", [1, 4])
def test_chunks_that_are_too_large_for_a_device(run, threads):
    done = run(threads=threads, memory=CHUNK_MEMORY - 1)
    assert (done.on_cpu, done.lost, done.launched) == ([NUMBERS, NUMBERS], {}, [0])
    assert done.reports[-1]["most_memory"] == [0]


def reason(function: str, loses: int) -> str:
    """The start of the text about a function that has failed as it was told to."""
    short = "Alloc" in function
    error = "OUT_OF_MEMORY" if short else "LAUNCH_FAILED" if loses else "INVALID_VALUE"
    return f"{function}: CUDA_ERROR_{error} ("


@pytest.mark.parametrize("after", [0, 1, 20, 2 * CHUNKS - 1])
def test_a_launch_that_fails(run, after):
    done = run(failing="cuLaunchKernel", after=after, threads=1, in_flight=1)
    assert done.lost == {10: "cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (719)"}
    # The launch that fails is the last of the list.
    assert done.launched == [after]
    whole, rest = divmod(after, CHUNKS)
    assert done.on_cpu == [0] * whole + [NUMBERS - rest * CHUNK] + [NUMBERS] * (1 - whole)


@pytest.mark.parametrize(("loses", "slow"), [(0, 1), (1, 0)])
@pytest.mark.parametrize("function", FALLIBLE)
def test_each_function_may_fail(run, function, loses, slow):
    """The CPU computes what is left, nothing stays in flight, and the loss is told once."""
    for after in (0, 2, 30):
        done = run(failing=function, after=after, loses=loses, slow=slow)
        report = done.reports[-1]
        calls = dict(report["calls"]).get(function, 0)
        # A fast device needs no waiting.
        assert calls > 0 or (not slow and function in ("cuEventRecord", "cuEventSynchronize"))
        if calls <= after:
            assert (done.lost, done.on_cpu, report["failed"]) == ({}, [0, 0], [])
            continue
        assert (set(done.lost), report["failed"]) == ({10}, [function])
        assert sum(done.on_cpu) > 0
        # Another thread may have reached a device that was lost already.
        assert done.lost[10].startswith(reason(function, loses)) or loses
        assert ": CUDA_ERROR_" in done.lost[10]


@pytest.mark.parametrize("function", FALLIBLE)
def test_another_device_goes_on(run, function):
    callers = 2
    # Little memory is allocated, and few streams and events are made.
    after = 0 if "Alloc" in function or "Create" in function else 3
    done = run(2, failing=function, after=after, on=1, callers=callers)
    assert set(done.lost) == {11}
    # Each launch thread may lose what it has in flight on the device.
    assert sum(done.on_cpu) <= callers * 2 * 2 * CHUNK
    assert sum(done.launched) * CHUNK >= callers * 2 * NUMBERS - sum(done.on_cpu)


def test_all_devices_fail(run):
    done = run(3, failing="cuLaunchKernel", after=4)
    assert set(done.lost) == {10, 11, 12}
    assert sum(done.on_cpu) >= 2 * NUMBERS - 12 * CHUNK


def test_it_names_no_algorithm():
    for path in (KERNELS / "gpu").iterdir():
        if path.stem in (*RUNTIME, "driver", "kept_memory"):
            text = path.read_text().lower()
            assert not any(name in text for name in ("pairhmm", "prefilter", "haplotype")), path
