"""``gkl-shim bench prefilter``: pairs a second, and the tables of the GateKeeper papers."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import json
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click
import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import gkl_shim
from gkl_shim import machine
from gkl_shim._files import atomic_output
from gkl_shim._sequences import Sequences
from gkl_shim.errors import BackendUnavailable, MissingComponent
from gkl_shim.formats.prefilter_text import TextReader
from gkl_shim.prefilter import Encode, Method, Prefilter

_ROUNDS = 5
_CPU_PAIRS = 1 << 20
_MADE_PAIRS = 1 << 17
_CUDA_PAIRS = 10_000_000
_PAPER_PAIRS = 2_000_000
_LENGTH = 100
_PAPER_LENGTHS = (100, 150, 250, 300)
_PAPER_SHARES = (0, 0.02, 0.05, 0.1, 0.15)
_EDITS = (0, 2, 5, 10, 15, 25, 40)
_BATCHES = tuple(1 << bits for bits in (14, 16, 18, 20, 22))
_REFERENCE, _READS = 1_000_000, 1_000_000
_POWER_SECONDS = 0.02
_METHODS: tuple[Method, ...] = get_args(Method)
_PLACES: tuple[Encode, ...] = ("host", "device")
_SUFFIXES = (".png", ".svg", ".pdf")


@dataclasses.dataclass(frozen=True)
class _Row:
    """One measurement: millions of pairs a second, medians over rounds."""

    table: str
    """``filter``, and with ``--papers``: ``length``, ``threads``, ``batch``, ``devices``."""
    what: str
    """What was timed: a CPU build, or a way to CUDA devices and back."""
    method: str
    length: int
    max_edits: int
    pairs: int
    threads: int
    devices: int
    batch: int | None
    millions: float


@dataclasses.dataclass(frozen=True)
class _Accuracy:
    """How many pairs each method accepts."""

    max_edits: int
    pairs: int
    exact: int
    gatekeeper: int
    false_accepts: int
    false_rejects: int


@dataclasses.dataclass(frozen=True)
class _Verification:
    """edlib on all pairs, beside the filter and edlib on what it accepts; seconds, one thread."""

    max_edits: int
    pairs: int
    edlib_alone: float
    filter: float
    edlib_after: float
    mappings: int
    same_mappings: bool


@dataclasses.dataclass(frozen=True)
class _Device:
    """A CUDA device while the exact kernel runs."""

    name: str
    registers: int
    occupancy: float
    """Warps that a multiprocessor holds at once, of those it could."""
    watts: float | None
    nanojoules_a_pair: float | None


@click.command(
    name="prefilter", epilog="Example: gkl-shim bench prefilter --papers pairs.tsv --json out.json"
)
@click.argument("pairs_file", metavar="[PAIRS.tsv]", required=False)
@click.option("--json", "json_file", metavar="FILE", help="Write all figures there; - is stdout.")
@click.option(
    "--plot", "plot_file", metavar="FILE", help="Draw them (.png, .svg, .pdf). Needs matplotlib."
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.01, 600),
    default=0.5,
    show_default=True,
    help="At least so long for each measurement.",
)
@click.option(
    "--papers",
    is_flag=True,
    help="The tables of the GateKeeper papers too: by length, threads, devices, pairs a batch and "
    "place of encoding; falsely accepted pairs; filter and verification; occupancy, energy.",
)
def command(
    pairs_file: str | None,
    json_file: str | None,
    plot_file: str | None,
    seconds: float,
    papers: bool,
) -> None:
    """Time the pre-alignment filter: each CPU build, edlib where installed, CUDA where there is.

    PAIRS.tsv holds pairs of one length, for example a mapper's candidates; they are repeated until
    there are enough. By default pairs of 100 bases are made, from a fixed seed.
    """
    if plot_file is not None:
        if Path(plot_file).suffix.lower() not in _SUFFIXES:
            raise click.UsageError(f"--plot {plot_file}: one of {', '.join(_SUFFIXES)}")
        if importlib.util.find_spec("matplotlib") is None:
            raise MissingComponent("--plot needs matplotlib: pip install 'gkl-shim[plot]'")
    if papers and importlib.util.find_spec("edlib") is None:
        raise MissingComponent("--papers needs edlib: pip install edlib")
    here = machine.describe()
    reads, segments = _read(pairs_file) if pairs_file else _made(_MADE_PAIRS, _LENGTH)
    cuda, absent = _cuda_devices()
    rows: list[_Row] = []
    accuracy: list[_Accuracy] = []
    verification: list[_Verification] = []
    devices: list[_Device] = []
    with _progress() as step:
        step("CPU")
        rows += _cpu_rows("filter", reads, segments, here.builds, (1,), seconds, _EDITS)
        rows += _cpu_rows(
            "filter", reads, segments, here.builds[:1], (here.usable_cpus,), seconds, _EDITS
        )
        step("edlib")
        rows += _edlib_rows(reads, segments, seconds)
        if cuda:
            step("CUDA")
            rows += _cuda_rows("filter", reads, segments, _EDITS, seconds)
            rows += _candidate_rows(seconds, len(cuda))
        if papers:
            step("falsely accepted pairs")
            accuracy = [_accuracy(reads, segments, e) for e in range(41)]
            step("verification")
            verification = [_verification(reads, segments, e) for e in (2, 5, 10)]
            for length in _PAPER_LENGTHS:
                step(f"length {length}")
                pair = _made(_MADE_PAIRS, length)
                edits = [int(share * length) for share in _PAPER_SHARES]
                rows += _cpu_rows("length", *pair, here.builds[:1], (1,), seconds, edits)
                if cuda:
                    rows += _cuda_rows("length", *pair, edits, seconds)
            step("threads")
            threads = sorted({1, *(2**k for k in range(1, 10)), here.usable_cpus})
            rows += _cpu_rows(
                "threads", reads, segments, here.builds[:1],
                [n for n in threads if n <= here.usable_cpus], seconds, [5],
            )  # fmt: skip
            if cuda:
                step("pairs a batch")
                rows += _batch_rows(reads, segments, seconds)
                step("occupancy and energy")
                devices = [_device(reads, segments)]
    report = {
        "version": gkl_shim.__version__,
        "machine": dataclasses.asdict(here),
        "pairs": Path(pairs_file).name if pairs_file else "made",
        "cuda": cuda,
        "cuda_absent_because": absent,
        "rows": [dataclasses.asdict(row) for row in rows],
        "accuracy": [dataclasses.asdict(row) for row in accuracy],
        "verification": [dataclasses.asdict(row) for row in verification],
        "devices": [dataclasses.asdict(row) for row in devices],
    }
    if json_file is not None:
        with atomic_output(json_file) as file:
            file.write((json.dumps(report, indent=2) + "\n").encode())
    if json_file != "-":
        _print(here, cuda, absent, rows, accuracy, verification, devices)
    if plot_file is not None:
        _plot(plot_file, rows, accuracy, here.cpu)


# ---- pairs


def _read(path: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Read pairs of one length, and repeat them."""
    sides: tuple[list[NDArray[np.uint8]], list[NDArray[np.uint8]]] = ([], [])
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


def _made(count: int, length: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Make pairs as a mapper proposes them: few are alike, most share little but a seed."""
    rng = np.random.default_rng(length)
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


def _repeated(matrix: NDArray[np.uint8], count: int) -> NDArray[np.uint8]:
    return np.resize(matrix, (count, matrix.shape[1]))


# ---- measuring


def _rate(call: Callable[[], object], pairs: int, seconds: float) -> float:
    """Millions of pairs a second: the median of rounds that take about so long together."""
    call()
    rates = []
    for _ in range(_ROUNDS):
        passes = 0
        start = time.perf_counter()
        while True:
            call()
            passes += 1
            elapsed = time.perf_counter() - start
            if elapsed >= seconds / _ROUNDS:
                break
        rates.append(pairs * passes / elapsed / 1e6)
    return statistics.median(rates)


def _cpu_rows(
    table: str,
    reads: NDArray[np.uint8],
    segments: NDArray[np.uint8],
    builds: tuple[str, ...],
    threads: Any,
    seconds: float,
    edits: Any,
) -> Iterator[_Row]:
    one, other = (Sequences.from_matrix(_repeated(x, _CPU_PAIRS)) for x in (reads, segments))
    out = np.empty(_CPU_PAIRS, np.int16)
    for build in builds:
        for count in threads:
            for method, max_edits in [*((_METHODS[0], e) for e in edits), (_METHODS[1], 5)]:
                with Prefilter(
                    max_edits,
                    method=method,
                    backend="cpu",
                    build=build,
                    threads=count,
                ) as prefilter:
                    rate = _rate(
                        partial(prefilter.edits, one, other, out=out),
                        _CPU_PAIRS,
                        seconds,
                    )
                yield _Row(table, f"CPU, {build}", method, reads.shape[1], max_edits,
                           _CPU_PAIRS, count, 0, None, rate)  # fmt: skip


def _edlib_rows(
    reads: NDArray[np.uint8], segments: NDArray[np.uint8], seconds: float
) -> Iterator[_Row]:
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
        yield _Row("filter", "edlib", "exact", reads.shape[1], max_edits, some, 1, 0, None, rate)


def _cuda_devices() -> tuple[list[str], str | None]:
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


def _cuda_rows(
    table: str, reads: NDArray[np.uint8], segments: NDArray[np.uint8], edits: Any, seconds: float
) -> Iterator[_Row]:
    length = reads.shape[1]
    count = (_CUDA_PAIRS if table == "filter" else _PAPER_PAIRS) * _LENGTH // length
    letters = [Sequences.from_matrix(_repeated(x, count)) for x in (reads, segments)]
    planes = [x.encoded() for x in letters]
    # The caller's arrays in pinned memory: nothing has to be copied on the host.
    pinned_letters, pinned_planes = ([_in_pinned(x) for x in side] for side in (letters, planes))
    out = _pinned(np.zeros(count, np.int16))
    for max_edits in edits:
        for method in _METHODS:
            with Prefilter(max_edits, method=method, backend="cuda") as prefilter:
                engine: Any = prefilter.engine(0)
                time_ = engine.kernel_seconds(*planes, 5)
            yield _Row(table, "CUDA, kernel alone", method, length, max_edits, count, 0, 1, None,
                       count / time_ / 1e6)  # fmt: skip
    ways: dict[str, tuple[list[Sequences], Encode]] = {
        "CUDA, letters, encoded on the host": (letters, "host"),
        "CUDA, letters, encoded on the device": (letters, "device"),
        "CUDA, letters in pinned memory": (pinned_letters, "device"),
        "CUDA, 2-bit encoded": (planes, "auto"),
        "CUDA, 2-bit encoded in pinned memory": (pinned_planes, "auto"),
    }
    for what, (pair, encode) in ways.items():
        with Prefilter(5, backend="cuda", encode=encode, devices=[0]) as prefilter:
            rate = _rate(partial(prefilter.edits, pair[0], pair[1], out=out), count, seconds)
        yield _Row(table, what, "exact", length, 5, count, 0, 1, None, rate)


def _candidate_rows(seconds: float, devices: int) -> Iterator[_Row]:
    rng = np.random.default_rng(1)
    genome = rng.choice(np.frombuffer(b"ACGT", np.uint8), _REFERENCE)
    starts = rng.integers(0, _REFERENCE - _LENGTH, _READS)
    reads = Sequences.from_matrix(genome[starts[:, None] + np.arange(_LENGTH)])
    for count in sorted({1, *(2**k for k in range(1, 4) if 2**k <= devices), devices}):
        size = 2 * _CUDA_PAIRS * count
        which = rng.integers(0, _READS, size, np.int32)
        where = rng.integers(0, _REFERENCE - _LENGTH, size, np.int32)
        out = np.zeros(size, np.int16)
        pinned = [_pinned(x) for x in (which, where, out)]
        with Prefilter(5, backend="cuda", devices=list(range(count))) as prefilter:
            resident = prefilter.resident(reads, [genome])
            for what, (a, b, results) in (
                ("CUDA, candidates", (which, where, out)),
                ("CUDA, candidates in pinned memory", pinned),
            ):
                rate = _rate(
                    partial(resident.edits, a, b, out=results),
                    size,
                    seconds,
                )
                yield _Row(
                    "filter" if count == 1 else "devices", what, "exact", _LENGTH, 5, size, 0,
                    count, None, rate,
                )  # fmt: skip


def _batch_rows(
    reads: NDArray[np.uint8], segments: NDArray[np.uint8], seconds: float
) -> Iterator[_Row]:
    length = reads.shape[1]
    count = _PAPER_PAIRS
    pair = [Sequences.from_matrix(_repeated(x, count)) for x in (reads, segments)]
    out = np.empty(count, np.int16)
    for place in _PLACES:
        for batch in _BATCHES:
            with Prefilter(5, backend="cuda", encode=place, devices=[0]) as prefilter:
                engine: Any = prefilter.engine(0)
                engine.batch_pairs = batch
                rate = _rate(
                    partial(prefilter.edits, pair[0], pair[1], out=out),
                    count,
                    seconds,
                )
            yield _Row("batch", f"CUDA, letters, encoded on the {place}", "exact", length, 5,
                       count, 0, 1, batch, rate)  # fmt: skip


def _accuracy(reads: NDArray[np.uint8], segments: NDArray[np.uint8], max_edits: int) -> _Accuracy:
    exact, estimate = (
        Prefilter(max_edits, method=method, backend="cpu").edits(reads, segments) >= 0
        for method in _METHODS
    )
    return _Accuracy(
        max_edits,
        len(reads),
        int(exact.sum()),
        int(estimate.sum()),
        int((estimate & ~exact).sum()),
        int((exact & ~estimate).sum()),
    )


def _verification(
    reads: NDArray[np.uint8], segments: NDArray[np.uint8], max_edits: int
) -> _Verification:
    edlib = importlib.import_module("edlib")

    some = min(len(reads), 30_000)
    pairs = [(a.tobytes(), b.tobytes()) for a, b in zip(reads[:some], segments[:some], strict=True)]

    def verify(which: Any) -> dict[int, str]:
        found = {}
        for k in which:
            result = edlib.align(*pairs[k], task="path", k=max_edits)
            if result["editDistance"] >= 0:
                found[int(k)] = result["cigar"]
        return found

    start = time.perf_counter()
    alone = verify(range(some))
    after_alone = time.perf_counter()
    with Prefilter(max_edits, backend="cpu", threads=1) as prefilter:
        accepted = np.flatnonzero(prefilter.edits(reads[:some], segments[:some]) != -1)
    filtered = time.perf_counter()
    after = verify(accepted)
    end = time.perf_counter()
    return _Verification(
        max_edits,
        some,
        after_alone - start,
        filtered - after_alone,
        end - filtered,
        len(alone),
        after == alone,
    )


def _device(reads: NDArray[np.uint8], segments: NDArray[np.uint8]) -> _Device:
    pair = [Sequences.from_matrix(_repeated(x, _CUDA_PAIRS)).encoded() for x in (reads, segments)]
    with Prefilter(5, backend="cuda", devices=[0]) as prefilter:
        engine: Any = prefilter.engine(0)
        name = prefilter.devices[0]
        seconds = engine.kernel_seconds(*pair, 5)
        registers, occupancy = engine.occupancy("exact<unsigned int, 0>")
        with _power() as watts:
            engine.kernel_seconds(*pair, max(int(2 / seconds), 1))
    drawn = statistics.median(watts) if watts else None
    energy = None if drawn is None else drawn * seconds / _CUDA_PAIRS * 1e9
    return _Device(name, registers, occupancy, drawn, energy)


@contextmanager
def _power() -> Iterator[list[float]]:
    """Sample what the first device draws, in watts, while the block runs; none without a tool."""
    watts: list[float] = []
    done = threading.Event()

    def sample() -> None:
        query = ["nvidia-smi", "-i", "0", "--query-gpu=power.draw", "--format=csv,noheader,nounits"]
        while not done.wait(_POWER_SECONDS):
            try:
                printed = subprocess.run(query, capture_output=True, check=True, text=True).stdout
                watts.append(float(printed))
            except (OSError, subprocess.SubprocessError, ValueError):
                return

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield watts
    finally:
        done.set()
        thread.join()


# ---- showing


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=None)
        yield lambda text: progress.update(task, description=text)


def _print(
    here: machine.Machine,
    cuda: list[str],
    absent: str | None,
    rows: list[_Row],
    accuracy: list[_Accuracy],
    verification: list[_Verification],
    devices: list[_Device],
) -> None:
    console = Console()
    console.print(
        f"{here.cpu}, {here.usable_cpus} of {here.cpus} CPUs usable", highlight=False, markup=False
    )
    console.print(
        f"CUDA: {', '.join(cuda)}" if cuda else f"CUDA not timed: {absent}",
        highlight=False,
        markup=False,
    )
    for name in dict.fromkeys(row.table for row in rows):
        table = Table(
            title=f"Pre-alignment filter, million pairs/s: {name}",
            title_justify="left",
            box=box.SIMPLE,
        )
        table.add_column("what", overflow="fold")
        table.add_column("method", no_wrap=True)
        for heading in ("bases", "edits", "threads", "GPUs", "batch", "M/s"):
            table.add_column(heading, justify="right")
        for row in rows:
            if row.table == name:
                table.add_row(
                    row.what,
                    row.method,
                    str(row.length),
                    "any" if row.max_edits < 0 else str(row.max_edits),
                    str(row.threads or ""),
                    str(row.devices or ""),
                    str(row.batch or ""),
                    f"{row.millions:.2f}",
                )
        console.print(table)
    for title, items in (
        ("Accepted pairs", accuracy),
        ("Verification by edlib, seconds, one thread", verification),
        ("Device", devices),
    ):
        if items:
            table = Table(title=title, title_justify="left", box=box.SIMPLE)
            for field in dataclasses.fields(items[0]):
                table.add_column(field.name.replace("_", " "), justify="right")
            for item in items:
                values = dataclasses.astuple(item)
                table.add_row(*(f"{v:.3g}" if isinstance(v, float) else str(v) for v in values))
            console.print(table)


def _plot(path: str, rows: list[_Row], accuracy: list[_Accuracy], title: str) -> None:
    # Imported here: an optional dependency, and slow to load.
    from matplotlib.figure import Figure

    tables = [name for name in ("filter", "length", "threads", "batch") if
              any(row.table == name for row in rows)]  # fmt: skip
    count = len(tables) + bool(accuracy)
    figure = Figure(figsize=(7, 4 * count), layout="constrained")
    panels = figure.subplots(count, squeeze=False)[:, 0]
    across = {
        "filter": ("max_edits", "edits allowed"),
        "length": ("length", "bases a read"),
        "threads": ("threads", "CPU threads"),
        "batch": ("batch", "pairs a batch"),
    }
    for axes, name in zip(panels, tables, strict=False):
        field, label = across[name]
        lines: dict[str, list[tuple[int, float]]] = {}
        for row in rows:
            if row.table == name and row.max_edits >= 0 and (name == "filter" or row.max_edits):
                key = f"{row.what}, {row.method}"
                if name == "length":
                    key += f", {row.max_edits / row.length:.0%}"
                elif name == "filter" and row.threads > 1:
                    key += f", {row.threads} threads"
                lines.setdefault(key, []).append((getattr(row, field), row.millions))
        for key, points in lines.items():
            axes.plot(*zip(*sorted(points), strict=True), marker="o", markersize=3, label=key)
        axes.set(xlabel=label, ylabel="million pairs/s", yscale="log", title=title)
        if name in ("threads", "batch"):
            axes.set_xscale("log", base=2)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=5)
    if accuracy:
        axes = panels[-1]
        for field in ("exact", "gatekeeper"):
            shares = [100 * getattr(row, field) / row.pairs for row in accuracy]
            axes.plot([row.max_edits for row in accuracy], shares, label=field)
        axes.set(xlabel="edits allowed", ylabel="accepted, %", title="Accepted pairs")
        axes.grid(alpha=0.3)
        axes.legend()
    with atomic_output(path) as file:
        figure.savefig(file, format=Path(path).suffix.removeprefix(".").lower())
