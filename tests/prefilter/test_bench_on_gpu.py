"""``gkl-shim bench prefilter`` with a GPU, by kernels on the host."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from gkl_shim.bench import filters
from gkl_shim.cli.bench import prefilter as bench_prefilter


def test_bench_on_a_gpu(fake, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = fake(2)
    for name in ("_GENERATED_BASES", "_CPU_BASES", "_CUDA_BASES", "_EDLIB_BASES"):
        monkeypatch.setattr(filters, name, 30_000)
    arguments = ["-e", "5", "--seconds", "0.01", "--json", "-"]
    done = CliRunner().invoke(bench_prefilter.command, arguments, catch_exceptions=False)
    report = json.loads(done.stdout)
    assert report["cuda"] == ["fake 0", "fake 1"]
    assert "CUDA" not in report["missing"]
    on_gpu = [row for row in report["rows"] if row["threads"] is None]
    assert [row["engine"] for row in on_gpu] == ["CUDA, letters", "CUDA, 2-bit encoded"]
    assert all(row["million_pairs_a_second"] > 0 for row in on_gpu)
    assert {device for device, _ in driver.launched} == {0, 1}
