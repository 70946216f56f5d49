"""Does memory stay flat while each kernel is called a million times from 16 threads?

In a JVM, the calls go through the classes that GATK calls: PairHMM, PDHMM and Smith-Waterman, each
in a new JVM. In Python, all six algorithms are called, each in a new process. The regions are those
of HaplotypeCaller on simulated reads of a genome (30x) and of an amplicon (1,200x). Every result
must be the first one of its region. After each twentieth of the calls all threads wait, and the
memory is read: anonymous resident memory, in which the JVM's heap is a constant. The script fails
if it grows by more than 8 MiB after the first tenth of the calls.

The table of class loaders is of loaders that load our classes, compute with them, and are dropped.
With the jar's library there are 20, because each gets a copy of it, and room for them is limited.

Example: python -m benchmarks.long_runs --sequence chr17.fa.gz --json out.json
"""

from __future__ import annotations

import functools
import gc
import io
import itertools
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.common import report, samples, simulated_samples
from gkl_shim import correct, mem, pairhmm, paths, pdhmm, prefilter, smithwaterman
from gkl_shim.errors import MissingComponent
from gkl_shim.formats import pairhmm_in, pdhmm_in
from gkl_shim.gatk import fetch, programs, run, swaps

__all__ = ["compiled", "java", "loaders"]

_JAVA = Path(__file__).with_name("java")
_FEW_REGIONS = Path(__file__).parents[1] / "tests/data/10s_three_regions.in"
_GKL = "0.9.1"
_PHASES = 20
_JAR_LOADERS = 20
_MOST_GROWTH = 8192  # KiB
_COLLECTORS = {"G1": "UseG1GC", "ZGC": "UseZGC", "Serial": "UseSerialGC"}
_NEW_HANDLE_EVERY = 100


@dataclass(frozen=True)
class _Recording:
    """A run of HaplotypeCaller on simulated reads, whose calls are recorded."""

    start: int
    length: int
    depth: float
    snp_rate: float = 1e-3
    options: tuple[str, ...] = ()


_RECORDINGS = {
    "genome": _Recording(0, 250_000, 30),
    "dragen": _Recording(0, 250_000, 30, options=("--dragen-378-concordance-mode",)),
    "deep": _Recording(500_000, 2_000, 1200, 1 / 400),
}


def _record(folder: Path, sequence: str) -> None:
    """Record the calls of each run of HaplotypeCaller that the folder lacks."""
    for name, made in _RECORDINGS.items():
        if (folder / f"{name}.vcf.idx").exists():
            continue
        window = sequence[made.start : made.start + made.length]
        sample = simulated_samples.simulate(
            folder / name, name, window, made.depth, snp_rate=made.snp_rate
        )
        arguments = ["HaplotypeCaller", "-R", str(sample.reference), "-I", str(sample.reads)]
        arguments += ["-O", str(folder / f"{name}.vcf"), *made.options]
        recorded = {
            "GKL_SHIM_RECORD": str(folder / f"{name}.in"),
            "GKL_SHIM_RECORD_SMITHWATERMAN": str(folder / f"{name}.tsv"),
        }
        done = run.gatk(arguments, fetch.gatk_classpath(), swaps.agent(), environment=recorded)
        if done.returncode != 0:
            raise MissingComponent(f"HaplotypeCaller failed: {done.complaint}")


@dataclass(frozen=True)
class _JvmRun:
    """The calls of a kernel in a JVM."""

    kernel: str
    file: str
    collector: str = "G1"
    heap: str = "256m"
    share: float = 1
    """Of the calls that are asked for."""


_JVM_RUNS = {
    "PairHMM, 30x": _JvmRun("pairhmm", "genome.in"),
    "PDHMM, 30x": _JvmRun("pdhmm", "dragen.in.pdhmm"),
    "Smith-Waterman, 30x": _JvmRun("smithwaterman", "genome.tsv"),
    "PairHMM, 30x, ZGC": _JvmRun("pairhmm", "genome.in", "ZGC", "64m", 0.25),
    "PairHMM, 30x, Serial": _JvmRun("pairhmm", "genome.in", "Serial", "48m", 0.25),
    "PDHMM, 30x, ZGC": _JvmRun("pdhmm", "dragen.in.pdhmm", "ZGC", "64m", 0.02),
    "PDHMM, 30x, Serial": _JvmRun("pdhmm", "dragen.in.pdhmm", "Serial", "48m", 0.02),
    "PairHMM, 1,200x": _JvmRun("pairhmm", "deep.in", share=0.002),
    "PairHMM, 1,200x, Serial": _JvmRun("pairhmm", "deep.in", "Serial", "128m", 0.001),
}


def compiled(folder: Path) -> str:
    """Compile the programs of `java/` into a folder, and return their class path.

    Our classes come first on it, in front of GKL's.
    """
    jars = [paths.classpath_jar(), paths.replay_jar(), fetch.gkl_classpath(_GKL)]
    classpath = ":".join(map(str, jars))
    javac = programs.find("javac", "apt install openjdk-17-jdk-headless")
    sources = map(str, _JAVA.glob("*.java"))
    subprocess.run([javac, "-cp", classpath, "-d", str(folder), *sources], check=True)
    return f"{folder}:{classpath}"


def java(
    classpath: str,
    *arguments: str,
    collector: str = "G1",
    heap: str = "256m",
    variables: Mapping[str, str] | None = None,
) -> tuple[list[Any], str]:
    """Run a program of `java/`. Return the objects that it prints as JSON, and its messages.

    The whole heap is resident from the start, so that only other memory can grow.
    """
    options = [f"-Xms{heap}", f"-Xmx{heap}", "-XX:+AlwaysPreTouch"]
    options.append(f"-XX:+{_COLLECTORS[collector]}")
    options += ["-XX:NativeMemoryTracking=summary", "-cp", classpath]
    done = subprocess.run(
        [programs.java(), *options, *arguments],
        env={**os.environ, **(variables or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise MissingComponent(f"Java failed: {done.stderr}")
    return list(map(json.loads, done.stdout.splitlines())), done.stderr


def loaders(
    classpath: str, count: int, phases: int, variables: Mapping[str, str] | None = None
) -> tuple[list[Any], str]:
    """Load our classes in new class loaders, compute with them, and drop the loaders.

    Returns what `java` does: an object for each phase.
    """
    program = ["org.gklshim.replay.DroppedLoaders", classpath, str(count), str(phases)]
    calls = ["org.gklshim.replay.RepeatedCalls", "pairhmm", str(_FEW_REGIONS), "10", "1", "1"]
    found, messages = java(classpath, *program, *calls, variables=variables)
    return [phase for phase in found if "loaders" in phase], messages


def _grown(phases: Sequence[Any]) -> dict[str, Any]:
    """Compare the memory after a tenth of the calls with that after all."""
    early, last = phases[len(phases) // 10 - 1], phases[-1]
    row = {
        "seconds": last["seconds"],
        "MiB at 10%": round(early["anonymous"] / 1024, 1),
        "MiB at the end": round(last["anonymous"] / 1024, 1),
        "growth, KiB": last["anonymous"] - early["anonymous"],
    }
    if "jvm" in last:
        row["JVM's growth, KiB"] = last["jvm"] - early["jvm"]
        row["heap in use, KiB"] = last["heap"]
    return row


def _in_jvm(folder: Path, calls: int, threads: int, step: report.Progress) -> report.Table:
    rows: list[report.Row] = []
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as temporary:
        classpath = compiled(Path(temporary))
        for name, each in _JVM_RUNS.items():
            step(f"JVM: {name}")
            count = round(calls * each.share)
            program = ["org.gklshim.replay.RepeatedCalls", each.kernel, str(folder / each.file)]
            phases, _ = java(
                classpath, *program, str(count), str(threads), str(_PHASES),
                collector=each.collector, heap=each.heap,
            )  # fmt: skip
            row = {"calls of": name, "collector": each.collector, "heap": each.heap}
            rows.append({**row, "calls": count, "threads": threads, **_grown(phases)})
    return report.Table("In a JVM", rows, name="jvm")


def _dropped(count: int, step: report.Progress) -> report.Table:
    rows: list[report.Row] = []
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as temporary:
        classpath = compiled(Path(temporary))
        own = Path(temporary) / "libgkl_shim.so"
        shutil.copyfile(paths.library(), own)
        # Garbage is collected after each phase. The user's library needs that after each loader.
        for library, made, phases, variables in (
            ("the jar's", _JAR_LOADERS, 10, {}),
            ("GKL_SHIM_LIBRARY", count, count, {"GKL_SHIM_LIBRARY": str(own)}),
        ):
            step(f"class loaders, {library}")
            found, messages = loaders(classpath, made, phases, variables)
            early, last = found[len(found) // 10 - 1], found[-1]
            rows.append(
                {
                    "library": library,
                    "loaders": made,
                    "Intel's classes used": messages.count("Intel GKL is used"),
                    "in memory at the end": last["alive"],
                    "copies of the library": last["libraries"],
                    "threads": last["threads"],
                    "MiB at 10%": round(early["anonymous"] / 1024, 1),
                    "MiB at the end": round(last["anonymous"] / 1024, 1),
                    "heap in use, KiB": last["heap"],
                }
            )
    return report.Table("Class loaders that were made and dropped", rows, name="loaders")


_Call = Callable[[int], object]
"""Makes the call of a number, and returns its results."""


def _regions(path: Path, reader: Any) -> list[Any]:
    """Return the regions of a file, each as a batch."""
    lines = path.read_bytes().splitlines(keepends=True)
    starts = [
        k for k, line in enumerate(lines) if len(line.split()) == 2 and line.split()[0].isdigit()
    ]
    found = []
    for start, end in itertools.pairwise([*starts, len(lines)]):
        with reader(io.BytesIO(b"".join(lines[start:end])), "a region") as regions:
            found += list(regions)
    return found


def _hmm(path: Path, reader: Any, make: Callable[[], Any]) -> tuple[int, _Call]:
    regions, shared = _regions(path, reader), make()

    def call(number: int) -> object:
        region = regions[number % len(regions)]
        if number % _NEW_HANDLE_EVERY == 0:
            with make() as fresh:
                return fresh.compute(region).tobytes()
        return shared.compute(region).tobytes()

    return len(regions), call


def _pairhmm(folder: Path) -> tuple[int, _Call]:
    return _hmm(
        folder / "genome.in", pairhmm_in.Reader, lambda: pairhmm.PairHMM(backend="cpu", threads=1)
    )


def _pdhmm(folder: Path) -> tuple[int, _Call]:
    return _hmm(folder / "dragen.in.pdhmm", pdhmm_in.Reader, lambda: pdhmm.PDHMM(threads=1))


def _smithwaterman(folder: Path) -> tuple[int, _Call]:
    pairs: list[Any] = []
    for line in (folder / "genome.tsv").read_text().splitlines():
        reference, alternative, scores, overhang = line.split("\t")
        pairs.append(([reference], [alternative], tuple(map(int, scores.split(","))), overhang))
    aligner = smithwaterman.SmithWaterman(threads=1)

    def call(number: int) -> object:
        found = aligner.align(*pairs[number % len(pairs)])
        return found.offsets.tobytes(), found.cigar(0)

    return len(pairs), call


_READ, _PIECE = 100, 2_000


def _letters(folder: Path) -> str:
    return (folder / "genome" / "genome.fa").read_text().partition("\n")[2].replace("\n", "")


def _windows(letters: str) -> list[tuple[str, str]]:
    """Return pieces of a sequence, each with a copy that differs in 2% of its letters."""
    pieces = [letters[at : at + _PIECE] for at in range(100_000, 150_000, _PIECE)]
    return [
        (piece, simulated_samples.mutated_copies(piece, 0.02, k)[0])
        for k, piece in enumerate(pieces)
    ]


def _prefilter(folder: Path) -> tuple[int, _Call]:
    windows = _windows(_letters(folder))
    groups = [
        [[text[at : at + _READ] for at in range(0, 1_000, _READ)] for text in pair]
        for pair in windows
    ]
    filters = [
        prefilter.Prefilter(5, method=m, backend="cpu", threads=1) for m in ("exact", "gatekeeper")
    ]

    def call(number: int) -> object:
        reads, segments = groups[number % len(groups)]
        return filters[number // len(groups) % 2].edits(reads, segments).tobytes()

    return 2 * len(groups), call


def _mem(folder: Path) -> tuple[int, _Call]:
    windows = _windows(_letters(folder))

    def call(number: int) -> object:
        reference, query = windows[number % len(windows)]
        return mem.find(reference, query, min_length=15, backend="cpu", threads=1).tobytes()

    return len(windows), call


def _reads(letters: str) -> list[str]:
    """Return reads that cover a sequence 10 times, one in ten with an error."""
    reads = [letters[at : at + _READ] for at in range(0, len(letters) - _READ, _READ // 10)]
    return [
        r[:40] + "ACGT"["CGTA".index(r[40])] + r[41:] if k % 10 == 0 else r
        for k, r in enumerate(reads)
    ]


def _correct(folder: Path) -> tuple[int, _Call]:
    reads = _reads(_letters(folder)[100_000:150_000])
    groups = [reads[at : at + 10] for at in range(0, len(reads), 10)]
    spectrum = correct.Spectrum.from_reads(reads, backend="cpu", threads=1)

    def call(number: int) -> object:
        return spectrum.correct(groups[number % len(groups)], threads=1).letters.tobytes()

    return len(groups), call


def _count(folder: Path) -> tuple[int, _Call]:
    reads = _reads(_letters(folder)[100_000:102_000])

    def call(_number: int) -> object:
        with correct.Spectrum.from_reads(reads, backend="cpu", threads=1) as spectrum:
            return spectrum.kmers

    return 1, call


_ROOMS: dict[str, tuple[Callable[[Path], tuple[int, _Call]], float]] = {
    "pairhmm: a region": (_pairhmm, 0.1),
    "pdhmm: a region": (_pdhmm, 0.1),
    "smithwaterman: a pair": (_smithwaterman, 0.1),
    "prefilter: 10 pairs": (_prefilter, 1),
    "mem: index 2 kb, and search": (_mem, 1),
    "correct: 10 reads": (_correct, 1),
    "correct: count 190 reads": (_count, 0.002),
}
"""What makes the calls, and its share of the calls that are asked for."""


def _anonymous() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("RssAnon:")[2].split()[0])


def _call_in_python(room: str, folder: Path, calls: int, threads: int) -> list[Any]:
    """Make the calls in this process, and return the memory after each phase."""
    items, call = _ROOMS[room][0](folder)
    expected = [call(k) for k in range(items)]
    numbers = itertools.count()
    phases = []
    start = time.perf_counter()

    def until(end: int) -> None:
        while (number := next(numbers)) < end:
            if call(number) != expected[number % items]:
                raise MissingComponent(f"{room}: call {number} has another result")

    with ThreadPoolExecutor(threads) as pool:
        for phase in range(1, _PHASES + 1):
            end = calls * phase // _PHASES
            list(pool.map(until, [end] * threads))
            gc.collect()
            seconds = round(time.perf_counter() - start, 1)
            phases.append({"calls": end, "seconds": seconds, "anonymous": _anonymous()})
    return phases


def _in_python(folder: Path, calls: int, threads: int, step: report.Progress) -> report.Table:
    rows: list[report.Row] = []
    for room, (_, share) in _ROOMS.items():
        step(f"Python: {room}")
        count = round(calls * share)
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as process:
            phases = process.submit(_call_in_python, room, folder, count, threads).result()
        rows.append({"calls of": room, "calls": count, "threads": threads, **_grown(phases)})
    return report.Table("In Python", rows, name="python")


_TABLES = ("jvm", "loaders", "python")


@click.command(name="long_runs")
@click.option("--sequence", type=Path, required=True, help="A piece of a human genome, in FASTA.")
@click.option("--folder", type=Path, help="Keep the recorded calls here.")
@click.option("--calls", default=1_000_000, show_default=True)
@click.option("--threads", default=16, show_default=True)
@click.option("--loaders", "made", default=1_000, show_default=True)
@report.table_option(dict.fromkeys(_TABLES))
@report.json_option
def command(
    sequence: Path,
    folder: Path | None,
    calls: int,
    threads: int,
    made: int,
    names: tuple[str, ...],
    json_file: str | None,
) -> None:
    """Call every kernel again and again, and fail if memory grows."""
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as temporary:
        data = folder or Path(temporary)
        data.mkdir(parents=True, exist_ok=True)
        _record(data, samples.read_fasta(sequence)[1])
        measures: dict[str, Callable[[report.Progress], report.Table]] = {
            "jvm": lambda step: _in_jvm(data, calls, threads, step),
            "loaders": lambda step: _dropped(made, step),
            "python": lambda step: _in_python(data, calls, threads, step),
        }
        tables: list[report.Table] = []

        def measured(name: str, step: report.Progress) -> report.Table:
            tables.append(measures[name](step))
            return tables[-1]

        report.measure_tables(
            [functools.partial(measured, name) for name in names], json_file, gpu=False
        )
    rows: list[Any] = [row for table in tables for row in table.rows]
    grown = [
        f"{row['calls of']}: {row['growth, KiB']} KiB"
        for row in rows
        if row.get("growth, KiB", 0) > _MOST_GROWTH
    ]
    if grown:
        sys.exit(f"memory grows: {'; '.join(grown)}")


if __name__ == "__main__":
    report.run(command)
