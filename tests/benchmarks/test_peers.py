"""The scripts that measure gkl-shim beside other programs, on small inputs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import gkl_kernels, mem_peers, prefilter_peers
from benchmarks.common import filters
from benchmarks.common.genomes import PAPER
from benchmarks.common.pairs import candidates
from gkl_shim.common import _native
from gkl_shim.prefilter import edits
from tests.conftest import DATA, require_package, require_tool


def rows(command: click.Command, *arguments: str) -> list[dict[str, Any]]:
    """Run a script here, where devices can be replaced; return the rows of its JSON."""
    done = CliRunner().invoke(command, [*arguments, "--json", "-"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)["rows"]
    return found


def test_the_filter_beside_edlib(fake_gpus: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    require_package("edlib")
    for name in ("_GENERATED_BASES", "_CPU_BASES", "_CUDA_BASES", "_EDLIB_BASES"):
        monkeypatch.setattr(filters, name, 30_000)
    driver = fake_gpus(2, kernels="prefilter")
    options = ["--length", "70", "-e", "3", "-e", "40", "--seconds", "0.01"]
    found = rows(prefilter_peers.command, *options)
    assert driver.launched
    cpus, builds = _native.cpu_count(), _native.builds()
    expected = [(f"CPU, {build}", 1) for build in builds]
    expected += [(f"CPU, {builds[0]}", cpus)] if cpus > 1 else []
    expected += [("edlib", 1), ("CUDA, letters", None), ("CUDA, 2-bit encoded", None)]
    for max_edits in (3, 40):
        some = [row for row in found if row["max_edits"] == max_edits]
        assert [(row["engine"], row["threads"]) for row in some] == expected
    for row in found:
        assert (row["length"], row["pairs_a_call"]) == (70, 30_000 // 70)
        assert row["million_pairs_a_second"] > 0


@pytest.mark.parametrize("length", [1, 100, 3000])
def test_generated_pairs_are_reproducible_and_few_are_similar(length: int) -> None:
    reads, segments = candidates(500, length)
    assert reads.shape == segments.shape == (500, length)
    same = candidates(500, length)
    assert np.array_equal(reads, same[0])
    assert np.array_equal(segments, same[1])
    if length == 100:
        accepted = np.mean(edits(reads, segments, 5, backend="cpu") >= 0)
        assert 0.02 < accepted < 0.2  # few are alike


def test_mem_beside_mummer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = require_tool("mummer")
    monkeypatch.setenv("PATH", f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(mem_peers, "_SMALLER", 500)
    monkeypatch.chdir(tmp_path)
    found = rows(mem_peers.command, "--rounds", "1")
    assert [row["workload"] for row in found[::2]] == [shape.name for shape in PAPER]
    for ours, theirs in zip(found[::2], found[1::2], strict=True):
        assert (ours["command"], theirs["command"]) == ("gkl-shim", "mummer")
        assert ours["times mummer"] == theirs["seconds"] / ours["seconds"] > 0


@pytest.mark.gatk
@pytest.mark.parametrize(
    ("kernel", "file"), [("pdhmm", "chr22_dragen.pdhmm.in"), ("smithwaterman", "pairs.tsv")]
)
def test_kernels_beside_gkl(tmp_path: Path, kernel: str, file: str) -> None:
    """GKL is the independent one: the results agree, whatever the times."""
    require_tool("javac")
    require_tool("mvn")
    (tmp_path / "pairs.tsv").write_text("ACGTTGCAACGTACCA\tACGTTGCATCGTACCA\n" * 10)
    path = tmp_path / file if (tmp_path / file).exists() else DATA / file
    found = rows(gkl_kernels.command, kernel, str(path), "--seconds", "0.01")
    assert {row["build"] for row in found} == set(_native.builds())
    beside = [row for row in found if "times GKL" in row]
    assert beside
    for row in beside:
        assert row["times GKL"] > 0
        assert row["difference"] < 1e-9
