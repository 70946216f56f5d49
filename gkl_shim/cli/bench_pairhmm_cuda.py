"""``gkl-shim bench pairhmm --backend cuda``: PairHMM on GPUs, and the tables of the papers.

The tables are those of Ren, Bertels and Al-Ars, *Evolutionary Bioinformatics* 14, 2018 (on a K40),
and of Li, 2021 (on a Titan RTX and a V100): inter-task kernels, which give a pair to few lanes and
have many pairs side by side, against intra-task ones, which spread a pair over many; sizes of
tiles, set-up on the device, streams, whole runs of GATK, power. Here an inter-task kernel is the
one with the most rows a lane that the engine has, so that a read takes the fewest lanes, and an
intra-task one that with the fewest.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import math
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import gkl_shim
from gkl_shim import _native, energy, machine, traffic
from gkl_shim.cli import _bench
from gkl_shim.cli._bench import Row, Table
from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.cuda import pairhmm as cuda
from gkl_shim.cuda.stages import Stages, stages
from gkl_shim.errors import BackendUnavailable, MissingComponent
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import compare, replay, run
from gkl_shim.pairhmm import Batch, PairHMM

__all__ = ["Sample", "bench"]

# Inputs are repeated to about so many cells: 10s.in 300 times.
_LARGE_CELLS = 18.7e9
# Reads and haplotypes of a region of one length.
_SHAPE = (20, 10)
_LARGE_SHAPE = (25, 40)

_GRID = ((32, 32), (32, 128), (64, 64), (64, 128), (64, 256), (128, 128), (128, 256), (128, 512),
         (256, 256), (256, 512), (512, 512))  # fmt: skip
_GRID_PAIRS = (200, 500_000)
_TILE_LENGTHS = (32, 64, 96, 128, 160, 192, 256)
_TILE_HAPLOTYPES = (200, 320)
_TILE_PAIRS = 200_000
# So many that the clock is read while kernels run.
_TILE_REPEATS = 20
_MANY_PAIRS = tuple(10**k for k in range(3, 9))
_CALLERS = (1, 4, 16)
_CALLER_SHAPES = ((20, 4), (100, 16))
_SIZES = (0, 10, 50, 100, 200, 500, 1000, 10_000)
_ENERGY_SECONDS = 2.0
# Of 1,000 pairs: enough for every device to have many chunks.
_LARGE_REGIONS = 20_000
_GATK_THREADS = (1, 2, 4, 8, 16)
# Of the shim's closing line.
_OWN_SECONDS = re.compile(r" cells in ([\d.]+) s, ")
_ON_GPU = re.compile(r"; (\d+) pairs on ")
_WARP = 32
_LANES = 128  # that a multiprocessor has for single precision

# A row's tables as a host would send them: four coefficients, the backward pass's fifth, and an
# emission for each of five letters; all float32. A row as it is sent: five bytes.
_TABLE_BYTES = 4 * (4 + 1 + 5)
_ROW_BYTES = 5


@dataclasses.dataclass(frozen=True)
class Sample:
    """What GATK is run on."""

    reference: Path
    reads: Path


def bench(
    sets: Mapping[str, Batch],
    *,
    papers: bool,
    sample: Sample | None,
    seconds: float,
    json_file: str | None,
    plot_file: str | None,
) -> None:
    """Measure, and show what was found.

    Parameters
    ----------
    sets
        Recorded or generated regions, by name.
    papers
        Whether to measure the papers' tables too.
    sample
        What to run GATK on; None to leave that out.
    seconds
        About so long for each measurement.
    json_file, plot_file
        Where to, if anywhere.
    """
    here = machine.describe()
    measuring = _Measuring(dict(sets), sample, seconds)
    tables: list[Table] = []
    with _bench.progress() as progress:
        for measure in measuring.all(papers):
            table = measure(progress)
            tables.append(table)
    devices = cuda_devices.describe()
    if json_file is not None:
        report = {
            "version": gkl_shim.__version__,
            "machine": dataclasses.asdict(here),
            "devices": devices,
            "tables": {
                table.name: {
                    "title": table.title,
                    **({"note": table.note} if table.note else {}),
                    **({"absent": table.absent} if table.absent else {}),
                    "rows": table.rows,
                }
                for table in tables
            },
        }
        _bench.write_json(json_file, report)
    title = f"{', '.join(device['name'] for device in devices)}; {here.cpu}"
    if json_file != "-":
        console = _bench.wide_console()
        console.print(title, highlight=False, markup=False)
        for table in tables:
            _bench.print_table(console, table)
    if plot_file is not None:
        _bench.plot_tables(plot_file, tables, title)


_Progress = Callable[[str], None]
_Compute = Callable[[Batch], object]
_Measure = Callable[[], contextlib.AbstractContextManager[Callable[[], energy.Drawn]]]


class _Measuring:
    """The tables, each measured by a method of its own."""

    def __init__(self, sets: dict[str, Batch], sample: Sample | None, seconds: float) -> None:
        self._sets = sets
        self._sample = sample
        self._seconds = seconds
        self._engine = cuda.Engine([0])
        cupy = cuda_devices.import_cupy()
        self._cupy = cupy
        self._multiprocessors = int(cupy.cuda.runtime.getDeviceProperties(0)["multiProcessorCount"])

    def all(self, papers: bool) -> list[Callable[[_Progress], Table]]:
        """Return what measures each table."""
        tables: list[Callable[[_Progress], Table]] = [self.inputs, self.stages]
        if papers:
            tables += [self.sizes, self.grid, self.tiles, self.pairs, self.initialization]
            tables += [self.streams, self.callers, self.jvm, self.devices, self.energy, self.gatk]
        return tables

    def _once_and_large(self) -> Iterator[tuple[str, Batch, int]]:
        for name, batch in self._sets.items():
            for copies in sorted({1, _copies(batch)}):
                yield name, batch, copies

    def inputs(self, progress: _Progress) -> Table:
        table = Table(
            "inputs", "Inputs in one call, from Python, all cells counted", "input", "gcups",
            ("engine",), log="y",
            note="copies: so many times the input in one call.",
        )  # fmt: skip
        for name, batch, copies in self._once_and_large():
            progress(f"{name} x {copies}")
            large = traffic.repeated(batch, copies)
            engines: dict[str, Callable[[Batch], object]] = {"GPU": self._engine.compute}
            threads = sorted({1, machine.describe().usable_cpus})
            for count in threads if copies == 1 else threads[-1:]:
                label = f"CPU, {count} thread" + "s" * (count > 1)
                engines[label] = PairHMM(backend="cpu", threads=count).compute
            for label, compute in engines.items():
                took = _bench.seconds_of(functools.partial(compute, large), self._seconds)
                table.rows.append(
                    {
                        "input": Path(name).name,
                        "copies": copies,
                        "engine": label,
                        "milliseconds": took * 1e3,
                        "gcups": large.cells / took / 1e9,
                    }
                )
        return table

    def stages(self, progress: _Progress) -> Table:
        table = Table(
            "stages", "Preparation, transfer and kernels, each by itself", "input",
            "milliseconds", ("stage",), log="y",
            note="A call overlaps them, in smaller chunks. The results' way back is part of the "
            "kernel: it writes them to the host's memory.",
        )  # fmt: skip
        for name, batch, copies in self._once_and_large():
            progress(f"stages of {name} x {copies}")
            found = stages(self._engine, traffic.repeated(batch, copies))
            parts = {
                "plan (tries, tiles)": found.plan,
                "write into pinned memory": found.write,
                "transfer": found.transfer,
                "kernel": found.kernel,
                "collect results": found.collect,
            }
            for part, took in parts.items():
                table.rows.append(
                    {
                        "input": f"{Path(name).name} x {copies}",
                        "stage": part,
                        "milliseconds": took * 1e3,
                        "megabytes": found.bytes / 1e6 if part == "transfer" else None,
                        "tcups": found.tcups if part == "kernel" else None,
                        "raw_tcups": found.raw_tcups if part == "kernel" else None,
                    }
                )
        return table

    def sizes(self, progress: _Progress) -> Table:
        table = Table(
            "sizes", "Region sizes: read-haplotype pairs", "pairs", "percent_of_regions",
            ("input",),
        )  # fmt: skip
        for name, batch in self._sets.items():
            progress(f"sizes of {name}")
            pairs = batch.shapes.prod(axis=1)
            cells = _cells(batch)
            for low, high in itertools.pairwise((*_SIZES, np.inf)):
                within = (pairs >= low) & (pairs < high)
                table.rows.append(
                    {
                        "input": Path(name).name,
                        "pairs": f"{low} to {high - 1}" if high < np.inf else f"{low} and more",
                        "regions": int(within.sum()),
                        "percent_of_regions": 100 * float(within.mean()),
                        "percent_of_cells": 100 * float(cells[within].sum() / cells.sum()),
                    }
                )
        return table

    def grid(self, progress: _Progress) -> Table:
        table = Table(
            "grid", "Inter-task and intra-task kernels", "read x haplotype", "raw_tcups",
            ("kernel", "pairs"), log="y",
            note="inter-task: the most rows a lane; intra-task: the fewest (the next wider one "
            "where a read does not fit a warp). The engine gives each tile to several warps where "
            "there are few tiles, as with 200 pairs. Haplotypes share next to nothing.",
        )  # fmt: skip
        widths = cuda.widths("single")
        chosen = {"intra-task": widths[0], "inter-task": widths[-1], "as planned": 0}
        engines = {name: cuda.Engine([0], rows_a_lane=rows) for name, rows in chosen.items()}
        for pairs, (read, haplotype) in itertools.product(_GRID_PAIRS, _GRID):
            batch = traffic.uniform(pairs // math.prod(_SHAPE), _SHAPE, read, haplotype)
            for name, engine in engines.items():
                progress(f"{pairs} pairs of {read} x {haplotype}, {name}")
                found = stages(engine, batch)
                took = _bench.seconds_of(functools.partial(engine.compute, batch), self._seconds)
                table.rows.append(
                    {
                        "pairs": pairs,
                        "read x haplotype": f"{read} x {haplotype}",
                        "kernel": name,
                        "rows_a_lane": chosen[name] or None,
                        "kernel_milliseconds": found.kernel * 1e3,
                        "raw_tcups": found.raw_tcups,
                        "call_milliseconds": took * 1e3,
                        "call_tcups": batch.cells / took / 1e12,
                    }
                )
        for engine in engines.values():
            engine.close()
        return table

    def tiles(self, progress: _Progress) -> Table:
        table = Table(
            "tiles", "Rows a lane and lanes a read, kernel alone", "read", "raw_tcups",
            ("rows_a_lane", "haplotype"),
            note=f"cycles a cell: of one of a multiprocessor's {_LANES} lanes, at the clock read "
            "during the run; five multiply-adds are the least.",
        )  # fmt: skip
        for rows in cuda.widths("single"):
            engine = cuda.Engine([0], rows_a_lane=rows)
            for haplotype, read in itertools.product(_TILE_HAPLOTYPES, _TILE_LENGTHS):
                lanes = -(-read // rows)
                if lanes > _WARP or read > haplotype:
                    continue
                progress(f"{rows} rows a lane, {read} x {haplotype}")
                batch = traffic.uniform(_TILE_PAIRS // math.prod(_SHAPE), _SHAPE, read, haplotype)
                found, megahertz = _with_clock(engine, batch)
                table.rows.append(
                    {
                        "rows_a_lane": rows,
                        "read": read,
                        "haplotype": haplotype,
                        "lanes_a_read": lanes,
                        "lanes_filled_percent": 100 * (_WARP // lanes) * read / (_WARP * rows),
                        "raw_tcups": found.raw_tcups,
                        "gpu_megahertz": megahertz,
                        "cycles_a_cell": self._cycles(found, megahertz),
                    }
                )
            engine.close()
        return table

    def pairs(self, progress: _Progress) -> Table:
        table = Table(
            "pairs", "Number of pairs, reads of 128 by haplotypes of 256", "pairs", "tcups",
            ("what",), log="x",
        )  # fmt: skip
        for pairs in _MANY_PAIRS:
            progress(f"{pairs} pairs")
            batch = traffic.uniform(pairs // math.prod(_LARGE_SHAPE), _LARGE_SHAPE, 128, 256)
            found = stages(self._engine, batch, 1 if pairs > 10**6 else 5)
            took = _bench.seconds_of(functools.partial(self._engine.compute, batch), self._seconds)
            for what, each in (("kernel", found.kernel), ("call", took)):
                table.rows.append(
                    {
                        "pairs": pairs,
                        "what": what,
                        "milliseconds": each * 1e3,
                        "tcups": batch.cells / each / 1e12,
                    }
                )
        return table

    def initialization(self, progress: _Progress) -> Table:
        table = Table(
            "initialization", "Set-up on the device, and what it would be on the host", "input",
            "milliseconds", ("what",), log="y",
            note=f"On the host: {_TABLE_BYTES} bytes a row of a read (transition coefficients, an "
            f"emission for each letter) in place of the {_ROW_BYTES} bytes of its letter and "
            "qualities, gathered from tables by NumPy with one thread. The device's own set-up is "
            "part of its kernel.",
        )  # fmt: skip
        for name, batch in self._sets.items():
            progress(f"initialization for {name}")
            copies = _copies(batch, 0.2)
            large = traffic.repeated(batch, copies)
            rows = len(large.reads.tracks[0])
            build, sent = self._host_tables(large)
            raw = self._transfer(_ROW_BYTES * rows)
            for what, seconds, size in (
                ("device: transfer of letters and qualities", raw, _ROW_BYTES * rows),
                ("host: building the tables", build, None),
                ("host: transfer of the tables", sent, _TABLE_BYTES * rows),
            ):
                table.rows.append(
                    {
                        "input": f"{Path(name).name} x {copies}",
                        "what": what,
                        "milliseconds": seconds * 1e3,
                        "megabytes": None if size is None else size / 1e6,
                        "bytes_saved_percent": 100 * (1 - _ROW_BYTES / _TABLE_BYTES)
                        if what.startswith("device")
                        else None,
                    }
                )
        return table

    def streams(self, progress: _Progress) -> Table:
        table = Table(
            "streams", "One stream and several: chunks under way at once", "streams", "tcups",
            ("input", "threads"),
            note="threads: of the host, each of which plans, launches and collects chunks.",
        )  # fmt: skip
        for name, batch in self._sets.items():
            large = traffic.repeated(batch, _copies(batch, 4))
            for threads, slots in itertools.product((1, 4), (1, 2, 4, 8, 16)):
                if slots < threads:
                    continue
                progress(f"{name}, {slots} streams, {threads} threads")
                engine = cuda.Engine([0], streams=slots, launch_threads=threads)
                took = _bench.seconds_of(functools.partial(engine.compute, large), self._seconds)
                engine.close()
                table.rows.append(
                    {
                        "input": Path(name).name,
                        "threads": threads,
                        "streams": slots,
                        "milliseconds": took * 1e3,
                        "tcups": large.cells / took / 1e12,
                    }
                )
        return table

    def callers(self, progress: _Progress) -> Table:
        table = Table(
            "callers", "Threads that call at once, a region each, in arrays that native code knows",
            "callers", "gcups", ("engine", "region"), log="xy",
            note="Each caller waits for its result before it asks again. CPU: each caller "
            "computes with its own thread.",
        )  # fmt: skip
        engines = {
            "GPU": cuda.Engine([0], as_gkl=True).compute_pointer,
            "CPU": _native.PairHmmEngine(1, "single", None, as_gkl=True).compute,
        }
        for shape, callers in itertools.product(_CALLER_SHAPES, _CALLERS):
            batch = traffic.regions(1, shape=shape)
            pointer = _native.batch_pointer(*batch.arrays)
            for engine, by_pointer in engines.items():
                progress(f"{callers} callers, {shape[0]} x {shape[1]}, {engine}")
                compute = functools.partial(by_pointer, pointer)
                calls, took = _concurrently(compute, batch.pairs, callers, self._seconds)
                table.rows.append(
                    {
                        "region": f"{shape[0]} x {shape[1]}",
                        "callers": callers,
                        "engine": engine,
                        "microseconds_a_call": took * callers / calls * 1e6,
                        "regions_a_second": calls / took,
                        "gcups": calls * batch.cells / took / 1e9,
                    }
                )
        return table

    def devices(self, progress: _Progress) -> Table:
        table = Table("devices", "Devices", "devices", "tcups", ("input",))
        count = cuda_devices.device_count()
        if count == 1:
            table.absent = "there is one device"
            return table
        large = {
            "128 x 256": traffic.uniform(_LARGE_REGIONS, _LARGE_SHAPE, 128, 256),
            **{Path(n).name: traffic.repeated(b, _copies(b, 8)) for n, b in self._sets.items()},
        }
        for name, batch in large.items():
            first = math.nan
            for used in sorted({1, *(2**k for k in range(1, 4) if 2**k <= count), count}):
                progress(f"{name} on {used} devices")
                engine = cuda.Engine(range(used))
                took = _bench.seconds_of(functools.partial(engine.compute, batch), self._seconds)
                engine.close()
                first = took if used == 1 else first
                table.rows.append(
                    {
                        "input": name,
                        "devices": used,
                        "milliseconds": took * 1e3,
                        "tcups": batch.cells / took / 1e12,
                        "times_one": first / took,
                    }
                )
        return table

    def energy(self, progress: _Progress) -> Table:
        table = Table(
            "energy", "Energy, by the counters of NVML and RAPL", "input", "gigacells_a_joule",
            ("engine",), log="y",
        )  # fmt: skip
        engines: dict[str, tuple[_Compute, _Measure]] = {
            "GPU": (self._engine.compute, functools.partial(energy.of_gpu, 0)),
            "CPU": (PairHMM(backend="cpu").compute, energy.of_cpu),
        }
        sets = {
            "128 x 256": traffic.uniform(_LARGE_REGIONS // 5, _LARGE_SHAPE, 128, 256),
            **{Path(n).name: traffic.repeated(b, _copies(b)) for n, b in self._sets.items()},
        }
        absent = []
        for label, (compute, measure) in engines.items():
            try:
                for name, batch in sets.items():
                    progress(f"energy of {name}, {label}")
                    table.rows.append(_energy_row(name, label, batch, compute, measure))
            except BackendUnavailable as error:
                absent.append(f"{label}: {error}")
        table.note = "; ".join(absent)
        table.absent = table.note if not table.rows else None
        return table

    def jvm(self, progress: _Progress) -> Table:
        table = Table(
            "jvm", "Java threads that call at once, a region each, through the classes that GATK "
            "calls", "callers", "gcups", ("engine", "region"), log="xy",
            note="Each caller waits for its result before it asks again. CPU and GKL: each caller "
            "computes with its own thread.",
        )  # fmt: skip
        try:
            classpath = run.find_classpath()
            with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
                table.rows.extend(_jvm_rows(Path(folder), classpath, self._seconds, progress))
        except MissingComponent as error:
            table.absent = str(error)
        return table

    def gatk(self, progress: _Progress) -> Table:
        table = Table(
            "gatk", "HaplotypeCaller, the whole run", "pairhmm", "seconds", ("threads",),
            note="pairhmm seconds: by GATK's own clock, which includes GATK's Java code before and "
            "after the native call; of these, call seconds: from our class's call into the native "
            "library to its return. The VCF is compared with GKL's.",
        )  # fmt: skip
        if self._sample is None:
            table.absent = "give --reference and --reads"
            return table
        try:
            classpath = run.find_classpath()
            with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
                table.rows.extend(_gatk_rows(self._sample, classpath, Path(folder), progress))
        except MissingComponent as error:
            table.absent = str(error)
        return table

    def _cycles(self, found: Stages, megahertz: float | None) -> float | None:
        """Cycles a cell, of one of the device's lanes."""
        if megahertz is None:
            return None
        cycles = found.kernel * megahertz * 1e6 * self._multiprocessors * _LANES
        return cycles / found.computed_cells

    def _host_tables(self, batch: Batch) -> tuple[float, float]:
        """Seconds for a host to gather a batch's tables, and for these to travel."""
        _, *quals = batch.reads.tracks
        rng = np.random.default_rng(1)
        by_quality = rng.random((128, 5), np.float32)
        by_gap = rng.random((128 * 128, 4), np.float32)
        by_continuation = rng.random(128, np.float32)
        base, insertion, deletion, continuation = quals
        size = len(base)
        out = (np.empty((size, 5), np.float32), np.empty((size, 4), np.float32),
               np.empty(size, np.float32))  # fmt: skip

        def build() -> None:
            np.take(by_quality, base, axis=0, out=out[0])
            np.take(by_gap, insertion.astype(np.int32) * 128 + deletion, axis=0, out=out[1])
            np.take(by_continuation, continuation, out=out[2])

        return _bench.seconds_of(build, self._seconds), self._transfer(_TABLE_BYTES * size)

    def _transfer(self, size: int) -> float:
        """Seconds for so many bytes to go from pinned memory to the device."""
        cuda_api = self._cupy.cuda
        host, there = cuda_api.alloc_pinned_memory(size), cuda_api.alloc(size)
        stream = cuda_api.Stream(non_blocking=True)

        def send() -> None:
            cuda_api.runtime.memcpyAsync(there.ptr, host.ptr, size, 1, stream.ptr)
            stream.synchronize()

        return _bench.seconds_of(send, self._seconds)


def _with_clock(engine: cuda.Engine, batch: Batch) -> tuple[Stages, float | None]:
    """Time a batch's stages, and read the clock meanwhile where that can be."""
    try:
        with energy.of_gpu(0) as drawn:
            found = stages(engine, batch, _TILE_REPEATS)
        return found, drawn().megahertz
    except BackendUnavailable:
        return stages(engine, batch, _TILE_REPEATS), None


def _energy_row(name: str, label: str, batch: Batch, compute: _Compute, measure: _Measure) -> Row:
    compute(batch)
    calls = 0
    with measure() as drawn:
        end = time.perf_counter() + _ENERGY_SECONDS
        while time.perf_counter() < end:
            compute(batch)
            calls += 1
    used = drawn()
    cells = batch.cells * calls
    return {
        "input": name,
        "engine": label,
        "tcups": cells / used.seconds / 1e12,
        "watts": used.watts,
        "gigacells_a_joule": cells / used.joules / 1e9 if used.joules else None,
        "gpu_megahertz": used.megahertz,
    }


def _copies(batch: Batch, times: float = 1) -> int:
    """How often a batch is repeated to make a large one, or so many times one."""
    return max(1, round(times * _LARGE_CELLS / batch.cells))


def _cells(batch: Batch) -> NDArray[np.int64]:
    """Cells of each region."""
    reads = np.diff(batch.reads.offsets[batch.region_reads])
    haplotypes = np.diff(batch.haplotypes.offsets[batch.region_haplotypes])
    cells: NDArray[np.int64] = reads * haplotypes
    return cells


# ---- callers


def _jvm_rows(folder: Path, classpath: str, seconds: float, progress: _Progress) -> Iterator[Row]:
    """Let threads of a JVM call each engine with one region again and again."""
    engines = replay.stock_and_shim(classpath)
    for shape, callers in itertools.product(_CALLER_SHAPES, _CALLERS):
        name = f"{shape[0]} x {shape[1]}"
        regions = folder / f"{name}.in"
        with regions.open("wb") as file:
            pairhmm_in.write(file, traffic.regions(1, shape=shape))
        for backend, labels in (
            ("cuda", {"shim": "GPU"}),
            ("cpu", {"shim": "CPU", "stock": "Intel GKL"}),
        ):
            progress(f"{callers} Java threads, {name}, {backend}")
            found = replay.replay(
                regions,
                {engine: engines[engine] for engine in labels},
                seconds=seconds,
                callers=callers,
                environment={"GKL_SHIM_BACKEND": backend},
            )
            if backend == "cuda" and not _ON_GPU.search(found.log):
                said = [line for line in found.log.splitlines() if "warning" in line]
                raise MissingComponent(said[-1] if said else "the JVM did not use the GPU")
            for engine, label in labels.items():
                each = found.engines[engine].seconds_per_pass
                yield {
                    "region": name,
                    "callers": callers,
                    "engine": label,
                    "microseconds_a_call": each * callers * 1e6,
                    "regions_a_second": 1 / each,
                    "gcups": found.cells / each / 1e9,
                }


def _concurrently(
    compute: Callable[[NDArray[np.float64]], None], pairs: int, callers: int, seconds: float
) -> tuple[int, float]:
    """Let threads call again and again; return how many calls there were, and the seconds."""
    ready = threading.Barrier(callers + 1)
    times: list[float] = []

    def work() -> int:
        out = np.empty(pairs)
        compute(out)
        ready.wait()
        end, calls = time.perf_counter() + seconds, 0
        while time.perf_counter() < end:
            compute(out)
            calls += 1
        times.append(time.perf_counter())
        return calls

    with ThreadPoolExecutor(callers) as pool:
        working = [pool.submit(work) for _ in range(callers)]
        ready.wait()
        start = time.perf_counter()
        calls = sum(each.result() for each in working)
    return calls, max(times) - start


# ---- GATK


def _gatk_rows(sample: Sample, classpath: str, folder: Path, progress: _Progress) -> Iterator[Row]:
    """Run HaplotypeCaller with each PairHMM; the first run's VCF is what others must equal."""
    cpus = machine.describe().usable_cpus
    threads = [count for count in _GATK_THREADS if count <= cpus]
    agent = run.agent_swap()
    java = ("--pair-hmm-implementation", "LOGLESS_CACHING")
    cases: list[tuple[str, run.Swap, int, str | None, dict[str, str], tuple[str, ...]]] = []
    for count in threads:
        for policy in ("passive", "active") if count > 1 else ("passive",):
            setting = {"OMP_WAIT_POLICY": policy}
            cases.append(("Intel GKL", run.STOCK, count, policy, setting, ()))
        # What threads gain us shows with few cases; GKL has one best, which is to be found.
        if count in (threads[0], threads[-1]):
            cases += [
                (f"gkl-shim, {name}", agent, count, None, {"GKL_SHIM_BACKEND": backend}, ())
                for backend, name in (("cpu", "CPU"), ("cuda", "GPU"), ("auto", "auto"))
            ]
    cases.append(("Java", run.STOCK, 1, None, {}, java))
    first: Path | None = None
    for name, swap, count, omp_policy, environment, more in cases:
        progress(f"HaplotypeCaller with {name}, threads: {count}")
        vcf = folder / f"{name}.{count}.{omp_policy}.vcf".replace(" ", "")
        command = ["HaplotypeCaller", "-R", str(sample.reference), "-I", str(sample.reads)]
        command += ["-O", str(vcf), "--native-pair-hmm-threads", str(count), *more]
        result = run.gatk(command, classpath, swap, environment=environment)
        if result.returncode:
            raise MissingComponent(f"HaplotypeCaller with {name}: {result.complaint}")
        log = result.log.decode(errors="replace")
        first = first or vcf
        yield {
            "pairhmm": name,
            "threads": count,
            "omp_wait_policy": omp_policy,
            "seconds": result.seconds,
            "pairhmm_seconds": result.pairhmm_seconds,
            "call_seconds": sum(map(float, _OWN_SECONDS.findall(log))) or None,
            "pairs_on_gpu": sum(int(count) for count in _ON_GPU.findall(log)),
            "vcf": str(compare.compare(first, vcf)),
        }
