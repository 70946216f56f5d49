"""What the CUDA engine leaves to the CPU; no device is needed to tell."""

from __future__ import annotations

import itertools
import random

import numpy as np

from gkl_shim._batch import concatenated
from gkl_shim._convert import haplotype_batch, read_batch
from gkl_shim.cuda import pairhmm as cuda
from gkl_shim.pairhmm import Batch, PairHMM, Read
from tests.gpu.conftest import assert_same_bits, random_region
from tests.gpu.test_cuda_planner import planned


def test_too_many_states_are_left_to_the_cpu():
    known = ["".join(letters) for letters in itertools.product("ACGT", repeat=8)][:20_000]
    crowd = Batch(
        read_batch([("ACGT" * 5, 30)] * 3, (45, 45, 10)),
        haplotype_batch([haplotype * 2 for haplotype in known]),
    )
    small = random_region(random.Random(1), 5, 2, 100, "usual")
    values, chunks, number = planned(
        concatenated([small, crowd, small]), "single", 1 << 40, 1 << 40
    )
    assert number == 2 * small.pairs
    assert sum(chunk.missing for chunk in chunks) == crowd.pairs
    assert np.isnan(values[small.pairs : -small.pairs]).all()
    assert not np.isnan(values[: small.pairs]).any()


def test_reads_that_no_device_can_compute(fake_gpus):
    """Their states need too much memory: the CPU computes them, in either precision."""
    fake_gpus(kernels="pairhmm")
    rnd = random.Random(24)
    haplotypes = ["".join(rnd.choices("ACGT", k=900)) for _ in range(6)]
    reads = [Read(haplotypes[0][:800], 30), Read(haplotypes[1][:20], 30)]
    batch = Batch(read_batch(reads, (45, 45, 10)), haplotype_batch(haplotypes))
    for precision in ("single", "double"):
        engine = cuda.Engine(precision=precision, threads=1, most_memory=1 << 16)
        values = engine.compute(batch)
        done = engine.statistics()
        engine.close()
        assert_same_bits(values, PairHMM(backend="cpu", precision=precision).compute(batch))
        assert done["cuda_pairs"] < batch.pairs
