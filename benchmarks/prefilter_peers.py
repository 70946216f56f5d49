"""How many pairs a second does the exact pre-alignment filter take, beside edlib?

    python -m benchmarks.prefilter_peers --length 150 -e 3 -e 8

The pairs are generated, and are the same in every run. Like a mapper's candidates, few are similar
and most share only a seed. The engines are each CPU build with one thread, the best build with all
CPUs, edlib, and the GPUs if there are any. Input and results are in pageable host memory. Engines
take turns, and the table shows medians.
"""

from __future__ import annotations

import statistics

import click

from benchmarks.common import filters, report
from gkl_shim.bench.timing import in_turns
from gkl_shim.common import _processor
from gkl_shim.errors import BackendUnavailable
from gkl_shim.prefilter import MAX_EDITS, Prefilter


@click.command()
@click.option("--length", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option(
    "-e",
    "--max-edits",
    "thresholds",
    type=click.IntRange(0, MAX_EDITS),
    multiple=True,
    default=(2, 5, 10),
    show_default=True,
)
@report.seconds_option(0.5)
@report.json_option
def command(
    length: int, thresholds: tuple[int, ...], seconds: float, json_file: str | None
) -> None:
    """Compare the pre-alignment filter with edlib."""
    engines = filters.engines(length, _processor.describe(), _has_gpus())
    rows: list[report.Row] = []
    with report.progress() as step:
        for max_edits in thresholds:
            step(f"{max_edits} edits")
            taken = in_turns([engine.at(max_edits) for engine in engines], seconds)
            rows += [
                {
                    "engine": engine.name,
                    "threads": engine.threads,
                    "length": length,
                    "max_edits": max_edits,
                    "pairs_a_call": engine.pairs,
                    "million_pairs_a_second": engine.pairs / statistics.median(each) / 1e6,
                }
                for engine, each in zip(engines, taken, strict=True)
            ]
    if json_file is not None:
        report.write_json(json_file, {**report.about(), "rows": rows})
    if json_file != "-":
        decimals = {"million_pairs_a_second": 2}
        report.print_tables([], [report.Table("Pre-alignment filter", rows, decimals=decimals)])


def _has_gpus() -> bool:
    try:
        with Prefilter(0, backend="cuda") as engine:
            return bool(engine.devices)
    except BackendUnavailable:
        return False


if __name__ == "__main__":
    report.run(command)
