"""The backends: their names, and with "auto", what calls are expected to cost and do cost.

A function that makes an engine for one call opens no device.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gkl_shim import correct, mem, pairhmm, prefilter
from gkl_shim.common import _auto, _native
from tests.conftest import ROOT, require_tool
from tests.correct.test_correct import random_reads
from tests.mem.test_find import related

REFERENCE, QUERY = "ACGTTGCAAGCT", "TTGCAAG"
READS, HAPLOTYPES = [("ACGT", 30)], ["ACGTAC"]


def pairhmm_object() -> None:
    with pairhmm.PairHMM() as engine:
        engine.likelihoods(READS, HAPLOTYPES)


def prefilter_object() -> None:
    with prefilter.Prefilter(2) as engine:
        engine.edits([REFERENCE], [REFERENCE])


def mem_object() -> None:
    with mem.Index(REFERENCE, min_length=5) as index:
        index.find(QUERY)


def searched(**options: Any) -> bytes:
    reference, queries = related(36, 2000, 6)
    with mem.Index(reference, min_length=12, **options) as index:
        return index.find(queries, kind="mum", strands="both").tobytes()


def corrected(**options: Any) -> bytes:
    reads, _ = random_reads(9, genome=200, depth=10)
    with correct.Spectrum.from_reads(reads, k=15, threshold=2, **options) as spectrum:
        return spectrum.correct(reads).letters.tobytes()


def filtered(**options: Any) -> bytes:
    with prefilter.Prefilter(2, **options) as engine:
        return engine.edits([REFERENCE], [QUERY]).tobytes()


@pytest.mark.parametrize(
    ("algorithm", "results"),
    [("mem", searched), ("correct", corrected), ("prefilter", filtered)],
)
def test_backends_by_name(
    fake_gpus: Callable[..., Any], algorithm: str, results: Callable[..., bytes]
) -> None:
    """Devices that are asked for by name and number are used, and freed in the end."""
    driver = fake_gpus(2, kernels=algorithm)
    want = results(backend="cpu")
    assert results(backend="auto") == want
    assert not driver.launched
    assert results(backend="cuda", devices=[1]) == want
    assert set(driver.launches) == {1}
    assert driver.live == []
    with pytest.raises(ValueError, match="devices: there is no CUDA device 7; there are 2"):
        results(backend="cuda", devices=[0, 7])


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    ("algorithm", "function", "use_of_object"),
    [
        (None, lambda: pairhmm.likelihoods(READS, HAPLOTYPES), pairhmm_object),
        ("prefilter", lambda: prefilter.edits([REFERENCE], [REFERENCE], 2), prefilter_object),
        ("mem", lambda: mem.find(REFERENCE, QUERY, min_length=5), mem_object),
    ],
    ids=["pairhmm", "prefilter", "mem"],
)
def test_only_objects_open_devices(
    fake_gpus: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch,
    algorithm: str | None,
    function: Callable[[], object],
    use_of_object: Callable[[], None],
) -> None:
    """Even where a device would be expected to compute any call sooner."""
    monkeypatch.setattr(_auto.CallCosts, "prefer_gpu", lambda costs, call: True)
    opened = []
    open_engine = _auto.Devices._open
    monkeypatch.setattr(
        _auto.Devices, "_open", lambda devices: (opened.append(devices), open_engine(devices))
    )
    driver = fake_gpus(kernels=algorithm)

    def opened_after(call: Callable[[], object]) -> int:
        call()
        for thread in threading.enumerate():
            if thread.name == "gkl-shim-cuda":
                thread.join()
        return len(opened)

    assert opened_after(function) == 0
    assert not driver.calls
    assert opened_after(use_of_object) == 1


@pytest.mark.parametrize(
    ("algorithm", "facts"), [("correct", ()), ("mem", ()), ("prefilter", (1 << 10, 5))]
)
def test_small_calls_are_for_the_cpu_and_large_ones_for_a_gpu(
    algorithm: str, facts: tuple[int, ...]
) -> None:
    small, large = (_auto.estimate(algorithm, size, *facts, 1) for size in (1 << 10, 1 << 33))
    assert (small.size, large.size) == (1 << 10, 1 << 33)
    assert small.cpu_nanoseconds < small.gpu_nanoseconds
    assert large.gpu_nanoseconds < large.cpu_nanoseconds
    all_threads = _auto.estimate(algorithm, 1 << 33, *facts, 0)
    share = large.cpu_nanoseconds / _native.cpu_count()
    assert all_threads.cpu_nanoseconds == pytest.approx(share)
    assert all_threads.gpu_nanoseconds == large.gpu_nanoseconds


MANY = 12_800
TRIED_EVERY = 128

Group = tuple[int, float, float]
"""A number of calls, and the cost of each on the CPU and on the GPU."""
Play = Callable[..., list[tuple[int, float]]]


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Play:
    """Return a function that returns the calls of each group on the GPU, and their total cost."""
    program = tmp_path_factory.mktemp("call_costs") / "call_costs"
    sources = [Path(__file__).with_name("call_costs.cpp"), ROOT / "kernels/gpu/call_costs.cpp"]
    include = [f"-I{ROOT / 'kernels' / part}" for part in (".", "include", "internal")]
    command = [require_tool("c++"), "-std=c++17", "-Wall", "-Werror", *include]
    subprocess.run([*command, *map(str, sources), "-o", str(program)], check=True)

    def play(modelled: tuple[float, float], *groups: Group, cells: int = 10**6):
        arguments = [cells, *modelled, *(number for group in groups for number in group)]
        done = subprocess.run(
            [program, *map(str, arguments)], check=True, capture_output=True, text=True
        )
        lines = [line.split() for line in done.stdout.splitlines()]
        return [(int(on_gpu), float(total)) for on_gpu, total in lines]

    return play


@pytest.mark.parametrize("cells", [0, 1, 10**6, 2**62])
def test_a_call_with_a_clear_cost_is_never_tried_on_the_other_engine(
    play: Play, cells: int
) -> None:
    assert play((10, 40), (MANY, 10, 40), cells=cells) == [(0, 10 * MANY)]
    assert play((40, 10), (MANY, 40, 10), cells=cells) == [(MANY, 10 * MANY)]


@pytest.mark.parametrize("cost", [(50, 80), (80, 50), (50, 60), (60, 50), (100, 1000), (1000, 100)])
@pytest.mark.parametrize("modelled", [(50, 35), (35, 50), (100, 20), (20, 30)])
def test_a_wrong_model_is_corrected(play: Play, modelled, cost) -> None:
    _, (on_gpu, total) = play(modelled, (8 * TRIED_EVERY, *cost), (MANY, *cost))
    wrong = MANY - on_gpu if cost[1] < cost[0] else on_gpu
    assert wrong <= MANY / TRIED_EVERY
    assert total <= MANY * min(cost) * 1.02


def test_a_slow_first_call_is_forgotten(play: Play) -> None:
    first, (on_gpu, _) = play((70, 35), (1, 70, 50_000), (MANY, 70, 45))
    assert first[0] == 1
    assert on_gpu >= MANY * (1 - 2 / TRIED_EVERY)


def test_a_changed_load_is_noticed(play: Play) -> None:
    before, _, after = play((50, 60), (MANY, 50, 60), (8 * TRIED_EVERY, 90, 60), (MANY, 90, 60))
    assert before[0] == MANY / TRIED_EVERY
    assert after[0] >= MANY * (1 - 1 / TRIED_EVERY)
