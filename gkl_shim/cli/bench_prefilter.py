"""``gkl-shim bench prefilter``: measure the pre-alignment filter in pairs a second."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import statistics
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import click
import numpy as np
from numpy.typing import NDArray

from gkl_shim.cli import _bench, _generated_input, _processor
from gkl_shim.prefilter import MAX_EDITS, Prefilter, Sequences

_Letters: TypeAlias = NDArray[np.uint8]
"""Sequences of one length, shape (pairs, length)."""

# The bases of all reads, and of all segments: those generated, and those in one call, which repeats
# the generated ones.
_GENERATED_BASES = 100 << 17
_CPU_BASES = 100 << 20
_CUDA_BASES = 400 << 20
_EDLIB_BASES = 300_000


@dataclasses.dataclass(frozen=True)
class _Engine:
    """An engine to time."""

    name: str
    threads: int | None
    pairs: int
    """The number of pairs in one call."""
    at: Callable[[int], Callable[[], object]]
    """Returns the call to time, for a threshold."""


@click.command(
    name="prefilter",
    short_help="The pre-alignment filter, beside edlib.",
    epilog="Example: gkl-shim bench prefilter --length 150 -e 3 -e 8",
)
@click.option(
    "--length",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="The length of reads and segments, in bases.",
)
@click.option(
    "-e",
    "--max-edits",
    "thresholds",
    type=click.IntRange(0, MAX_EDITS),
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
    cuda, absent = _bench.cuda_devices(lambda: Prefilter(0, backend="cuda"))
    if absent is not None:
        missing["CUDA"] = absent
    if importlib.util.find_spec("edlib") is None:
        missing["edlib"] = "not installed (pip install 'gkl-shim[bench]')"
    pairs = _generated_input.pairs(max(_GENERATED_BASES // length, 1), length)
    engines = [*_cpu(*pairs, here)]
    engines += [_edlib(*pairs)] if "edlib" not in missing else []
    engines += _cuda(*pairs) if cuda else []
    rows: list[_bench.Row] = []
    with _bench.progress() as progress:
        for max_edits in thresholds:
            progress(f"{max_edits} edits")
            taken = _bench.in_turns([engine.at(max_edits) for engine in engines], seconds)
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
    table = _bench.Table("Pre-alignment filter", rows, decimals=decimals)
    _bench.publish(json_file, here, cuda, missing, table, {"rows": rows})


def _cpu(reads: _Letters, segments: _Letters, here: _processor.Processor) -> Iterator[_Engine]:
    sides = [_repeated(side, _CPU_BASES) for side in (reads, segments)]
    cases = [(build, 1) for build in here.builds]
    cases += [(here.builds[0], here.usable_cpus)] if here.usable_cpus > 1 else []
    for build, threads in cases:
        yield _prefilter(f"CPU, {build}", sides, threads, backend="cpu", build=build)


def _cuda(reads: _Letters, segments: _Letters) -> Iterator[_Engine]:
    sides = [_repeated(side, _CUDA_BASES) for side in (reads, segments)]
    yield _prefilter("CUDA, letters", sides, backend="cuda")
    yield _prefilter("CUDA, 2-bit encoded", [side.encoded() for side in sides], backend="cuda")


def _prefilter(
    name: str, sides: list[Sequences], threads: int | None = None, **options: Any
) -> _Engine:
    out = np.empty(len(sides[0]), np.int16)

    def at(max_edits: int) -> Callable[[], object]:
        prefilter = Prefilter(max_edits, threads=threads or 0, **options)
        return partial(prefilter.edits, sides[0], sides[1], out=out)

    return _Engine(name, threads, len(out), at)


def _edlib(reads: _Letters, segments: _Letters) -> _Engine:
    align = importlib.import_module("edlib").align
    count = max(_EDLIB_BASES // reads.shape[1], 1)
    pairs = [
        (read.tobytes(), segment.tobytes())
        for read, segment in zip(reads[:count], segments[:count], strict=True)
    ]

    def run(max_edits: int) -> None:
        for read, segment in pairs:
            align(read, segment, task="distance", k=max_edits)

    return _Engine("edlib", 1, len(pairs), lambda max_edits: partial(run, max_edits))


def _repeated(letters: _Letters, bases: int) -> Sequences:
    length = letters.shape[1]
    return Sequences.from_matrix(np.resize(letters, (max(bases // length, 1), length)))
