"""``gkl-shim bench`` and the regions that it generates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gkl_shim import _native, traffic
from tests.cli.shim_command import REGIONS, one_error, run

# No cached GKL: these tests are about our own figures.
ALONE = {"GKL_SHIM_CACHE": "/absent"}


def test_table_and_json(tmp_path: Path) -> None:
    (tmp_path / "x.in").write_bytes(REGIONS)
    done = run(
        tmp_path, "bench", "pairhmm", "x.in", "--seconds", "0.01", "--json", "b.json", env=ALONE
    )
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert "GCUPS" in text
    assert "GKL not timed" in text
    report = json.loads((tmp_path / "b.json").read_text())
    assert report["gkl"] is None
    assert report["machine"]["usable_cpus"] == _native.cpu_count()
    seen = {(row["build"], row["precision"], row["threads"]) for row in report["rows"]}
    threads = {1, _native.cpu_count()}
    assert seen == {
        (build, precision, count)
        for build in _native.builds()
        for precision in ("single", "double")
        for count in threads
    }
    for row in report["rows"]:
        assert row["gcups"] == np.median(row["rounds"]) > 0
        assert row["jvm"] is None


def test_json_on_stdout_is_all_there_is(tmp_path: Path) -> None:
    (tmp_path / "x.in").write_bytes(REGIONS)
    done = run(tmp_path, "bench", "pairhmm", "x.in", "--seconds", "0.01", "--json", "-", env=ALONE)
    assert json.loads(done.stdout)["rows"]


def test_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "x.in").write_bytes(REGIONS)
    done = run(
        tmp_path, "bench", "pairhmm", "x.in", "--seconds", "0.01", "--plot", "b.png", env=ALONE
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.in"], "absent.in: No such file or directory"),
        (["--gkl", "absent.jar"], "--gkl: absent.jar: no such file or folder"),
    ],
)
def test_failures(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = run(tmp_path, "bench", "pairhmm", *arguments, env=ALONE)
    assert done.returncode == 1
    assert one_error(done) == message


def test_generated_regions_are_as_documented() -> None:
    batch = traffic.regions(400)
    same = traffic.regions(400)
    assert np.array_equal(batch.reads.bases, same.reads.bases)
    assert np.array_equal(batch.haplotypes.bases, same.haplotypes.bases)
    pairs = batch.shapes.prod(axis=1)
    assert 0.75 < np.mean(pairs < 200) < 0.9
    lengths = np.percentile(np.diff(batch.reads.offsets), [10, 50, 90])
    assert np.abs(lengths - [28, 79, 141]).max() < 5
    assert abs(np.median(np.diff(batch.haplotypes.offsets)) - 192) < 8
    assert batch.shapes.min(axis=0).tolist() == [10, 2]


@pytest.mark.parametrize("shape", [(1, 1), (10, 2), (3, 130)])
def test_generated_shapes(shape: tuple[int, int]) -> None:
    batch = traffic.regions(2, shape=shape)
    assert batch.shapes.tolist() == [list(shape)] * 2
    ends = batch.haplotypes.offsets[: shape[1] + 1]
    first = np.split(batch.haplotypes.bases[: ends[-1]], ends[1:-1])
    assert len({haplotype.tobytes() for haplotype in first}) == shape[1]
