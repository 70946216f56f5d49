"""Measure the speed of the pre-alignment filter, and which pairs it accepts."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from benchmarks.common.device_timer import pinned, timed
from gkl_shim.bench.pairs import candidates
from gkl_shim.bench.timing import seconds_of
from gkl_shim.formats.prefilter_text import TextReader
from gkl_shim.prefilter import Encode, Prefilter, Sequences
from gkl_shim.prefilter._engine import Method

_METHODS: tuple[Method, ...] = get_args(Method)
_ROUNDS = 5
_LENGTH = 100
_GENERATED_PAIRS = 1 << 17
# Pairs of one call.
_CPU_PAIRS = 1 << 20
_CUDA_PAIRS = 10_000_000
_PAPER_PAIRS = 2_000_000
_EDLIB_PAIRS = 3000
# Candidates of one call, and what they are for.
_CANDIDATES = 40_000_000
_REFERENCE, _READS = 1_000_000, 1_000_000
# The threshold of tables with only one threshold.
_EDITS = 5

Letters: TypeAlias = NDArray[np.uint8]
"""Sequences of one length, shape (pairs, length)."""
Figures: TypeAlias = dict[str, Any]
"""A row of the JSON."""
_Sides: TypeAlias = Sequence[Sequences]
"""Reads and segments."""


@dataclass(frozen=True)
class Row:
    """One measurement."""

    table: str
    """``edits``, ``length``, ``threads`` or ``devices``."""
    what: str
    """What was timed: a CPU build, or a form of input for CUDA devices."""
    method: Method
    length: int
    max_edits: int
    """-1 if there is no threshold."""
    pairs: int
    """The number of pairs in one call."""
    threads: int = 0
    devices: int = 0
    millions: float = 0
    """Pairs a second in millions, the median of rounds."""

    def timed(self, call: Callable[[], object], seconds: float) -> Row:
        """Return the row with the rate of a call."""
        return replace(self, millions=self.pairs / seconds_of(call, seconds) / 1e6)


# ---- pairs


def read_pairs(path: str) -> tuple[Letters, Letters]:
    """Read pairs of one length.

    Raises
    ------
    FormatError
        If the file is wrong, its pairs have several lengths, or there are none.
    OSError
        If it cannot be read.
    """
    sides: tuple[list[Letters], list[Letters]] = ([], [])
    with TextReader(path) as reader:
        for chunk in reader.pairs():
            for side, got in zip(sides, (chunk.reads, chunk.segments), strict=True):
                lengths = np.unique(got.lengths)
                first = side[0].shape[1] if side else int(lengths[0])
                if lengths.tolist() != [first]:
                    raise reader.error(chunk.first_line, "the pairs must have one length")
                letters = got.raw.letters
                assert letters is not None
                side.append(letters[got.starts[:, None] + np.arange(first)])
    if not sides[0]:
        raise reader.error(1, "there are no pairs")
    reads, segments = (np.concatenate(side) for side in sides)
    if reads.shape != segments.shape:
        raise reader.error(1, "the pairs must have one length")
    return reads, segments


def generated_pairs(length: int = _LENGTH) -> tuple[Letters, Letters]:
    """Generate pairs like a mapper's candidates."""
    return candidates(_GENERATED_PAIRS, length)


def _repeated(sides: tuple[Letters, Letters], count: int) -> list[Sequences]:
    return [Sequences.from_matrix(np.resize(side, (count, side.shape[1]))) for side in sides]


def _edits(prefilter: Prefilter, sides: _Sides, out: NDArray[Any]) -> Callable[[], object]:
    return partial(prefilter.edits, sides[0], sides[1], out=out)


def _empty(count: int) -> NDArray[np.int16]:
    return np.zeros(count, np.int16)


# ---- CPU


def cpu_rows(
    table: str,
    sides: tuple[Letters, Letters],
    builds: Sequence[str],
    threads: Sequence[int],
    edits: Sequence[int],
    seconds: float,
) -> Iterator[Row]:
    """Time builds and numbers of threads at every threshold; ``gatekeeper`` at 5% of the length."""
    length = sides[0].shape[1]
    # GateKeeper's estimate takes about twenty times as long as the edit distance.
    counts: dict[Method, int] = {"exact": _CPU_PAIRS, "gatekeeper": _CPU_PAIRS // 16}
    pairs = {method: _repeated(sides, count) for method, count in counts.items()}
    wanted: list[tuple[Method, int]] = [
        *(("exact", e) for e in edits),
        ("gatekeeper", length // 20),
    ]
    for build in builds:
        for count in threads:
            for method, max_edits in wanted:
                out = _empty(counts[method])
                row = Row(table, f"CPU, {build}", method, length, max_edits, len(out), count)
                with Prefilter(
                    max_edits, method=method, backend="cpu", build=build, threads=count
                ) as prefilter:
                    yield row.timed(_edits(prefilter, pairs[method], out), seconds)


def edlib_rows(sides: tuple[Letters, Letters], seconds: float) -> Iterator[Row]:
    """Time edlib's Python package, with and without a threshold."""
    align = importlib.import_module("edlib").align
    pairs = [
        (read.tobytes(), segment.tobytes())
        for read, segment in zip(*(side[:_EDLIB_PAIRS] for side in sides), strict=True)
    ]

    def align_all(max_edits: int) -> None:
        for read, segment in pairs:
            align(read, segment, task="distance", k=max_edits)

    for max_edits in (_EDITS, -1):
        length = sides[0].shape[1]
        row = Row("edits", "edlib", "exact", length, max_edits, len(pairs), threads=1)
        yield row.timed(partial(align_all, max_edits), seconds)


def accuracy(sides: tuple[Letters, Letters], max_edits: int) -> Figures:
    """Count the pairs that each method accepts; false ones are GateKeeper's."""
    exact, estimate = (
        Prefilter(max_edits, method=method, backend="cpu").edits(*sides) >= 0 for method in _METHODS
    )
    return {
        "max_edits": max_edits,
        "pairs": len(exact),
        "exact": int(exact.sum()),
        "gatekeeper": int(estimate.sum()),
        "false_accepts": int((estimate & ~exact).sum()),
        "false_rejects": int((exact & ~estimate).sum()),
    }


# ---- CUDA


def _in_pinned(sides: _Sides) -> list[Sequences]:
    found = []
    for raw in (side.raw for side in sides):
        tracks = ("letters", "low", "high", "undefined")
        given = {name: getattr(raw, name) for name in tracks}
        copies: Any = {k: None if each is None else pinned(each) for k, each in given.items()}
        found.append(Sequences(replace(raw, **copies)))
    return found


def _tiled(sides: _Sides, times: int) -> list[Sequences]:
    """Repeat encoded sequences of one length that fill whole words."""
    found = []
    for raw in (side.raw for side in sides):
        assert raw.low is not None and raw.high is not None and raw.size % 32 == 0
        planes = {name: getattr(raw, name) for name in ("low", "high", "undefined")}
        tiled: Any = {k: None if v is None else np.tile(v, times) for k, v in planes.items()}
        count, size = times * raw.count, times * raw.size
        found.append(Sequences(replace(raw, count=count, size=size, **tiled)))
    return found


def _kernel_rate(sides: _Sides, method: Method, max_edits: int, seconds: float = 0.0) -> float:
    """Return the million pairs a second of the kernel alone, after it has run for `seconds`."""
    reads, segments = sides
    out = np.empty(len(reads), np.int16)
    with (
        timed() as timer,
        Prefilter(max_edits, method=method, backend="cuda", devices=[0]) as prefilter,
    ):
        engine: Any = prefilter.engine
        engine.chunk_pairs = len(reads)
        taken = 0.0
        # The first call allocates memory.
        for launches in (1, _ROUNDS, 0) if seconds else (1, _ROUNDS):
            timer.launches = launches or max(int(seconds / taken), _ROUNDS)
            engine.compute(reads, segments, out)
            taken, _ = timer.take(engine)
    return len(reads) / taken / 1e6


def cuda_rows(
    table: str, sides: tuple[Letters, Letters], edits: Sequence[int], seconds: float
) -> Iterator[Row]:
    """Time the kernel alone at every threshold, and every form of input at 5% of the length."""
    length = sides[0].shape[1]
    count = (_CUDA_PAIRS if table == "edits" else _PAPER_PAIRS) * _LENGTH // length // 32 * 32
    letters = _repeated(sides, count)
    planes = [side.encoded() for side in letters]
    methods: tuple[Method, ...] = ("exact", "gatekeeper")
    for max_edits in edits:
        for method in methods:
            rate = _kernel_rate(planes, method, max_edits)
            yield Row(
                table,
                "CUDA, kernel alone",
                method,
                length,
                max_edits,
                count,
                devices=1,
                millions=rate,
            )
    # The size of the letters in bytes.
    planes = _tiled(planes, 4)
    # From the caller's arrays in pinned memory, nothing is copied on the host.
    ways: dict[str, tuple[_Sides, Encode]] = {
        "CUDA, letters, encoded on the host": (letters, "host"),
        "CUDA, letters, encoded on the device": (letters, "device"),
        "CUDA, 2-bit encoded": (planes, "auto"),
        "CUDA, letters in pinned memory": (_in_pinned(letters), "device"),
        "CUDA, 2-bit encoded in pinned memory": (_in_pinned(planes), "auto"),
    }
    for what, (pair, encode) in ways.items():
        out = _empty(len(pair[0]))
        out = pinned(out) if "pinned" in what else out
        row = Row(table, what, "exact", length, length // 20, len(out), devices=1)
        with Prefilter(row.max_edits, backend="cuda", encode=encode, devices=[0]) as prefilter:
            yield row.timed(_edits(prefilter, pair, out), seconds)


def candidate_rows(table: str, devices: int, seconds: float) -> Iterator[Row]:
    """Time candidates with the reads and the reference in device memory."""
    random = np.random.default_rng(1)
    genome = random.choice(np.frombuffer(b"ACGT", np.uint8), _REFERENCE)
    starts = random.integers(0, _REFERENCE - _LENGTH, _READS)
    reads = Sequences.from_matrix(genome[starts[:, None] + np.arange(_LENGTH)])
    count = _CANDIDATES * devices
    arrays = [
        random.integers(0, _READS, count, np.int32),
        random.integers(0, _REFERENCE - _LENGTH, count, np.int32),
        _empty(count),
    ]
    with Prefilter(_EDITS, backend="cuda", devices=list(range(devices))) as prefilter:
        resident = prefilter.resident(reads, [genome])
        for what, (which, where, out) in (
            ("CUDA, candidates", arrays),
            ("CUDA, candidates in pinned memory", [pinned(array) for array in arrays]),
        ):
            row = Row(table, what, "exact", _LENGTH, _EDITS, count, devices=devices)
            yield row.timed(partial(resident.edits, which, where, out=out), seconds)


def device_rows(sides: tuple[Letters, Letters], devices: int, seconds: float) -> Iterator[Row]:
    """Time candidates and pairs on 1, 2, 4 ... devices, and on all of them."""
    for count in sorted({1, *(2**k for k in range(1, 4) if 2**k <= devices), devices}):
        yield from candidate_rows("devices", count, seconds)
        pairs = _PAPER_PAIRS * count
        letters = _repeated(sides, pairs)
        planes = _in_pinned(_tiled([side.encoded() for side in letters], 4))
        for what, pair, out in (
            ("CUDA, letters", letters, _empty(pairs)),
            ("CUDA, 2-bit encoded in pinned memory", planes, pinned(_empty(4 * pairs))),
        ):
            length = sides[0].shape[1]
            row = Row("devices", what, "exact", length, _EDITS, len(out), devices=count)
            with Prefilter(_EDITS, backend="cuda", devices=list(range(count))) as prefilter:
                yield row.timed(_edits(prefilter, pair, out), seconds)
