"""``benchmarks.prefilter_papers``: every table, with few pairs."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks import prefilter_papers
from benchmarks.common import prefilter_rates as rates
from benchmarks.common import prefilter_verification as verification
from gkl_shim.common import _native
from gkl_shim.cuda import devices
from gkl_shim.errors import BackendUnavailable
from tests.conftest import require_tool, shared_data


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "_GENERATED_PAIRS": 500,
        "_CPU_PAIRS": 500,
        "_CUDA_PAIRS": 640,
        "_PAPER_PAIRS": 640,
        "_EDLIB_PAIRS": 100,
        "_CANDIDATES": 300,
        "_READS": 50,
        "_REFERENCE": 1000,
    }.items():
        monkeypatch.setattr(rates, name, value)
    monkeypatch.setattr(verification, "_GENERATED_READS", 300)


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise BackendUnavailable("this test wants none")

    monkeypatch.setattr(devices, "import_cupy", fail)


def papers(*arguments: object) -> dict[str, Any]:
    command = ["--seconds", "0.01", "--json", "-", *map(str, arguments)]
    done = CliRunner().invoke(prefilter_papers.command, command, catch_exceptions=False)
    assert done.exit_code == 0
    report: dict[str, Any] = json.loads(done.stdout)
    found = [rate for row in report["rows"] for rate in row["millions"]]
    assert all(rate > 0 and math.isfinite(rate) for rate in found)
    return report


@pytest.mark.usefixtures("no_gpu")
def test_on_the_cpu() -> None:
    require_tool("minimap2")
    pairs = shared_data("prefilter", "ERR240727_1_E2.tsv")
    report = papers(pairs)
    assert report["pairs"] == pairs.name
    assert report["missing"]["CUDA"] == "this test wants none"
    assert {row["table"] for row in report["rows"]} == {"edits", "length", "threads"}
    whats = {row["what"] for row in report["rows"]}
    assert whats == {"edlib", *(f"CPU, {build}" for build in _native.builds())}
    assert {row["length"] for row in report["rows"]} == {100, 150, 250, 300}
    accepted = report["accuracy"]
    assert accepted["max_edits"] == list(range(41))
    assert (accepted["gatekeeper"][5], accepted["exact"][5]) == (1525, 34)
    assert set(accepted["false_rejects"]) == {0}
    assert [row["max_edits"] for row in report["verification"]] == [2, 5, 10]
    for row in report["verification"]:
        assert row["reads"] == 300
        assert row["same_mappings"]
        assert 100 < row["mappings"] == row["passed"] < row["candidates"]


@pytest.mark.usefixtures("no_gpu")
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
        # A read across the contigs' border is in neither; the one with an N is one edit away.
        assert row["mappings"] >= len(reads) - 2
        assert row["passed"] > row["mappings"] - 1
