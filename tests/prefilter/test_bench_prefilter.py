"""``gkl-shim bench prefilter``: every table, with few pairs."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from gkl_shim import _native
from gkl_shim.cli import bench_prefilter
from tests.cli.shim_command import one_error, run
from tests.conftest import shared_data


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_prefilter, "_CPU_PAIRS", 500)
    monkeypatch.setattr(bench_prefilter, "_MADE_PAIRS", 500)
    monkeypatch.setattr(bench_prefilter, "_cuda_devices", lambda: ([], "this test wants none"))


def test_the_papers_tables(tmp_path: Path) -> None:
    pairs = shared_data("prefilter", "ERR240727_1_E2.tsv")
    plot = tmp_path / "plot.svg"
    done = CliRunner().invoke(
        bench_prefilter.command,
        [str(pairs), "--papers", "--seconds", "0.01", "--json", "-", "--plot", str(plot)],
        catch_exceptions=False,
    )
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert report["pairs"] == pairs.name
    assert report["cuda_absent_because"] == "this test wants none"
    assert {row["table"] for row in report["rows"]} == {"filter", "length", "threads"}
    whats = {row["what"] for row in report["rows"]}
    assert whats == {"edlib", *(f"CPU, {build}" for build in _native.builds())}
    assert {row["length"] for row in report["rows"]} == {100, 150, 250, 300}
    assert all(row["millions"] > 0 and math.isfinite(row["millions"]) for row in report["rows"])
    accepted = {row["max_edits"]: row for row in report["accuracy"]}
    assert set(accepted) == set(range(41))
    assert (accepted[5]["gatekeeper"], accepted[5]["exact"]) == (1525, 34)
    assert all(row["false_rejects"] == 0 for row in report["accuracy"])
    assert [row["mappings"] for row in report["verification"]] == [24, 34, 310]
    assert all(row["same_mappings"] for row in report["verification"])
    assert plot.read_bytes().startswith(b"<?xml")


def test_the_table(tmp_path: Path) -> None:
    done = CliRunner().invoke(bench_prefilter.command, ["--seconds", "0.01"])
    assert done.exit_code == 0
    assert "CUDA not timed: this test wants none" in done.stdout
    assert "portable" in done.stdout


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (b"ACGT\tACG\n", 1, "x.tsv:1: bench needs pairs of one length"),
        (b"AC\tAC\nACG\tACG\n", 1, "x.tsv:1: bench needs pairs of one length"),
        (b"", 1, "x.tsv:1: there are no pairs"),
        (b"ACGT\n", 1, "x.tsv:1: expected a read, a TAB and a segment"),
    ],
)
def test_wrong_pairs(tmp_path: Path, text: bytes, code: int, message: str) -> None:
    (tmp_path / "x.tsv").write_bytes(text)
    done = run(tmp_path, "bench", "prefilter", "x.tsv")
    assert done.returncode == code
    assert one_error(done).startswith(message)


def test_an_unknown_kind_of_plot(tmp_path: Path) -> None:
    done = run(tmp_path, "bench", "prefilter", "--plot", "x.bmp")
    assert done.returncode == 2
    assert one_error(done).startswith("--plot x.bmp: one of .png, .svg, .pdf")
