"""Options, tables and JSON for the benchmarks."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

import gkl_shim
from gkl_shim.bench.tables import Row, Table, print_table, wide_console
from gkl_shim.cli.common._bench import json_option, progress, seconds_option
from gkl_shim.cli.common._json import write_json
from gkl_shim.common import _processor
from gkl_shim.cuda import devices
from gkl_shim.errors import BackendUnavailable, FormatError, MissingComponent

__all__ = ["Progress", "Row", "Table", "about", "json_option", "measure_tables", "print_tables",
           "progress", "run", "seconds_option", "write_json"]  # fmt: skip

Progress = Callable[[str], None]
"""Called with the name of the next measurement."""

_ROOT = Path(__file__).resolve().parents[2]


def run(command: click.Command) -> None:
    """Run a script's command. An error becomes one line on standard error."""
    try:
        command()
    except (BackendUnavailable, FormatError, MissingComponent) as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        sys.exit(f"error: {place}{error.strerror or error}")


def about(*, gpu: bool = False) -> dict[str, Any]:
    """Return the first fields of every JSON: the version, the commit, the machine and its GPUs.

    Scripts that need a GPU call it before they measure.

    Raises
    ------
    BackendUnavailable
        If `gpu` is set and there is no GPU, or CuPy is missing.
    """
    found = {
        "version": gkl_shim.__version__,
        "commit": _commit(),
        "machine": dataclasses.asdict(_processor.describe()),
    }
    return {**found, "devices": _devices()} if gpu else found


def _devices() -> list[dict[str, Any]]:
    runtime = devices.import_cupy().cuda.runtime
    found = []
    for index in range(devices.device_count()):
        properties = runtime.getDeviceProperties(index)
        found.append(
            {
                "name": properties["name"].decode(),
                "compute_capability": f"{properties['major']}.{properties['minor']}",
                "multiprocessors": int(properties["multiProcessorCount"]),
                "double_ratio": devices.double_ratio(index),
                "memory_bytes": int(properties["totalGlobalMem"]),
                "driver": _driver_version(),
                "driver_cuda": _cuda_version(runtime.driverGetVersion()),
                "cupy": str(devices.import_cupy().__version__),
                "cupy_cuda": _cuda_version(runtime.runtimeGetVersion()),
            }
        )
    return found


def _cuda_version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _driver_version() -> str | None:
    """Return the kernel module's version, such as ``580.159.04``, or None if it is hidden."""
    try:
        words = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8").split()
    except OSError:
        return None
    return next((word for word in words if word.replace(".", "").isdigit() and "." in word), None)


def _commit() -> str | None:
    """Return the repository's commit, followed by "-dirty" if files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def measure_tables(
    measures: Mapping[str, Callable[[Progress], Table]], json_file: str | None
) -> None:
    """Measure tables on this machine's GPUs; write and print them.

    The JSON has what :func:`about` returns and, by its name, each of the ``tables``: its title and
    rows.
    """
    here = about(gpu=True)
    with progress() as step:
        tables = {name: measure(step) for name, measure in measures.items()}
    if json_file is not None:
        found = {name: {"title": table.title, "rows": table.rows} for name, table in tables.items()}
        write_json(json_file, {**here, "tables": found})
    if json_file != "-":
        names = [*(device["name"] for device in here["devices"]), here["machine"]["cpu"]]
        print_tables([", ".join(names)], list(tables.values()))


def print_tables(lines: Sequence[str], tables: Sequence[Table]) -> None:
    """Print lines, then tables."""
    console = wide_console()
    for line in lines:
        console.print(line, highlight=False, markup=False)
    for table in tables:
        print_table(console, table)
