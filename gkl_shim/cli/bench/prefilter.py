"""``gkl-shim bench prefilter``: measure the pre-alignment filter in pairs a second."""

from __future__ import annotations

import importlib.util
import statistics
from collections.abc import Sequence

import click

from gkl_shim.bench import filters
from gkl_shim.bench.tables import Row, Table
from gkl_shim.bench.timing import in_turns
from gkl_shim.cli.common import _bench, _options
from gkl_shim.cli.common._command import subcommand
from gkl_shim.common import _processor
from gkl_shim.prefilter import MAX_EDITS, Prefilter


@subcommand(
    name="prefilter",
    short_help="The pre-alignment filter, beside edlib.",
    epilog="Example: gkl-shim bench prefilter --length 150 -e 3 -e 8",
)
@click.option(
    "--length",
    type=_options.WholeRange(1, 10_000),
    default=100,
    show_default=True,
    help="The length of reads and segments, in bases.",
)
@click.option(
    "-e",
    "--max-edits",
    "thresholds",
    type=_options.WholeRange(0, MAX_EDITS),
    multiple=True,
    default=(2, 5, 10),
    show_default=True,
    help="The threshold. Repeat the option to measure several thresholds.",
)
@_bench.seconds_option(0.5)
@_bench.json_option
def command(
    length: int, thresholds: tuple[int, ...], seconds: float, json_file: str | None
) -> None:
    """Time the exact pre-alignment filter on this machine.

    The pairs are generated, and are the same in every run. Like a mapper's candidates, few are
    similar and most share only a seed. The engines are each CPU build with one thread, the best
    build with all CPUs, edlib if its Python package is installed, and the GPUs if there are any and
    CuPy is installed. Input and results are in pageable host memory.

    Engines take turns, and the table shows medians.
    """
    here = _processor.describe()
    missing: dict[str, str] = {}
    cuda = _bench.cuda_devices(_devices, missing)
    if importlib.util.find_spec("edlib") is None:
        missing["edlib"] = "not installed (pip install 'gkl-shim[bench]')"
    engines = filters.engines(length, here, "edlib" not in missing, bool(cuda))
    rows: list[Row] = []
    with _bench.progress() as progress:
        for max_edits in thresholds:
            progress(f"{max_edits} edits")
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
    decimals = {"million_pairs_a_second": 2}
    table = Table("Pre-alignment filter", rows, decimals=decimals)
    _bench.publish(json_file, here, cuda, missing, [table], {"rows": rows})


def _devices() -> Sequence[str]:
    with Prefilter(0, backend="cuda") as engine:
        return engine.devices
