"""``gkl-shim bench pdhmm``, and the regions that it generates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gkl_shim.bench.regions import undetermined_regions
from gkl_shim.cli import cli
from gkl_shim.common import _native
from gkl_shim.gatk import fetch, replay
from gkl_shim.pdhmm import PDHMM, Flag
from tests.conftest import DATA, require_tool

RECORDED = DATA / "chr22_dragen.pdhmm.in"


def bench(*arguments: str) -> dict[str, object]:
    done = CliRunner().invoke(
        cli, ["bench", "pdhmm", *arguments, "--seconds", "0.01", "--json", "-"],
        catch_exceptions=False,
    )  # fmt: skip
    assert done.exit_code == 0
    figures: dict[str, object] = json.loads(done.stdout)
    return figures


def test_every_build_is_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GKL_SHIM_CACHE", str(tmp_path))
    figures = bench(str(RECORDED))
    assert figures["missing"] == {"GKL": "GKL 0.9.1 is not in the cache; give --gkl"}
    rows: list[dict[str, object]] = figures["rows"]  # type: ignore[assignment]
    assert {row["build"] for row in rows} == set(_native.builds())
    for row in rows:
        assert row["gcups"] > 0  # type: ignore[operator]
        assert 0 < row["computed"] < 0.5  # type: ignore[operator]
        assert row["jvm"] is None


def test_generated_regions_have_every_flag_and_are_the_same_each_time() -> None:
    one, other = (undetermined_regions(5) for _ in range(2))
    np.testing.assert_array_equal(one.flags, other.flags)
    assert np.bitwise_or.reduce(one.flags) == 127
    counts = [int((one.flags & flag != 0).sum()) for flag in (2, 4)]
    assert counts[0] == counts[1] > 0
    assert (one.flags & Flag.SNP != 0).sum() > counts[0]
    assert np.isfinite(PDHMM().compute(one)).all()


def test_beside_gkl() -> None:
    """GKL is the independent one: the likelihoods agree, whatever the times."""
    require_tool("java")
    require_tool("mvn")
    classpath = fetch.gkl_classpath("0.9.1")
    calls = replay.Calls(0.01, pdhmm=True, level="SCALAR")
    beside = replay.beside_gkl(RECORDED, classpath, "portable", calls)
    assert beside.largest_difference < 1e-9
    assert beside.ratio > 0
