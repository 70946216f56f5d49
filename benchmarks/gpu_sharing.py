"""Measure what it costs when several processes share a GPU, and compare it with a prediction.

    python -m benchmarks.gpu_sharing REGIONS.in --json FILE.json

REGIONS.in is recorded from GATK. The clients are JVMs that call PairHMM as GATK does: a region at a
time, and a pause before each call, in which GATK would compute something else.

Needs a CUDA device, CuPy, Java and GKL's jars (GATK_CLASSPATH, or those that `gkl-shim demo` has
fetched). The table with MPS needs `nvidia-cuda-mps-control`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from benchmarks.common import regions, report
from benchmarks.common.call_parts import call_parts
from benchmarks.common.report import Progress, Table
from gkl_shim.cuda import devices
from gkl_shim.cuda import pairhmm as cuda
from gkl_shim.errors import BackendUnavailable
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import replay, run
from gkl_shim.pairhmm import Batch

# The last line of gkl-shim's log.
_ON_GPU = re.compile(r"; \d+ pairs on ")
_BACKENDS = ("cpu", "cuda", "cuda with MPS")
_MPS = "nvidia-cuda-mps-control"


@dataclass(frozen=True)
class _Settings:
    """The command's arguments."""

    batch: Batch
    classpath: str
    clients: tuple[int, ...]
    pauses: tuple[float, ...]
    backends: tuple[str, ...]
    seconds: float


def start(settings: _Settings, step: Progress) -> Table:
    """The steps of opening the engine in one process, one after the other and as they are."""
    table = Table(
        "Opening the GPU engine in one process, step by step",
        name="start",
        note="serial: one step after the other. together: as in a JVM, where the context is "
        "created while CuPy is imported. Memory: of the device, all processes; of the host, "
        "without files.",
    )
    for order in ("serial", "serial", "together", "together"):
        step(f"start, {order}")
        command = [sys.executable, "-m", "benchmarks.common.start_steps", str(time.time()), order]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        table.rows += [{"order": order, **found} for found in json.loads(done.stdout)]
    return table


def jvms(settings: _Settings, step: Progress) -> Table:
    """JVMs that open the engine at the same time."""
    table = Table(
        "JVMs that open the engine at the same time",
        name="jvms", x="clients", y="slowest_seconds", lines=("backend",),
        note="Seconds from the load of GATK's class to the result of the first call. Device "
        "memory: what all clients use after each has computed all regions.",
    )  # fmt: skip
    for backend in _BACKENDS[:2]:
        for count in settings.clients:
            step(f"{count} JVMs start, {backend}")
            found, used = _clients(settings, count, 0.0, backend, {}, 0.1)
            seconds = sorted(each.start_seconds for each in found)
            table.rows.append(
                {
                    "backend": backend,
                    "clients": count,
                    "fastest_seconds": seconds[0],
                    "slowest_seconds": seconds[-1],
                    "device_mib_each": used / count / 2**20,
                }
            )
    return table


def sharing(settings: _Settings, step: Progress) -> Table:
    """Clients that call at the same time."""
    table = Table(
        "Clients that share a GPU",
        name="sharing", x="clients", y="regions_a_second", lines=("backend", "pause_ms"), log="xy",
        note="Microseconds: of a call, the median over clients. Predicted: from one client's calls "
        "and the kernels' time, by mean value analysis; the GPU serves one client at a time. "
        "Slowest: the regions of the slowest client divided by those of the fastest.",
    )  # fmt: skip
    step("kernels of each region")
    service = device_seconds(settings.batch)
    for backend in settings.backends:
        with _mps() if backend.endswith("MPS") else _nothing() as environment:
            if environment is None:
                table.note += f" There is no {_MPS}."
                continue
            for pause in settings.pauses:
                alone = 0.0
                for count in settings.clients:
                    step(f"{count} clients, {backend}, pause {pause}")
                    found, used = _clients(
                        settings, count, pause, backend.split()[0], environment, settings.seconds
                    )
                    rates = [len(settings.batch) / each.seconds_per_pass for each in found]
                    call = statistics.median(1 / rate - pause for rate in rates)
                    alone = alone or call
                    queue = service if backend != "cpu" else 0.0
                    expected = predicted(count, pause + alone - queue, queue)
                    table.rows.append(
                        {
                            "backend": backend,
                            "pause_ms": pause * 1e3,
                            "clients": count,
                            "microseconds": call * 1e6,
                            "kernel_microseconds": queue * 1e6,
                            "regions_a_second": sum(rates),
                            "predicted": expected,
                            "slowest": min(rates) / max(rates),
                            "device_mib_each": used / count / 2**20,
                        }
                    )
    return table


def predicted(clients: int, think: float, service: float) -> float:
    """Return the regions a second of clients that share one server, by mean value analysis.

    Parameters
    ----------
    clients
        Each waits for its result before it goes on.
    think
        The seconds of a client's cycle that it spends without the server.
    service
        The seconds of the server for a region.
    """
    waiting = rate = 0.0
    for count in range(1, clients + 1):
        stay = service * (1 + waiting)
        rate = count / (think + stay)
        waiting = rate * stay
    return rate


def device_seconds(batch: Batch) -> float:
    """Return the mean time of a region's transfer and kernels on the first device."""
    engine = cuda.Engine([0], as_gkl=True)
    try:
        parts = [call_parts(engine, batch[k : k + 1]) for k in range(len(batch))]
    finally:
        engine.close()
    return statistics.mean(each.transfer + each.kernel for each in parts)


def _clients(
    settings: _Settings,
    count: int,
    pause: float,
    backend: str,
    environment: dict[str, str],
    seconds: float,
) -> tuple[list[replay.Engine], int]:
    """Run clients; return their measurements, and the device memory that they use together."""
    runtime = devices.import_cupy().cuda.runtime
    before = runtime.memGetInfo()[0]
    used: list[int] = []
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        path = Path(folder, "regions.in")
        with path.open("wb") as file:
            pairhmm_in.write(file, settings.batch)
        found = replay.side_by_side(
            count,
            path,
            {"shim": settings.classpath},
            seconds=seconds,
            pause=pause,
            environment={"GKL_SHIM_BACKEND": backend, **environment},
            when_ready=lambda: used.append(before - runtime.memGetInfo()[0]),
        )
    for each in found:
        if backend == "cuda" and not _ON_GPU.search(each.log):
            said = [line for line in each.log.splitlines() if "warning" in line]
            raise BackendUnavailable(said[-1] if said else "a JVM did not use the GPU")
    return [each.engines["shim"] for each in found], used[0]


@contextmanager
def _nothing() -> Iterator[dict[str, str] | None]:
    yield {}


@contextmanager
def _mps() -> Iterator[dict[str, str] | None]:
    """Run MPS for a block; yield the variables of its clients, or None without MPS."""
    if shutil.which(_MPS) is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        variables = {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}
        environment = {**os.environ, **variables}
        subprocess.run([_MPS, "-d"], env=environment, check=True)
        try:
            yield variables
        finally:
            subprocess.run([_MPS], input="quit\n", text=True, env=environment, check=False)


TABLES: dict[str, Any] = {table.__name__: table for table in (start, jvms, sharing)}


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False), metavar="REGIONS.in")
@click.option("--regions", "most", default=50, show_default=True, help="Use the first so many.")
@click.option(
    "--clients", type=click.IntRange(1), multiple=True, default=(1, 2, 4, 8), show_default=True
)
@click.option(
    "--pause",
    "pauses",
    type=click.FloatRange(0),
    multiple=True,
    default=(0.0, 0.001, 0.015),
    show_default=True,
    help="Seconds between a client's calls.",
)
@click.option(
    "--backend",
    "backends",
    type=click.Choice(_BACKENDS),
    multiple=True,
    default=_BACKENDS,
    show_default=True,
    help="What the table `sharing` measures.",
)
@report.table_option(TABLES)
@report.seconds_option(2.0)
@report.json_option
@report.plot_option
def command(
    file: str,
    most: int,
    clients: tuple[int, ...],
    pauses: tuple[float, ...],
    backends: tuple[str, ...],
    names: tuple[str, ...],
    seconds: float,
    json_file: str | None,
    plot_file: str | None,
) -> None:
    """Measure what it costs when several processes share a GPU."""
    shim = replay.stock_and_shim(run.find_classpath())["shim"]
    settings = _Settings(regions.read(file)[:most], shim, clients, pauses, backends, seconds)
    measures = [partial(TABLES[name], settings) for name in names]
    report.measure_tables(measures, json_file, plot_file)


if __name__ == "__main__":
    report.run(command)
