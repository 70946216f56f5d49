"""What Python opens for a GPU engine inside a JVM."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from gkl_shim import correct
from gkl_shim.common import _native
from gkl_shim.common._ragged import ragged
from gkl_shim.correct import _native_correct
from gkl_shim.cuda import opened_by_library
from gkl_shim.errors import BackendUnavailable
from gkl_shim.pairhmm import PairHMM
from gkl_shim.pairhmm import _cuda as cuda_pairhmm


def test_the_first_batch() -> None:
    batch = cuda_pairhmm.first_batch()
    assert batch.shapes.tolist() == [[50, 100]] * 60
    for mine, other in zip(batch.arrays, cuda_pairhmm.first_batch().arrays, strict=True):
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


def test_correct_on_gpus_from_c(fake_gpus: Any) -> None:
    driver = fake_gpus(2, kernels="correct")
    ffi, lib = _native.library()
    reads = ragged([*["ACGTTGCAAGCT"] * 9, "ACGTTGCATGCT"], "reads")
    wanted = correct.Spectrum.from_reads(reads, k=11, threshold=5, backend="cpu").correct(reads)
    given = _native_correct.batch(reads, None)
    engine, counter = ffi.new("gkl_shim_cuda_engine **"), ffi.new("gkl_shim_correct_counter **")
    _native.check(lib.gkl_shim_correct_cuda_engine_open(b"1", engine))
    _native.check(lib.gkl_shim_correct_counter_open(11, 1, 0, 5, engine[0], counter))
    complete, spectrum = ffi.new("int32_t *"), ffi.new("gkl_shim_correct_spectrum **")
    _native.check(lib.gkl_shim_correct_count(counter[0], given))
    _native.check(lib.gkl_shim_correct_end_pass(counter[0], complete))
    assert complete[0] and lib.gkl_shim_correct_cuda_counts(counter[0])
    _native.check(lib.gkl_shim_correct_spectrum_make(counter[0], 5, spectrum))
    lib.gkl_shim_correct_counter_close(counter[0])
    letters, states = ffi.new("uint8_t[]", 120), ffi.new("uint8_t[]", 10)
    options = ffi.new("gkl_shim_correct_options *", {"engine": engine[0]})
    counted = driver.launches[1]
    outputs = (letters, states, ffi.NULL, ffi.NULL)
    _native.check(lib.gkl_shim_correct_reads(options, spectrum[0], given, *outputs))
    assert driver.launches[1] > counted
    assert bytes(letters) == wanted.letters.tobytes() == b"ACGTTGCAAGCT" * 10
    assert bytes(states) == wanted.states.tobytes()
    lib.gkl_shim_correct_spectrum_close(spectrum[0])
    assert set(driver.launches) == {1}
    assert [lib.gkl_shim_cuda_engine_uses(engine[0], number) for number in (-1, 0, 1)] == [1, 0, 1]
    lib.gkl_shim_cuda_engine_close(engine[0])
    assert driver.live == []


@pytest.mark.parametrize(
    ("devices", "status", "message"),
    [
        (b'0")', 1, 'devices is "0")", not numbers separated by commas'),
        (b"0,0", 3, "devices=0,0: give different device numbers, separated by commas"),
        (b"7", 3, "devices: there is no CUDA device 7; there are 1"),
    ],
)
def test_gpus_that_do_not_open(fake_gpus: Any, devices: bytes, status: int, message: str) -> None:
    fake_gpus()
    ffi, lib = _native.library()
    engine = ffi.new("gkl_shim_cuda_engine **")
    assert lib.gkl_shim_mem_cuda_engine_open(devices, engine) == status
    assert engine[0] == ffi.NULL
    assert message in _native.last_error()


def test_an_engine_of_another_algorithm_is_refused(fake_gpus: Any) -> None:
    fake_gpus()
    ffi, lib = _native.library()
    engine, counter = ffi.new("gkl_shim_cuda_engine **"), ffi.new("gkl_shim_correct_counter **")
    _native.check(lib.gkl_shim_mem_cuda_engine_open(ffi.NULL, engine))
    opened = lib.gkl_shim_correct_counter_open(11, 1, 0, 5, engine[0], counter)
    assert opened == lib.GKL_SHIM_EINVAL
    assert _native.last_error() == "the engine was opened for another algorithm"
    lib.gkl_shim_cuda_engine_close(engine[0])
