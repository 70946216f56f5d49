"""The page of the times of the shards."""

from __future__ import annotations

import csv
import importlib.util
import runpy
from pathlib import Path
from types import SimpleNamespace

from tests.conftest import ROOT, missing

LOG = """\
[gkl-shim 0.1.0] PairHMM: avx512 build (the best for this CPU), single precision
13:04:11.521 INFO  ProgressMeter - Traversal complete
[gkl-shim 0.1.0] PairHMM: 18 regions, 15797 pairs, 219357674 cells in {pairhmm} s, 24.50 GCUPS
[gkl-shim 0.1.0] Smith-Waterman: 900 pairs, 31000 cells in 0.2500 s, 1.50 GCUPS, 2% of the run
"""


def test_the_slowest_shard_comes_first(tmp_path: Path) -> None:
    if importlib.util.find_spec("jinja2") is None:
        missing("jinja2 is not installed (pip install .[workflow])")
    shards = {("one", "0000"): (20.5, "0.0090"), ("one", "0001"): (31.25, "0.7500")}
    shards["two<3", "0000"] = (9.0, "")
    benchmarks, logs = [], []
    for number, (seconds, pairhmm) in enumerate(shards.values()):
        benchmarks.append(str(tmp_path / f"{number}.tsv"))
        Path(benchmarks[-1]).write_text(f"s\th:m:s\tmax_rss\n{seconds}\t0:00:20\t322.41\n")
        logs.append(str(tmp_path / f"{number}.log"))
        Path(logs[-1]).write_text(LOG.format(pairhmm=pairhmm) if pairhmm else "stock GATK\n")
    job = SimpleNamespace(
        input=SimpleNamespace(benchmarks=benchmarks, logs=logs),
        output=SimpleNamespace(table=str(tmp_path / "table"), page=str(tmp_path / "page")),
        params=SimpleNamespace(shards=list(shards)),
        log=[str(tmp_path / "log")],
    )
    runpy.run_path(str(ROOT / "workflow/scripts/times.py"), init_globals={"snakemake": job})
    with Path(job.output.table).open() as stream:
        rows = list(csv.reader(stream, delimiter="\t"))
    assert rows == [
        ["sample", "shard", "seconds", "max_rss_mb", "PairHMM", "PDHMM", "Smith-Waterman"],
        ["one", "0001", "31.25", "322.41", "0.75", "", "0.25"],
        ["one", "0000", "20.5", "322.41", "0.009", "", "0.25"],
        ["two<3", "0000", "9.0", "322.41", "", "", ""],
    ]
    page = Path(job.output.page).read_text()
    assert page.index("31.2") < page.index("20.5") < page.index("9.0")
    assert "The logs of 1 shards have no times" in page
    assert "<svg" in page and "two&lt;3" in page and "two<3" not in page
