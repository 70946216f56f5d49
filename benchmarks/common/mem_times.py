"""Time maximal exact matches in memory, on the CPU and on GPUs."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from benchmarks.common.report import Row
from gkl_shim.bench.genomes import Workload
from gkl_shim.mem._cuda import Engine
from gkl_shim.mem._native_mem import Index, Matches

_T = TypeVar("_T")
_ROUNDS = 9


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


def _size(matches: Matches, workload: Workload) -> int:
    """Write the matches as text, and return its bytes."""
    return sum(map(len, matches.lines(*workload.names())))


def on_cpu(workload: Workload, threads: int) -> Row:
    """Time the steps of the CPU engine."""
    shape = workload.shape
    index_of(workload, threads)  # starts the threads
    index, indexed = _timed(lambda: index_of(workload, threads))
    matches, found = _timed(
        lambda: index.find(workload.sequences, shape.min_length, "mem", shape.strands)
    )
    size, formatted = _timed(lambda: _size(matches, workload))
    return {
        **_row(workload, f"CPU, {threads} threads"),
        "index": indexed,
        "match": found,
        "output": formatted,
        "matches": len(matches),
        "bytes": size,
    }


def on_devices(workload: Workload, counts: Sequence[int] = (1,)) -> list[Row]:
    """Time the CUDA engine on the first devices, for each number of devices.

    The total is the time from arrays to matches in host memory, the index included, after a first
    search has allocated the memory. It is the median of nine, in turns if there are several rows.

    Raises
    ------
    BackendUnavailable
        If there are not as many devices.
    """
    shape = workload.shape

    def found_by(engine: Engine) -> Matches:
        index = index_of(workload, deferred=True)
        return engine.find(index, workload.sequences, shape.min_length, "mem", shape.strands)

    rows = []
    with contextlib.ExitStack() as stack:
        engines = [
            stack.enter_context(contextlib.closing(Engine(range(count)))) for count in counts
        ]
        found = [found_by(engine) for engine in engines]
        times: list[list[float]] = [[] for _ in engines]
        for _ in range(_ROUNDS):
            for k, engine in enumerate(engines):
                found[k], total = _timed(partial(found_by, engine))
                times[k].append(total)
        for engine, matches, totals in zip(engines, found, times, strict=True):
            row = _row(workload, f"{len(engine.devices)} GPUs")
            _, row["output"] = _timed(partial(_size, matches, workload))
            _, row["array"] = _timed(matches.array)
            rows.append(row | {"total": statistics.median(totals), "matches": len(matches)})
    return rows
