"""What Python opens for a GPU engine inside a JVM."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from gkl_shim.common import _native
from gkl_shim.cuda import opened_by_library
from gkl_shim.errors import BackendUnavailable
from gkl_shim.pairhmm import PairHMM
from gkl_shim.pairhmm import _cuda_opened as pairhmm_opened


def test_the_first_batch() -> None:
    batch = pairhmm_opened.first_batch()
    assert batch.shapes.tolist() == [[50, 100]] * 60
    for mine, other in zip(batch.arrays, pairhmm_opened.first_batch().arrays, strict=True):
        assert np.array_equal(mine, other)
    one = batch[:1]
    haplotypes = np.split(one.haplotypes.bases, one.haplotypes.offsets[1:-1])
    assert len({haplotype.tobytes() for haplotype in haplotypes}) == 100
    # As in real regions, haplotypes share most cells and no pair leaves single precision.
    with PairHMM(backend="cpu") as engine:
        assert np.isfinite(engine.compute(one)).all()
        assert engine.statistics.rescued_pairs == 0
        assert engine.statistics.computed_cells < 0.1 * one.cells


def test_the_record_of_two_devices(fake_gpus: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gpus(2, result=-1.0)
    monkeypatch.setenv("GKL_SHIM_DEVICES", "")
    ffi, lib = _native.library()
    address = opened_by_library.opened("pairhmm", _native.version())
    found = ffi.cast("gkl_shim_opened *", address)
    assert ffi.string(found.devices) == b"fake 0, fake 1"
    record = ffi.cast("gkl_shim_pairhmm_opened *", found.record)
    engine = ffi.new("gkl_shim_cuda_engine **")
    assert lib.gkl_shim_pairhmm_cuda_open(ffi.addressof(record.options), engine) == 0
    pairs = 60 * 50 * 100
    values = np.full(pairs, np.nan)
    batch, results = ffi.addressof(record.first), ffi.from_buffer("double[]", values)
    computed = lib.gkl_shim_pairhmm_cuda_compute(engine[0], batch, ffi.NULL, 1, results, ffi.NULL)
    assert computed == 0
    assert np.isfinite(values).all()
    assert all(lib.gkl_shim_cuda_engine_uses(engine[0], number) for number in (0, 1))
    lib.gkl_shim_cuda_engine_close(engine[0])


def test_another_version_is_refused() -> None:
    with pytest.raises(BackendUnavailable, match=r"this is 0\.0\.9: install the same"):
        opened_by_library.opened("pairhmm", "0.0.9")


def test_contexts_are_created_while_numpy_is_imported() -> None:
    code = """
import sys
from gkl_shim.cuda import driver, opened_by_library

def wake(devices):
    print(devices, "numpy" in sys.modules)
    raise SystemExit

driver.wake = wake
opened_by_library.opened("pairhmm", "any version")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "GKL_SHIM_DEVICES": "1,0"},
    )
    assert done.stdout == "[1, 0] False\n"
