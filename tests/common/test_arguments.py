"""Arguments that several algorithms have: each refuses a wrong one in the same words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from gkl_shim import correct, mem, pairhmm, pdhmm, prefilter, smithwaterman
from gkl_shim.common._arguments import device_numbers
from gkl_shim.errors import BackendUnavailable

READS = ["ACGTTGCAAGCT"] * 5
ON_CPUS: dict[str, Callable[..., Any]] = {
    "pdhmm": lambda **options: pdhmm.likelihoods([("ACGT", 30)], ["ACGT"], **options),
    "smithwaterman": lambda **options: smithwaterman.align(["ACGT"], ["ACGT"], **options),
}
CALLS: dict[str, Callable[..., Any]] = {
    "pairhmm": lambda **options: pairhmm.likelihoods([("ACGT", 30)], ["ACGT"], **options),
    "prefilter": lambda **options: prefilter.edits(["ACGT"], ["ACGT"], 1, **options),
    "mem": lambda **options: mem.find("ACGTTGCA", ["ACGTT"], min_length=4, **options),
    "correct": lambda **options: correct.Spectrum.from_reads(READS, k=11, **options),
}
SEQUENCE = "devices: expected a sequence of numbers such as [0, 1], not "


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("devices", "message"),
    [
        (0, SEQUENCE + "0"),
        ("0", SEQUENCE + "'0'"),
        ([], "devices: none given"),
        ([0, -1], "devices[1] is -1, not a whole number from 0 on"),
        ([1.0], "devices[0] is 1.0, not a whole number from 0 on"),
        ([True], "devices[0] is True, not a whole number from 0 on"),
        (["0"], "devices[0] is '0', not a whole number from 0 on"),
        ([1, 0, 1], "devices: 1 is given twice"),
    ],
)
def test_wrong_devices_are_refused_on_any_machine(name: str, devices: Any, message: str) -> None:
    for backend in ("auto", "cpu", "cuda"):
        with pytest.raises(ValueError) as error:
            CALLS[name](backend=backend, devices=devices)
        assert str(error.value) == message


def test_any_iterable_of_whole_numbers_names_devices() -> None:
    for devices in ([2, 0], (2, 0), iter([2, 0]), np.array([2, 0]), map(int, "20")):
        assert device_numbers(devices) == [2, 0]
    assert device_numbers(None) is None


@pytest.mark.parametrize("name", CALLS | ON_CPUS)
@pytest.mark.parametrize(
    ("threads", "message"),
    [
        (-1, "threads is -1, not a whole number from 0 on"),
        (1.0, "threads is 1.0, not a whole number from 0 on"),
        (True, "threads is True, not a whole number from 0 on"),
        ("2", "threads is '2', not a whole number from 0 on"),
        (2**40, "threads is 1099511627776, more than 2147483647"),
    ],
)
def test_a_wrong_number_of_threads_is_refused(name: str, threads: Any, message: str) -> None:
    call = (CALLS | ON_CPUS)[name]
    with pytest.raises(ValueError) as error:
        call(threads=threads)
    assert str(error.value) == message
    call(threads=np.int64(1))


@pytest.mark.parametrize("name", CALLS)
def test_the_cpu_backend_has_no_devices(name: str) -> None:
    with pytest.raises(ValueError) as error:
        CALLS[name](backend="cpu", devices=[0])
    told = "devices: the backend cpu uses no CUDA devices; choose cuda or auto, or name none"
    assert str(error.value) == told


@pytest.mark.parametrize(
    "engine",
    [pairhmm.PairHMM, pdhmm.PDHMM, partial(prefilter.Prefilter, 1), smithwaterman.SmithWaterman],
)
def test_another_build_is_refused(engine: Callable[..., Any]) -> None:
    with pytest.raises(BackendUnavailable, match='no build "abacus" here; this CPU can'):
        engine(build="abacus")
    with pytest.raises(ValueError, match=r"^build: a name, not 5$"):
        engine(build=5)


@pytest.mark.parametrize("name", CALLS)
def test_another_backend_is_refused(name: str) -> None:
    with pytest.raises(ValueError) as error:
        CALLS[name](backend="tpu")
    assert str(error.value) == "backend is 'tpu', not one of auto, cpu, cuda"
