"""Reads too long for one warp: striped on the GPU, with the CPU engine's bits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gkl_shim.common import _auto
from gkl_shim.pairhmm import Batch, _native_pairhmm
from gkl_shim.pairhmm import _cuda as cuda
from gkl_shim.pairhmm._copies import concatenated
from gkl_shim.pairhmm._sequences import HaplotypeBatch, ReadBatch
from tests.pairhmm.cuda.conftest import assert_same_bits
from tests.pairhmm.cuda.test_cuda_planner import planned, pointer

on_device = pytest.mark.usefixtures("gpu")

# : Lengths around those at which a read gets another stripe, and some in between.
LENGTHS = (1, 150, 256, 257, 300, 511, 512, 513, 700, 767, 768, 769, 1000, 1279, 1281, 2000)


def long_region(
    seed: int, lengths: tuple[int, ...], haplotypes: int, haplotype_length: int
) -> Batch:
    """Reads of given lengths, from haplotypes that differ in substitutions, a deletion, their end.

    Few errors and good qualities: double precision holds the likelihoods of all.
    """
    random = np.random.default_rng(seed)
    letters = np.frombuffer(b"ACGTN", np.uint8)
    base = letters[random.choice(5, haplotype_length, p=[0.249] * 4 + [0.004])]
    known = []
    for k in range(haplotypes):
        haplotype = base.copy()
        haplotype[random.integers(0, haplotype_length, 5)] = letters[random.integers(0, 4, 5)]
        if k % 3 == 2:
            at = int(random.integers(0, haplotype_length))
            haplotype = np.delete(haplotype, slice(at, at + 7))
        known.append(haplotype[: haplotype_length * 2 // 3] if k % 5 == 4 else haplotype)
    reads = []
    for length in lengths:
        haplotype = known[int(random.integers(0, haplotypes))]
        start = int(random.integers(0, max(1, len(haplotype) - length + 1)))
        read = np.resize(haplotype[start:], length)
        errors = random.integers(0, length, length // 200)
        read[errors] = letters[random.integers(0, 4, len(errors))]
        reads.append(read)
    total = sum(lengths)
    tracks = [np.concatenate(reads)]
    for lowest, highest in ((20, 41), (10, 46), (10, 46), (6, 14)):
        tracks.append(random.integers(lowest, highest, total).astype(np.uint8))
    haplotype_offsets = np.cumsum([0, *map(len, known)], dtype=np.int64)
    return Batch(
        ReadBatch.trusted(np.cumsum([0, *lengths], dtype=np.int64), *tracks),
        HaplotypeBatch.trusted(haplotype_offsets, np.concatenate(known)),
        np.array([0, len(lengths)], np.int64),
        np.array([0, haplotypes], np.int64),
    )


@pytest.fixture(scope="module")
def mixed() -> Batch:
    """Regions with long and short reads side by side, haplotypes shorter and longer than these."""
    return concatenated(
        [
            long_region(1, LENGTHS, 1, 900),
            long_region(2, (150,) * 40 + LENGTHS, 7, 2000),
            long_region(3, (90, 120), 3, 200),
            long_region(4, LENGTHS[::-1], 12, 40),
            long_region(5, (5000, 600, 100), 2, 3),
            long_region(6, (600,), 1, 1),
        ]
    )


class Engine(cuda.Engine):
    """Records what the devices have left to the CPU."""

    @property
    def left(self):
        statistics = self.statistics()
        return statistics["pairs"] - statistics["cuda_pairs"]


def on_cpu(batch, precision, *, as_gkl=False):
    """Return the likelihoods, and the number of pairs that double precision cannot hold."""
    values = np.empty(batch.pairs)
    engine = _native_pairhmm.CpuEngine(0, precision, None, as_gkl=as_gkl)
    engine.compute(pointer(batch), values)
    return values, engine.statistics()["rescaled_pairs"]


@pytest.mark.parametrize("as_gkl", [False, True])
@pytest.mark.parametrize("precision", ["single", "double"])
class TestOnDevice:
    pytestmark = on_device

    def test_beside_short_reads(self, mixed, precision, as_gkl):
        engine = Engine(precision=precision, as_gkl=as_gkl)
        expected, _ = on_cpu(mixed, precision, as_gkl=as_gkl)
        assert_same_bits(engine.compute(mixed), expected)

    def test_all_lengths(self, precision, as_gkl):
        lengths = tuple(range(257, 2000, 31))
        batch = concatenated(
            [long_region(10 + k, lengths[k::3], 1 + 4 * k, 1400) for k in range(3)]
        )
        engine = Engine(precision=precision, as_gkl=as_gkl)
        expected, rescaled = on_cpu(batch, precision, as_gkl=as_gkl)
        for _ in range(5):
            assert_same_bits(engine.compute(batch), expected)
        assert engine.left == 5 * rescaled

    def test_very_long(self, precision, as_gkl):
        batch = concatenated(
            [
                long_region(20, (20_000, 10_240, 10_241, 300), 2, 10_000),
                long_region(21, (9_999,), 3, 12_000),
            ]
        )
        engine = Engine(precision=precision, as_gkl=as_gkl)
        assert_same_bits(engine.compute(batch), on_cpu(batch, precision, as_gkl=as_gkl)[0])

    def test_many_callers(self, mixed, precision, as_gkl):
        """Warps that wait for other warps, while other calls run."""
        engine = Engine(precision=precision, as_gkl=as_gkl)
        expected, _ = on_cpu(mixed, precision, as_gkl=as_gkl)
        with ThreadPoolExecutor(8) as pool:
            for values in pool.map(lambda _: engine.compute(mixed), range(16)):
                assert_same_bits(values, expected)

    def test_what_does_not_fit_goes_to_the_cpu(self, mixed, precision, as_gkl, monkeypatch):
        monkeypatch.setattr(cuda, "_SCRATCH_BYTES", 1 << 20)
        engine = Engine(precision=precision, as_gkl=as_gkl)
        expected, _ = on_cpu(mixed, precision, as_gkl=as_gkl)
        assert_same_bits(engine.compute(mixed), expected)
        assert engine.left > 0


def stripes_of(batch):
    lengths = np.diff(batch.reads.offsets)
    return int((-(-lengths[lengths > 256] // 256)).sum())


def test_every_pair_is_planned_once(mixed):
    values, chunks, number = planned(mixed, "double", 1 << 40, 1 << 40, values=nan(mixed))
    assert sorted(values) == list(range(number))
    assert number == mixed.pairs
    assert sum(chunk.stripes for chunk in chunks) == stripes_of(mixed)


def test_haplotypes_are_divided_where_stripes_are_few():
    """If they share little. Columns that are alike are computed once."""
    reads = long_region(8, (3000, 100), 1, 3000).reads
    alike = np.tile(long_region(9, (100,), 1, 3000).haplotypes.bases, (4, 1))
    alike[range(4), range(1480, 1520, 10)] = ord("N")
    unlike = concatenated([long_region(k, (100,), 1, 3000) for k in range(4)]).haplotypes
    alike_batch = Batch(reads, HaplotypeBatch.trusted(unlike.offsets, alike.ravel()))
    for batch, streams in ((alike_batch, 1), (Batch(reads, unlike), 4)):
        values, (chunk,), number = planned(batch, "double", 1 << 40, 1 << 40, values=nan(batch))
        assert chunk.stripes == stripes_of(batch)
        assert chunk.striped_passes == 2 * streams
        assert sorted(values) == list(range(number))


def test_single_precision_has_none(mixed):
    values, chunks, _ = planned(mixed, "single", 1 << 40, 1 << 40)
    lengths = np.diff(mixed.reads.offsets)
    per_read = np.repeat(np.diff(mixed.region_haplotypes), np.diff(mixed.region_reads))
    assert (np.isnan(values) == np.repeat(lengths > 1024, per_read)).all()
    assert not any(chunk.stripes for chunk in chunks)


def test_scratch_is_bounded():
    """A read takes the memory of its haplotypes' states. One that needs too much is left out."""
    batch = long_region(7, (10_000, 3000, 20_000, 5000, 10_000), 9, 4000)
    limit = 30 << 20
    values, chunks, number = planned(batch, "double", 1 << 60, limit, values=nan(batch))
    assert max(chunk.scratch_bytes for chunk in chunks) <= limit
    assert len(chunks) > 1
    held = ~np.isnan(values).reshape(5, 9).any(axis=1)
    np.testing.assert_array_equal(held, [True, True, False, True, True])
    assert number == 4 * 9
    assert sum(chunk.missing for chunk in chunks) == 9


def test_auto_reckons_with_the_time_that_long_reads_take():
    batch = concatenated([long_region(1, (1200, 1024), 2, 1000), long_region(2, (100,), 1, 50)])
    haplotypes = len(batch[0:1].haplotypes.bases)
    short, long = 1024 * haplotypes + 100 * 50, 1200 * haplotypes
    for threads in (1, 2):
        pointer = _native_pairhmm.batch_pointer(*batch.arrays)
        single = _native_pairhmm.precision_code("single")
        call = _auto.estimate("pairhmm", pointer, single, False, threads)
        # A thread computes 20 cells of short reads a nanosecond, and a quarter cell of long reads.
        assert call.size == short + long
        assert call.cpu_nanoseconds == pytest.approx((short / 20 + long * 4) / threads)
        assert call.gpu_nanoseconds == pytest.approx(35_000 + short / 3000 + long / 600)


def nan(batch):
    return np.full(batch.pairs, np.nan)
