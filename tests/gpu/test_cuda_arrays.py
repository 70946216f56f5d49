"""CuPy arrays as input: the same bits, and bases that stay where they are.

Each test runs without a device too, where null_arrays.py and null_driver.py have the place of CuPy
and the driver: there PairHMM's own kernels compute nothing, and all is left to the CPU engine.
"""

from __future__ import annotations

import random
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gkl_shim._batch import HaplotypeBatch, ReadBatch, concatenated
from gkl_shim.cuda import arrays, devices, driver
from gkl_shim.cuda import pairhmm as cuda
from gkl_shim.errors import BackendUnavailable
from gkl_shim.pairhmm import Batch, PairHMM, Read, likelihoods, stream
from tests.gpu.conftest import assert_same_bits, random_region
from tests.gpu.null_arrays import NullArrays
from tests.gpu.null_driver import NullDriver
from tests.gpu.test_long_reads import LENGTHS, long_region

PRECISIONS = ("single", "double")
TRACKS = ("bases", "quals", "insertion_quals", "deletion_quals", "continuation_quals")


@pytest.fixture
def null(monkeypatch, arrays_on_host):
    """Return what makes a CuPy and a driver of so many devices the ones in use."""
    made = []

    def make(count=1, **options):
        made.append(NullDriver(on_host=arrays_on_host, **options))
        cupy = NullArrays(count)
        monkeypatch.setitem(sys.modules, "cupy", cupy)
        monkeypatch.setattr(devices, "import_cupy", lambda: cupy)
        monkeypatch.setattr(driver, "functions", made[-1].functions)
        arrays.on_gpu.cache_clear()
        return cupy, made[-1]

    yield make
    arrays.on_gpu.cache_clear()
    for each in made:
        assert each.misused == []


@pytest.fixture(params=["null", pytest.param("device", marks=pytest.mark.gpu)])
def cupy(request):
    if request.param == "null":
        return request.getfixturevalue("null")()[0]
    request.getfixturevalue("gpu")
    return pytest.importorskip("cupy")


def on_cpu(cupy, batch, precision):
    """What comes of a batch: where kernels compute nothing, all is rescued."""
    if isinstance(cupy, NullArrays):
        precision = "double"
    return PairHMM(backend="cpu", precision=precision).compute(batch)


def on_device(cupy, batch, device=0):
    with cupy.cuda.Device(device):
        return Batch(
            ReadBatch.from_arrays(
                cupy.asarray(batch.reads.offsets), *map(cupy.asarray, batch.reads.tracks)
            ),
            HaplotypeBatch.from_arrays(
                cupy.asarray(batch.haplotypes.offsets), cupy.asarray(batch.haplotypes.bases)
            ),
            cupy.asarray(batch.region_reads),
            cupy.asarray(batch.region_haplotypes),
        )


@pytest.fixture(scope="module")
def batch() -> Batch:
    """Odd shapes, empty regions, many haplotypes, long reads and what double does not hold."""
    rnd = random.Random(23)
    shapes = [(1, 1, 1), (3, 2, 5), (40, 1, 30), (33, 7, 160), (7, 90, 130), (5, 4, 560)]
    kinds = ("usual", "n", "wild", "open")
    parts = [random_region(rnd, *shape, kind) for shape in shapes for kind in kinds]
    parts += [long_region(3, LENGTHS[::3], 5, 300), random_region(rnd, 9, 2, 2000, "wild")]
    nothing = parts[0][0:0]
    none = np.array([0, 0])
    for reads, haplotypes in (
        (parts[3].reads, nothing.haplotypes),
        (nothing.reads, parts[3].haplotypes),
    ):
        parts.append(
            Batch(reads, haplotypes, np.array([0, len(reads)]), np.array([0, len(haplotypes)]))
        )
    parts.append(Batch(nothing.reads, nothing.haplotypes, none, none))
    return concatenated([*parts, parts[0]])


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("as_gkl", [False, True])
@pytest.mark.parametrize("cells", [1 << 17, 1 << 32])
def test_same_bits(cupy, batch, precision, as_gkl, cells, monkeypatch):
    monkeypatch.setattr(cuda, "_CHUNK_CELLS", dict.fromkeys(PRECISIONS, cells))
    engine = cuda.Engine([0], precision, as_gkl)
    expected = cuda.Engine([0], precision, as_gkl).compute(batch)
    there = on_device(cupy, batch)
    for _ in range(3):
        assert_same_bits(engine.compute(there), expected)
    if not as_gkl:
        assert_same_bits(expected, on_cpu(cupy, batch, precision))
    assert engine.statistics()["pairs"] == 3 * batch.pairs
    engine.close()


def test_no_region(cupy, batch):
    empty = on_device(cupy, batch)[0:0]
    assert empty.device == 0
    assert cuda.Engine([0]).compute(empty).shape == (0,)


def test_parts_of_a_batch(cupy, batch):
    engine, there = cuda.Engine([0]), on_device(cupy, batch)
    values = list(batch.split(on_cpu(cupy, batch, "single")))
    for index in range(len(batch)):
        assert_same_bits(
            engine.compute(there[index : index + 1]), np.ascontiguousarray(values[index]).ravel()
        )
    together = concatenated([there[5:9], there[0:3]])
    assert together.device == 0
    expected = np.concatenate([v.ravel() for v in values[5:9] + values[0:3]])
    assert_same_bits(engine.compute(together), expected)


@pytest.mark.parametrize("backend", ["cuda", "auto"])
def test_public_interface(cupy, batch, backend):
    there = on_device(cupy, batch)
    expected = list(batch.split(on_cpu(cupy, batch, "single")))
    # Batches here and there, in turn.
    parts = [(there if k % 3 else batch)[k : k + 1] for k in range(len(batch))]
    if backend == "auto":
        parts = [there[k : k + 1] for k in range(len(batch))]
    for values, want in zip(stream(parts, backend=backend), expected, strict=True):
        assert_same_bits(values, want)
    with PairHMM(backend=backend) as pairhmm:
        computed = pairhmm.compute(there)
        assert isinstance(computed, np.ndarray)
        assert_same_bits(computed, np.concatenate([v.ravel() for v in expected]))
        assert pairhmm.backend == "cuda"


def test_lists_of_arrays(cupy):
    haplotypes = ["ACGTACGTAC", "ACGTTCGTACN", "acg"]
    reads = [
        ("ACGTA", [30, 31, 32, 33, 34], [40] * 5, [41] * 5, [10, 11, 12, 13, 14]),
        ("TCGNAC", [20] * 6, [45] * 6, [44] * 6, [9] * 6),
        ("T", [20], [45], [44], [9]),
    ]

    def there_is(track):
        text = isinstance(track, str)
        array = np.frombuffer(track.encode(), np.uint8) if text else np.array(track, np.uint8)
        return cupy.asarray(array)

    arrays_of = [tuple(map(there_is, read)) for read in reads]
    there = list(map(there_is, haplotypes))
    precision = "double" if isinstance(cupy, NullArrays) else "single"
    want = likelihoods(reads, haplotypes, backend="cpu", precision=precision)
    for some_reads in (reads, arrays_of, [reads[0], arrays_of[1], Read(*arrays_of[2])]):
        for some_haplotypes in (haplotypes, there, [haplotypes[0], *there[1:]]):
            if some_reads is reads and some_haplotypes is haplotypes:
                continue
            assert_same_bits(likelihoods(some_reads, some_haplotypes, backend="cuda"), want)


def test_one_number_for_all(cupy):
    bases, quals = cupy.asarray(np.frombuffer(b"ACGTACG", np.uint8)), np.full(7, 30, np.uint8)
    haplotypes = [b"ACGTACGG", b"AC"]
    offsets = np.array([0, 3, 7])
    reads = ReadBatch.from_arrays(offsets, bases, quals, 45, 44, 9)
    assert [arrays.device_of(track) for track in reads.tracks] == [0] * 5
    want = ReadBatch.from_arrays(offsets, b"ACGTACG", quals, 45, 44, 9)
    batch = Batch(want, HaplotypeBatch.from_arrays(np.array([0, 8, 10]), b"".join(haplotypes)))
    values = likelihoods(reads, haplotypes, backend="cuda")
    assert_same_bits(values.ravel(), on_cpu(cupy, batch, "single"))


def test_arrays_that_are_not_contiguous(cupy, batch):
    there = on_device(cupy, batch)
    twice = cupy.asarray(np.repeat(batch.haplotypes.bases, 2))
    haplotypes = HaplotypeBatch.from_arrays(batch.haplotypes.offsets, twice[::2])
    tracks = [cupy.asarray(np.repeat(track, 3))[1::3] for track in batch.reads.tracks]
    # Contiguous, but where no word begins.
    tracks[1] = cupy.asarray(np.insert(batch.reads.quals, 0, 0))[1:]
    reads = ReadBatch.from_arrays(batch.reads.offsets, *tracks)
    other = Batch(reads, haplotypes, batch.region_reads, batch.region_haplotypes)
    engine = cuda.Engine([0])
    assert_same_bits(engine.compute(other), engine.compute(there))


def faulty(cupy, **tracks):
    """Make reads of two bases and three, with some tracks other than usual."""
    usual = {"bases": np.frombuffer(b"ACGTN", np.uint8)}
    usual |= dict.fromkeys(TRACKS[1:], np.full(5, 30, np.uint8))
    given = [cupy.asarray(tracks.get(name, usual[name])) for name in TRACKS]
    return ReadBatch.from_arrays(np.array([0, 2, 5]), *given)


@pytest.mark.parametrize(
    ("tracks", "message"),
    [
        ({"bases": np.array([65, 67, 71, 88, 0], np.uint8)},
         "bases: letter 'X' of read 1, base 1, is none of ACGTN"),
        ({"deletion_quals": np.array([0, 127, 3, 4, 128], np.uint8)},
         "deletion_quals: quality 128 of read 1, base 2, is not within 0..127"),
        ({"quals": np.zeros(5, np.int64)},
         r"quals: expected a one-dimensional uint8 array, got int64 of shape \(5,\)"),
        ({"insertion_quals": np.zeros((5, 1), np.uint8)},
         r"insertion_quals: expected a one-dimensional uint8 array, got uint8 of shape \(5, 1\)"),
        ({"continuation_quals": np.zeros(4, np.uint8)},
         "continuation_quals: 4 values for 5 bases"),
        ({"bases": np.full(4, 65, np.uint8)}, "offsets: end at 5, but there are 4 bases"),
    ],
)  # fmt: skip
def test_wrong_reads(cupy, tracks, message):
    with pytest.raises(ValueError, match=message):
        faulty(cupy, **tracks)


def test_wrong_haplotypes(cupy):
    bases = cupy.asarray(np.frombuffer(b"ACGTUA", np.uint8))
    message = "bases: letter 'U' of haplotype 1, base 1, is none of ACGTN"
    with pytest.raises(ValueError, match=message):
        HaplotypeBatch.from_arrays(np.array([0, 3, 6]), bases)
    with pytest.raises(ValueError, match=message):
        likelihoods([("ACGT", 30)], [b"AAA", bases[3:]], backend="cuda")
    with pytest.raises(ValueError, match=r"haplotypes\[1\]: is empty"):
        likelihoods([("ACGT", 30)], [b"AAA", bases[3:3]], backend="cuda")
    with pytest.raises(ValueError, match=r"reads\[0\].quals: 6 values for 4 bases"):
        likelihoods([("ACGT", bases)], [b"AAA"], backend="cuda")


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_letter_that_was_another_when_checked(cupy, batch, precision):
    there = on_device(cupy, batch)
    engine = cuda.Engine([0], precision)
    wrong = batch.haplotypes.bases.copy()
    wrong[batch.haplotypes.offsets[batch.region_haplotypes[6]]] = ord("X")
    kept, there.haplotypes.bases = there.haplotypes.bases, cupy.asarray(wrong)
    with pytest.raises(ValueError, match="a letter of region 6 is none of ACGTN"):
        engine.compute(there)
    there.haplotypes.bases = kept
    assert_same_bits(engine.compute(there), on_cpu(cupy, batch, precision))


def test_the_cpu_does_not_reach_them(cupy, batch):
    there = on_device(cupy, batch)
    for options in ({"backend": "cpu"}, {"backend": "auto", "build": "portable"}):
        with pytest.raises(ValueError, match=r"the arrays are on GPU 0.*cupy\.asnumpy"):
            PairHMM(**options).compute(there)


def test_arrays_of_another_device(null, batch):
    cupy, null_driver = null(2)
    there = on_device(cupy, batch, 1)
    assert there.device == 1
    with pytest.raises(ValueError, match=r"on GPU 1, which is none of the devices to use \(0\)"):
        PairHMM(backend="cuda", devices=[0]).compute(there)
    with PairHMM(backend="cuda") as pairhmm:
        assert_same_bits(pairhmm.compute(there), on_cpu(cupy, batch, "single"))
    # No device reads another one's memory.
    assert set(null_driver.launches) == {1}
    with pytest.raises(ValueError, match=r"arrays on GPUs \[0, 1\]"):
        Batch(there.reads, on_device(cupy, batch, 0).haplotypes)
    parts = [on_device(cupy, batch, k % 2) for k in range(4)]
    for values, want in zip(
        stream(parts, backend="cuda"),
        list(batch.split(on_cpu(cupy, batch, "single"))) * 4,
        strict=True,
    ):
        assert_same_bits(values, want)


def test_only_what_the_cpu_computes_comes_to_the_host(null, batch, monkeypatch):
    """Where the device holds all but some regions, these."""
    cupy, null_driver = null(result=-1.5)
    monkeypatch.setattr(cuda, "_SCRATCH_BYTES", 1 << 20)
    usual, long = batch[3:7], long_region(2, (150, 1000, 900), 7, 2000)
    also_long = long_region(5, (2000,), 3, 3000)
    together = concatenated([usual, long, also_long, usual])
    values = cuda.Engine([0], "double").compute(on_device(cupy, together))
    held = np.full(together.pairs, True)
    held[usual.pairs + 7 : -usual.pairs] = False
    assert (values[held] == -1.5).all()
    expected = PairHMM(backend="cpu", precision="double").compute(together)
    assert_same_bits(values[~held], expected[~held])
    reads = len(long.reads.bases) + len(also_long.reads.bases)
    haplotypes = len(long.haplotypes.bases) + len(also_long.haplotypes.bases)
    assert null_driver.brought == [reads] * 5 + [haplotypes]


def test_nothing_is_allocated_in_the_steady_state(null, batch):
    """Neither for looking at arrays nor for computing them."""
    cupy, null_driver = null()
    engine = cuda.Engine([0], "double", drivers=1)

    def compute():
        return engine.compute(on_device(cupy, batch))

    expected = PairHMM(backend="cpu", precision="double").compute(batch)
    for _ in range(3):
        assert_same_bits(compute(), expected)
    before = null_driver.calls.copy()
    assert_same_bits(compute(), expected)
    more = null_driver.calls - before
    assert not any("Alloc" in name or "Create" in name or "Free" in name for name in more)
    # Of reads and of haplotypes; what these have in common, by few and by many; letters; pairs.
    assert more["cuLaunchKernel"] >= 6


def test_many_threads_look_at_arrays(null, batch):
    cupy, _ = null(2)
    wrong = batch.reads.bases.copy()
    wrong[7] = ord("X")

    def look(k):
        on_device(cupy, batch, k % 2)
        with cupy.cuda.Device(k % 2), pytest.raises(ValueError, match="letter 'X' of read"):
            ReadBatch.from_arrays(
                batch.reads.offsets, cupy.asarray(wrong), *map(cupy.asarray, batch.reads.tracks[1:])
            )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(look, range(24)))


@pytest.mark.parametrize("after", [1, 2, 3, 4])
def test_out_of_memory(null, batch, after):
    """One warning; the CPU engine finishes the work, with the same answers."""
    cupy, null_driver = null(fail={"cuMemAlloc_v2": after})
    there = on_device(cupy, batch)
    engine = cuda.Engine([0], "single")
    expected = [PairHMM(backend="cpu", precision=p).compute(batch) for p in PRECISIONS]
    with pytest.warns(RuntimeWarning, match="GPU 0 .* is no longer used") as said:
        values = engine.compute(there)
    assert len(said) == 1
    assert null_driver.fail["cuMemAlloc_v2"] < 0
    # Where it is the rescue that fails, some are computed in double precision.
    assert ((values == expected[0]) | (values == expected[1])).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same_bits(engine.compute(there), expected[0])


@pytest.mark.parametrize(
    ("function", "error"),
    [("cuMemAlloc_v2", "OUT_OF_MEMORY"), ("cuStreamCreate", "LAUNCH_FAILED"),
     ("cuLaunchKernel", "LAUNCH_FAILED"), ("cuMemsetD8Async", "LAUNCH_FAILED")],
)  # fmt: skip
def test_a_device_that_fails_to_look(null, batch, function, error):
    """No batch is made of arrays that nobody has looked at."""
    cupy, null_driver = null(fail={function: 0})
    with pytest.raises(BackendUnavailable, match=f"GPU 0 has failed: {function}: .*{error}"):
        on_device(cupy, batch)
    with pytest.raises(BackendUnavailable, match="GPU 0 has failed"):
        on_device(cupy, batch)
    assert null_driver.contexts == []


@pytest.mark.parametrize(
    ("function", "after"), [("cuLaunchKernel", k) for k in (2, 3, 4, 5)] + [("cuMemcpyDtoH_v2", 2)]
)
def test_a_device_that_is_lost_with_the_arrays(null, batch, function, after):
    cupy, null_driver = null(fail={function: after})
    there = on_device(cupy, batch)
    engine = cuda.Engine([0], "double")
    message = "GPU 0, whose memory holds the arrays, has failed: .*CUDA_ERROR_LAUNCH_FAILED"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(BackendUnavailable, match=message):
            engine.compute(there)
        # What is in the host's memory is computed all the same.
        expected = PairHMM(backend="cpu", precision="double").compute(batch)
        assert_same_bits(engine.compute(batch), expected)
    assert null_driver.contexts == []


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu")
class TestOnDevice:
    def test_work_that_is_under_way_on_the_caller_s_stream(self, batch):
        """Arrays that are still being written when they are handed over."""
        cupy = pytest.importorskip("cupy")
        expected = PairHMM(backend="cpu").compute(batch)
        spin = cupy.RawKernel(
            'extern "C" __global__ void spin(long long n) {'
            " long long start = clock64(); while (clock64() - start < n); }",
            "spin",
        )
        for stream_of in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.null):
            sources = [cupy.asarray(t) for t in (*batch.reads.tracks, batch.haplotypes.bases)]
            targets = [cupy.full_like(source, 255) for source in sources]
            cupy.cuda.runtime.deviceSynchronize()
            with stream_of, PairHMM(backend="cuda", devices=[0]) as pairhmm:
                spin((1,), (1,), (np.int64(200_000_000),))
                for source, target in zip(sources, targets, strict=True):
                    target[:] = source
                there = Batch(
                    ReadBatch.from_arrays(batch.reads.offsets, *targets[:5]),
                    HaplotypeBatch.from_arrays(batch.haplotypes.offsets, targets[5]),
                    batch.region_reads,
                    batch.region_haplotypes,
                )
                assert_same_bits(pairhmm.compute(there), expected)
                # Changed and changed back, once a batch is made.
                targets[0][:] = ord("A")
                spin((1,), (1,), (np.int64(200_000_000),))
                targets[0][:] = sources[0]
                assert_same_bits(pairhmm.compute(there), expected)

    def test_another_device_is_current(self, batch):
        cupy = pytest.importorskip("cupy")
        if devices.device_count() < 2:
            pytest.skip("one device")
        there = on_device(cupy, batch, 1)
        with cupy.cuda.Device(0), PairHMM(backend="cuda") as pairhmm:
            assert_same_bits(pairhmm.compute(there), PairHMM(backend="cpu").compute(batch))

    def test_what_no_scratch_holds(self, monkeypatch):
        cupy = pytest.importorskip("cupy")
        monkeypatch.setattr(cuda, "_SCRATCH_BYTES", 1 << 20)
        batch = concatenated(
            [long_region(2, (150,) * 40 + LENGTHS, 7, 2000), long_region(6, (600,), 1, 1)]
        )
        for precision in PRECISIONS:
            expected = PairHMM(backend="cpu", precision=precision).compute(batch)
            assert_same_bits(cuda.Engine([0], precision).compute(on_device(cupy, batch)), expected)

    def test_many_haplotypes(self):
        cupy = pytest.importorskip("cupy")
        rnd = random.Random(5)
        batch = concatenated(
            [random_region(rnd, 3, 1000, 300, "usual"), random_region(rnd, 2, 65, 5000, "usual")]
        )
        values = PairHMM(backend="cuda", devices=[0]).compute(on_device(cupy, batch))
        assert_same_bits(values, PairHMM(backend="cpu").compute(batch))
