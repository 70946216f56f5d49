"""What first calls are expected to cost: the backend "auto" chooses their engine by that."""

from __future__ import annotations

import pytest

from gkl_shim.common import _auto, _native

# The arguments that follow the size of a call.
FACTS = {"correct": (), "mem": (), "prefilter": (1 << 10, 5)}


@pytest.mark.parametrize(("algorithm", "facts"), FACTS.items())
def test_small_calls_go_to_the_cpu_and_large_ones_to_a_gpu(
    algorithm: str, facts: tuple[int, ...]
) -> None:
    small, large = (_auto.estimate(algorithm, size, *facts, 1) for size in (1 << 10, 1 << 33))
    assert (small.size, large.size) == (1 << 10, 1 << 33)
    assert small.cpu_nanoseconds < small.gpu_nanoseconds
    assert large.gpu_nanoseconds < large.cpu_nanoseconds
    whole = _auto.estimate(algorithm, 1 << 33, *facts, 0)
    assert whole.cpu_nanoseconds == pytest.approx(large.cpu_nanoseconds / _native.cpu_count())
    assert whole.gpu_nanoseconds == large.gpu_nanoseconds
