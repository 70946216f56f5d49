"""Measure PairHMM: each build from Python, and beside GKL in JVMs."""

from __future__ import annotations

import itertools
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from gkl_shim.bench import beside_gkl
from gkl_shim.bench.tables import Row, Table
from gkl_shim.bench.timing import in_turns
from gkl_shim.common._naming import naming
from gkl_shim.common._processor import Processor
from gkl_shim.formats import pairhmm_in
from gkl_shim.pairhmm import Batch, PairHMM


@dataclass(frozen=True)
class Speed:
    """The speed of one engine on one input, in GCUPS. Every cell of the input counts."""

    input: str
    precision: str
    threads: int
    build: str
    """``cuda`` is the GPU engine."""
    gcups: float
    """The median speed from Python, with the whole input in one call."""
    rounds: tuple[float, ...]
    """The speed in each round."""
    computed: float
    """The share of the cells that were computed. The others are shared."""
    jvm: beside_gkl.BesideGkl | None = None
    """The speed from Java, with calls like GATK's. None if it was not measured."""


def measure(
    inputs: Mapping[str, Batch],
    here: Processor,
    on_devices: bool,
    classpath: str | None,
    seconds: float,
    step: Callable[[str], None],
) -> list[Speed]:
    """Measure every build in both precisions, with one thread and with all CPUs, in turns.

    Parameters
    ----------
    inputs
        Regions by name.
    here
        This machine.
    on_devices
        Whether to measure the GPU engine, too.
    classpath
        A class path with GKL, or None.
    seconds
        The least time for each engine.
    step
        Called with the name of the next measurement.
    """
    speeds = []
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        path = Path(folder) / "regions.in"
        for name, batch in inputs.items():
            if classpath is not None:
                with naming(str(path)), path.open("wb") as file:
                    pairhmm_in.write(file, batch)
            for threads, precision in itertools.product(
                sorted({1, here.usable_cpus}), ("single", "double")
            ):
                step(f"{name}, {precision}, threads: {threads}")
                devices = ["cuda"] if on_devices and threads == here.usable_cpus else []
                builds = [*here.builds, *devices]
                engines = [_engine(build, threads, precision) for build in builds]
                calls = [partial(engine.compute, batch) for engine in engines]
                for build, engine, took in zip(
                    builds, engines, in_turns(calls, seconds), strict=True
                ):
                    rounds = tuple(batch.cells / each / 1e9 for each in took)
                    done = engine.statistics
                    speed = Speed(name, precision, threads, build, statistics.median(rounds),
                                  rounds, done.computed_cells / done.cells)  # fmt: skip
                    # GATK runs the best build, the first one.
                    if classpath is not None and build == here.builds[0]:
                        in_java = beside_gkl.Calls(seconds, threads, precision == "double")
                        jvm = beside_gkl.beside_gkl(path, batch.cells, classpath, build, in_java)
                        speed = replace(speed, jvm=jvm)
                    speeds.append(speed)
    return speeds


def _engine(build: str, threads: int, precision: Any) -> PairHMM:
    if build == "cuda":
        return PairHMM(backend="cuda", precision=precision, threads=threads)
    return PairHMM(build=build, precision=precision, threads=threads)


def table(speeds: Sequence[Speed], version: str | None) -> Table:
    """Return a table of medians. `version` is GKL's."""
    gkl = f"GKL {version}"
    notes = [
        "one call: the whole input in one call from Python.",
        "computed: the share of the cells that is left after sharing.",
    ]
    if flush := {speed.jvm.flush_to_zero for speed in speeds if speed.jvm is not None}:
        state = "on in some runs and off in others" if len(flush) > 1 else "off"
        notes += [
            f"from Java, {gkl}: one call a region, in turns.",
            f"GKL ran with flush-to-zero {'on' if flush == {True} else state} and, with several "
            "threads, with the OMP_WAIT_POLICY that suits it best. gkl-shim flushes subnormals to "
            "zero during a call and restores the caller's setting.",
        ]
    decimals = {"one call": 2, "computed": 2, "from Java": 2, gkl: 2, "times GKL": 1}
    rows = []
    for speed in speeds:
        row: Row = {
            "input": Path(speed.input).name,
            "precision": speed.precision,
            "build": speed.build,
            "threads": speed.threads,
            "one call": speed.gcups,
            "computed": speed.computed,
        }
        if speed.jvm is not None:
            row |= {"from Java": speed.jvm.shim, gkl: speed.jvm.gkl, "times GKL": speed.jvm.ratio}
        rows.append(row)
    return Table("PairHMM, GCUPS (medians)", rows, "\n".join(notes), decimals)
