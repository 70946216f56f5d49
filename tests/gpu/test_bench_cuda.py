"""The benchmark of PairHMM on GPUs: what it measures and shows, with kernels that do nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from gkl_shim import traffic
from gkl_shim.cli import bench_pairhmm_cuda as papers
from gkl_shim.cli import cli
from gkl_shim.cuda import devices, driver
from gkl_shim.pairhmm import PairHMM
from tests.cli.shim_command import one_error, run
from tests.gpu.null_cupy import NullCuPy
from tests.gpu.null_driver import NullDriver

TABLES = {
    "inputs", "stages", "sizes", "grid", "tiles", "pairs", "initialization", "streams", "callers",
    "jvm", "devices", "energy", "gatk",
}  # fmt: skip


@pytest.fixture
def small(monkeypatch):
    """Little work, and two devices."""
    monkeypatch.setattr(devices, "import_cupy", lambda: NullCuPy(2))
    monkeypatch.setattr(driver, "functions", NullDriver(result=0).functions)
    for name, value in {
        "_LARGE_CELLS": 1e9,
        "_GRID": ((32, 64), (256, 256)),
        "_GRID_PAIRS": (200, 1000),
        "_TILE_LENGTHS": (32, 256),
        "_TILE_REPEATS": 1,
        "_TILE_PAIRS": 1000,
        "_MANY_PAIRS": (1000, 2000),
        "_CALLERS": (1, 3),
        "_ENERGY_SECONDS": 0.01,
        "_LARGE_REGIONS": 2,
    }.items():
        monkeypatch.setattr(papers, name, value)


def test_papers(small, tmp_path):
    report, plot = tmp_path / "bench.json", tmp_path / "bench.svg"
    options = ["--backend", "cuda", "--papers", "--seconds", "0.01"]
    result = CliRunner().invoke(
        cli, ["bench", "pairhmm", *options, "--json", str(report), "--plot", str(plot)]
    )
    assert result.exit_code == 0, result.output
    assert plot.read_bytes().startswith(b"<?xml")
    found = json.loads(report.read_text())
    tables = found["tables"]
    assert set(tables) == TABLES
    assert [device["name"] for device in found["devices"]] == ["Null", "Null"]
    assert tables["gatk"]["absent"] == "give --reference and --reads"
    # A JVM has a Python of its own, with the CuPy and the devices of this machine.
    assert tables["jvm"]["rows"] or tables["jvm"]["absent"]
    for name in TABLES - {"gatk", "energy", "jvm"}:
        assert tables[name]["rows"], name
        assert tables[name]["title"] in result.output.replace("\n", " ")
    grid = tables["grid"]["rows"]
    assert len(grid) == 2 * 2 * 3
    assert {row["kernel"] for row in grid} == {"inter-task", "intra-task", "as planned"}
    assert [row["devices"] for row in tables["devices"]["rows"]] == [1, 2, 1, 2]
    percents = [row["percent_of_cells"] for row in tables["sizes"]["rows"]]
    assert sum(percents) == pytest.approx(100)
    for row in tables["tiles"]["rows"]:
        assert 32 // row["lanes_a_read"] * row["lanes_a_read"] <= 32
        assert 0 < row["lanes_filled_percent"] <= 100


def test_without_papers(small):
    result = CliRunner().invoke(
        cli, ["bench", "pairhmm", "--backend", "cuda", "--seconds", "0.01", "--json", "-"]
    )
    assert result.exit_code == 0, result.output
    assert set(json.loads(result.output)["tables"]) == {"inputs", "stages"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--papers"], "--papers goes with --backend cuda"),
        (["--backend", "cuda", "--gkl", __file__], "--gkl and --gatk go with --backend cpu"),
        (["--backend", "cuda", "--gatk"], "--gkl and --gatk go with --backend cpu"),
        (
            ["--backend", "cuda", "--papers", "--reads", __file__],
            "--reads goes with --papers and --reference",
        ),
        (["--reads", __file__], "--reads goes with --papers and --reference"),
        (["--reference", __file__], "--reference goes with --gatk or --reads"),
    ],
)
def test_used_wrongly(tmp_path, arguments, message):
    result = run(tmp_path, "bench", "pairhmm", *arguments)
    assert result.returncode == 2
    assert message in one_error(result)


@pytest.mark.parametrize(("read", "haplotype"), [(32, 32), (128, 256)])
def test_uniform_regions_fit_and_share_nothing(read, haplotype):
    batch = traffic.uniform(40, (20, 10), read, haplotype)
    assert len(batch) == 40
    assert batch.pairs == 40 * 200
    assert batch.cells == batch.pairs * read * haplotype
    with PairHMM(backend="cpu") as engine:
        values = engine.compute(batch)
        assert engine.statistics.rescued_pairs == 0
        assert engine.statistics.computed_cells > 0.9 * batch.cells
    assert np.isfinite(values).all()
