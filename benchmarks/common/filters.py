"""The engines that `prefilter_peers.py` times: the filter's own, and edlib."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.common.pairs import candidates
from gkl_shim.common._processor import Processor
from gkl_shim.prefilter import Prefilter, Sequences

_Letters: TypeAlias = NDArray[np.uint8]
"""Sequences of one length, shape (pairs, length)."""

# The bases of all reads, and of all segments: those generated, and those in one call, which repeats
# the generated ones.
_GENERATED_BASES = 100 << 17
_CPU_BASES = 100 << 20
_CUDA_BASES = 400 << 20
_EDLIB_BASES = 300_000


@dataclasses.dataclass(frozen=True)
class Engine:
    """An engine to time."""

    name: str
    threads: int | None
    pairs: int
    """The number of pairs in one call."""
    at: Callable[[int], Callable[[], object]]
    """Returns the call to time, for a threshold."""


def engines(length: int, here: Processor, cuda: bool) -> list[Engine]:
    """Return the engines to time with pairs of a length: of this CPU, of edlib and of GPUs."""
    pairs = candidates(max(_GENERATED_BASES // length, 1), length)
    return [*_cpu(*pairs, here), _edlib(*pairs), *(_cuda(*pairs) if cuda else ())]


def _cpu(reads: _Letters, segments: _Letters, here: Processor) -> Iterator[Engine]:
    sides = [_repeated(side, _CPU_BASES) for side in (reads, segments)]
    cases = [(build, 1) for build in here.builds]
    cases += [(here.builds[0], here.usable_cpus)] if here.usable_cpus > 1 else []
    for build, threads in cases:
        yield _prefilter(f"CPU, {build}", sides, threads, backend="cpu", build=build)


def _cuda(reads: _Letters, segments: _Letters) -> Iterator[Engine]:
    sides = [_repeated(side, _CUDA_BASES) for side in (reads, segments)]
    yield _prefilter("CUDA, letters", sides, backend="cuda")
    yield _prefilter("CUDA, 2-bit encoded", [side.encoded() for side in sides], backend="cuda")


def _prefilter(
    name: str, sides: list[Sequences], threads: int | None = None, **options: Any
) -> Engine:
    out = np.empty(len(sides[0]), np.int16)

    def at(max_edits: int) -> Callable[[], object]:
        prefilter = Prefilter(max_edits, threads=threads or 0, **options)
        return partial(prefilter.edits, sides[0], sides[1], out=out)

    return Engine(name, threads, len(out), at)


def _edlib(reads: _Letters, segments: _Letters) -> Engine:
    align = importlib.import_module("edlib").align
    count = max(_EDLIB_BASES // reads.shape[1], 1)
    pairs = [
        (read.tobytes(), segment.tobytes())
        for read, segment in zip(reads[:count], segments[:count], strict=True)
    ]

    def run(max_edits: int) -> None:
        for read, segment in pairs:
            align(read, segment, task="distance", k=max_edits)

    return Engine("edlib", 1, len(pairs), lambda max_edits: partial(run, max_edits))


def _repeated(letters: _Letters, bases: int) -> Sequences:
    length = letters.shape[1]
    return Sequences.from_matrix(np.resize(letters, (max(bases // length, 1), length)))
