"""The CUDA engine without a device: memory, chunks, callers, several devices, failures.

The kernels compute nothing here, so in double precision every result comes from the CPU engine.
tests/gpu/test_runtime.py tests what all algorithms share, such as the loss of a device among
several.
"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from gkl_shim.bench.regions import regions as generated_regions
from gkl_shim.common import _auto, _native
from gkl_shim.cuda import devices, driver
from gkl_shim.errors import BackendUnavailable
from gkl_shim.pairhmm import (
    Batch,
    HaplotypeBatch,
    PairHMM,
    ReadBatch,
    _native_pairhmm,
    _stream,
    stream,
)
from gkl_shim.pairhmm import _cuda as cuda
from gkl_shim.pairhmm._copies import concatenated
from tests.conftest import ROOT
from tests.fakes.cupy import CuPy
from tests.fakes.driver import FALLIBLE
from tests.pairhmm.cuda.conftest import assert_same_bits, random_region
from tests.pairhmm.cuda.test_long_reads import long_region


@pytest.fixture
def null(fake_gpus):
    """Return a function that installs a driver with a number of devices."""
    made = []

    def make(count=1, double_ratio=(2,), **options):
        made.append(fake_gpus(count, double_ratio=double_ratio, **options))
        return made[-1]

    yield make
    for each in made:
        assert each.pageable == []


@pytest.fixture(scope="module")
def batch() -> Batch:
    """Usual regions, and some reads that are striped."""
    return concatenated([generated_regions(12), long_region(1, (1100, 300, 150), 3, 400)])


@pytest.fixture(scope="module")
def expected(batch):
    return {
        precision: PairHMM(backend="cpu", precision=precision).compute(batch)
        for precision in ("single", "double")
    }


@pytest.fixture
def many_chunks(monkeypatch):
    monkeypatch.setattr(cuda, "_CHUNK_CELLS", {"single": 1 << 18, "double": 1 << 18})


def assert_computed(engine, batch, expected):
    assert_same_bits(engine.compute(batch), expected["double"])


@pytest.mark.parametrize("slow", [False, True])
def test_more_results_than_are_watched(null, slow, monkeypatch):
    """The engine then asks the driver whether the results have arrived."""
    monkeypatch.setattr(cuda, "_SLOTS", 4)  # room for all in one chunk
    many = random_region(random.Random(1), 300, 300, 8, "usual")
    expected = PairHMM(backend="cpu", precision="double").compute(many)
    null_driver = null(slow=slow)
    engine = cuda.Engine(precision="double")
    assert_same_bits(engine.compute(many), expected)
    assert null_driver.calls["cuStreamQuery"] > 0
    null_driver = null(fail={"cuStreamQuery": 0})
    engine = cuda.Engine(precision="double")
    with pytest.warns(RuntimeWarning, match="cuStreamQuery: CUDA_ERROR_LAUNCH_FAILED"):
        assert_same_bits(engine.compute(many), expected)


def test_single_precision_is_rescued_on_the_device(null, batch, expected):
    null_driver = null()
    engine = cuda.Engine(precision="single")
    assert_same_bits(engine.compute(batch), expected["double"])
    assert engine.statistics()["rescued_pairs"] == batch.pairs
    # All regions, then pairs outside single precision's range and reads too long for it.
    assert null_driver.calls["cuMemcpyHtoDAsync_v2"] == 3
    assert null_driver.launches[0] >= 4


# : A device's result for a pair that it computes.
ON_DEVICE, IN_DOUBLE = -1.5, -2.5


def assert_done(engine, values, batch, calls=1, **figures):
    """Check the statistics after a number of calls that gave these values."""
    figures |= {
        "regions": len(batch),
        "pairs": batch.pairs,
        "cells": batch.cells,
        "computed_cells": on_cpu(batch).computed_cells,
        "cuda_pairs": np.isin(values, (ON_DEVICE, IN_DOUBLE)).sum(),
    }
    statistics = engine.statistics()
    assert {name: statistics[name] for name in figures} == {
        name: calls * figure for name, figure in figures.items()
    }


def long_pairs(batch):
    """Which pairs are of reads that single precision does not take."""
    long = np.diff(batch.reads.offsets) > 1024
    return np.repeat(long, np.repeat(np.diff(batch.region_haplotypes), np.diff(batch.region_reads)))


def on_cpu(batch, precision="single"):
    """What the CPU engine has done for a batch."""
    with PairHMM(backend="cpu", precision=precision) as pairhmm:
        pairhmm.compute(batch)
    return pairhmm.statistics


#: The functions that the engine does not call at all, and those with which it waits for a chunk.
NEVER_CALLED = ("cuMemcpyDtoHAsync_v2", "cuStreamQuery")
TO_WAIT = ("cuEventRecord", "cuEventSynchronize")


@pytest.mark.parametrize(
    ("cells", "threads", "slow"), [(1 << 18, 1, False), (1 << 18, 2, True), (1 << 32, 2, True)]
)
class TestWhatWasDoneWhere:
    """Figures and results, where a device computes all, a part or nothing."""

    @pytest.fixture(autouse=True)
    def chunks(self, cells, monkeypatch):
        monkeypatch.setattr(cuda, "_CHUNK_CELLS", {"single": cells, "double": cells})

    def test_a_device_holds_all(self, null, batch, threads, slow):
        null(result=ON_DEVICE, slow=slow)
        engine = cuda.Engine(threads=threads)
        for calls in (1, 2):
            values = engine.compute(batch)
            assert (values == ON_DEVICE).all()
            assert_done(engine, values, batch, calls, rescued_pairs=long_pairs(batch).sum(),
                        rescaled_pairs=0)  # fmt: skip

    def test_double_precision_holds_the_rest(self, null, batch, threads, slow):
        null(double_result=IN_DOUBLE, slow=slow)
        engine = cuda.Engine(threads=threads)
        values = engine.compute(batch)
        assert (values == IN_DOUBLE).all()
        assert_done(engine, values, batch, rescued_pairs=batch.pairs, rescaled_pairs=0)

    @pytest.mark.parametrize("precision", ["single", "double"])
    def test_the_cpu_completes_some(self, null, batch, expected, threads, slow, precision):
        nan = np.nan
        null(result=(ON_DEVICE, nan, nan, ON_DEVICE, nan), slow=slow,
             double_result=(nan, IN_DOUBLE, IN_DOUBLE, nan, nan, nan, IN_DOUBLE))  # fmt: skip
        engine = cuda.Engine(precision=precision, threads=threads)
        values = engine.compute(batch)
        left = ~np.isin(values, (ON_DEVICE, IN_DOUBLE))
        assert 0.1 < left.mean() < 0.9
        assert_same_bits(values[left], expected["double"][left])
        rescued = (values != ON_DEVICE).sum() if precision == "single" else 0
        assert_done(engine, values, batch, rescued_pairs=rescued)

    @pytest.mark.parametrize("precision", ["single", "double"])
    def test_the_cpu_completes_all(self, null, batch, expected, threads, slow, precision):
        null(slow=slow)
        engine = cuda.Engine(precision=precision, threads=threads)
        values = engine.compute(batch)
        assert_same_bits(values, expected["double"])
        assert_done(engine, values, batch,
                    rescued_pairs=batch.pairs if precision == "single" else 0,
                    rescaled_pairs=on_cpu(batch, "double").rescaled_pairs)  # fmt: skip

    @pytest.mark.parametrize("precision", ["single", "double"])
    def test_there_is_no_device_any_more(self, null, batch, expected, threads, slow, precision):
        null(fail={"cuLaunchKernel": 0}, result=ON_DEVICE, slow=slow)
        engine = cuda.Engine(precision=precision, threads=threads)
        with pytest.warns(RuntimeWarning, match="no longer used"):
            values = engine.compute(batch)
        assert_same_bits(values, expected[precision])
        want = on_cpu(batch, precision)
        assert_done(engine, values, batch, rescued_pairs=want.rescued_pairs,
                    rescaled_pairs=want.rescaled_pairs)  # fmt: skip

    def test_a_device_is_slow_in_double_precision(self, null, batch, expected, threads, slow):
        """It computes long reads, and no other in double."""
        null(double_ratio=(32,), double_result=IN_DOUBLE, slow=slow)
        engine = cuda.Engine(threads=threads)
        assert engine.slow_double
        values = engine.compute(batch)
        assert ((values == IN_DOUBLE) == long_pairs(batch)).all()
        assert_same_bits(values[~long_pairs(batch)], expected["double"][~long_pairs(batch)])
        assert_done(engine, values, batch, rescued_pairs=batch.pairs)

    @pytest.mark.parametrize("function", FALLIBLE)
    def test_a_device_is_lost_on_the_way(self, null, batch, expected, threads, slow, function):
        for after in (0, 2, 7, 30):
            null_driver = null(fail={function: after}, result=(np.nan, ON_DEVICE), slow=slow,
                               double_result=(np.nan, np.nan, IN_DOUBLE))  # fmt: skip
            engine = cuda.Engine(threads=threads)
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                values = engine.compute(batch)
            lost = bool(null_driver.failed)
            if after == 0:
                called = function not in NEVER_CALLED and (slow or function not in TO_WAIT)
                assert lost == called
            assert len(said) == lost == (engine.devices == ())
            for each in said:
                told = str(each.message)
                assert told.startswith("gkl-shim: GPU 0 (fake 0) is no longer used: cu")
            left = ~np.isin(values, (ON_DEVICE, IN_DOUBLE))
            single, double = (values == expected[precision] for precision in expected)
            assert (single | double)[left].all()
            # Pairs of lost chunks are computed again, as if there had been no device.
            anew = (left & ~double).sum()
            rescued = engine.statistics()["rescued_pairs"]
            assert rescued + (values == ON_DEVICE).sum() + anew == batch.pairs
            assert_done(engine, values, batch)
            assert null_driver.pushed == 0
            if lost:
                assert_same_bits(engine.compute(batch), expected["single"])
            engine.close()
            # Where a context cannot be made current, nothing can be freed.
            assert null_driver.live == [] or function == "cuCtxPushCurrent_v2"


def test_a_fast_device_computes_for_a_slow_one(null, batch, expected, many_chunks):
    null_driver = null(2, double_ratio=(64, 2), double_result=IN_DOUBLE)
    engine = cuda.Engine()
    assert not engine.slow_double
    short = batch[:12]
    for _ in range(5):
        assert (engine.compute(short) == IN_DOUBLE).all()
    assert {device for device, kernel in null_driver.launched if "double" in kernel} == {1}
    assert set(null_driver.launches) == {0, 1}
    # Once it is lost, the CPU does.
    null_driver.fail("cuLaunchKernel", 3, device=1)
    with pytest.warns(RuntimeWarning, match="GPU 1"):
        for _ in range(5):
            engine.compute(short)
    values = engine.compute(short)
    assert_same_bits(values, expected["double"][: short.pairs])


def test_few_pairs_are_completed_by_the_cpu(null, expected, batch):
    """A launch would take longer than these pairs."""
    few = batch[:1]
    assert few.pairs > 2
    null_driver = null(result=(np.nan, *[ON_DEVICE] * few.pairs), double_result=IN_DOUBLE)
    engine = cuda.Engine()
    values = engine.compute(few)
    left = values != ON_DEVICE
    assert left.sum() == 1
    assert_same_bits(values[left], expected["double"][: few.pairs][left])
    assert all("single" in kernel for _, kernel in null_driver.launched)


def test_double_precision_does_not_wait_for_the_end_of_single(null, monkeypatch):
    """On one device, double precision runs while chunks in single precision are still launched."""
    monkeypatch.setattr(cuda, "_CHUNK_CELLS", {"single": 1 << 26, "double": 1 << 30})
    many = concatenated([generated_regions(40)] * 6)
    assert many.cells > 1.5 * (1 << 28)  # more than goes to a device at once in double precision
    null_driver = null(double_result=IN_DOUBLE)
    values = cuda.Engine(launch_threads=1).compute(many)
    assert (values == IN_DOUBLE).all()
    double = ["double" in kernel for _, kernel in null_driver.launched]
    assert double.index(True) < len(double) - 1 - double[::-1].index(False)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_the_cpu_computes_while_a_device_is_at_it(null, many_chunks, precision):
    """Results of the CPU are there before the device's last chunk."""
    many = concatenated([generated_regions(6)] * 4)
    null_driver = null(double_ratio=(64,), slow=True)
    engine = cuda.Engine(precision=precision, launch_threads=1)
    values = np.full(many.pairs, np.nan)
    seen = []
    null_driver.before("cuEventSynchronize", lambda _: seen.append(int(np.isfinite(values).sum())))
    engine._compute(_native_pairhmm.batch_pointer(*many.arrays), [many], values)
    assert_same_bits(values, PairHMM(backend="cpu", precision="double").compute(many))
    assert 0 < max(seen) < many.pairs


def opened_by(pairhmm, batch):
    """Compute a batch with "auto" until the devices are open."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        pairhmm.compute(batch)
        if pairhmm.backend == "cuda":
            return
        time.sleep(0.01)
    raise AssertionError("the devices are not opened")


@pytest.mark.parametrize("drivers", [True, False])
def test_auto_opens_devices_for_calls_that_gain(null, eager, monkeypatch, drivers):
    null(result=ON_DEVICE)
    if not drivers:
        monkeypatch.setattr(_auto, "_DRIVERS", (Path("/nonexistent"),))
    small, large = generated_regions(1), concatenated([generated_regions(4)] * 8)
    pairhmm = PairHMM(threads=1)
    monkeypatch.setattr(pairhmm._devices.costs, "prefer_gpu", lambda call: call.size == large.cells)
    for _ in range(20):
        pairhmm.compute(small)
    assert pairhmm.backend == "cpu"
    if not drivers:
        pairhmm.compute(large)
        assert not any(thread.name == "gkl-shim-cuda" for thread in threading.enumerate())
        return
    opened_by(pairhmm, large)
    assert (pairhmm.compute(large) == ON_DEVICE).all()
    assert (pairhmm.compute(small) != ON_DEVICE).all()


@pytest.mark.parametrize(
    ("device", "memory", "warning"),
    [
        (7, "", "devices: there is no CUDA device 7; there are 1"),
        (0, "1G", "GKL_SHIM_DEVICE_MEMORY=1G: give a whole number of MiB above 0, of at most 12 "
         "digits"),
    ],
)  # fmt: skip
def test_auto_warns_of_a_wrong_choice(null, eager, monkeypatch, device, memory, warning):
    """It can be checked only when the devices are opened, in the background."""
    null(result=ON_DEVICE)
    monkeypatch.setenv("GKL_SHIM_DEVICE_MEMORY", memory)
    batch = generated_regions(1)
    pairhmm = PairHMM(threads=1, devices=[device])
    monkeypatch.setattr(pairhmm._devices.costs, "prefer_gpu", lambda call: True)
    found = []
    monkeypatch.setattr(_auto.warnings, "warn", lambda text, *_, **__: found.append(text))
    end = time.monotonic() + 30
    while not found and time.monotonic() < end:
        pairhmm.compute(batch)
        time.sleep(0.01)
    assert found == [f"gkl-shim: no GPU is used: {warning}"]
    assert pairhmm.backend == "cpu"


def test_auto_learns_which_engine_is_faster(null, eager, monkeypatch):
    """The clock says that the devices take far longer, or far less, than was estimated."""
    batch = concatenated([generated_regions(4)] * 8)
    for on_device, on_cpu, expected in ((10**9, 1, False), (1, 10**9, True)):
        null(result=ON_DEVICE)
        pairhmm = PairHMM(threads=1)
        opened_by(pairhmm, batch)
        costs = pairhmm._devices.costs
        add = costs.add
        monkeypatch.setattr(
            costs,
            "add",
            lambda call, on_gpu, _, add=add, times=(on_cpu, on_device): add(
                call, on_gpu, times[on_gpu]
            ),
        )
        for _ in range(60):
            pairhmm.compute(batch)
        went = [(pairhmm.compute(batch) == ON_DEVICE).all() for _ in range(20)]
        assert sum(went) >= 19 if expected else sum(went) <= 1


def test_auto_gives_a_slow_device_no_double_precision_but_long_reads(null, eager):
    short = concatenated([generated_regions(12)] * 4)
    long_reads = concatenated([long_region(1, (1100, 600, 100), 6, 1000)] * 4)
    for ratio, precision in ((64, "double"), (2, "double"), (64, "single")):
        null(double_ratio=(ratio,), result=ON_DEVICE)
        pairhmm = PairHMM(precision=precision, threads=1)
        opened_by(pairhmm, long_reads)
        assert (pairhmm.compute(long_reads) == ON_DEVICE).any()
        on_device = (pairhmm.compute(short) == ON_DEVICE).any()
        assert on_device == ((ratio, precision) != (64, "double"))


@pytest.mark.parametrize(
    ("told", "capability", "ratio"),
    [(32, (7, 5), 32), (2, (9, 0), 2), (0, (9, 0), 2), (None, (8, 0), 2), (None, (7, 5), 32),
     (None, (8, 9), 64), (0, (12, 0), 64), (None, (99, 0), 64)],
)  # fmt: skip
def test_a_device_s_double_ratio(monkeypatch, told, capability, ratio):
    cupy = CuPy()
    runtime = cupy.cuda.runtime

    def attribute(number, device):
        assert (number, device) == (87, 3)
        if told is None:
            raise runtime.CUDARuntimeError("cudaErrorInvalidValue")
        return told

    properties = dict(zip(("major", "minor"), capability, strict=True))
    monkeypatch.setattr(runtime, "deviceGetAttribute", attribute)
    monkeypatch.setattr(runtime, "getDeviceProperties", lambda number: properties)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    assert devices.double_ratio(3) == ratio


def test_nothing_is_allocated_in_the_steady_state(null, batch, expected, many_chunks):
    null_driver = null()
    engine = cuda.Engine(precision="double", launch_threads=1)
    for _ in range(3):
        assert_computed(engine, batch, expected)
    before = null_driver.calls
    assert_computed(engine, batch, expected)
    more = null_driver.calls - before
    assert more["cuLaunchKernel"] > 0
    assert not any("Alloc" in name or "Create" in name or "Free" in name for name in more)


def test_streams_bound_what_is_under_way(null, batch, expected, many_chunks):
    null_driver = null()
    engine = cuda.Engine(precision="double", streams=2, launch_threads=1)
    assert_computed(engine, batch, expected)
    assert null_driver.calls["cuStreamCreate"] == 2


def test_a_refused_letter_leaves_the_engine_usable(null, batch, expected, many_chunks):
    null_driver = null(2)
    engine = cuda.Engine(precision="double")
    kept = batch.haplotypes.bases
    wrong = kept.copy()
    wrong[-1] = ord("X")
    batch.haplotypes.bases = wrong
    try:
        for _ in range(3):
            with pytest.raises(ValueError, match="none of ACGTN"):
                engine.compute(batch)
    finally:
        batch.haplotypes.bases = kept
    assert_computed(engine, batch, expected)
    engine.close()
    assert null_driver.live == []


def test_every_call_with_cuda_reaches_a_device(null, batch):
    """Even a single pair. A device's results differ here from the CPU's."""
    null(2, result=ON_DEVICE)
    with PairHMM(backend="cuda") as engine:
        assert engine.likelihoods([("ACGT", 30)], ["ACGT"]).tolist() == [[ON_DEVICE]]
        assert (engine.compute(batch) == ON_DEVICE).all()
        assert all((values == ON_DEVICE).all() for _, values in engine.stream_batches([batch] * 3))
    assert all((values == ON_DEVICE).all() for values in stream([batch] * 3, backend="cuda"))


def test_batches_together(null, batch, expected, many_chunks):
    """In one call and without copying them, whatever happens to the device."""
    null_driver = null()
    engine = cuda.Engine(precision="double")
    batches = [batch[:5], batch[5:5], batch, batch[5:]]
    want = [expected["double"][: batch[:5].pairs], np.empty(0), expected["double"],
            expected["double"][batch[:5].pairs :]]  # fmt: skip
    for values, same in zip(engine.compute_together(batches), want, strict=True):
        assert_same_bits(values, same)
    statistics = engine.statistics()
    assert statistics["pairs"] == 2 * batch.pairs
    assert statistics["cells"] == 2 * batch.cells
    for calls in range(8):
        null_driver = null(fail={"cuLaunchKernel": calls})
        engine = cuda.Engine(precision="double")
        with pytest.warns(RuntimeWarning, match="GPU 0 .* no longer used"):
            together = engine.compute_together(batches)
        for values, same in zip(together, want, strict=True):
            assert_same_bits(values, same)
        statistics = engine.statistics()
        assert statistics["pairs"] == 2 * batch.pairs
        assert statistics["cells"] == 2 * batch.cells
        assert null_driver.pushed == 0


def test_a_stream_s_batches_go_together(null, batch, expected, monkeypatch):
    """As many as make a call worthwhile, and in order."""
    null()
    monkeypatch.setattr(_stream, "_DEVICE_CALL_BASES", 3 * batch.reads.bases.size)
    together = []
    compute = cuda.Engine.compute_together

    def counted(self, batches):
        together.append(len(batches))
        return compute(self, batches)

    monkeypatch.setattr(cuda.Engine, "compute_together", counted)
    with PairHMM(backend="cuda", precision="double") as engine:
        given = [batch, batch[:4], batch[4:], batch] * 3
        for (part, values), same in zip(engine.stream_batches(given), given, strict=True):
            assert part is same
            first = 0 if len(part) != len(batch) - 4 else batch[:4].pairs
            assert_same_bits(values, expected["double"][first : first + part.pairs])
    assert sum(together) >= len(given) - 1
    assert max(together) > 2


@pytest.mark.parametrize(("large", "most"), [(1, 2), (1 << 30, 3)])
def test_two_large_calls_are_in_flight_and_three_small_ones(null, batch, monkeypatch, large, most):
    null()
    monkeypatch.setattr(_stream, "_DEVICE_CALL_BASES", 1)
    monkeypatch.setattr(_stream, "_LARGE_CALL_BASES", large)
    compute, active, counts = PairHMM.compute, set(), []

    def counted(self, given):
        active.add(threading.get_ident())
        counts.append(len(active))
        time.sleep(0.02)  # until all calls have begun
        active.discard(threading.get_ident())
        return compute(self, given)

    monkeypatch.setattr(PairHMM, "compute", counted)
    with PairHMM(backend="cuda", precision="double") as engine:
        assert len(list(engine.stream_batches([batch] * 8))) == 8
    assert max(counts) == most


@pytest.mark.parametrize("least", [0, 1 << 30])
def test_a_generator_may_refill_its_arrays(null, batch, expected, monkeypatch, least):
    """Large batches are not copied: each is computed, and its result is used, before the next."""
    null(2)
    monkeypatch.setattr(_stream, "_BORROWED_BYTES", least)
    parts = [batch[:4], batch[4:], batch]
    want = [expected["double"][: parts[0].pairs], expected["double"][parts[0].pairs :],
            expected["double"]]  # fmt: skip
    room = batch.reads.bases.size, batch.haplotypes.bases.size
    tracks = [np.zeros(room[0], np.uint8) for _ in range(5)]
    letters = np.zeros(room[1], np.uint8)

    def refilled(part):
        size = part.reads.bases.size
        for own, track in zip(tracks, part.reads.tracks, strict=True):
            own[:] = ord("A")
            own[:size] = track
        letters[:] = ord("A")
        letters[: part.haplotypes.bases.size] = part.haplotypes.bases
        return Batch(
            ReadBatch.trusted(part.reads.offsets, *(track[:size] for track in tracks)),
            HaplotypeBatch.trusted(part.haplotypes.offsets, letters[: part.haplotypes.bases.size]),
            part.region_reads,
            part.region_haplotypes,
        )

    def source():
        for _ in range(5):
            for part in parts:
                yield refilled(part)

    with PairHMM(backend="cuda", precision="double") as engine:
        for number, (same, values) in enumerate(engine.stream_batches(source())):
            part = parts[number % 3]
            assert same.reads.bases.tobytes() == part.reads.bases.tobytes()
            assert np.shares_memory(same.reads.bases, tracks[0]) == (least == 0)
            assert_same_bits(values, want[number % 3])
        assert number == 14
    streamed = stream(source(), backend="cuda", precision="double")
    together = np.concatenate([values.ravel() for values in streamed])
    assert_same_bits(together, np.tile(np.concatenate(want), 5))


def test_one_thread_runs_the_generator_of_a_stream(null, batch, monkeypatch):
    null()
    monkeypatch.setattr(_stream, "_DEVICE_CALL_BASES", 1)
    threads = set()

    def regions():
        try:
            for _ in range(20):
                threads.add(threading.get_ident())
                yield batch
        finally:
            threads.add(threading.get_ident())

    assert len(list(stream(regions(), backend="cuda"))) == 20 * len(batch)
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_a_stream_on_devices_gives_what_came_before_a_fault(null, batch):
    null()
    region = batch[:1]
    results = stream([region, region, ([("ACGT", 30)], ["X"])], backend="cuda")
    shapes = [next(results).shape for _ in range(2)]
    assert shapes == [tuple(region.shapes[0].tolist())] * 2
    with pytest.raises(ValueError, match=r"^regions\[2\]: haplotypes\[0\]: letter 'X'"):
        next(results)


def test_memory_of_results_is_used_again(null, monkeypatch):
    """But not while any view of them is alive."""
    monkeypatch.setattr(cuda, "_KEPT_RESULTS", 1)
    monkeypatch.setattr(cuda, "_KEPT_BYTES", 2 * 8 * 1000)
    null()
    results = cuda.Engine()._results

    def address(values):
        return values.ctypes.data

    first = results.empty(1000)
    assert (first.shape, first.dtype, first.flags.writeable) == ((1000,), np.float64, True)
    place = address(first)
    first[:] = 1
    view = first[10:20].reshape(2, 5)[:, 1:]
    del first
    second = results.empty(1000)
    assert address(second) != place
    second[:] = 2
    assert (view == 1).all()
    del view
    third = results.empty(500)
    assert address(third) == place
    # The memory that is kept has a limit.
    others = [results.empty(1000) for _ in range(3)]
    del second, third, others
    assert sum(map(len, results._kept)) == 2000
    assert len(results.empty(3000)) == 3000
    assert len(results.empty(0)) == 0


C_CALLER = """
import sys
sys.path.append({root!r})
import numpy as np
from gkl_shim.common import _native
from gkl_shim.pairhmm import _native_pairhmm
from gkl_shim.bench.regions import regions as generated_regions
from tests.fakes.cupy import install

null = install(2, result={result})
ffi, lib = _native.library()
wanted = {{"conventions": lib.GKL_SHIM_STRICT, "backend": lib.GKL_SHIM_CUDA}}
options = ffi.new("gkl_shim_pairhmm_options *", wanted)
handle = ffi.new("gkl_shim_pairhmm **")
_native.check(lib.gkl_shim_pairhmm_open(options, handle))
batch = generated_regions(3)
pointer, out = _native_pairhmm.batch_pointer(*batch.arrays), np.empty(batch.pairs)
single, double = (np.empty(batch.pairs) for _ in range(2))
for precision, values in (("single", single), ("double", double)):
    engine = _native_pairhmm.CpuEngine(1, precision, None)
    engine.compute(pointer, values)
on_device = in_double = 0
for call in range(10):
    # What the engine launches to get warm goes well.
    if call == 1:
        null.fail("cuLaunchKernel", {launches}, {device})
    values = ffi.from_buffer("double[]", out)
    _native.check(lib.gkl_shim_pairhmm_compute(handle[0], pointer, values, len(out)))
    assert ((out == single) | (out == double) | (out == {result})).all()
    on_device += int((out == {result}).sum())
    in_double += int(((out == double) & (out != single)).sum())
assert null.misused == []
stats = ffi.new("gkl_shim_pairhmm_stats *")
lib.gkl_shim_pairhmm_statistics(handle[0], stats)
assert (stats.cuda_pairs, stats.rescued_pairs) == (on_device, in_double)
assert 0 < stats.computed_cells <= stats.cells == 10 * batch.cells
print(on_device, in_double, stats.pairs, null.launches[1] > 0)
"""


@pytest.mark.parametrize("result", [-1.5, np.nan])
@pytest.mark.parametrize(
    ("device", "warning", "on_cuda"),
    [
        (0, "GPU 0 is no longer used: cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED", True),
        (None, "no GPU (cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED", False),
    ],
)
def test_c_callers_are_told_on_standard_error(
    tmp_path, monkeypatch, device, warning, on_cuda, result
):
    """And their statistics say what a device has computed, also of what the CPU completed."""
    monkeypatch.delenv("GKL_SHIM_DEVICES", raising=False)
    script = C_CALLER.format(
        root=str(ROOT), launches=10, device=device, result=f"float('{result}')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert warning in lines[-1]
    on_gpu, in_double, pairs, other = done.stdout.split()
    held, none = (on_gpu, in_double) if result == -1.5 else (in_double, on_gpu)
    assert 0 < int(held) <= int(pairs)
    assert none == "0"
    assert len(lines) <= (1 if on_cuda else 2)  # a line a device
    if on_cuda:
        assert other == "True"
    else:
        assert int(held) < int(pairs)


def test_no_driver(null, monkeypatch):
    null()

    def missing():
        raise OSError("libcuda.so.1: cannot open shared object file")

    monkeypatch.setattr(driver, "functions", missing)
    with pytest.raises(BackendUnavailable, match=r"CUDA cannot be used: OSError: libcuda"):
        cuda.Engine()


def test_the_driver_s_functions_are_found_by_name(monkeypatch):
    ffi, _ = _native.library()
    fields = [name for name, _ in ffi.typeof("gkl_shim_cuda_driver").fields]
    asked = []

    class Library:
        def __getattr__(self, name):
            asked.append(name)
            return 4096 + len(asked)

    monkeypatch.setattr(driver.ctypes, "CDLL", lambda name: Library())
    monkeypatch.setattr(driver.ctypes, "cast", lambda found, kind: kind(found))
    table = driver.functions()
    assert asked == fields
    assert int(ffi.cast("intptr_t", table.cuMemAlloc_v2)) == 4097 + fields.index("cuMemAlloc_v2")


class FakeDriver:
    """``libcuda.so.1`` with three devices, which records the calls it gets."""

    def __init__(self, status: int = 0) -> None:
        self.retained: list[int] = []
        self._status = status

    def cuInit(self, flags):  # noqa: N802
        return self._status

    def cuDeviceGetCount(self, place):  # noqa: N802
        place._obj.value = 3
        return 0

    def cuDeviceGet(self, place, number):  # noqa: N802
        place._obj.value = number + 10
        return 0

    def cuDevicePrimaryCtxRetain(self, place, device):  # noqa: N802
        self.retained.append(device.value)
        return 0


@pytest.mark.parametrize(
    ("wanted", "retained"), [(None, [10, 11, 12]), ([2, 0], [10, 12]), ([7, 1], [11])]
)
def test_devices_are_woken_where_cupy_is_to_be_imported(monkeypatch, wanted, retained):
    def woken(library):
        monkeypatch.setattr(driver.ctypes, "CDLL", lambda name: library)
        driver.wake(wanted)
        for thread in threading.enumerate():
            if thread.name == "gkl-shim-wake":
                thread.join()
        return library.retained

    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    assert woken(FakeDriver()) == retained
    assert woken(FakeDriver(status=100)) == []
    monkeypatch.setitem(sys.modules, "cupy", object())
    assert woken(FakeDriver()) == []


def test_no_driver_to_wake(monkeypatch):
    def missing(name):
        raise OSError("libcuda.so.1: cannot open shared object file")

    monkeypatch.setattr(driver.ctypes, "CDLL", missing)
    driver._wake(None)


def test_a_region_of_more_haplotypes_than_a_grid_has_rows(null):
    null(result=-1.0)
    count = 32 * 65_535 + 1
    letters = np.full(count, ord("A"), np.uint8)
    reads = ReadBatch.from_arrays(np.arange(2), letters[:1], np.full(1, 30, np.uint8))
    haplotypes = HaplotypeBatch.from_arrays(np.arange(count + 1), letters)
    engine = cuda.Engine(threads=1)
    assert (engine.compute(Batch(reads, haplotypes)) == np.full(count, -1.0)).all()
    assert engine.statistics()["cuda_pairs"] == count
    engine.close()
