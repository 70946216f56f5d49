"""The backend "auto": what first calls are expected to cost, and functions that make an engine for
one call, which open no device."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gkl_shim import mem, pairhmm, prefilter
from gkl_shim.common import _auto, _native

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
    monkeypatch.setattr(_auto, "_WARM_UP_NANOSECONDS", 0)
    monkeypatch.setattr(_auto, "_DRIVERS", (Path(__file__),))
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
