"""`gkl-shim bench mem` and the benchmarks of maximal exact matches."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from gkl_shim.bench.genomes import PAPER, Shape, Workload, generated
from gkl_shim.cli.bench import mem as bench_mem
from tests.conftest import require_tool


def test_bench_compares_whole_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = require_tool("mummer")
    monkeypatch.setenv("PATH", f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(bench_mem, "_SMALLER", 500)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(
        bench_mem.command, ["--rounds", "1", "--json", "x.json"], catch_exceptions=False
    )
    assert done.exit_code == 0
    rows = json.loads(Path("x.json").read_text())["rows"]
    assert [row["workload"] for row in rows[::2]] == [shape.name for shape in PAPER]
    for ours, theirs in zip(rows[::2], rows[1::2], strict=True):
        assert (ours["command"], theirs["command"]) == ("gkl-shim", "mummer")
        assert ours["times mummer"] == theirs["seconds"] / ours["seconds"] > 0


def test_the_papers_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = PAPER[0].smaller(500)
    made = []

    def generate(wanted: Shape) -> Workload:
        made.append(wanted)
        return generated(wanted)

    monkeypatch.setattr(bench_mem, "PAPER", (shape,))
    monkeypatch.setattr(bench_mem, "generated", generate)
    monkeypatch.chdir(tmp_path)
    for options, want in (["--papers"], shape), ([], shape.smaller(10)):
        made.clear()
        done = CliRunner().invoke(
            bench_mem.command, ["--rounds", "1", *options], catch_exceptions=False
        )
        assert (done.exit_code, made) == (0, [want])
