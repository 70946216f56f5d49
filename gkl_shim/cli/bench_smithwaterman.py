"""``gkl-shim bench smithwaterman``: measure its speed, and compare it with GATK's GKL."""

from __future__ import annotations

import dataclasses
import random
import statistics
import tempfile
from functools import partial
from pathlib import Path

import click

from gkl_shim.cli import _bench, _gkl, _processor
from gkl_shim.formats import smithwaterman_text
from gkl_shim.gatk import replay, replay_smithwaterman
from gkl_shim.smithwaterman import (
    DANGLING_END,
    HAPLOTYPE_TO_REFERENCE,
    READ_TO_HAPLOTYPE,
    Overhang,
    Parameters,
    SmithWaterman,
)

_GENERATED_CELLS = 1 << 24


@dataclasses.dataclass(frozen=True)
class _Row:
    """The speeds of one build on one input, in GCUPS."""

    input: str
    threads: int
    build: str
    gcups: float
    """The median speed from Python, with all pairs in one call."""
    rounds: tuple[float, ...]
    """The speed in each round."""
    jvm: replay_smithwaterman.BesideGkl | None = None
    """The speed from Java, with one call for each pair like GATK. None if not measured."""


@click.command(
    name="smithwaterman",
    short_help="Smith-Waterman, beside Intel's GKL.",
    epilog="Example: gkl-shim bench smithwaterman --seconds 2",
)
@click.argument("inputs", metavar="[PAIRS.tsv]...", nargs=-1)
@_bench.seconds_option(1.0)
@_gkl.option
@_bench.json_option
def command(
    inputs: tuple[str, ...], seconds: float, gkl: str | None, json_file: str | None
) -> None:
    """Time Smith-Waterman on this machine, and compare it with Intel's GKL.

    Each build of gkl-shim aligns the pairs of each PAIRS.tsv (see `gkl-shim smithwaterman`) in one
    call, with one thread and with all CPUs. Without a file, the pairs are generated, like GATK's:
    haplotypes with the reference, reads with haplotypes, and dangling ends.

    If GKL is available, gkl-shim and GKL also align the pairs in one JVM, with one call for each
    pair, like GATK.

    Engines take turns, and the table shows medians. One GCUPS is 10^9 cells a second.
    """
    sets = {name: _read(name) for name in inputs} or _generated()
    here = _processor.describe()
    missing: dict[str, str] = {}
    classpath, absent = _gkl.classpath(gkl)
    if absent is not None:
        missing["GKL"] = absent
    rows: list[_Row] = []
    with _bench.progress() as progress:
        for name, chunks in sets.items():
            for threads in sorted({1, here.usable_cpus}):
                progress(f"{name}, threads: {threads}")
                for row in _timed(name, chunks, threads, here.builds, seconds):
                    # GATK runs the portable build, the last one, only if there is no other.
                    served = row.build in (here.builds[:-1] or here.builds)
                    if classpath is not None and threads == 1 and served:
                        jvm = _beside_gkl(chunks, classpath, row.build, seconds)
                        row = dataclasses.replace(row, jvm=jvm)
                    rows.append(row)
    version = None if classpath is None else replay.gkl_version(classpath)
    figures = {"gkl": version, "rows": [dataclasses.asdict(row) for row in rows]}
    _bench.publish(json_file, here, [], missing, _table(rows, version), figures)


def _read(path: str) -> list[smithwaterman_text.Pairs]:
    with smithwaterman_text.Reader(path, HAPLOTYPE_TO_REFERENCE, "softclip") as reader:
        return list(reader)


def _generated() -> dict[str, list[smithwaterman_text.Pairs]]:
    """Make the same pairs in every run."""
    rng = random.Random(1)
    shapes: tuple[tuple[str, int, int, Parameters, Overhang], ...] = (
        ("haplotypes, 500 x 500", 500, 500, HAPLOTYPE_TO_REFERENCE, "softclip"),
        ("reads, 300 x 150", 300, 150, READ_TO_HAPLOTYPE, "softclip"),
        ("dangling ends, 80 x 80", 80, 80, DANGLING_END, "leading_indel"),
    )
    sets = {}
    for name, n, m, parameters, overhang in shapes:
        pairs = smithwaterman_text.Pairs(parameters, overhang, [], [])
        for _ in range(_GENERATED_CELLS // (n * m)):
            reference = bytes(rng.choices(b"ACGT", k=n))
            start = rng.randint(0, n - m)
            pairs.references.append(reference)
            pairs.alternatives.append(_mutated(rng, reference[start : start + m]))
        sets[name] = [pairs]
    return sets


def _mutated(rng: random.Random, letters: bytes) -> bytes:
    """Put a SNP or an indel into every hundred letters or so, at least one."""
    result = bytearray(letters)
    for _ in range(1 + len(letters) // 100):
        at = rng.randrange(1, len(result) - 1)
        kind = rng.random()
        if kind < 0.2:
            result[at : at + rng.randint(1, 8)] = b""
        elif kind < 0.4:
            result[at:at] = bytes(rng.choices(b"ACGT", k=rng.randint(1, 8)))
        else:
            result[at] = rng.choice(b"ACGT".replace(bytes(result[at : at + 1]), b""))
    return bytes(result)


def _cells(chunks: list[smithwaterman_text.Pairs]) -> int:
    return sum(
        len(reference) * len(alternative)
        for pairs in chunks
        for reference, alternative in zip(pairs.references, pairs.alternatives, strict=True)
    )


def _timed(
    name: str,
    chunks: list[smithwaterman_text.Pairs],
    threads: int,
    builds: tuple[str, ...],
    seconds: float,
) -> list[_Row]:
    """Time the builds in turns."""

    def run(aligner: SmithWaterman) -> None:
        for pairs in chunks:
            aligner.align(pairs.references, pairs.alternatives, pairs.parameters, pairs.overhang)

    calls = [partial(run, SmithWaterman(threads=threads, build=build)) for build in builds]
    cells, rows = _cells(chunks), []
    for build, took in zip(builds, _bench.in_turns(calls, seconds), strict=True):
        speeds = tuple(cells / each / 1e9 for each in took)
        rows.append(_Row(name, threads, build, statistics.median(speeds), speeds))
    return rows


def _beside_gkl(
    chunks: list[smithwaterman_text.Pairs], classpath: str, build: str, seconds: float
) -> replay_smithwaterman.BesideGkl:
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        path = Path(folder) / "pairs.tsv"
        with path.open("wb") as file:
            for pairs in chunks:
                rest = f"\t{','.join(map(str, pairs.parameters))}\t{pairs.overhang}\n".encode()
                for sequences in zip(pairs.references, pairs.alternatives, strict=True):
                    file.write(b"\t".join(sequences) + rest)
        return replay_smithwaterman.beside_gkl(path, classpath, build, seconds=seconds)


def _table(rows: list[_Row], version: str | None) -> _bench.Table:
    gkl = f"GKL {version}"
    note = "one call: all pairs in one call from Python."
    if any(row.jvm is not None for row in rows):
        note += f"\nfrom Java, {gkl}: one call a pair, in turns in one JVM."
    different = sum(row.jvm.different for row in rows if row.jvm is not None)
    if different:
        note += (
            f"\n{different} alignments differ from GKL's. GATK's Java aligner decides; GKL differs "
            "from it for the strategy ignore."
        )
    decimals = {"one call": 2, "from Java": 2, gkl: 2, "times GKL": 1}
    table = _bench.Table("Smith-Waterman, GCUPS (medians)", note=note, decimals=decimals)
    for row in rows:
        shown: _bench.Row = {
            "input": Path(row.input).name,
            "build": row.build,
            "threads": row.threads,
            "one call": row.gcups,
        }
        if row.jvm is not None:
            shown |= {"from Java": row.jvm.shim, gkl: row.jvm.gkl, "times GKL": row.jvm.ratio}
        table.rows.append(shown)
    return table
