"""The edit distance: every build against edlib, and the command."""

from __future__ import annotations

from pathlib import Path

import edlib
import numpy as np
import pytest
from click.testing import CliRunner

from gkl_shim import _native, editdistance
from gkl_shim.cli import cli
from gkl_shim.errors import BackendUnavailable


def simulated(count: int) -> tuple[list[bytes], list[bytes]]:
    """Pairs of all lengths from 0, some of them similar."""
    random = np.random.default_rng(1)
    first, second = [], []
    for _ in range(count):
        one = random.choice(list(b"ACGT"), random.integers(0, 90)).astype(np.uint8)
        other = one.copy()
        changed = random.random(len(other)) < random.choice([0.02, 0.2, 0.9])
        other[changed] = random.choice(list(b"ACGT"), int(changed.sum()))
        first.append(one.tobytes())
        second.append(other.tobytes()[random.integers(0, 9) :])
    return first, second


def by_edlib(first: list[bytes], second: list[bytes]) -> list[int]:
    # edlib takes no empty sequence.
    return [
        edlib.align(one, other)["editDistance"] if one and other else len(one) + len(other)
        for one, other in zip(first, second, strict=True)
    ]


@pytest.mark.parametrize("build", _native.builds())
@pytest.mark.parametrize("threads", [1, 2])
def test_distances(build: str, threads: int) -> None:
    first, second = simulated(2001)
    found = editdistance.distances(first, second, threads=threads, build=build)
    assert found.tolist() == by_edlib(first, second)


def test_refusals() -> None:
    assert editdistance.distances([], []).tolist() == []
    with pytest.raises(ValueError, match="first: sequence 1 has not 0 to 16384 letters"):
        editdistance.distances([b"A", b"A" * 16385], [b"A", b"A"])
    with pytest.raises(BackendUnavailable, match='no build "none" here'):
        editdistance.distances([b"A"], [b"A"], build="none")


def test_command(tmp_path: Path) -> None:
    source = tmp_path / "pairs.tsv"
    source.write_bytes(b"ACGT\tACGT\nACGT\tAGT\n\tACG\n")
    done = CliRunner().invoke(cli, ["editdistance", str(source)])
    assert (done.exit_code, done.stdout) == (0, "0\n1\n3\n")
