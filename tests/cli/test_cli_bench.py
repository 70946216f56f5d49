"""``gkl-shim bench`` and the input that it generates."""

from __future__ import annotations

import itertools
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from gkl_shim.bench import beside_gkl, lone, regions, timing
from gkl_shim.bench.regions import regions as generated_regions
from gkl_shim.cli import bench, cli
from gkl_shim.common import _native
from gkl_shim.gatk import gkl
from tests.cli.shim_command import REGIONS, one_error, run

# Without a cached GKL, only our own figures are measured.
ALONE = {"GKL_SHIM_CACHE": "/absent"}


def in_process(*arguments: str) -> dict[str, Any]:
    """Run the command here, where devices can be replaced; return its JSON."""
    done = CliRunner().invoke(
        cli, ["bench", *arguments, "--seconds", "0.01", "--json", "-"], catch_exceptions=False
    )
    assert done.exit_code == 0
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_engines_take_turns() -> None:
    calls: list[str] = []

    def fast() -> None:
        calls.append("fast")

    def slow() -> None:
        calls.append("slow")
        time.sleep(0.01)

    of_fast, of_slow = timing.in_turns([fast, slow], 0.02)
    turns = [name for name, _ in itertools.groupby(calls)]
    assert turns == ["fast", "slow"] * 6  # the first is not timed
    assert (len(of_fast), len(of_slow)) == (5, 5)
    assert min(of_slow) >= 0.01 > np.median(of_fast)


def test_bench_pairhmm_reports_every_build(tmp_path: Path) -> None:
    (tmp_path / "x.in").write_bytes(REGIONS)
    command = "bench pairhmm x.in --seconds 0.01 --json b.json"
    done = run(tmp_path, *command.split(), env=ALONE)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert "GCUPS" in text
    assert "GKL not measured" in text
    report = json.loads((tmp_path / "b.json").read_text())
    assert report["gkl"] is None
    assert "gkl-shim demo" in report["missing"]["GKL"]
    assert report["machine"]["usable_cpus"] == _native.cpu_count()
    rows = [row for row in report["rows"] if row["build"] != "cuda"]
    assert {(row["build"], row["precision"], row["threads"]) for row in rows} == {
        (build, precision, count)
        for build in _native.builds()
        for precision in ("single", "double")
        for count in {1, _native.cpu_count()}
    }
    for row in report["rows"]:
        assert row["gcups"] == np.median(row["rounds"]) > 0
        assert row["jvm"] is None


def test_pairhmm_on_a_gpu(fake_gpus: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gpus(2, result=0)
    monkeypatch.setenv("GKL_SHIM_CACHE", "/absent")
    (tmp_path / "x.in").write_bytes(REGIONS)
    report = in_process("pairhmm", str(tmp_path / "x.in"))
    assert report["cuda"] == ["fake 0", "fake 1"]
    assert set(report["missing"]) == {"GKL"}
    on_gpu = [row for row in report["rows"] if row["build"] == "cuda"]
    assert [(row["precision"], row["threads"]) for row in on_gpu] == [
        (precision, _native.cpu_count()) for precision in ("single", "double")
    ]


@pytest.mark.parametrize(
    ("options", "same"), [({"kernels": "pairhmm"}, True), ({"result": 0}, False)]
)
def test_regions_of_one_haplotype_on_a_gpu(
    fake_gpus: Any, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], same: bool
) -> None:
    for name, value in {"_BASES": (32, 40), "_CALL_BASES": 1, "_SECONDS": 1e-9}.items():
        monkeypatch.setattr(lone, name, value)
    monkeypatch.setattr(regions, "_DISTINCT", 64)
    monkeypatch.setattr(bench, "_GENERATED_REGIONS", 1)
    monkeypatch.setenv("GKL_SHIM_CACHE", "/absent")
    fake_gpus(**options)
    report = in_process("pairhmm")
    rows = report["one_haplotype"]
    assert [(row["reads_a_haplotype"], row["bases"]) for row in rows] == [
        (64, 32), (64, 40), (1, 32), (1, 40),
    ]  # fmt: skip
    for row in rows:
        assert row["GPU"] > 0
        assert row["CPU"] > 0
        assert row["same_bits"] is same


@pytest.mark.parametrize("reads", [1, 64])
def test_regions_of_one_haplotype_are_as_documented(reads: int) -> None:
    batch = regions.lone_regions(20_000, reads, 32)
    assert batch.pairs == len(batch.reads) == 2 << 13
    assert (batch.shapes == (reads, 1)).all()
    assert (np.diff(batch.reads.offsets) == 32).all()
    assert (np.diff(batch.haplotypes.offsets) == 32).all()
    own = np.repeat(batch.haplotypes.bases.reshape(-1, 32), reads, axis=0).ravel()
    assert 0.98 < np.mean(own == batch.reads.bases) < 0.999
    _, quals, insertion, deletion, continuation = batch.reads.tracks
    limits = [(20, 40), (45, 45), (45, 45), (10, 10)]
    for track, (low, high) in zip((quals, insertion, deletion, continuation), limits, strict=True):
        assert (track.min(), track.max()) == (low, high)


def test_bench_pairhmm_compares_with_gkl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = beside_gkl.BesideGkl(5.0, 2.0, 2.5, "passive", True, 1e-6)
    jar = "/jars/gkl-0.8.11.jar"
    monkeypatch.setattr(gkl, "classpath", lambda *_: (jar, None))
    monkeypatch.setattr(beside_gkl, "beside_gkl", lambda *_, **__: found)
    (tmp_path / "x.in").write_bytes(REGIONS)
    arguments = ["bench", "pairhmm", str(tmp_path / "x.in"), "--seconds", "0.01"]
    done = CliRunner().invoke(cli, [*arguments, "--json", str(tmp_path / "b.json")])
    assert done.exit_code == 0, done.output
    assert "GKL 0.8.11" in done.output
    assert "flush-to-zero on" in " ".join(done.output.split())
    report = json.loads((tmp_path / "b.json").read_text())
    assert report["gkl"] == "0.8.11"
    assert "GKL" not in report["missing"]
    with_gkl = {row["build"] for row in report["rows"] if row["jvm"] is not None}
    assert with_gkl == {_native.builds()[0]}  # the build that GATK runs


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.in"], "absent.in: No such file or directory"),
        (["--gkl", "absent.jar"], "--gkl: absent.jar: no such file or folder"),
        (
            ["x.in", "--seconds", "0.01", "--json", "/dev/full"],
            "/dev/full: No space left on device",
        ),
    ],
)  # fmt: skip
def test_a_failure_is_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "x.in").write_bytes(REGIONS)
    done = run(tmp_path, "bench", "pairhmm", *arguments, env=ALONE)
    assert done.returncode == 1
    assert one_error(done) == message


def test_generated_regions_are_as_documented() -> None:
    batch = generated_regions(400)
    same = generated_regions(400)
    assert np.array_equal(batch.reads.bases, same.reads.bases)
    assert np.array_equal(batch.haplotypes.bases, same.haplotypes.bases)
    pairs = batch.shapes.prod(axis=1)
    assert 0.75 < np.mean(pairs < 200) < 0.9
    lengths = np.percentile(np.diff(batch.reads.offsets), [10, 50, 90])
    assert np.abs(lengths - [28, 79, 141]).max() < 5
    assert abs(np.median(np.diff(batch.haplotypes.offsets)) - 192) < 8
    assert batch.shapes.min(axis=0).tolist() == [10, 2]


@pytest.mark.parametrize("shape", [(1, 1), (10, 2), (3, 130)])
def test_generated_regions_have_the_requested_shape(shape: tuple[int, int]) -> None:
    batch = generated_regions(2, shape=shape)
    assert batch.shapes.tolist() == [list(shape)] * 2
    ends = batch.haplotypes.offsets[: shape[1] + 1]
    first = np.split(batch.haplotypes.bases[: ends[-1]], ends[1:-1])
    assert len({haplotype.tobytes() for haplotype in first}) == shape[1]
