"""``gkl-shim bench mem``: measure its steps, and compare it with MUMmer's ``mummer``."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import click

from gkl_shim._native_mem import Index, Matches
from gkl_shim.cli import _bench, _processor
from gkl_shim.cli._generated_mem import PAPER, Workload, generated
from gkl_shim.cuda.mem import Engine
from gkl_shim.errors import BackendUnavailable

__all__ = ["command", "index_of", "on_cpu", "on_devices", "seconds_of_command", "shim_command"]

_T = TypeVar("_T")

# Without --papers, the workloads are this many times smaller.
_SMALLER = 10


@click.command(
    name="mem",
    short_help="Maximal exact matches, beside mummer.",
    epilog="Example: gkl-shim bench mem --papers --json mem.json",
)
@click.option("--papers", is_flag=True, help="Measure workloads of the paper's size.")
@_bench.json_option
def command(papers: bool, json_file: str | None) -> None:
    """Time maximal exact matches on this machine, and compare them with mummer.

    The workloads have the shapes of those in the paper on MUMmerGPU 2.0 (Trapnell and Schatz,
    2009), and are generated. Without --papers they are a tenth of the size.

    Each step is timed in memory: index the reference; find the matches; write and sort them
    (expand), which the CPU does while it finds them; format the lines (output). On GPUs, the steps
    are timed one after the other on the first GPU, with one more: put the matches of all GPUs
    together (collect). The total is the time from arrays to matches on all GPUs, where the steps
    overlap. If mummer is installed, its whole command is timed, and ours on the same files.
    """
    here = _processor.describe()
    missing: dict[str, str] = {}
    mummer = shutil.which("mummer")
    if mummer is None:
        missing["mummer"] = "it is not installed (Debian: mummer)"
    devices: list[str] = []
    rows: list[_bench.Row] = []
    with _bench.progress() as progress:
        for shape in PAPER:
            progress(shape.name)
            workload = generated(shape if papers else shape.smaller(_SMALLER))
            row = on_cpu(workload, here.usable_cpus)
            if mummer is not None:
                with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
                    files = workload.write(Path(folder))
                    row["command"] = seconds_of_command(
                        [*shim_command(here.usable_cpus), *shape.options], files
                    )
                    row["mummer"] = seconds_of_command([mummer, *workload.shape.options], files)
            rows.append(row)
            if "CUDA" not in missing:
                try:
                    row, devices = on_devices(workload)
                    rows.append(row)
                except BackendUnavailable as error:
                    missing["CUDA"] = str(error)
    table = _bench.Table("Maximal exact matches, seconds", rows)
    _bench.publish(json_file, here, devices, missing, table, {"rows": rows})


def _timed(call: Callable[[], _T]) -> tuple[_T, float]:
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def index_of(workload: Workload, threads: int = 0, *, deferred: bool = False) -> Index:
    """Index a workload's reference."""
    return Index.build(
        workload.reference_sequence,
        min_length=workload.shape.min_length,
        threads=threads,
        query_letters=len(workload.queries) * (1 + workload.shape.both_strands),
        deferred=deferred,
        borrowed=deferred,
    )


def _row(workload: Workload, engine: str) -> _bench.Row:
    return {"workload": workload.shape.name, "l": workload.shape.min_length, "engine": engine}


def on_cpu(workload: Workload, threads: int) -> _bench.Row:
    """Time the steps of the CPU engine."""
    shape = workload.shape
    index_of(workload, threads)  # starts the threads
    index, indexed = _timed(lambda: index_of(workload, threads))
    matches, found = _timed(
        lambda: index.find(workload.sequences, shape.min_length, "mem", shape.strands)
    )
    size, formatted = _timed(lambda: sum(map(len, matches.lines(*workload.names()))))
    return {
        **_row(workload, f"CPU, {threads} threads"),
        "index": indexed,
        "match": found,
        "expand": None,
        "output": formatted,
        "matches": len(matches),
        "bytes": size,
    }


def on_devices(
    workload: Workload, devices: Sequence[int] | None = None
) -> tuple[_bench.Row, list[str]]:
    """Time the CUDA engine, and return the names of the devices.

    The total is the time from arrays to matches in host memory, the index included, after a first
    search has allocated the memory. It is the best of five. The steps overlap in it, so they are
    timed in another search that makes one after the other on the first device.

    Raises
    ------
    BackendUnavailable
        If there is no device.
    """
    shape = workload.shape
    row = _row(workload, "")

    def found_by(engine: Engine) -> tuple[Matches, float]:
        index, prepared = _timed(lambda: index_of(workload, deferred=True))
        return (
            engine.find(index, workload.sequences, shape.min_length, "mem", shape.strands),
            prepared,
        )

    with contextlib.closing(Engine(devices and devices[:1], streams=1)) as engine:
        found_by(engine)
        matches, prepared = found_by(engine)
        call = engine.call
        row["index"] = prepared + call.index_seconds
        row["match"] = call.match_seconds
        row["expand"] = call.expand_seconds
        row["collect"] = call.collect_seconds
    with contextlib.closing(Engine(devices)) as engine:
        found_by(engine)
        times = []
        for _ in range(5):
            (matches, _), total = _timed(lambda: found_by(engine))
            times.append(total)
        names = list(engine.devices)
    _, row["output"] = _timed(lambda: sum(map(len, matches.lines(*workload.names()))))
    _, row["array"] = _timed(matches.array)
    row |= {"engine": f"{len(names)} GPUs", "total": min(times), "matches": len(matches)}
    return row, names


def shim_command(threads: int) -> list[str]:
    """Return the words of ``gkl-shim mem`` with this interpreter."""
    # The working directory may be a source checkout, which would hide the package.
    start = "import sys; sys.path.remove(''); from gkl_shim.cli import main; main()"
    return [sys.executable, "-c", start, "mem", "-threads", str(threads)]


def seconds_of_command(command: Sequence[str], files: Sequence[Path]) -> float:
    """Time a whole command on these files. Its output is dropped."""
    _, spent = _timed(
        lambda: subprocess.run(
            [*command, *map(str, files)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    )
    return spent
