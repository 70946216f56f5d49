"""What ``gkl-shim bench prefilter`` measures: pairs a second, accepted pairs, occupancy, energy."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from gkl_shim import energy
from gkl_shim._sequences import Sequences
from gkl_shim.cli import _bench
from gkl_shim.errors import BackendUnavailable
from gkl_shim.formats.prefilter_text import TextReader
from gkl_shim.prefilter import Encode, Method, Prefilter

__all__ = ["EDITS", "PAPER_LENGTHS", "PAPER_SHARES", "Accuracy", "Energy", "Matrix", "Occupancy",
           "Row", "accuracy", "batch_rows", "candidate_rows", "cpu_energy", "cpu_rows",
           "cuda_devices", "cuda_energy", "cuda_rows", "device_rows", "edlib_rows", "made_pairs",
           "memory_rows", "occupancy", "read_pairs"]  # fmt: skip

EDITS = (0, 2, 5, 10, 15, 25, 40)
PAPER_LENGTHS = (100, 150, 250, 300)
PAPER_SHARES = (0.02, 0.05, 0.1, 0.15)

_METHODS: tuple[Method, ...] = get_args(Method)
_PLACES: tuple[Encode, ...] = ("host", "device")
_ROUNDS = 5
_LENGTH = 100
_MADE_PAIRS = 1 << 17
# Pairs of one call.
_CPU_PAIRS = 1 << 20
_CUDA_PAIRS = 10_000_000
_PAPER_PAIRS = 2_000_000
_BATCHES = tuple(1 << bits for bits in (14, 16, 18, 20, 21))
# Candidates of one call, and what they are for.
_CANDIDATES = 40_000_000
_REFERENCE, _READS = 1_000_000, 1_000_000
_ENERGY_EDITS = (2, 5, 10)
# How long a device works for its power to be read; nvidia-smi shows an average of some 100 ms.
_ENERGY_SECONDS = 1.0

Matrix = NDArray[np.uint8]
"""Letters, shape (pairs, length)."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One measurement: millions of pairs a second, the median of rounds."""

    table: str
    """``edits``, and with ``--papers``: ``length``, ``threads``, ``batch``, ``devices``,
    ``memory``."""
    what: str
    """What was timed: a CPU build, or a way to CUDA devices and back."""
    method: str
    length: int
    max_edits: int
    """-1 where there is no threshold."""
    pairs: int
    threads: int
    devices: int
    batch: int | None
    millions: float


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """How many pairs each method accepts."""

    max_edits: int
    pairs: int
    exact: int
    gatekeeper: int
    false_accepts: int
    """Of ``gatekeeper``."""
    false_rejects: int
    """Likewise."""


@dataclasses.dataclass(frozen=True)
class Occupancy:
    """How many of the warps that a multiprocessor could hold a kernel's resources let be there."""

    device: str
    kernel: str
    registers: int
    warps: int
    most_warps: int

    @property
    def share(self) -> float:
        """Warps there are of those there could be."""
        return self.warps / self.most_warps


@dataclasses.dataclass(frozen=True)
class Energy:
    """What a device, or all CPU packages, draw while the filter runs on encoded pairs."""

    what: str
    method: str
    max_edits: int
    millions: float
    """Pairs a second, in millions."""
    watts: float
    nanojoules_a_pair: float


# ---- pairs


def read_pairs(path: str) -> tuple[Matrix, Matrix]:
    """Read pairs of one length.

    Raises
    ------
    FormatError
        If the file is wrong, its pairs have several lengths, or there are none.
    OSError
        If it cannot be read.
    """
    sides: tuple[list[Matrix], list[Matrix]] = ([], [])
    with TextReader(path) as reader:
        for chunk in reader.pairs():
            for side, got in zip(sides, (chunk.reads, chunk.segments), strict=True):
                lengths = np.unique(got.lengths)
                first = side[0].shape[1] if side else int(lengths[0])
                if lengths.tolist() != [first]:
                    raise reader.error(chunk.first_line, "bench needs pairs of one length")
                letters = got.raw.letters
                assert letters is not None
                side.append(letters[got.starts[:, None] + np.arange(first)])
    if not sides[0]:
        raise reader.error(1, "there are no pairs")
    reads, segments = (np.concatenate(side) for side in sides)
    if reads.shape != segments.shape:
        raise reader.error(1, "bench needs pairs of one length")
    return reads, segments


def made_pairs(length: int = _LENGTH) -> tuple[Matrix, Matrix]:
    """Make pairs as a mapper proposes them: few are alike, most share little but a seed."""
    rng, count = np.random.default_rng(length), _MADE_PAIRS
    letters = np.frombuffer(b"ACGT", np.uint8)
    genome = rng.choice(letters, 1 << 20)
    starts = rng.integers(0, len(genome) - length - 1, count)
    reads = genome[starts[:, None] + np.arange(length)]
    # A base too late after some place: a deletion.
    shift = np.arange(length) >= rng.integers(0, 2 * length, count)[:, None]
    segments = genome[starts[:, None] + np.arange(length) + shift]
    rates = rng.choice(
        [0.0, 0.01, 0.03, 0.08, 0.2, 0.5], count, p=[0.02, 0.02, 0.04, 0.12, 0.3, 0.5]
    )
    changed = rng.random((count, length)) < rates[:, None]
    changed[:, : min(12, length)] = False
    segments[changed] = rng.choice(letters, int(changed.sum()))
    return reads, segments


def _repeated(matrix: Matrix, count: int) -> Sequences:
    return Sequences.from_matrix(np.resize(matrix, (count, matrix.shape[1])))


# ---- CPU


def _rate(call: Callable[[], object], pairs: int, seconds: float) -> float:
    """Millions of pairs a second: the median of rounds that take about so long together."""
    return pairs / _bench.seconds_of(call, seconds) / 1e6


def cpu_rows(
    table: str,
    reads: Matrix,
    segments: Matrix,
    builds: tuple[str, ...],
    threads: Any,
    seconds: float,
    edits: Any,
) -> Iterator[Row]:
    """Time builds with so many threads, at every threshold; ``gatekeeper`` at 5% of the length."""
    length = reads.shape[1]
    # The estimate takes some twenty times as long.
    counts: dict[Method, int] = {"exact": _CPU_PAIRS, "gatekeeper": _CPU_PAIRS // 16}
    pairs = {
        method: (_repeated(reads, count), _repeated(segments, count))
        for method, count in counts.items()
    }
    wanted = [*((_METHODS[0], e) for e in edits), (_METHODS[1], length // 20)]
    for build in builds:
        for count in threads:
            for method, max_edits in wanted:
                out = np.empty(counts[method], np.int16)
                with Prefilter(
                    max_edits, method=method, backend="cpu", build=build, threads=count
                ) as prefilter:
                    call = partial(prefilter.edits, pairs[method][0], pairs[method][1], out=out)
                    rate = _rate(call, len(out), seconds)
                yield Row(table, f"CPU, {build}", method, length, max_edits, len(out), count, 0,
                          None, rate)  # fmt: skip


def edlib_rows(reads: Matrix, segments: Matrix, seconds: float) -> Iterator[Row]:
    """Time edlib's Python package, where it is installed, with and without a threshold."""
    if importlib.util.find_spec("edlib") is None:
        return
    edlib = importlib.import_module("edlib")
    some = min(len(reads), 3000)
    pairs = [(a.tobytes(), b.tobytes()) for a, b in zip(reads[:some], segments[:some], strict=True)]

    def align(max_edits: int) -> None:
        for one, other in pairs:
            edlib.align(one, other, task="distance", k=max_edits)

    for max_edits in (5, -1):
        rate = _rate(partial(align, max_edits), some, seconds)
        yield Row("edits", "edlib", "exact", reads.shape[1], max_edits, some, 1, 0, None, rate)


def accuracy(reads: Matrix, segments: Matrix, max_edits: int) -> Accuracy:
    """Count the pairs that each method accepts."""
    exact, estimate = (
        Prefilter(max_edits, method=method, backend="cpu").edits(reads, segments) >= 0
        for method in _METHODS
    )
    return Accuracy(
        max_edits,
        len(reads),
        int(exact.sum()),
        int(estimate.sum()),
        int((estimate & ~exact).sum()),
        int((exact & ~estimate).sum()),
    )


# ---- CUDA


def cuda_devices() -> tuple[list[str], str | None]:
    """Return the CUDA devices' names; where there are none, why."""
    try:
        with Prefilter(0, backend="cuda") as prefilter:
            return list(prefilter.devices), None
    except BackendUnavailable as error:
        return [], str(error)


def _pinned(array: NDArray[Any]) -> NDArray[Any]:
    """Copy an array into pinned memory."""
    copy: NDArray[Any] = importlib.import_module("cupyx").empty_pinned(array.shape, array.dtype)
    copy[...] = array
    return copy


def _in_pinned(sequences: Sequences) -> Sequences:
    raw = sequences.raw
    letters, low, high, undefined = (
        None if array is None else _pinned(array)
        for array in (raw.letters, raw.low, raw.high, raw.undefined)
    )
    return Sequences(
        dataclasses.replace(raw, letters=letters, low=low, high=high, undefined=undefined)
    )


def _tiled(planes: Sequences, times: int) -> Sequences:
    """Repeat encoded sequences of one length that fill whole words."""
    raw = planes.raw
    assert raw.low is not None and raw.high is not None and raw.size % 32 == 0
    return Sequences(
        dataclasses.replace(
            raw,
            count=times * raw.count,
            size=times * raw.size,
            low=np.tile(raw.low, times),
            high=np.tile(raw.high, times),
            undefined=None if raw.undefined is None else np.tile(raw.undefined, times),
        )
    )


def _kernel_rate(
    reads: Sequences,
    segments: Sequences,
    method: Method,
    max_edits: int,
    *,
    special: bool = False,
    seconds: float = 0.0,
) -> float:
    """Millions of pairs a second of the kernel alone, once it has run for so long."""
    with Prefilter(max_edits, method=method, backend="cuda", devices=[0]) as prefilter:
        engine: Any = prefilter.engine(0)
        if special:
            engine.special_after = 0
        taken: float = engine.kernel_seconds(reads, segments, _ROUNDS)
        if seconds:
            taken = engine.kernel_seconds(reads, segments, max(int(seconds / taken), _ROUNDS))
    return len(reads) / taken / 1e6


def cuda_rows(
    table: str, reads: Matrix, segments: Matrix, edits: Any, seconds: float
) -> Iterator[Row]:
    """Time the kernel alone at every threshold, and every way in and out at 5% of the length."""
    length = reads.shape[1]
    count = (_CUDA_PAIRS if table == "edits" else _PAPER_PAIRS) * _LENGTH // length // 32 * 32
    letters = [_repeated(side, count) for side in (reads, segments)]
    planes = [side.encoded() for side in letters]
    for max_edits in edits:
        for what, method in (
            ("CUDA, kernel alone", "exact"),
            ("CUDA, kernel for this length and threshold", "exact"),
            ("CUDA, kernel alone", "gatekeeper"),
        ):
            special = what != "CUDA, kernel alone"
            rate = _kernel_rate(planes[0], planes[1], method, max_edits, special=special)  # type: ignore[arg-type]
            yield Row(table, what, method, length, max_edits, count, 0, 1, None, rate)
    # As many bytes as letters have.
    planes = [_tiled(side, 4) for side in planes]
    # The caller's arrays in pinned memory: nothing has to be copied on the host.
    pinned_letters, pinned_planes = ([_in_pinned(x) for x in side] for side in (letters, planes))
    max_edits = length // 20
    ways: dict[str, tuple[list[Sequences], Encode]] = {
        "CUDA, letters, encoded on the host": (letters, "host"),
        "CUDA, letters, encoded on the device": (letters, "device"),
        "CUDA, 2-bit encoded": (planes, "auto"),
        "CUDA, letters in pinned memory": (pinned_letters, "device"),
        "CUDA, 2-bit encoded in pinned memory": (pinned_planes, "auto"),
    }
    for what, (pair, encode) in ways.items():
        pairs = len(pair[0])
        out = np.zeros(pairs, np.int16)
        if "pinned" in what:
            out = _pinned(out)
        with Prefilter(max_edits, backend="cuda", encode=encode, devices=[0]) as prefilter:
            rate = _rate(partial(prefilter.edits, pair[0], pair[1], out=out), pairs, seconds)
        yield Row(table, what, "exact", length, max_edits, pairs, 0, 1, None, rate)


def candidate_rows(table: str, devices: int, seconds: float) -> Iterator[Row]:
    """Time candidates against a reference and reads that stay on so many devices."""
    rng = np.random.default_rng(1)
    genome = rng.choice(np.frombuffer(b"ACGT", np.uint8), _REFERENCE)
    starts = rng.integers(0, _REFERENCE - _LENGTH, _READS)
    reads = Sequences.from_matrix(genome[starts[:, None] + np.arange(_LENGTH)])
    count = _CANDIDATES * devices
    arrays = [
        rng.integers(0, _READS, count, np.int32),
        rng.integers(0, _REFERENCE - _LENGTH, count, np.int32),
        np.zeros(count, np.int16),
    ]
    with Prefilter(5, backend="cuda", devices=list(range(devices))) as prefilter:
        resident = prefilter.resident(reads, [genome])
        for what, (which, where, out) in (
            ("CUDA, candidates", arrays),
            ("CUDA, candidates in pinned memory", [_pinned(array) for array in arrays]),
        ):
            rate = _rate(partial(resident.edits, which, where, out=out), count, seconds)
            yield Row(table, what, "exact", _LENGTH, 5, count, 0, devices, None, rate)


def device_rows(reads: Matrix, segments: Matrix, devices: int, seconds: float) -> Iterator[Row]:
    """Time candidates and pairs on 1, 2, 4 ... of so many devices."""
    for count in sorted({1, *(2**k for k in range(1, 4) if 2**k <= devices), devices}):
        yield from candidate_rows("devices", count, seconds)
        pairs = _PAPER_PAIRS * count
        letters = [_repeated(side, pairs) for side in (reads, segments)]
        planes = [_in_pinned(_tiled(side.encoded(), 4)) for side in letters]
        for what, pair, out in (
            ("CUDA, letters", letters, np.zeros(pairs, np.int16)),
            ("CUDA, 2-bit encoded in pinned memory", planes, _pinned(np.zeros(4 * pairs, "i2"))),
        ):
            with Prefilter(5, backend="cuda", devices=list(range(count))) as prefilter:
                call = partial(prefilter.edits, pair[0], pair[1], out=out)
                rate = _rate(call, len(out), seconds)
            yield Row("devices", what, "exact", reads.shape[1], 5, len(out), 0, count, None, rate)


def batch_rows(reads: Matrix, segments: Matrix, seconds: float) -> Iterator[Row]:
    """Time letters by how many pairs go to a device at once."""
    pair = [_repeated(side, _PAPER_PAIRS) for side in (reads, segments)]
    out = np.empty(_PAPER_PAIRS, np.int16)
    for place in _PLACES:
        for batch in _BATCHES:
            with Prefilter(5, backend="cuda", encode=place, devices=[0]) as prefilter:
                engine: Any = prefilter.engine(0)
                engine.batch_pairs = batch
                call = partial(prefilter.edits, pair[0], pair[1], out=out)
                rate = _rate(call, _PAPER_PAIRS, seconds)
            yield Row("batch", f"CUDA, letters, encoded on the {place}", "exact", reads.shape[1],
                      5, _PAPER_PAIRS, 0, 1, batch, rate)  # fmt: skip


def memory_rows(reads: Matrix, segments: Matrix, seconds: float) -> Iterator[Row]:
    """Time encoded pairs by the memory through which they reach a device.

    Raises
    ------
    BackendUnavailable
        If unified memory cannot be measured.
    """
    # Imported here: it needs CuPy.
    from gkl_shim.cuda import unified

    count = _PAPER_PAIRS
    planes = [_repeated(side, count).encoded() for side in (reads, segments)]
    out = np.empty(count, np.int16)
    with Prefilter(5, backend="cuda", devices=[0]) as prefilter:
        call = partial(prefilter.edits, planes[0], planes[1], out=out)
        rates = {"pinned staging": _rate(call, count, seconds)}
    measured = unified.seconds(planes[0], planes[1], 5, _ROUNDS)
    rates |= {name: count / taken / 1e6 for name, taken in measured.items()}
    for what, rate in rates.items():
        yield Row("memory", f"CUDA, 2-bit encoded, {what}", "exact", reads.shape[1], 5, count, 0, 1,
                  None, rate)  # fmt: skip


def occupancy(reads: Matrix, segments: Matrix) -> Iterator[Occupancy]:
    """Ask the driver how many warps of each kernel a multiprocessor holds."""
    planes = [_repeated(side, 1000).encoded() for side in (reads, segments)]
    for method, max_edits in (("exact", 5), ("exact", 40), ("exact", 200), ("gatekeeper", 5)):
        with Prefilter(max_edits, method=method, backend="cuda", devices=[0]) as prefilter:  # type: ignore[arg-type]
            prefilter.edits(planes[0], planes[1])
            engine: Any = prefilter.engine(0)
            for kernel, registers, warps, most in engine.occupancy():
                yield Occupancy(prefilter.devices[0], kernel, registers, warps, most)


# ---- energy


def cuda_energy(reads: Matrix, segments: Matrix) -> Iterator[Energy]:
    """Read what the first device draws while a kernel runs on encoded pairs.

    Raises
    ------
    BackendUnavailable
        If its power cannot be read.
    """
    planes = [_repeated(side, _CUDA_PAIRS).encoded() for side in (reads, segments)]
    with Prefilter(0, backend="cuda", devices=[0]) as prefilter:
        name = prefilter.devices[0]
    for method in _METHODS:
        for max_edits in _ENERGY_EDITS:
            with energy.of_gpu(0) as used:
                rate = _kernel_rate(
                    planes[0], planes[1], method, max_edits, seconds=_ENERGY_SECONDS
                )
            watts = used().watts
            yield Energy(name, method, max_edits, rate, watts, watts / rate * 1e3)


def cpu_energy(reads: Matrix, segments: Matrix, cpu: str) -> Iterator[Energy]:
    """Read what the CPU packages draw while all threads filter encoded pairs.

    Raises
    ------
    BackendUnavailable
        If their energy cannot be read.
    """
    planes = [_repeated(side, _CPU_PAIRS).encoded() for side in (reads, segments)]
    out = np.empty(_CPU_PAIRS, np.int16)
    for method in _METHODS:
        for max_edits in _ENERGY_EDITS:
            with Prefilter(max_edits, method=method, backend="cpu") as prefilter:
                call = partial(prefilter.edits, planes[0], planes[1], out=out)
                with energy.of_cpu() as used:
                    rate = _rate(call, _CPU_PAIRS, _ENERGY_SECONDS)
                watts = used().watts
            yield Energy(cpu, method, max_edits, rate, watts, watts / rate * 1e3)
