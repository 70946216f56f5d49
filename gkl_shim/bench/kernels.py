"""Measure a kernel that GATK calls: each build from Python, and beside GKL in one JVM."""

from __future__ import annotations

import itertools
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Generic, TypeVar

from gkl_shim.bench.tables import Row, Table
from gkl_shim.bench.timing import in_turns
from gkl_shim.common import _native
from gkl_shim.common._naming import naming
from gkl_shim.common._processor import Processor
from gkl_shim.gatk import fetch, replay, replay_smithwaterman

Data = TypeVar("Data")
BesideGkl = replay.BesideGkl | replay_smithwaterman.BesideGkl


@dataclass(frozen=True)
class Speed:
    """The speed of one engine on one input, in GCUPS. Every cell of the input counts."""

    input: str
    precision: str | None
    threads: int
    build: str
    """``cuda`` is the GPU engine."""
    gcups: float
    """The median speed from Python, with the whole input in one call."""
    rounds: tuple[float, ...]
    """The speed in each round."""
    computed: float | None
    """The share of the cells that were computed. The others are shared."""
    jvm: BesideGkl | None = None
    """The speed from Java, with calls like GATK's. None if it was not measured."""


class Kernel(Generic[Data]):
    """A kernel that GATK calls, and how it is measured on data of one kind."""

    TITLE: ClassVar[str]
    CALL: ClassVar[str]
    """What GATK computes in one call."""
    PRECISIONS: ClassVar[tuple[str | None, ...]] = (None,)
    GKL_VERSION: ClassVar[str] = fetch.GKL_VERSION

    def generated(self) -> dict[str, Data]:
        """Return generated inputs by name, the same ones in every run."""
        raise NotImplementedError

    def read(self, path: str) -> Data:
        """Read an input from a file."""
        raise NotImplementedError

    def devices(self) -> Sequence[str]:
        """Return the names of the CUDA devices, or raise BackendUnavailable."""
        return ()

    def engine(self, build: str, threads: int, precision: str | None) -> Any:
        """Return an engine. `build` is ``cuda`` for the one of GPUs."""
        raise NotImplementedError

    def compute(self, engine: Any, data: Data) -> object:
        """Compute an input in one call."""
        raise NotImplementedError

    def cells(self, data: Data) -> int:
        """Return the cells of an input."""
        raise NotImplementedError

    def write(self, file: BinaryIO, data: Data) -> None:
        """Write an input for :meth:`beside_gkl`."""
        raise NotImplementedError

    def beside_gkl(
        self, path: Path, classpath: str, speed: Speed, seconds: float
    ) -> BesideGkl | None:
        """Time a build and GKL in one JVM. Return None if GATK does not run them so."""
        raise NotImplementedError

    def on_devices(self, step: Callable[[str], None]) -> dict[str, Table]:
        """Measure generated inputs for the CUDA devices alone. Return tables by name."""
        return {}

    def notes(self, speeds: Sequence[BesideGkl]) -> list[str]:
        """Return what is to be said about the measurements in a JVM."""
        return []


def is_last_resort(build: str) -> bool:
    """Return whether GATK runs this build only on a CPU that has no other."""
    return len(_native.builds()) > 1 and build == _native.builds()[-1]


def measure(
    kernel: Kernel[Data],
    inputs: Mapping[str, Data],
    here: Processor,
    on_devices: bool,
    classpath: str | None,
    seconds: float,
    step: Callable[[str], None],
) -> list[Speed]:
    """Measure every build with one thread and with all CPUs, in turns.

    Parameters
    ----------
    kernel, inputs
        The kernel, and its inputs by name.
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
        path = Path(folder) / "input"
        for name, data in inputs.items():
            if classpath is not None:
                with naming(str(path)), path.open("wb") as file:
                    kernel.write(file, data)
            for threads, precision in itertools.product(
                sorted({1, here.usable_cpus}), kernel.PRECISIONS
            ):
                step(", ".join(filter(None, (name, precision, f"threads: {threads}"))))
                devices = ["cuda"] if on_devices and threads == here.usable_cpus else []
                builds = [*here.builds, *devices]
                engines = [kernel.engine(build, threads, precision) for build in builds]
                calls = [partial(kernel.compute, engine, data) for engine in engines]
                for build, engine, took in zip(
                    builds, engines, in_turns(calls, seconds), strict=True
                ):
                    rounds = tuple(kernel.cells(data) / each / 1e9 for each in took)
                    speed = Speed(name, precision, threads, build, statistics.median(rounds),
                                  rounds, _computed(engine))  # fmt: skip
                    if classpath is not None and build in here.builds:
                        jvm = kernel.beside_gkl(path, classpath, speed, seconds)
                        speed = replace(speed, jvm=jvm)
                    speeds.append(speed)
    return speeds


def _computed(engine: Any) -> float | None:
    done = getattr(engine, "statistics", None)
    return None if done is None else done.computed_cells / done.cells


def table(kernel: Kernel[Data], speeds: Sequence[Speed], version: str | None) -> Table:
    """Return a table of medians. `version` is GKL's."""
    gkl = f"GKL {version}"
    notes = ["one call: the whole input in one call from Python."]
    if any(speed.computed is not None for speed in speeds):
        notes.append("computed: the share of the cells that is left after sharing.")
    if jvm := [speed.jvm for speed in speeds if speed.jvm is not None]:
        notes.append(f"from Java, {gkl}: one call a {kernel.CALL}, in turns in one JVM.")
        notes += kernel.notes(jvm)
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
    return Table(f"{kernel.TITLE}, GCUPS (medians)", rows, "\n".join(notes), decimals)
