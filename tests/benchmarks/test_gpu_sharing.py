"""The prediction for clients that share a GPU."""

from __future__ import annotations

import math

import pytest

from benchmarks import gpu_sharing


@pytest.mark.parametrize("clients", [1, 2, 4, 8, 50])
@pytest.mark.parametrize(("think", "service"), [(1e-3, 1e-3), (15e-3, 1e-4), (1e-4, 1e-3)])
def test_the_prediction_is_that_of_machines_and_a_repairman(
    clients: int, think: float, service: float
) -> None:
    """The textbook's formula: the probability that nobody is being served."""
    idle = 1 / sum(math.perm(clients, k) * (service / think) ** k for k in range(clients + 1))
    found = gpu_sharing.predicted(clients, think, service)
    assert found == pytest.approx((1 - idle) / service, rel=1e-9)


def test_clients_without_a_server_do_not_wait() -> None:
    assert gpu_sharing.predicted(8, 1e-3, 0) == pytest.approx(8000)
