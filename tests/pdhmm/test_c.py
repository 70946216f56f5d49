"""PDHMM from C: the library for aarch64 under emulation."""

from __future__ import annotations

import numpy as np
import pytest

from tests import native_driver
from tests.conftest import DATA

RECORDED = DATA / "chr22_dragen.pdhmm.in"


def run(command: list[str], build: str, threads: int) -> str:
    return native_driver.run(command, RECORDED, build, threads)


def test_recorded_regions(native: list[str]) -> None:
    values = [float.fromhex(line) for line in run(native, "portable", 1).splitlines()]
    np.testing.assert_allclose(values, np.loadtxt(RECORDED.with_suffix(".log10")), atol=1e-9)


@pytest.mark.parametrize("build", ["neon", "portable"])
def test_aarch64_has_the_same_bits(native: list[str], aarch64: list[str], build: str) -> None:
    assert run(aarch64, build, 2) == run(native, "portable", 1)
