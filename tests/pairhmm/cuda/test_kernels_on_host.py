"""PairHMM's CUDA kernels compute the CPU engine's bits. They run on the host, each lane a fiber.

The tests use the whole GPU engine except CuPy and the driver, which stand-ins replace.
tests/gpu/test_kernels.py and test_long_reads.py do the same on a device.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from gkl_shim.formats.pairhmm_in import Reader
from gkl_shim.pairhmm import Batch, PairHMM, Read, ReadBatch
from gkl_shim.pairhmm import _cuda as cuda
from gkl_shim.pairhmm._convert import haplotype_batch, read_batch
from gkl_shim.pairhmm._copies import concatenated
from tests.conftest import recorded
from tests.pairhmm.cuda.conftest import assert_same_bits, launched, random_region
from tests.pairhmm.cuda.test_long_reads import long_region

WIDTHS = [
    (precision, rows) for precision in ("single", "double") for rows in cuda.widths(precision)
]


def check(host, batch, precision, **options):
    """Compare all pairs, and return how many the GPU's kernels have done."""
    expected = PairHMM(backend="cpu", precision=precision).compute(batch)
    engine = cuda.Engine(precision=precision, threads=1, **options)
    assert_same_bits(engine.compute(batch), expected)
    done = engine.statistics()["cuda_pairs"]
    engine.close()
    return done


def regions(seed, kinds=("usual", "n", "wild", "open"), longest=120):
    rnd = random.Random(seed)
    shapes = [(1, 1, 1), (3, 2, 5), (9, 1, 30), (12, 7, longest), (6, 20, longest // 2)]
    return concatenated([random_region(rnd, *shape, kind) for shape in shapes for kind in kinds])


@pytest.mark.parametrize("precision", ["single", "double"])
def test_ordinary_regions(host, precision):
    batch = regions(1, ("usual", "n"))
    assert check(host, batch, precision) == batch.pairs


@pytest.mark.parametrize("precision", ["single", "double"])
def test_odd_qualities(host, precision):
    """The CPU completes many of these pairs, but no kernel may return a wrong result."""
    assert check(host, regions(1, ("wild", "open")), precision) > 0


@pytest.mark.parametrize(("precision", "rows"), WIDTHS)
def test_every_width(host, precision, rows):
    assert check(host, regions(2, longest=90), precision, rows_per_lane=rows) > 0
    assert f"pairhmm_{precision}_{rows}" in launched(host)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_several_streams_a_region(host, precision):
    """Few tiles on a large device: each region's haplotypes are divided among warps."""
    batch = random_region(random.Random(3), 4, 24, 100, "usual")
    # Some of these reads fit nowhere; the CPU completes the few pairs that leave single precision.
    assert check(host, batch, precision, device={"multiprocessors": 1000}) > 0.8 * batch.pairs


def test_recorded_regions(host):
    path, exact = recorded("10s_three_regions")
    with Reader(path) as reader:
        batch = concatenated(list(reader))
    assert check(host, batch, "single") == batch.pairs == len(exact)


def test_long_reads_in_stripes(host):
    batch = long_region(4, (300, 512, 700), 3, 300)
    assert check(host, batch, "double") == batch.pairs
    assert "pairhmm_double_striped" in launched(host)


def test_pairs_beyond_single_precision(host):
    """Reads that fit nowhere."""
    rnd = random.Random(5)
    reads = [Read("".join(rnd.choices("ACGT", k=200)), 60) for _ in range(5)]
    haplotypes = ["".join(rnd.choices("ACGT", k=150)) for _ in range(3)]
    batch = Batch(read_batch(reads, (45, 45, 10)), haplotype_batch(haplotypes))
    assert check(host, batch, "single") == batch.pairs
    assert {name.split("_")[1] for name in launched(host)} == {"single", "double"}


@pytest.mark.parametrize("one_gap", [False, True])
def test_tracks_in_pinned_memory_are_sent_from_there(fake_gpus, monkeypatch, one_gap):
    """The driver copies late, so that memory that is written too early is seen."""
    host = fake_gpus(kernels="pairhmm", slow=True)
    monkeypatch.setattr(cuda, "_CHUNK_CELLS", dict.fromkeys(("single", "double"), 1 << 20))
    rnd = random.Random(6)
    made = concatenated([random_region(rnd, 64, 2, 24, "usual") for _ in range(100)])
    bases, quals, *gaps = made.reads.tracks
    if one_gap:
        gaps = [gaps[0], gaps[0].copy(), np.full_like(bases, 10)]
    batch = Batch(
        ReadBatch.from_arrays(made.reads.offsets, bases, quals, *gaps),
        made.haplotypes,
        made.region_reads,
        made.region_haplotypes,
    )
    copies = []
    for pin in (lambda _: None, host.pin):
        for track in batch.reads.tracks:
            pin(track)
        host.forget_calls()
        assert check(host, batch, "single") == batch.pairs
        copies.append(host.calls["cuMemcpyHtoDAsync_v2"])
    chunks, tracks = copies[0], 3 if one_gap else 5
    assert chunks > 1
    assert (copies[1] - chunks) // tracks in range(1, chunks + 1)
    assert (copies[1] - chunks) % tracks == 0
