"""Regions for the CUDA engine."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gkl_shim.pairhmm import Batch
from gkl_shim.pairhmm._convert import haplotype_batch, read_batch
from gkl_shim.pairhmm._copies import concatenated
from tests.fakes.driver import Driver


def random_region(
    rnd: random.Random, reads: int, haplotypes: int, longest: int, kind: str
) -> Batch:
    """Haplotypes that differ in a few places, reads that come from them.

    ``kind``: "usual"; "n" has Ns; "wild" any quality; "open" gap-open qualities of 0 to 5, which
    leave some rows no match transition.
    """
    letters = "ACGTN" if kind == "n" else "ACGT"
    base = rnd.choices(letters, k=rnd.randint(1, longest))
    known = []
    for _ in range(haplotypes):
        haplotype = list(base)
        for _ in range(rnd.randint(0, 3)):
            haplotype[rnd.randrange(len(haplotype))] = rnd.choice("ACGT")
        known.append("".join(haplotype[: rnd.randint(1, len(haplotype))] * rnd.choice([1, 1, 2])))
    gap = {"wild": (0, 127), "open": (0, 5)}.get(kind, (10, 45))
    quality = {"wild": (0, 127)}.get(kind, (6, 41))
    continuation = {"wild": (0, 127)}.get(kind, (6, 14))
    made = []
    for _ in range(reads):
        source = rnd.choice(known) * 3
        bases = source[: rnd.randint(1, longest)]
        ranges = (quality, gap, gap, continuation)
        tracks = [[rnd.randint(*limits) for _ in bases] for limits in ranges]
        made.append((bases, *tracks))
    return Batch(read_batch(made, (45, 45, 10)), haplotype_batch(known))


@pytest.fixture
def host(fake_gpus):
    return fake_gpus(kernels="pairhmm")


def launched(host: Driver) -> set[str]:
    return {name for _, name in host.launched}


@pytest.fixture(scope="session")
def regions() -> Batch:
    """Odd shapes of every kind, in one batch."""
    rnd = random.Random(7)
    shapes = [(1, 1, 1), (3, 2, 5), (40, 1, 30), (33, 7, 160), (70, 13, 300), (5, 4, 560)]
    kinds = ("usual", "n", "wild", "open")
    return concatenated(
        [random_region(rnd, *shape, kind) for shape in shapes for kind in kinds]
        + [
            random_region(rnd, rnd.randint(1, 50), rnd.randint(1, 9), 150, "usual")
            for _ in range(60)
        ]
    )


def assert_same_bits(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_array_equal(one.view(np.uint64), other.view(np.uint64))
