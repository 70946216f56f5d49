"""How well does `gkl-shim correct` correct simulated reads, beside Lighter and BFC?

The genomes are E. coli 536 and a piece of human chr17, in FASTA. The sets differ in depth, length
and errors. Two are of a short piece of E. coli, and very deep. The last one has two haplotypes,
which differ in one of 1,000 bases. Gain is (errors that became right - right bases that became
wrong) / errors. Lighter runs with each k given. The seconds are of the whole command, the median of
--rounds runs in turns.

Example: python -m benchmarks.correct_peers --ecoli NC_008253.fa --human chr17.fa --json out.json
"""

from __future__ import annotations

import dataclasses
import shlex
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import report
from benchmarks.common.commands import commands_in_turns
from benchmarks.common.simulated_reads import (
    Reads,
    letters_of,
    mutated,
    read_genome,
    simulate_art,
    simulate_uniform,
)

_SNPS = 1e-3


@dataclasses.dataclass(frozen=True)
class _Set:
    """A set of reads, and the other haplotype if there are two."""

    reads: Reads
    genome_size: int
    other: NDArray[np.uint8] | None = None
    """For each base of `reads.truth`, the other haplotype's."""


def _diploid(folder: Path, genome: NDArray[np.uint8]) -> _Set:
    """Simulate 30x of two haplotypes that differ in SNPs."""
    alternative = mutated(genome, _SNPS, 5)
    parts = []
    for index, haplotype in enumerate((genome, alternative)):
        (folder / str(index)).mkdir()
        parts.append(simulate_art(folder / str(index), haplotype, 15, 100, "HS25", 31 + index))
    others = []
    for part, haplotype in zip(parts, (alternative, genome), strict=True):
        there = haplotype[part.genome_positions()]
        complement = np.frombuffer(bytes.maketrans(b"ACGT", b"TGCA"), np.uint8)
        others.append(np.where(part.reverse[:, None], complement[there], there))
    fastq = folder / "reads.fq"
    letters = np.concatenate([part.letters for part in parts])
    with fastq.open("wb") as file:
        for part in parts:
            file.write(part.fastq.read_bytes())
    together = Reads(
        fastq,
        letters,
        np.concatenate([part.truth for part in parts]),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.reverse for part in parts]),
    )
    return _Set(together, len(genome), np.concatenate(others))


def _sets(ecoli: Path, human: Path) -> dict[str, Callable[[Path], _Set]]:
    def art(
        depth: float, length: int, profile: str = "HS25", bases: int | None = None
    ) -> Callable[[Path], _Set]:
        def make(folder: Path) -> _Set:
            genome = read_genome(ecoli)[:bases]
            return _Set(simulate_art(folder, genome, depth, length, profile, 1), len(genome))

        return make

    def uniform(depth: float, bases: int | None = None) -> Callable[[Path], _Set]:
        def make(folder: Path) -> _Set:
            genome = read_genome(ecoli)[:bases]
            return _Set(simulate_uniform(folder, genome, depth, 100, 0.01, 1), len(genome))

        return make

    return {
        "E. coli 30x, 100 bp": art(30, 100),
        "E. coli 10x, 100 bp": art(10, 100),
        "E. coli 15x, 100 bp": art(15, 100),
        "E. coli 60x, 100 bp": art(60, 100),
        "E. coli 30x, 150 bp": art(30, 150),
        "E. coli 30x, 250 bp": art(30, 250, "MSv3"),
        "E. coli 30x, 100 bp, 1% uniform": uniform(30),
        "20 kb of E. coli 1000x, 100 bp": art(1000, 100, bases=20_000),
        "5 kb of E. coli 5000x, 100 bp, 1% uniform": uniform(5000, 5_000),
        "human diploid 30x, 100 bp": lambda folder: _diploid(folder, read_genome(human)),
    }


def quality_of(data: _Set, corrected: NDArray[np.uint8]) -> dict[str, Any]:
    """Compare corrected reads with the truth."""
    truth, before = data.reads.truth, data.reads.letters
    wrong, now = before != truth, corrected != truth
    right, newly = int((wrong & ~now).sum()), int((~wrong & now).sum())
    found = {
        "errors": int(wrong.sum()),
        "right": right,
        "newly wrong": newly,
        "gain": (right - newly) / int(wrong.sum()),
        "perfect reads": int((~now.any(axis=1)).sum()),
    }
    if data.other is not None:
        heterozygous = (data.other != truth) & ~wrong
        found["variants overwritten"] = int((heterozygous & now).sum())
    return found


def _tools(
    data: _Set, folder: Path, threads: int, lighter: str, ks: tuple[int, ...], bfc: str | None
) -> dict[str, tuple[list[str], Path]]:
    """Return each tool's command and its output."""
    fastq, size = str(data.reads.fastq), data.genome_size
    ours = folder / "ours.fq"
    command = ["gkl-shim", "correct", fastq, "-o", str(ours), "--threads", str(threads)]
    tools = {"gkl-shim": (command, ours)}
    for k in ks:
        out = folder / f"lighter{k}"
        options = ["-K", str(k), str(size), "-t", str(threads), "-od", str(out)]
        corrected = out / f"{data.reads.fastq.stem}.cor.fq"
        tools[f"Lighter -K {k}"] = ([lighter, "-r", fastq, *options], corrected)
    if bfc is not None:
        out = folder / "bfc.fq"
        command = [bfc, "-s", str(size), "-t", str(threads), fastq]
        tools["BFC"] = (["sh", "-c", f"exec {shlex.join(command)} >{shlex.quote(str(out))}"], out)
    return tools


@click.command()
@click.option("--ecoli", type=Path, required=True, help="The genome of E. coli 536, in FASTA.")
@click.option("--human", type=Path, required=True, help="A piece of a human genome, in FASTA.")
@click.option("--lighter", default="lighter", help="Lighter's program.")
@click.option("--lighter-k", type=int, multiple=True, default=(17, 19, 23), help="Lighter's k.")
@click.option("--bfc", help="BFC's program. Without it, BFC is left out.")
@click.option("--set", "wanted", multiple=True, help="Only the sets whose name contains this.")
@click.option("--threads", default=2, show_default=True)
@click.option("--rounds", default=1, show_default=True, help="Runs of each tool.")
@report.json_option
def command(
    ecoli: Path,
    human: Path,
    lighter: str,
    lighter_k: tuple[int, ...],
    bfc: str | None,
    wanted: tuple[str, ...],
    threads: int,
    rounds: int,
    json_file: str | None,
) -> None:
    """Correct simulated reads with gkl-shim, Lighter and BFC."""
    rows: list[report.Row] = []
    with report.progress() as progress:
        for name, make in _sets(ecoli, human).items():
            if wanted and not any(part in name for part in wanted):
                continue
            with tempfile.TemporaryDirectory(prefix="gkl-shim-") as temporary:
                folder = Path(temporary)
                progress(f"{name}: simulating")
                data = make(folder)
                tools = _tools(data, folder, threads, lighter, lighter_k, bfc)
                progress(f"{name}: correcting")
                lines = {tool: line for tool, (line, _) in tools.items()}
                took = commands_in_turns(lines, rounds)
                for tool, (_, out) in tools.items():
                    found = quality_of(data, letters_of(out, data.reads.letters.shape[1]))
                    seconds = statistics.median(took[tool])
                    rows.append({"set": name, "tool": tool, **found, "seconds": seconds})
    table = report.Table("Simulated reads", rows, decimals={"gain": 4, "seconds": 2})
    report.print_tables([], [table])
    if json_file is not None:
        report.write_json(json_file, {**report.about(), "threads": threads, "rows": rows})


if __name__ == "__main__":
    report.run(command)
