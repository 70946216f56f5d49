"""Arguments that several algorithms have: each refuses a wrong one in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gkl_shim import correct, mem, pairhmm, prefilter
from gkl_shim._arguments import device_numbers

READS = ["ACGTTGCAAGCT"] * 5
CALLS: dict[str, Callable[..., Any]] = {
    "pairhmm": lambda **options: pairhmm.likelihoods([("ACGT", 30)], ["ACGT"], **options),
    "prefilter": lambda **options: prefilter.edits(["ACGT"], ["ACGT"], 1, **options),
    "mem": lambda **options: mem.find("ACGTTGCA", ["ACGTT"], min_length=4, **options),
    "correct": lambda **options: correct.Spectrum.from_reads(READS, k=11, **options),
}
SEQUENCE = "devices: expected a sequence of numbers such as [0, 1], not "


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("backend", ["auto", "cpu", "cuda"])
@pytest.mark.parametrize(
    ("devices", "message"),
    [
        (0, SEQUENCE + "0"),
        ("0", SEQUENCE + "'0'"),
        ([], "devices: none given"),
        ([0, -1], "devices: -1 is not the number of a device"),
        ([1.0], "devices: 1.0 is not the number of a device"),
        ([True], "devices: True is not the number of a device"),
        (["0"], "devices: '0' is not the number of a device"),
        ([1, 0, 1], "devices: 1 is given twice"),
    ],
)
def test_wrong_devices_are_refused_on_any_machine(
    name: str, backend: str, devices: Any, message: str
) -> None:
    with pytest.raises(ValueError) as error:
        CALLS[name](backend=backend, devices=devices)
    assert str(error.value) == message


def test_any_iterable_of_whole_numbers_names_devices() -> None:
    for devices in ([2, 0], (2, 0), iter([2, 0]), np.array([2, 0]), map(int, "20")):
        assert device_numbers(devices) == [2, 0]
    assert device_numbers(None) is None
