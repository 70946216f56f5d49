"""Compare PairHMM on the CPU with Intel's GKL, on regions recorded from GATK.

    python -m benchmarks.pairhmm_gatk 10s.in --json FILE.json

Needs the GATK that `gkl-shim demo` fetches and, for recorded regions, ART, bwa and samtools.
Samples are simulated, and HaplotypeCaller runs on them while the regions that it asks for are
recorded. Its JSON is the part `gatk.rows` of results/pairhmm/pairhmm-cpu-zen4.json: recorded
regions, made-up ones and INPUT.in, computed by GKL and by gkl-shim in turns, called from Java once
a region.

The `rows` of the results file come from `gkl-shim bench pairhmm 10s.in --json FILE`. The file also
has two threads over one (`gatk.scaling`). gatk_run.py times whole runs.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import click
import numpy as np

from benchmarks.common import regions, report, samples, simulated_samples
from benchmarks.common.report import Progress, Table
from gkl_shim.bench.beside_gkl import Calls, beside_gkl
from gkl_shim.common import _processor
from gkl_shim.errors import FormatError, MissingComponent
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import data, fetch, gkl, run, swaps
from gkl_shim.pairhmm import Batch, HaplotypeBatch, Precision, ReadBatch

Figures: TypeAlias = dict[str, Any]
"""A row of the JSON."""

# Regions are recorded from these samples, with these options of HaplotypeCaller.
_RECORDED: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("simulated 30x", "30x", ()),
    ("simulated 30x, DRAGEN mode", "30x", ("--dragen-mode",)),
    ("amplicon, 1,500x", "amplicon", ()),
    ("poor 250 bp", "poor", ()),
)
_LEAST_BASES = 100_000


def measure(
    inputs: Sequence[Path],
    reference: Path | None,
    classpath: str,
    here: _processor.Processor,
    seconds: float,
    step: Progress,
) -> Iterator[Figures]:
    """Simulate, record and time. Yield the rows of the JSON's ``gatk``.

    Raises
    ------
    MissingComponent
        ART, bwa or samtools is missing, or GATK fails.
    """
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as name:
        folder = Path(name)
        step("simulating samples")
        samples = _samples(folder, sequence(reference))
        recorded = []
        for target, sample, options in _RECORDED:
            step(f"HaplotypeCaller: {target}")
            recorded.append(_record(samples[sample], options, classpath, folder / f"{target}.in"))
        for path in (*inputs, *recorded, *_made(folder)):
            yield from _rows(path, classpath, here, seconds, step)


def sequence(reference: Path | None) -> str:
    """Return the longest stretch without an N of a reference, by default of the head of chr20.

    Raises
    ------
    FormatError
        It is too short to simulate from.
    """
    whole = samples.read_fasta(reference)[1] if reference else samples.chr20_head()
    stretch: str = max(re.findall("[ACGT]+", whole.upper()), key=len, default="")
    if len(stretch) < _LEAST_BASES:
        raise FormatError(
            str(reference),
            None,
            f"has {len(stretch):,} bases without an N; give one of {_LEAST_BASES:,} or more",
        )
    return stretch


def _samples(folder: Path, bases: str) -> dict[str, data.Sample]:
    middle = len(bases) // 2
    amplicon = bases[middle : middle + 4_000]
    poor = partial(simulated_samples.simulate, read_length=250, profile="MSv3", quality_shift=-10)
    return {
        "30x": simulated_samples.simulate(folder, "30x", bases[:500_000], 30),
        "amplicon": simulated_samples.simulate(folder, "amplicon", amplicon, 1500, snp_rate=0.0025),
        "poor": poor(folder, "poor", bases[-50_000:], 60),
    }


def _record(sample: data.Sample, options: Sequence[str], classpath: str, target: Path) -> Path:
    """Record the regions that HaplotypeCaller asks for."""
    arguments = ["HaplotypeCaller", "-R", str(sample.reference), "-I", str(sample.reads)]
    arguments += ["-O", str(target.with_suffix(".vcf")), *options]
    recorded = {"GKL_SHIM_RECORD": str(target)}
    done = run.gatk(arguments, classpath, swaps.agent(), environment=recorded)
    if done.returncode != 0:
        raise MissingComponent(f"HaplotypeCaller failed: {done.complaint}")
    return target


def _made(folder: Path) -> Iterator[Path]:
    """Generate regions that no simulated sample contains: very poor ones, and small ones."""
    random = np.random.default_rng(3)
    batch = regions.generated(30, seed=5, shape=(60, 6))
    letters = np.frombuffer(b"ACGT", np.uint8)
    count, length = len(batch.reads), 250
    # Reads that fit no haplotype well: nearly all pairs leave single precision.
    reads = ReadBatch.from_arrays(
        np.arange(count + 1) * length,
        random.choice(letters, count * length),
        random.integers(20, 36, count * length).astype(np.uint8),
    )
    haplotypes = HaplotypeBatch.from_arrays(batch.haplotypes.offsets, batch.haplotypes.bases)
    hopeless = Batch(reads, haplotypes, batch.region_reads, batch.region_haplotypes)
    yield _written(folder / "hopeless 250 bp.in", hopeless)
    small = regions.generated(200, shape=(10, 2))
    yield _written(folder / "10 reads by 2 haplotypes.in", small)


def _written(path: Path, batch: Batch) -> Path:
    with path.open("wb") as file:
        pairhmm_in.write(file, batch)
    return path


def _rows(
    path: Path, classpath: str, here: _processor.Processor, seconds: float, step: Progress
) -> Iterator[Figures]:
    batch = regions.read(path)
    best = here.builds[0]
    cases: list[tuple[int, Precision, str]] = [(1, "single", best)]
    # GATK runs the portable build, the last one, only on a CPU that has no other.
    cases += [(1, "single", build) for build in here.builds[1:-1]]
    cases += [(1, "double", best)]
    # With as many threads as cores, GKL's threads compete for them: whole runs show that.
    if here.usable_cpus > run.DEFAULT_THREADS:
        cases += [(run.DEFAULT_THREADS, "single", best)]
    for threads, precision, build in cases:
        step(f"{path.stem}: {precision}, {build}, threads: {threads}")
        calls = Calls(seconds, threads, double_precision=precision == "double")
        beside = beside_gkl(path, batch.cells, classpath, build, calls)
        yield {
            "input": path.stem,
            "regions": len(batch),
            "cells": batch.cells,
            "threads": threads,
            "precision": precision,
            "build": build,
            "beside": asdict(beside),
        }


def table(rows: Sequence[Figures]) -> Table:
    """Return the table of recorded and made-up regions."""
    columns = {"input": "input", "precision": "precision", "build": "build", "threads": "threads",
               "shim": "ours", "gkl": "GKL", "ratio": "times GKL"}  # fmt: skip
    figures = [{**row, **row["beside"]} for row in rows]
    return Table(
        "Beside GKL, GCUPS (one call a region from Java)",
        [{shown: row[name] for name, shown in columns.items()} for row in figures],
        decimals={"ours": 2, "GKL": 2, "times GKL": 1},
    )


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("inputs", metavar="[INPUT.in]...", nargs=-1, type=_FILE)
@click.option(
    "--reference",
    type=_FILE,
    metavar="FASTA",
    help="Simulate samples from the first sequence of this file. Default: the head of chr20.",
)
@report.seconds_option(1.0)
@report.json_option
def command(
    inputs: tuple[Path, ...],
    reference: Path | None,
    seconds: float,
    json_file: str | None,
) -> None:
    """Compare PairHMM with GKL on GATK's regions."""
    here = _processor.describe()
    classpath = fetch.gatk_classpath()
    with report.progress() as step:
        rows = list(measure(inputs, reference, classpath, here, seconds, step))
    if json_file is not None:
        figures = {"gkl": gkl.version(classpath), "gatk": {"rows": rows}}
        report.write_json(json_file, {**report.about(), **figures})
    if json_file != "-":
        about = f"{here.cpu}, {here.usable_cpus} of {here.cpus} CPUs usable"
        report.print_tables([about], [table(rows)])


if __name__ == "__main__":
    report.run(command)
