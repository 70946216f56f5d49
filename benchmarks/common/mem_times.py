"""Time maximal exact matches in memory, on the CPU and on GPUs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from benchmarks.common.report import Row
from gkl_shim._native_mem import Index, Matches
from gkl_shim.bench.genomes import Workload
from gkl_shim.cuda.mem import Engine

__all__ = ["index_of", "on_cpu", "on_devices"]

_T = TypeVar("_T")


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


def _row(workload: Workload, engine: str) -> Row:
    return {"workload": workload.shape.name, "l": workload.shape.min_length, "engine": engine}


def on_cpu(workload: Workload, threads: int) -> Row:
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
        "output": formatted,
        "matches": len(matches),
        "bytes": size,
    }


def on_devices(workload: Workload, devices: Sequence[int] | None = None) -> Row:
    """Time the CUDA engine.

    The total is the time from arrays to matches in host memory, the index included, after a first
    search has allocated the memory. It is the best of five.

    Raises
    ------
    BackendUnavailable
        If there is no device.
    """
    shape = workload.shape
    row = _row(workload, "")

    def found_by(engine: Engine) -> Matches:
        index = index_of(workload, deferred=True)
        return engine.find(index, workload.sequences, shape.min_length, "mem", shape.strands)

    with contextlib.closing(Engine(devices)) as engine:
        found_by(engine)
        times = []
        for _ in range(5):
            matches, total = _timed(lambda: found_by(engine))
            times.append(total)
        row["engine"] = f"{len(engine.devices)} GPUs"
    _, row["output"] = _timed(lambda: sum(map(len, matches.lines(*workload.names()))))
    _, row["array"] = _timed(matches.array)
    return row | {"total": min(times), "matches": len(matches)}
