"""CuPy arrays as input of PairHMM: they are copied to the host, and give the same bits.

Most tests run without a device too, with a stand-in for CuPy.
"""

from __future__ import annotations

import itertools
import random
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from gkl_shim.cuda import devices
from gkl_shim.pairhmm import Batch, PairHMM, Read, likelihoods, stream
from gkl_shim.pairhmm._copies import concatenated
from gkl_shim.pairhmm._sequences import HaplotypeBatch, ReadBatch
from tests.fakes.cupy import CuPy, PerThreadStream, Stream
from tests.pairhmm.cuda.conftest import assert_same_bits, random_region


@pytest.fixture
def null(monkeypatch):
    cupy = CuPy()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    return cupy


@pytest.fixture(params=["null", pytest.param("device", marks=pytest.mark.gpu)])
def cupy(request):
    if request.param == "null":
        return request.getfixturevalue("null")
    request.getfixturevalue("gpu")
    return pytest.importorskip("cupy")


@pytest.fixture(scope="module")
def batch() -> Batch:
    rnd = random.Random(23)
    shapes = [(1, 1, 1), (3, 2, 5), (33, 7, 160), (5, 4, 560)]
    kinds = ("usual", "n", "wild", "open")
    return concatenated([random_region(rnd, *shape, kind) for shape in shapes for kind in kinds])


@pytest.fixture(scope="module")
def expected(batch) -> np.ndarray:
    return PairHMM(backend="cpu").compute(batch)


def arrays_of(batch):
    return [*batch.reads.tracks, batch.haplotypes.bases]


def batch_of(batch, arrays):
    """Return a batch of other arrays with the same shape."""
    return Batch(
        ReadBatch.from_arrays(batch.reads.offsets, *arrays[:5]),
        HaplotypeBatch.from_arrays(batch.haplotypes.offsets, arrays[5]),
        batch.region_reads,
        batch.region_haplotypes,
    )


@pytest.mark.parametrize("backend", ["cpu", "auto"])
def test_same_bits(cupy, batch, expected, backend):
    there = Batch(
        ReadBatch.from_arrays(
            cupy.asarray(batch.reads.offsets), *map(cupy.asarray, batch.reads.tracks)
        ),
        HaplotypeBatch.from_arrays(
            cupy.asarray(batch.haplotypes.offsets), cupy.asarray(batch.haplotypes.bases)
        ),
        cupy.asarray(batch.region_reads),
        cupy.asarray(batch.region_haplotypes),
    )
    assert all(isinstance(array, np.ndarray) for array in arrays_of(there))
    with PairHMM(backend=backend) as pairhmm:
        values = pairhmm.compute(there)
        assert isinstance(values, np.ndarray)
        assert_same_bits(values, expected)
        for some, want in zip(pairhmm.stream([there]), batch.split(expected), strict=True):
            assert_same_bits(some, want)


def test_lists_of_arrays(cupy):
    haplotypes = ["ACGTACGTAC", "ACGTTCGTACN", "acg"]
    reads = [
        ("ACGTA", [30, 31, 32, 33, 34], [40] * 5, [41] * 5, [10, 11, 12, 13, 14]),
        ("TCGNAC", [20] * 6, [45] * 6, [44] * 6, [9] * 6),
        ("T", [20], [45], [44], [9]),
    ]

    def there_is(track):
        text = isinstance(track, str)
        return cupy.asarray(np.frombuffer(track.encode(), np.uint8) if text else np.array(track))

    some = [tuple(map(there_is, read)) for read in reads]
    there = list(map(there_is, haplotypes))
    want = likelihoods(reads, haplotypes, backend="cpu")
    for some_reads in (some, [reads[0], some[1], Read(*some[2])]):
        for some_haplotypes in (haplotypes, there, [haplotypes[0], *there[1:]]):
            assert_same_bits(likelihoods(some_reads, some_haplotypes, backend="cpu"), want)


def test_one_transfer_an_array(null, batch):
    arrays = [null.asarray(array) for array in arrays_of(batch)]
    made = batch_of(batch, arrays)
    list(stream([made, made], backend="cpu"))
    assert [array.transfers for array in arrays] == [1] * 6
    bases, quals = (null.asarray(batch.reads.bases[:9]), null.asarray(batch.reads.quals[:9]))
    likelihoods([(bases, quals)], [bases], backend="cpu")
    assert (bases.transfers, quals.transfers) == (2, 1)


def test_arrays_that_are_not_contiguous(cupy, batch, expected):
    arrays = [cupy.asarray(np.repeat(array, 3))[1::3] for array in arrays_of(batch)]
    assert_same_bits(PairHMM(backend="cpu").compute(batch_of(batch, arrays)), expected)


def test_arrays_of_several_devices(null, batch, expected):
    arrays = []
    for number, array in enumerate(arrays_of(batch)):
        with null.cuda.Device(number):
            arrays.append(null.asarray(array))
    assert_same_bits(PairHMM(backend="cpu").compute(batch_of(batch, arrays)), expected)


@pytest.mark.parametrize("current", [Stream, PerThreadStream])
def test_work_under_way_on_the_current_stream(null, batch, expected, current):
    def written(values):
        array = null.asarray(np.full_like(values, 255))
        array.set(values)
        return array

    with current(), PairHMM(backend="cpu") as pairhmm:
        made = batch_of(batch, list(map(written, arrays_of(batch))))
        assert_same_bits(pairhmm.compute(made), expected)
        reads, haplotypes = [("ACGT", 30), ("CG", 20)], ["ACCGT", "ACGTT"]
        bases, other = (np.frombuffer(text, np.uint8) for text in (b"ACGT", b"CG"))
        written_reads = [(written(bases), 30), (written(other), 20)]
        # A background thread reads them, where the null stream is current.
        (values,) = pairhmm.stream([(written_reads, haplotypes)])
        assert_same_bits(values, pairhmm.likelihoods(reads, haplotypes))


@pytest.mark.parametrize("as_batch", [False, True])
def test_a_generator_that_refills_its_arrays(null, as_batch):
    rnd = random.Random(3)
    texts = ["".join(rnd.choices("ACGT", k=40)).encode() for _ in range(30)]
    bases, quals = null.asarray(np.zeros(40, np.uint8)), null.asarray(np.full(40, 30, np.uint8))
    offsets = np.array([0, 40])
    haplotype = np.frombuffer(texts[0], np.uint8)

    def regions():
        for text in texts:
            with null.cuda.Stream():
                bases.set(np.frombuffer(text, np.uint8))
                if as_batch:
                    reads = ReadBatch.from_arrays(offsets, bases, quals)
                    yield Batch(reads, HaplotypeBatch.from_arrays(offsets, haplotype))
                else:
                    yield [(bases, quals)], [haplotype]

    found = list(stream(regions(), backend="cpu"))
    want = [likelihoods([(text, 30)], [haplotype], backend="cpu") for text in texts]
    assert_same_bits(np.concatenate(found), np.concatenate(want))


def test_cupy_without_a_device(null, batch, expected, monkeypatch):
    def no_device():
        raise null.cuda.runtime.CUDARuntimeError("cudaErrorNoDevice")

    monkeypatch.setattr(null.cuda, "get_current_stream", no_device)
    for values, want in zip(stream([batch], backend="cpu"), batch.split(expected), strict=True):
        assert_same_bits(values, want)
    # Another thread is in the middle of importing it.
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace())
    assert len(list(stream([batch], backend="cpu"))) == len(batch)


def test_wrong_reads(cupy):
    """They are checked on the host; tests/pairhmm/test_api.py has all messages."""
    quals = np.full(5, 30)
    for bases, track, message in (
        (b"ACGXN", quals.astype(np.uint8), "bases: letter 'X' of read 1, base 1, is none of ACGTN"),
        (
            b"ACGTN",
            quals,
            r"quals: expected a one-dimensional uint8 array, got int64 of shape \(5,\)",
        ),
    ):
        given = np.frombuffer(bases, np.uint8), track
        with pytest.raises(ValueError, match=message):
            ReadBatch.from_arrays(np.array([0, 2, 5]), *map(cupy.asarray, given))


def test_wrong_haplotypes(cupy):
    bases = cupy.asarray(np.frombuffer(b"ACGTUA", np.uint8))
    with pytest.raises(ValueError, match="letter 'U' of haplotype 1, base 1, is none of ACGTN"):
        HaplotypeBatch.from_arrays(np.array([0, 3, 6]), bases)
    with pytest.raises(ValueError, match=r"haplotypes\[1\]: letter 'U' at base 1 is none of"):
        likelihoods([("ACGT", 30)], [b"AAA", bases[3:]], backend="cpu")
    with pytest.raises(ValueError, match=r"haplotypes\[1\]: is empty"):
        likelihoods([("ACGT", 30)], [b"AAA", bases[3:3]], backend="cpu")
    with pytest.raises(ValueError, match=r"reads\[0\].quals: 6 values for 4 bases"):
        likelihoods([("ACGT", bases)], [b"AAA"], backend="cpu")


@pytest.mark.usefixtures("gpu")
class TestOnDevice:
    def test_work_under_way_on_the_current_stream(self, batch, expected):
        """Arrays that are still being written when they are handed over."""
        cupy = pytest.importorskip("cupy")
        spin = cupy.RawKernel(
            'extern "C" __global__ void spin(long long n) {'
            " long long start = clock64(); while (clock64() - start < n); }",
            "spin",
        )
        streams = cupy.cuda.Stream
        for current in (streams(non_blocking=True), streams.null, streams.ptds):
            sources = list(map(cupy.asarray, arrays_of(batch)))
            targets = [cupy.full_like(source, 255) for source in sources]
            cupy.cuda.runtime.deviceSynchronize()
            with current, PairHMM(backend="cuda", devices=[0]) as pairhmm:
                spin((1,), (1,), (np.int64(200_000_000),))
                for source, target in zip(sources, targets, strict=True):
                    target[:] = source
                assert_same_bits(pairhmm.compute(batch_of(batch, targets)), expected)
                one = batch[3:4]
                reads = [cupy.full_like(cupy.asarray(t), 255) for t in one.reads.tracks]
                cupy.cuda.runtime.deviceSynchronize()
                spin((1,), (1,), (np.int64(200_000_000),))
                for source, target in zip(one.reads.tracks, reads, strict=True):
                    target[:] = cupy.asarray(source)
                ends = one.reads.offsets
                listed = [tuple(track[a:b] for track in reads) for a, b in itertools.pairwise(ends)]
                (values,) = pairhmm.stream([(listed, one.haplotypes)])
                want = PairHMM(backend="cpu").compute(one)
                assert_same_bits(values.ravel(), want)

    def test_another_device_is_current(self, batch, expected):
        cupy = pytest.importorskip("cupy")
        if devices.device_count() < 2:
            pytest.skip("one device")
        with cupy.cuda.Device(1):
            arrays = list(map(cupy.asarray, arrays_of(batch)))
        with cupy.cuda.Device(0), PairHMM(backend="cuda") as pairhmm:
            assert_same_bits(pairhmm.compute(batch_of(batch, arrays)), expected)
