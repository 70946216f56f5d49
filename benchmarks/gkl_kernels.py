"""How fast are PDHMM and Smith-Waterman, from Python and beside GKL in JVMs?

    python -m benchmarks.gkl_kernels pdhmm recorded.in.pdhmm --json pdhmm.json
    python -m benchmarks.gkl_kernels smithwaterman recorded.tsv

Files are recorded from GATK with GKL_SHIM_RECORD and GKL_SHIM_RECORD_SMITHWATERMAN. Without a file,
Smith-Waterman's pairs are generated, like GATK's. Each build computes the input in one call from
Python, with one thread and with all CPUs. In Java, GKL and gkl-shim make one call for each region
or pair, like GATK, and PDHMM has the same instruction set in both. The programs in java/ are
compiled first, which needs a JDK.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import click
import numpy as np

from benchmarks.common import pairs, report
from gkl_shim import paths
from gkl_shim.bench import beside_gkl
from gkl_shim.bench.timing import in_turns
from gkl_shim.common import _processor
from gkl_shim.common._ragged import ragged
from gkl_shim.formats import pdhmm_in, smithwaterman_text
from gkl_shim.gatk import fetch, swaps
from gkl_shim.pdhmm import PDHMM
from gkl_shim.smithwaterman import (
    DANGLING_END,
    HAPLOTYPE_TO_REFERENCE,
    READ_TO_HAPLOTYPE,
    Overhang,
    Parameters,
    SmithWaterman,
)

_JAVA = Path(__file__).parent / "java"
_CELLS = 1 << 24
# The instruction set with which GKL's PDHMM computes beside one of our builds.
_LEVELS = {"avx512": "AVX512", "avx2": "AVX2", "portable": "SCALAR"}
# Like GATK's: the lengths of references and alternatives, the scores and the strategy.
_SHAPES: dict[str, tuple[int, int, Parameters, Overhang]] = {
    "haplotypes, 500 x 500": (500, 500, HAPLOTYPE_TO_REFERENCE, "softclip"),
    "reads, 300 x 150": (300, 150, READ_TO_HAPLOTYPE, "softclip"),
    "dangling ends, 80 x 80": (80, 80, DANGLING_END, "leading_indel"),
}


@dataclass(frozen=True)
class Pdhmm:
    """Regions of partially determined haplotypes."""

    batches: list[Any]
    gkl = "0.9.1"  # the one that GATK 4.7.0.0 ships with
    program = "PdhmmTimes"

    @property
    def cells(self) -> int:
        return sum(batch.cells for batch in self.batches)

    def call(self, build: str, threads: int) -> Callable[[], object]:
        engine = PDHMM(build=build, threads=threads)
        return lambda: [engine.compute(batch) for batch in self.batches]

    def write(self, file: BinaryIO) -> None:
        for batch in self.batches:
            pdhmm_in.write(file, batch)

    def arguments(self, build: str, threads: int) -> list[str] | None:
        return [str(threads), _LEVELS[build]] if build in _LEVELS else None

    def difference(self, one: bytes, other: bytes) -> float:
        return beside_gkl.largest_difference(one, other)


@dataclass(frozen=True)
class Pairs:
    """Pairs of a reference and an alternative."""

    chunks: list[smithwaterman_text.Pairs]
    gkl = fetch.GKL_VERSION
    program = "SmithWatermanTimes"

    @property
    def cells(self) -> int:
        return sum(
            int((np.diff(chunk.references[1]) * np.diff(chunk.alternatives[1])).sum())
            for chunk in self.chunks
        )

    def call(self, build: str, threads: int) -> Callable[[], object]:
        align = SmithWaterman(build=build, threads=threads).align
        return lambda: [
            align(chunk.references, chunk.alternatives, chunk.parameters, chunk.overhang)
            for chunk in self.chunks
        ]

    def write(self, file: BinaryIO) -> None:
        for chunk in self.chunks:
            smithwaterman_text.write(file, chunk)

    def arguments(self, build: str, threads: int) -> list[str] | None:
        return [] if threads == 1 else None

    def difference(self, one: bytes, other: bytes) -> float:
        """Return how many alignments differ."""
        lines = zip(one.splitlines(), other.splitlines(), strict=True)
        return sum(mine != its for mine, its in lines)


def inputs(kernel: str, files: Sequence[str]) -> dict[str, Pdhmm | Pairs]:
    """Read the files. Without a file, generate pairs."""
    found: dict[str, Pdhmm | Pairs] = {}
    for path in files:
        if kernel == "pdhmm":
            with pdhmm_in.Reader(path) as regions:
                found[Path(path).name] = Pdhmm(list(regions))
        else:
            with smithwaterman_text.Reader(path, HAPLOTYPE_TO_REFERENCE, "softclip") as lines:
                found[Path(path).name] = Pairs(list(lines))
    if not files and kernel == "pdhmm":
        raise click.UsageError("PDHMM needs recorded regions")
    for name, (n, m, parameters, overhang) in {} if files else _SHAPES.items():
        sequences = [ragged(each, "generated") for each in pairs.alignable(_CELLS // (n * m), n, m)]
        found[name] = Pairs([smithwaterman_text.Pairs(parameters, overhang, *sequences)])
    return found


def rows(
    name: str, data: Pdhmm | Pairs, classpath: str, programs: Path,
    here: _processor.Processor, seconds: float, step: report.Progress,
) -> Iterator[report.Row]:  # fmt: skip
    """Measure an input. `programs` is the folder of :func:`compiled`."""
    path = programs / "input"
    with path.open("wb") as file:
        data.write(file)
    own = f"{programs}:{paths.bench_jar()}"
    for threads in sorted({1, here.usable_cpus}):
        step(f"{name}, threads: {threads}")
        calls = [data.call(build, threads) for build in here.builds]
        for build, took in zip(here.builds, in_turns(calls, seconds), strict=True):
            row: report.Row = {"input": name, "build": build, "threads": threads}
            row["one call"] = data.cells / statistics.median(took) / 1e9
            if (arguments := data.arguments(build, threads)) is not None:
                gkl, shim = beside_gkl.in_turns(
                    (own, data.program), path, seconds, arguments, classpath,
                    {"GKL_SHIM_BUILD": build},
                )  # fmt: skip
                row["from Java"] = data.cells / shim.seconds / 1e9
                row[f"GKL {data.gkl}"] = data.cells / gkl.seconds / 1e9
                row["times GKL"] = gkl.seconds / shim.seconds
                row["difference"] = data.difference(gkl.results, shim.results)
            yield row


def compiled(program: str, classpath: str, folder: Path) -> None:
    """Compile a program of java/ against GKL's jars."""
    jars = ":".join([str(paths.bench_jar()), *map(str, swaps.jars(classpath))])
    source = _JAVA / f"{program}.java"
    subprocess.run(["javac", "-nowarn", "-cp", jars, "-d", folder, source], check=True)


@click.command()
@click.argument("kernel", type=click.Choice(["pdhmm", "smithwaterman"]))
@click.argument("files", metavar="[FILE]...", nargs=-1)
@report.seconds_option(1.0)
@report.json_option
def command(kernel: str, files: tuple[str, ...], seconds: float, json_file: str | None) -> None:
    """Compare PDHMM or Smith-Waterman with GKL."""
    here = _processor.describe()
    found: list[report.Row] = []
    with report.progress() as step, tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        for name, data in inputs(kernel, files).items():
            classpath = fetch.gkl_classpath(data.gkl)
            compiled(data.program, classpath, Path(folder))
            found += rows(name, data, classpath, Path(folder), here, seconds, step)
    if json_file is not None:
        report.write_json(json_file, {**report.about(), "rows": found})
    if json_file != "-":
        note = (
            "one call: the whole input in one call from Python. from Java: one call a region or a "
            "pair, like GATK.\ndifference: the largest of two log10 likelihoods, or how many "
            "alignments differ."
        )
        title = f"{kernel}, GCUPS (medians)"
        report.print_tables([here.cpu], [report.Table(title, found, note)])


if __name__ == "__main__":
    report.run(command)
