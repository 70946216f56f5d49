"""``gkl-shim bench`` and the regions that it generates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from gkl_shim import _native, traffic
from gkl_shim.cli import _bench, bench_gatk
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import replay
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


def test_reference_without_gatk(tmp_path: Path) -> None:
    (tmp_path / "r.fa").write_text(">r\nACGT\n")
    done = run(tmp_path, "bench", "pairhmm", "--reference", "r.fa", env=ALONE)
    assert done.returncode == 2
    assert one_error(done).startswith("--reference goes with --gatk")


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


def test_threads_beside_a_loop(tmp_path: Path) -> None:
    path = tmp_path / "x.in"
    with path.open("wb") as file:
        pairhmm_in.write(file, traffic.regions(2, shape=(50, 8)))
        pairhmm_in.write(file, traffic.regions(2, shape=(3, 2)))
    (scaling,) = bench_gatk.scaling(path, bench_gatk.fma_loop(), rounds=1)
    assert (scaling.input, scaling.regions) == ("x", 2)  # those of enough pairs
    assert scaling.share == scaling.engine / scaling.fma_loop > 0


def test_tables_of_gatk() -> None:
    beside = replay.BesideGkl(50.0, 2.0, 25.0, "passive", True, 1e-6)
    report = bench_gatk.Report(
        (bench_gatk.Row("10s", 7, 62380634, 1, "single", "avx512", beside),),
        (bench_gatk.Scaling("10s", 3, 1.9, 1.5, 2.0, 0.95),),
        (bench_gatk.WholeRun("30x", 4, 3, 22.0, 1.0, 22.0, 80.0, 60.0, 1.3333, 1.3559, 0.983),),
    )
    console = Console(width=100)
    with console.capture() as captured:
        for table in bench_gatk.tables(report):
            _bench.print_table(console, table)
    lines = [line.split() for line in captured.get().splitlines()]
    assert ["10s", "single", "avx512", "1", "50.00", "2.00", "25.0"] in lines
    assert ["10s", "1.90", "1.50", "2.00", "0.95"] in lines
    assert ["30x", "4", "22.0", "1.33", "0.98"] in lines
    # What there is nothing of has no table.
    assert list(bench_gatk.tables(bench_gatk.Report((), (), ()))) == []


def test_reference_too_short(tmp_path: Path) -> None:
    (tmp_path / "r.fa").write_text(">r\n" + "ACGT" * 100 + "\n")
    with pytest.raises(ValueError, match=r"has 400 bases without an N; give one of 100,000"):
        bench_gatk.sequence(tmp_path / "r.fa")
