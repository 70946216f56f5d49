"""The CUDA engine gives the CPU engine's bits, whatever the shapes, callers and failures."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gkl_shim.cuda import devices
from gkl_shim.formats import pairhmm_in
from gkl_shim.pairhmm import PairHMM, _native_pairhmm, likelihoods, stream
from gkl_shim.pairhmm import _cuda as cuda
from gkl_shim.pairhmm._copies import concatenated
from tests.conftest import RECORDED, recorded
from tests.pairhmm.cuda.conftest import assert_same_bits, random_region
from tests.pairhmm.cuda.test_long_reads import LENGTHS, long_region

pytestmark = pytest.mark.usefixtures("gpu")

PRECISIONS = ("single", "double")


@pytest.fixture(params=PRECISIONS)
def precision(request):
    return request.param


@pytest.fixture
def engine(precision):
    engine = cuda.Engine(precision=precision)
    yield engine
    engine.close()


def on_cpu(batch, precision):
    return PairHMM(backend="cpu", precision=precision).compute(batch)


def test_odd_shapes(engine, regions, precision):
    assert_same_bits(engine.compute(regions), on_cpu(regions, precision))


@pytest.mark.parametrize(
    ("precision", "rows"),
    [(precision, rows) for precision in PRECISIONS for rows in cuda.widths(precision)],
)
def test_every_kernel(regions, precision, rows):
    engine = cuda.Engine([0], precision, rows_per_lane=rows)
    assert_same_bits(engine.compute(regions), on_cpu(regions, precision))


def test_long_reads(precision):
    batch = random_region(random.Random(1), 6, 3, 3000, "usual")
    engine = cuda.Engine(precision=precision)
    assert_same_bits(engine.compute(batch), on_cpu(batch, precision))


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_regions(name):
    path, expected = recorded(name)
    with pairhmm_in.Reader(path) as reader:
        batch = concatenated(list(reader))
    values = cuda.Engine().compute(batch)
    assert_same_bits(values, on_cpu(batch, "single"))
    assert np.abs(values - expected).max() < 1e-5


def test_many_callers(engine, regions, precision):
    expected = on_cpu(regions, precision)
    with ThreadPoolExecutor(16) as pool:
        for values in pool.map(lambda _: engine.compute(regions), range(32)):
            assert_same_bits(values, expected)


def figures(statistics):
    """Return the results of the CPU engine and of a GPU for the same regions."""
    names = "regions", "pairs", "cells", "computed_cells", "rescued_pairs", "rescaled_pairs"
    return {name: statistics[name] for name in names}


@pytest.fixture(scope="module")
def mixed(regions):
    """Regions with reads of every length, and many pairs that single precision does not hold."""
    return concatenated([regions, *(long_region(seed, LENGTHS, 5, 900) for seed in (1, 2))])


@pytest.mark.parametrize("cells", [1 << 16, 1 << 32])
@pytest.mark.parametrize("slow_double", [False, True])
def test_figures_are_the_cpu_engine_s(mixed, precision, slow_double, cells, monkeypatch):
    """And the bits, whichever engine computes what single precision cannot hold."""
    monkeypatch.setattr(cuda, "_CHUNK_CELLS", dict.fromkeys(PRECISIONS, cells))
    engine = cuda.Engine(precision=precision, device={"slow_double": slow_double})
    cpu = _native_pairhmm.CpuEngine(0, precision, None)
    expected = np.empty(mixed.pairs)
    for _ in range(3):
        cpu.compute(_native_pairhmm.batch_pointer(*mixed.arrays), expected)
        assert_same_bits(engine.compute(mixed), expected)
    found = engine.statistics()
    assert figures(found) == figures(cpu.statistics())
    by_cpu = found["pairs"] - found["cuda_pairs"]
    assert found["rescaled_pairs"] <= by_cpu
    if precision == "double":
        assert by_cpu == found["rescaled_pairs"]
        return
    long = np.diff(mixed.reads.offsets) > 1024
    haplotypes = np.repeat(np.diff(mixed.region_haplotypes), np.diff(mixed.region_reads))
    left_single = found["rescued_pairs"] - 3 * int(haplotypes[long].sum())
    assert left_single > 0
    if slow_double:
        assert by_cpu >= left_single
    else:
        assert by_cpu < found["rescued_pairs"]


def test_a_device_says_how_slow_it_is_in_double_precision():
    ratios = [devices.double_ratio(number) for number in range(devices.device_count())]
    assert set(ratios) <= {2, 3, 32, 64}
    slow = [ratio >= devices.SLOW_DOUBLE for ratio in ratios]
    assert cuda.Engine().slow_double == all(slow)


def test_public_interface(regions):
    expected = list(regions.split(on_cpu(regions, "single")))
    parts = [regions[index : index + 1] for index in range(len(regions))]
    for values, want in zip(stream(parts, backend="cuda", devices=[0]), expected, strict=True):
        assert_same_bits(values, want)
    with PairHMM(backend="cuda") as pairhmm:
        assert pairhmm.backend == "cuda"
        assert pairhmm.devices
        assert_same_bits(pairhmm.compute(regions), np.concatenate([v.ravel() for v in expected]))
        assert pairhmm.statistics.pairs == regions.pairs
    assert likelihoods([("ACGT", 30)], ["ACGT"], backend="cuda").shape == (1, 1)


def test_auto_starts_devices_when_there_is_work(regions, monkeypatch):
    monkeypatch.setattr("gkl_shim.common._auto._WARM_UP_NANOSECONDS", 0)
    pairhmm = PairHMM(backend="auto", threads=1)
    expected = on_cpu(regions, "single")
    for _ in range(10_000):
        assert_same_bits(pairhmm.compute(regions), expected)
        if pairhmm.backend == "cuda":
            break
    assert pairhmm.backend == "cuda"
    assert_same_bits(pairhmm.compute(regions), expected)


def test_the_caller_s_device_stays_current(regions):
    cupy = devices.import_cupy()
    engine = cuda.Engine([0])
    expected = on_cpu(regions, "single")
    for number in range(devices.device_count()):
        with cupy.cuda.Device(number):
            assert_same_bits(engine.compute(regions), expected)
            assert cupy.cuda.runtime.getDevice() == number
            assert int(cupy.arange(5).sum()) == 10
