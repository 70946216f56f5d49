"""What a GPU engine inside a JVM computes before it is used."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from gkl_shim.cuda import library_engines, opened_by_library
from gkl_shim.pairhmm import PairHMM


def test_the_first_batch() -> None:
    batch = library_engines._first_batch()
    assert batch.shapes.tolist() == [[50, 100]] * 60
    for mine, other in zip(batch.arrays, library_engines._first_batch().arrays, strict=True):
        assert np.array_equal(mine, other)
    one = batch[:1]
    haplotypes = np.split(one.haplotypes.bases, one.haplotypes.offsets[1:-1])
    assert len({haplotype.tobytes() for haplotype in haplotypes}) == 100
    # As in real regions, haplotypes share most cells and no pair leaves single precision.
    with PairHMM(backend="cpu") as engine:
        assert np.isfinite(engine.compute(one)).all()
        assert engine.statistics.rescued_pairs == 0
        assert engine.statistics.computed_cells < 0.1 * one.cells


def test_start(fake_gpus: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = fake_gpus(2, result=-1.0)
    monkeypatch.setattr(library_engines, "_engines", {})
    monkeypatch.setenv("GKL_SHIM_DEVICES", "")
    assert opened_by_library.start() == "fake 0, fake 1"
    assert min(driver.launches.values()) > 0
    (engine,) = library_engines._engines.values()
    assert engine.statistics()["cuda_pairs"] == 60 * 50 * 100


def test_contexts_are_created_while_numpy_is_imported() -> None:
    code = """
import sys
from gkl_shim.cuda import driver, opened_by_library

def wake(devices):
    print(devices, "numpy" in sys.modules)
    raise SystemExit

driver.wake = wake
opened_by_library.start()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "GKL_SHIM_DEVICES": "1,0"},
    )
    assert done.stdout == "[1, 0] False\n"
