"""Time what a call from Python costs beyond the engine's own time, for one small region.

    python -m benchmarks.python_calls --json FILE.json

A generated region of 20 reads and 4 haplotypes is given as a batch, as batches of reads and of
haplotypes, and as lists of bytes, which are checked and packed first. The engine has one thread.
The `rows` of the JSON, in microseconds, medians of the rounds:

- `call`: a whole call.
- `beyond`: without the time that the engine's own clock counts.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import click
import numpy as np

from benchmarks.common import regions, report
from benchmarks.common.report import Table
from gkl_shim import pairhmm, pdhmm

_SHAPE = (20, 4)
_ROUNDS = 15
_CALLS = 100


def cases() -> Iterator[tuple[str, str, Any, Callable[[], Any]]]:
    """Yield an algorithm, a form of input, the engine, and a call of it."""
    batch = regions.generated(1, shape=_SHAPE)
    tracks = [track.tobytes() for track in batch.reads.tracks]
    ends = batch.reads.offsets.tolist()
    reads = [
        tuple(track[first:last] for track in tracks) for first, last in itertools.pairwise(ends)
    ]
    letters, ends = batch.haplotypes.bases.tobytes(), batch.haplotypes.offsets.tolist()
    haplotypes = [letters[first:last] for first, last in itertools.pairwise(ends)]
    engine = pairhmm.PairHMM(threads=1, backend="cpu")
    yield "PairHMM", "batch", engine, partial(engine.compute, batch)
    parts = (batch.reads, batch.haplotypes)
    yield "PairHMM", "reads and haplotypes", engine, partial(engine.likelihoods, *parts)
    yield "PairHMM", "lists of bytes", engine, partial(engine.likelihoods, reads, haplotypes)
    other = pdhmm.PDHMM(threads=1)
    flags = np.zeros(len(letters), np.uint8)
    flagged = pdhmm.HaplotypeBatch.from_arrays(batch.haplotypes.offsets, letters, flags)
    yield "PDHMM", "batch", other, partial(other.compute, pdhmm.Batch(batch.reads, flagged))
    pairs = [(haplotype, bytes(len(haplotype))) for haplotype in haplotypes]
    yield "PDHMM", "lists of bytes", other, partial(other.likelihoods, reads, pairs)


def measure() -> list[dict[str, Any]]:
    """Return the rows of the JSON."""
    chosen = list(cases())
    calls: list[list[float]] = [[] for _ in chosen]
    beyond: list[list[float]] = [[] for _ in chosen]
    for _ in range(_ROUNDS):
        for k, (_, _, engine, call) in enumerate(chosen):
            call()
            engines, start = engine.statistics.seconds, time.perf_counter()
            for _ in range(_CALLS):
                call()
            taken = time.perf_counter() - start
            inside = engine.statistics.seconds - engines
            calls[k].append(1e6 * taken / _CALLS)
            beyond[k].append(1e6 * (taken - inside) / _CALLS)
    return [
        {
            "algorithm": algorithm,
            "input": form,
            "call": statistics.median(calls[k]),
            "beyond": statistics.median(beyond[k]),
        }
        for k, (algorithm, form, _, _) in enumerate(chosen)
    ]


@click.command()
@report.json_option
def command(json_file: str | None) -> None:
    """Time what a call from Python costs beyond the engine's own time."""
    rows = measure()
    if json_file is not None:
        report.write_json(json_file, {**report.about(), "rows": rows})
    if json_file != "-":
        title = f"One region of {_SHAPE[0]} reads x {_SHAPE[1]} haplotypes, microseconds"
        report.print_tables([], [Table(title, rows, decimals={"call": 1, "beyond": 1})])


if __name__ == "__main__":
    report.run(command)
