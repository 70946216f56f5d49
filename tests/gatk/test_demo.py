"""The output and the exit code of the demo. ``make demo`` runs it with a real GATK."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gkl_shim.cli import demo
from gkl_shim.gatk import data, fetch, run
from gkl_shim.gatk.compare import Comparison, Difference
from gkl_shim.gatk.replay import Engine, Replay, Turn

SAME = Comparison((3, 3))
DIFFERENT = Comparison((3, 3), [Difference("20:1 A>C", {"QUAL": ("50", "51")}, call=False)])


def _result(sample: data.Sample, comparison: Comparison) -> demo._Result:
    engines = {
        name: Engine(name, (Turn(1, 2.0, gcups),), True, 1e-6, 0)
        for name, gcups in (("stock", 2.0), ("shim", 24.0))
    }
    log = b"Total compute time in PairHMM computeLogLikelihoods() : 0.25"
    runs = {name: run.Run((), 0, 3.0, log) for name in engines}
    replays = dict.fromkeys((1, run.DEFAULT_THREADS), Replay(1, 2, 3, engines, ""))
    return demo._Result(sample, comparison, runs, replays)


@pytest.mark.parametrize(("comparison", "code"), [(SAME, 0), (DIFFERENT, 1)])
def test_the_exit_code_says_whether_vcfs_differ(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, comparison: Comparison, code: int
) -> None:
    sample = data.Sample("reads", "some reads", tmp_path / "r.fa", tmp_path / "r.bam")
    for name in ("gatk_classpath", "gkl_classpath"):
        monkeypatch.setattr(fetch, name, lambda *_, **__: "")
    monkeypatch.setattr(data, "na12878_chr22", lambda *_: sample)
    monkeypatch.setattr(demo, "_demonstrate", lambda *_: _result(sample, comparison))
    result = CliRunner().invoke(demo.command, ["-o", str(tmp_path)], standalone_mode=False)
    assert result.exception is None, result.output
    assert result.return_value == code
    assert "12.0x" in result.output
    assert ("QUAL 50 | 51" in result.output) == bool(code)
    assert "flush-to-zero on" in result.output
    document = json.loads((tmp_path / "demo.json").read_text())
    assert document["vcf_identical"] == (code == 0)
    assert document["gatk"]["shim"]["pairhmm_seconds"] == 0.25
    assert [row["threads"] for row in document["replays"]] == [1, run.DEFAULT_THREADS]
