"""The CUDA engine without a device: its kernels and the launcher are tried on the host.

test_on_gpu.py has the real thing.
"""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.cuda import kernels
from gkl_shim.errors import BackendUnavailable, PairError
from gkl_shim.prefilter import Prefilter, Sequences, edits
from tests.prefilter import oracle, simulate
from tests.prefilter.simulate import undefined_and_mixed
from tests.prefilter.test_api import CONTIGS, reads_of_contigs
from tests.prefilter.test_exact import LIMITS, MODES

# A device that fails is a warning, and no test but the one about that may pass with it.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

KERNELS = kernels.EXPRESSIONS["prefilter/cuda/kernels.cu"]

CASES = [
    *(("exact", "global", e) for e in (0, 1, 5, 15, 16, 31, 32, 40, 63, 64, 100, 255)),
    *(("exact", "infix", e) for e in (0, 3, 7, 8, 15, 60)),
    *(("exact", "prefix", e) for e in (0, 5, 15, 20, 31, 40, 200)),
    *(("gatekeeper", "global", e) for e in (0, 2, 5, 10, 40)),
]


@pytest.mark.parametrize(("method", "mode", "max_edits"), CASES)
def test_kernels_on_the_host(fake, method, mode, max_edits):
    driver = fake()
    reads, segments = undefined_and_mixed(1200, method)
    want = edits(reads, segments, max_edits, method=method, mode=mode, backend="cpu")
    with Prefilter(max_edits, method=method, mode=mode, backend="cuda") as prefilter:
        assert prefilter.devices == ("fake 0",)
        for encode in ("host", "device"):
            with Prefilter(
                max_edits, method=method, mode=mode, backend="cuda", encode=encode
            ) as one:
                np.testing.assert_array_equal(one.edits(reads, segments), want)
        np.testing.assert_array_equal(prefilter.edits(reads, segments), want)
    assert len(driver.launched) > 20
    assert all(f"gkl_shim::prefilter::{name}" in KERNELS for _, name in driver.launched)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("max_edits", LIMITS)
def test_kernels_on_the_host_compute_unequal_lengths(fake, mode, max_edits):
    fake()
    reads, segments = simulate.unequal(max_edits, seed=6)
    want = oracle.within(oracle.distances(reads, segments, mode), max_edits)
    got = edits(reads, segments, max_edits, mode=mode, backend="cuda")
    np.testing.assert_array_equal(got, want)


def test_kernels_on_the_host_compute_long_pairs(fake):
    fake()
    rng = np.random.default_rng(9)
    genome = rng.choice(np.frombuffer(b"ACGT", np.uint8), 20_000).tobytes()
    reads = [genome[:10_000], genome[3:9000], genome[5000:5100], genome[:1], genome[:10_000]]
    segments = [genome[2:10_000], genome[:9004], genome[:10_000], genome[:10_000], genome[:1]]
    for mode in ("global", "infix", "prefix"):
        for max_edits in (4, 255):
            want = edits(reads, segments, max_edits, mode=mode, backend="cpu")
            got = edits(reads, segments, max_edits, mode=mode, backend="cuda")
            np.testing.assert_array_equal(got, want)
    longest = genome[300:10_300]
    for mode in ("infix", "prefix"):
        for backend in ("cpu", "cuda"):
            with Prefilter(255, mode=mode, backend=backend) as prefilter:
                assert list(prefilter.resident([longest], [genome]).edits([0], [300])) == [0]
    genomes = [genome[k : k + 9999] for k in (0, 1)], [genome[:9999]] * 2
    got = edits(*genomes, 40, method="gatekeeper", backend="cuda")
    np.testing.assert_array_equal(got, edits(*genomes, 40, method="gatekeeper", backend="cpu"))


@pytest.mark.parametrize("encode", ["auto", "host", "device"])
@pytest.mark.parametrize("devices", [1, 3])
def test_ways_in(fake, encode, devices):
    driver = fake(devices)
    reads, segments = undefined_and_mixed(3000, "exact")
    want = edits(reads, segments, 5, backend="cpu")
    text = b"".join(b"%s\t%s\n" % pair for pair in zip(reads, segments, strict=True))
    m, n = (np.array([len(x) for x in side]) for side in (reads, segments))
    starts = np.concatenate(([0], np.cumsum(m + n + 2)))[:-1]
    buffer = np.frombuffer(text, np.uint8)
    shared = (
        Sequences.from_slices(buffer, starts, m),
        Sequences.from_slices(buffer, starts + m + 1, n),
    )
    order = np.random.default_rng(1).permutation(len(reads))
    scattered = [Sequences.from_slices(buffer, side.starts[order], side.lengths[order])
                 for side in shared]  # fmt: skip
    with Prefilter(5, backend="cuda", encode=encode) as prefilter:
        assert len(prefilter.devices) == devices
        np.testing.assert_array_equal(prefilter.edits(*shared), want)
        np.testing.assert_array_equal(prefilter.edits(*(s.encoded() for s in shared)), want)
        np.testing.assert_array_equal(prefilter.edits(*scattered), want[order])
        out = np.empty(len(want), np.int16)
        assert prefilter.edits(reads, segments, out=out) is out
        np.testing.assert_array_equal(out, want)
        same = [read[:60].ljust(60, b"A") for read in reads]
        matrix = np.frombuffer(b"".join(same), np.uint8).reshape(-1, 60)
        fixed = edits(same, segments, 5, backend="cpu")
        np.testing.assert_array_equal(prefilter.edits(matrix, segments), fixed)
        encoded = Sequences.from_matrix(matrix).encoded()
        np.testing.assert_array_equal(prefilter.edits(encoded, shared[1]), fixed)
        assert prefilter.edits([], []).tolist() == []
    # A short call may leave devices idle. tests/gpu/test_runtime.py tests how work is spread.
    assert {device for device, _ in driver.launched} <= set(range(devices))
    assert driver.pageable == []


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("devices", [1, 2])
def test_scattered_sequences_are_sent_as_one_buffer(fake, encoded, devices):
    driver = fake(devices, chunk_bytes=1 << 22)
    rng = np.random.default_rng(4)
    count, size = 3 << 18, 3_000_000
    buffer = rng.choice(np.frombuffer(b"ACGTN", np.uint8), size, p=[0.25, 0.25, 0.25, 0.24, 0.01])
    starts = rng.integers(0, size - 4, count)
    reads = Sequences.from_slices(buffer, starts, 4)
    segments = Sequences.from_slices(buffer, np.sort(starts), 4)
    if encoded:
        reads, segments = reads.encoded(), segments.encoded()
    want = edits(reads, segments, 2, backend="cpu")
    np.testing.assert_array_equal(edits(reads, segments, 2, backend="cuda"), want)
    # The planes of the reads' buffer, once for each device.
    assert driver.pageable == [4 * size // 32] * 3 * devices


def test_the_chunk_size_does_not_change_edits(fake):
    fake()
    reads, segments = undefined_and_mixed(1200, "exact")
    want = edits(reads, segments, 5, backend="cpu")
    with Prefilter(5, backend="cuda") as prefilter:
        for prefilter._devices.engine.chunk_pairs in (1, 7, 5000):
            np.testing.assert_array_equal(prefilter.edits(reads, segments), want)


def test_letters_in_pinned_memory_are_encoded_on_the_device(fake):
    driver = fake()
    matrix = np.array(["ACGTACGTAC"] * 800, "S10").view(np.uint8).reshape(-1, 10)
    out = np.empty(800, np.int16)

    def kernels(**options) -> set[str]:
        driver.forget_calls()
        with Prefilter(2, backend="cuda", **options) as prefilter:
            out.fill(7)
            assert (prefilter.edits(matrix, matrix.copy(), out=out) == 0).all()
        return {name for _, name in driver.launched}

    filters = {"exact<unsigned int, 0>"}
    assert kernels() == filters
    assert kernels(encode="device") == filters | {"encode"}
    for array in (matrix, out):
        driver.pin(array)
    assert kernels() == filters | {"encode"}
    assert kernels(encode="host") == filters


@pytest.mark.parametrize("mode", ["global", "infix", "prefix"])
@pytest.mark.parametrize("devices", [1, 2])
def test_candidates_have_the_edits_of_the_cpu_engine(fake, mode, devices):
    fake(devices, chunk_bytes=1 << 12)
    reads, places, reverse, _ = reads_of_contigs()
    arguments = (places[:, 0], places[:, 2], places[:, 1], reverse)
    want = Prefilter(4, mode=mode, backend="cpu").resident(reads, CONTIGS).edits(*arguments)
    resident = Prefilter(4, mode=mode, backend="cuda").resident(reads, CONTIGS)
    np.testing.assert_array_equal(resident.edits(*arguments), want)
    narrow = resident.edits(places[:, 0], places[:, 2].astype(np.int32), places[:, 1], reverse)
    np.testing.assert_array_equal(narrow, want)
    forward = ~reverse
    got = resident.edits(places[forward, 0], places[forward, 2], places[forward, 1])
    np.testing.assert_array_equal(got, want[forward])


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (0, 300, "pair 900: read 300: there are 300 reads, counted from 0"),
        (0, -1, "pair 900: read -1: there are 300 reads, counted from 0"),
        (1, 3, "pair 900: contig 3: there are 3 contigs, counted from 0"),
        (2, 3000, "pair 900: position 3000 is not in its contig"),
        (2, -5, "pair 900: position -5 is not in its contig"),
    ],
)
@pytest.mark.parametrize("devices", [1, 2])
def test_a_candidate_that_does_not_exist_is_refused(fake, column, value, message, devices):
    fake(devices, chunk_bytes=1 << 12)
    reads, places, reverse, _ = reads_of_contigs()
    places = places.copy()
    places[[900, 901, 1400], column] = value
    resident = Prefilter(4, backend="cuda").resident(reads, CONTIGS)
    with pytest.raises(PairError, match=message):
        resident.edits(places[:, 0], places[:, 2], places[:, 1], reverse)


@pytest.mark.parametrize("max_edits", [10, 20, 40, 100])
def test_a_candidate_that_is_nowhere_and_wide_bands(fake, max_edits):
    """No kernel for wide bands takes it for one of its pairs, although new memory says so."""
    fake(chunk_bytes=1 << 22)
    reads, places, reverse, _ = reads_of_contigs()
    places = places.copy()
    places[[900, 1400], 0] = 10**9
    resident = Prefilter(max_edits, mode="infix", backend="cuda").resident(reads, CONTIGS)
    out = np.zeros(len(places), np.int16)
    nowhere = "pair 900: read 1000000000: there are 300 reads, counted from 0"
    with pytest.raises(PairError, match=nowhere):
        resident.edits(places[:, 0], places[:, 2], places[:, 1], reverse, out=out)
    assert (out[[900, 1400]] == -3).all()  # as in new memory
    assert (np.delete(out, [900, 1400]) >= -2).all()


def test_gatekeeper_candidates_that_are_clipped(fake):
    fake()
    resident = Prefilter(2, method="gatekeeper", backend="cuda").resident(["ACGT"], CONTIGS)
    with pytest.raises(PairError, match="pair 1: the segment would reach beyond its contig"):
        resident.edits(np.array([0, 0]), np.array([3, 4]), np.array([1, 1]))


def test_there_is_no_device(fake):
    fake(0)
    with pytest.raises(BackendUnavailable, match="there is no CUDA device"):
        Prefilter(2, backend="cuda")


def test_auto_opens_cuda_for_calls_that_gain(fake, eager, monkeypatch):
    driver = fake()
    with Prefilter(2) as prefilter:
        monkeypatch.setattr(prefilter._devices.costs, "prefer_gpu", lambda call: call.size >= 500)

        def launches(size):
            before = len(driver.launched)
            assert (prefilter.edits(["A"] * size, ["A"] * size) == 0).all()
            return len(driver.launched) > before

        assert not any(launches(300) for _ in range(20))
        assert prefilter.devices == ()
        end = time.monotonic() + 30
        while not launches(600) and time.monotonic() < end:
            time.sleep(0.01)
        assert prefilter.devices
        assert launches(600)
        assert not launches(300)


def test_auto_without_cuda(eager, monkeypatch):
    tried = threading.Event()

    def missing():
        tried.set()
        raise BackendUnavailable("CUDA needs CuPy")

    monkeypatch.setattr(cuda_devices, "import_cupy", missing)
    with Prefilter(2) as prefilter:
        monkeypatch.setattr(prefilter._devices.costs, "prefer_gpu", lambda call: True)
        for _ in range(20):
            assert prefilter.edits(["ACGT"], ["ACGT"]).tolist() == [0]
        assert tried.wait(60)
        assert prefilter.devices == ()
    with pytest.raises(BackendUnavailable, match="CUDA needs CuPy"):
        Prefilter(2, backend="cuda")
