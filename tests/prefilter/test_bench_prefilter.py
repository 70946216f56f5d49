"""``gkl-shim bench prefilter``: every table, with few pairs."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gkl_shim import _native
from gkl_shim.cli import _prefilter_rates as rates
from gkl_shim.cli import _prefilter_verification as verification
from gkl_shim.cli import bench_prefilter
from tests.cli.shim_command import one_error, run
from tests.conftest import require_tool, shared_data


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "_CPU_PAIRS", 500)
    monkeypatch.setattr(rates, "_MADE_PAIRS", 500)
    monkeypatch.setattr(rates, "_ENERGY_SECONDS", 0.01)
    monkeypatch.setattr(verification, "_MADE_READS", 300)
    monkeypatch.setattr(rates, "cuda_devices", lambda: ([], "this test wants none"))


def papers(*arguments: object) -> dict[str, Any]:
    command = ["--papers", "--seconds", "0.01", "--json", "-", *map(str, arguments)]
    done = CliRunner().invoke(bench_prefilter.command, command, catch_exceptions=False)
    assert done.exit_code == 0
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_the_papers_tables(tmp_path: Path) -> None:
    require_tool("minimap2")
    pairs = shared_data("prefilter", "ERR240727_1_E2.tsv")
    plot = tmp_path / "plot.svg"
    report = papers(pairs, "--plot", plot)
    assert report["pairs"] == pairs.name
    assert report["missing"]["CUDA"] == "this test wants none"
    assert {row["table"] for row in report["rows"]} == {"edits", "length", "threads"}
    whats = {row["what"] for row in report["rows"]}
    assert whats == {"edlib", *(f"CPU, {build}" for build in _native.builds())}
    assert {row["length"] for row in report["rows"]} == {100, 150, 250, 300}
    assert all(row["millions"] > 0 and math.isfinite(row["millions"]) for row in report["rows"])
    accepted = {row["max_edits"]: row for row in report["accuracy"]}
    assert set(accepted) == set(range(41))
    assert (accepted[5]["gatekeeper"], accepted[5]["exact"]) == (1525, 34)
    assert all(row["false_rejects"] == 0 for row in report["accuracy"])
    assert [row["max_edits"] for row in report["verification"]] == [2, 5, 10]
    for row in report["verification"]:
        assert row["reads"] == 300
        assert row["same_mappings"]
        assert 100 < row["mappings"] == row["passed"] < row["candidates"]
    assert plot.read_bytes().startswith(b"<?xml")


def test_verification_of_files(tmp_path: Path) -> None:
    require_tool("minimap2")
    genome = "".join(random.Random(1).choices("ACGT", k=4000))
    reads = [genome[at : at + 90] for at in range(0, 3900, 60)]
    reads[3] = reads[3][:40] + "N" + reads[3][41:]
    (tmp_path / "ref.fa").write_text(f">one\n{genome[:2000]}\n>two\n{genome[2000:].lower()}\n")
    (tmp_path / "reads.fa").write_text("".join(f">r\n{read}\n" for read in reads))
    report = papers("--reads", tmp_path / "reads.fa", "--reference", tmp_path / "ref.fa")
    for row in report["verification"]:
        assert row["same_mappings"]
        # The one across the contigs' border is in neither; that with an N is one edit away.
        assert row["mappings"] >= len(reads) - 2
        assert row["passed"] > row["mappings"] - 1


def test_no_seeder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    report = papers()
    assert report["verification"] == []
    assert report["missing"]["verification"].startswith(
        "minimap2: not found on the PATH; verification needs it (Debian: apt install minimap2)"
    )
    (tmp_path / "minimap2").write_text("#!/bin/sh\necho no memory >&2; exit 3\n")
    (tmp_path / "minimap2").chmod(0o755)
    assert papers()["missing"]["verification"] == "verification: minimap2 fails: no memory"


def test_the_table() -> None:
    done = CliRunner().invoke(bench_prefilter.command, ["--seconds", "0.01"])
    assert done.exit_code == 0
    assert "CUDA not measured: this test wants none" in done.stdout
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


@pytest.mark.parametrize(
    "arguments", [["--reads", "r.fq"], ["--reads", "r.fq", "--reference", "r.fa"]]
)
def test_files_without_the_papers(tmp_path: Path, arguments: list[str]) -> None:
    done = run(tmp_path, "bench", "prefilter", *arguments)
    assert done.returncode == 2
    assert one_error(done).startswith("--reads and --reference go together, and with --papers")
