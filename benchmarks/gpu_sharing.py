"""Measure what it costs when several processes share a GPU, and compare it with a prediction.

    python -m benchmarks.gpu_sharing REGIONS.in --json FILE.json

REGIONS.in is recorded from GATK. The clients are JVMs that call PairHMM as GATK does: a region at a
time, and a pause before each call, in which GATK would compute something else.

Needs a CUDA device, CuPy, Java and GKL's jars (GATK_CLASSPATH, or those that `gkl-shim demo` has
fetched). The table with MPS needs `nvidia-cuda-mps-control`.
"""

from __future__ import annotations

import itertools
import json
import os
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
from gkl_shim.gatk import kernel_times, replay, run
from gkl_shim.pairhmm import Batch

# The cells of a call that fills a device.
_FULL_CELLS = 1 << 33
_BACKENDS = ("cpu", "cuda", "cuda with MPS")
# Hardware queues of a context (CUDA_DEVICE_MAX_CONNECTIONS): what GATK's side asks for, and the
# driver's default.
_QUEUES = (1, 8)
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
    """The steps of opening the engine in one process, one after the other, and as in a JVM."""
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


def contexts(settings: _Settings, step: Progress) -> Table:
    """Processes that create a context at the same time, without gkl-shim."""
    table = Table(
        "Processes that create a CUDA context at the same time",
        name="contexts", x="clients", y="slowest_seconds", lines=("backend", "queues"),
    )  # fmt: skip
    backends = [backend for backend in settings.backends if backend != "cpu"]
    for backend, queues, count in itertools.product(backends, _QUEUES, settings.clients):
        step(f"{count} contexts, {backend}, {queues} queues")
        with _environment(backend, queues) as environment:
            if environment is None:
                continue
            command = [sys.executable, "-m", "benchmarks.common.start_steps", "0", "context"]
            started = [
                subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    env={**os.environ, **environment},
                )
                for _ in range(count)
            ]
            for process in started:
                assert process.stdout is not None
                process.stdout.readline()
            for process in started:
                assert process.stdin is not None
                process.stdin.write("\n")
                process.stdin.flush()
            seconds = sorted(float(process.communicate()[0]) for process in started)
        table.rows.append(
            {
                "backend": backend,
                "queues": queues,
                "clients": count,
                "fastest_seconds": seconds[0],
                "slowest_seconds": seconds[-1],
            }
        )
    return table


def jvms(settings: _Settings, step: Progress) -> Table:
    """JVMs that open the engine at the same time."""
    table = Table(
        "JVMs that open the engine at the same time",
        name="jvms", x="clients", y="slowest_seconds", lines=("backend", "queues"),
        note="Seconds from the load of GATK's class to the result of the first call. Device "
        "memory: what all clients use after each has computed all regions.",
    )  # fmt: skip
    for backend, queues, count in itertools.product(settings.backends, _QUEUES, settings.clients):
        if backend == "cpu" and queues != _QUEUES[0]:
            continue
        step(f"{count} JVMs start, {backend}, {queues} queues")
        with _environment(backend, queues) as environment:
            if environment is None:
                continue
            found, used = _clients(settings.batch, settings, count, 0.0, environment, 0.1)
        seconds = sorted(each.start_seconds for each in found)
        table.rows.append(
            {
                "backend": backend,
                "queues": queues,
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
        note="Microseconds: of a call, the median over clients. Predicted: by mean value analysis "
        "of one server, from a client's time alone and the server's time for a region. The server "
        "of cuda is the device, which belongs to one process at a time: the kernels of one region, "
        "and with several clients a change of process. The server of cuda with MPS is the device "
        "full of regions. Slowest: the rate of the slowest client divided by the fastest one's.",
    )  # fmt: skip
    step("kernels of the regions")
    alone_on_device, full_device = device_seconds(settings.batch)
    step("change of process")
    switch = switch_seconds(settings)
    for backend in settings.backends:
        with _environment(backend) as environment:
            if environment is None:
                table.note += f" There is no {_MPS}."
                continue
            for pause in settings.pauses:
                alone = 0.0
                for count in settings.clients:
                    step(f"{count} clients, {backend}, pause {pause}")
                    found, used = _clients(
                        settings.batch, settings, count, pause, environment, settings.seconds
                    )
                    rates = [len(settings.batch) / each.seconds_per_pass for each in found]
                    call = statistics.median(1 / rate - pause for rate in rates)
                    alone = alone or call
                    service = {
                        "cpu": 0.0,
                        "cuda": alone_on_device + (switch if count > 1 else 0.0),
                        "cuda with MPS": full_device,
                    }[backend]
                    own = alone - (alone_on_device if backend == "cuda" else service)
                    table.rows.append(
                        {
                            "backend": backend,
                            "pause_ms": pause * 1e3,
                            "clients": count,
                            "microseconds": call * 1e6,
                            "server_microseconds": service * 1e6,
                            "regions_a_second": sum(rates),
                            "predicted": predicted(count, pause + own, service),
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


def device_seconds(batch: Batch) -> tuple[float, float]:
    """Return the first device's time for a region: alone, and when it computes many at once."""
    engine = cuda.Engine([0], as_gkl=True)
    try:
        alone = [call_parts(engine, batch[k : k + 1]) for k in range(len(batch))]
        copies = max(1, _FULL_CELLS // batch.cells)
        full = call_parts(engine, regions.repeated(batch, copies))
    finally:
        engine.close()
    mean = statistics.mean(each.transfer + each.kernel for each in alone)
    return mean, max(full.transfer, full.kernel) / (copies * len(batch))


def switch_seconds(settings: _Settings) -> float:
    """Return how long the device takes from one process to another, without MPS.

    Two clients call with a region whose kernels take nearly no time.
    """
    batch = regions.generated(1, shape=(4, 2))
    with _environment("cuda") as environment:
        assert environment is not None
        found, _ = _clients(batch, settings, 2, 0.0, environment, 0.5)
    alone, _ = device_seconds(batch)
    return 1 / sum(1 / each.seconds_per_pass for each in found) - alone


def _clients(
    batch: Batch,
    settings: _Settings,
    count: int,
    pause: float,
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
            pairhmm_in.write(file, batch)
        found = replay.side_by_side(
            count,
            path,
            {"shim": settings.classpath},
            replay.Calls(seconds, pause=pause, environment=environment),
            when_ready=lambda: used.append(before - runtime.memGetInfo()[0]),
        )
    for each in found:
        on_gpu = kernel_times.pairs_on_gpu(each.log.encode())
        if environment["GKL_SHIM_BACKEND"] == "cuda" and not on_gpu:
            said = [line for line in each.log.splitlines() if "warning" in line]
            raise BackendUnavailable(said[-1] if said else "a JVM did not use the GPU")
    return [each.engines["shim"] for each in found], used[0]


@contextmanager
def _environment(backend: str, queues: int = _QUEUES[0]) -> Iterator[dict[str, str] | None]:
    """Yield the variables of a backend's clients; None without MPS, which runs for the block."""
    variables = {
        "GKL_SHIM_BACKEND": backend.split()[0],
        "CUDA_DEVICE_MAX_CONNECTIONS": str(queues),
    }
    if backend != _BACKENDS[2]:
        yield variables
    elif shutil.which(_MPS) is None:
        yield None
    else:
        with _mps() as mps:
            yield {**variables, **mps}


@contextmanager
def _mps() -> Iterator[dict[str, str]]:
    """Run MPS for a block; yield the variables of its clients."""
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        variables = {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}
        environment = {**os.environ, **variables}
        subprocess.run([_MPS, "-d"], env=environment, check=True)
        try:
            yield variables
        finally:
            subprocess.run([_MPS], input="quit\n", text=True, env=environment, check=False)


TABLES: dict[str, Any] = {table.__name__: table for table in (start, contexts, jvms, sharing)}


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False), metavar="REGIONS.in")
@click.option(
    "--regions",
    "most",
    default=50,
    show_default=True,
    help="The number of regions, from the file's first.",
)
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
    help="What computes.",
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
