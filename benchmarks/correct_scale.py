"""How do the time and the memory of `gkl-shim correct` grow with the number of reads?

Reads of a genome are simulated, with qualities that fall towards the end of a read and errors as
likely as the qualities say. Lighter runs beside it if --lighter is given. With --backend cpu and
--backend cuda, the table shows whether counting on GPUs pays for whole commands.

Example: python -m benchmarks.correct_scale --genome ecoli.fa.gz --reads 1000000 --reads 21000000
"""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import report
from benchmarks.common.commands import Cost, measured
from benchmarks.common.simulated_reads import (
    mutated,
    other_bases,
    read_genome,
    reverse_complement,
)
from gkl_shim.bench.timing import shim_command

_AT_ONCE = 200_000
_DIGITS = 10


def _random(size: int) -> NDArray[np.uint8]:
    return np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(1).integers(0, 4, size)]


def write_reads(path: Path, genome: NDArray[np.uint8], count: int, length: int, seed: int) -> None:
    """Write reads of both strands as FASTQ.

    The quality of a base falls from 38 to 30 along the read and varies around that. The
    probability of an error is the one that the quality stands for.
    """
    rng = np.random.default_rng(seed)
    both = np.concatenate([genome, reverse_complement(genome)])
    record = np.empty((_AT_ONCE, 2 * length + _DIGITS + 7), np.uint8)
    bases = slice(_DIGITS + 3, _DIGITS + 3 + length)
    qualities = slice(bases.stop + 3, bases.stop + 3 + length)
    record[:, :2] = np.frombuffer(b"@r", np.uint8)
    record[:, bases.start - 1] = record[:, -1] = ord("\n")
    record[:, bases.stop : qualities.start] = np.frombuffer(b"\n+\n", np.uint8)
    chances = (10 ** (-np.arange(64) / 10)).astype(np.float32)
    falling = np.linspace(38, 30, length, dtype=np.float32)
    with path.open("wb") as file:
        for first in range(0, count, _AT_ONCE):
            some = min(_AT_ONCE, count - first)
            names = first + np.arange(some)
            for digit in range(_DIGITS):
                record[:some, _DIGITS + 1 - digit] = names // 10**digit % 10 + ord("0")
            starts = rng.integers(0, len(genome) - length + 1, some)
            starts[rng.random(some) < 0.5] += len(genome)
            letters = both[starts[:, None] + np.arange(length)]
            noise = rng.standard_normal((some, length), np.float32)
            noise = 3 * noise - 2 * np.abs(rng.standard_normal((some, 1), np.float32))
            quality = np.clip(falling + noise, 2, 40).astype(np.uint8)
            at = np.nonzero(rng.random((some, length), np.float32) < chances[quality])
            letters[at] = other_bases(letters[at], rng)
            record[:some, bases], record[:some, qualities] = letters, quality + 33
            file.write(record[:some].tobytes())


@click.command()
@click.option("--genome", type=Path, help="A genome in FASTA. Default: a random one.")
@click.option("--genome-size", default=5_000_000, show_default=True, help="Of the random genome.")
@click.option("--diploid", is_flag=True, help="Half of the reads are of a haplotype with SNPs.")
@click.option("--reads", type=int, multiple=True, default=(1_000_000,), show_default=True)
@click.option("--length", default=100, show_default=True)
@click.option("--memory", type=float, multiple=True, default=(4.0,), show_default=True)
@click.option("--backend", multiple=True, default=("auto",), show_default=True)
@click.option("--threads", default=2, show_default=True)
@click.option("--rounds", default=1, show_default=True, help="Runs of each tool, in turns.")
@click.option("--lighter", help="Lighter's program.")
@click.option("--lighter-k", default=19, show_default=True)
@click.option("--folder", type=Path, help="Where the reads are written. Default: a temporary one.")
@report.json_option
def command(
    genome: Path | None,
    genome_size: int,
    diploid: bool,
    reads: tuple[int, ...],
    length: int,
    memory: tuple[float, ...],
    backend: tuple[str, ...],
    threads: int,
    rounds: int,
    lighter: str | None,
    lighter_k: int,
    folder: Path | None,
    json_file: str | None,
) -> None:
    """Measure whole commands on simulated reads."""
    letters = _random(genome_size) if genome is None else read_genome(genome)
    if diploid:
        letters = np.concatenate([letters, mutated(letters, 1e-3, 5)])
    rows: list[report.Row] = []
    with tempfile.TemporaryDirectory(dir=folder) as made, report.progress() as progress:
        fastq, out, facts = (Path(made) / name for name in ("reads.fq", "ours.fq", "facts.json"))
        for count in reads:
            progress(f"{count} reads: simulating")
            write_reads(fastq, letters, count, length, 1)
            ours = shim_command("correct", str(fastq), "-o", str(out))
            ours += ["--threads", str(threads), "--json", str(facts)]
            tools = {
                f"gkl-shim --backend {b} --memory {m:g}": [
                    *ours, "--backend", b, "--memory", str(m)
                ]
                for b in backend
                for m in memory
            }  # fmt: skip
            if lighter is not None:
                options = ["-K", str(lighter_k), str(len(letters)), "-t", str(threads)]
                tools["Lighter"] = [lighter, "-r", str(fastq), *options, "-od", made]
            found: dict[str, list[Cost]] = {tool: [] for tool in tools}
            known = {}
            for _ in range(rounds):
                for tool, line in tools.items():
                    progress(f"{count} reads: {tool}")
                    found[tool].append(measured(line, made))
                    if tool != "Lighter":
                        known[tool] = json.loads(facts.read_text())
            for tool, runs in found.items():
                row: report.Row = {
                    "reads": count,
                    "tool": tool,
                    "seconds": statistics.median(run.seconds for run in runs),
                    "CPU seconds": statistics.median(run.cpu_seconds for run in runs),
                    "peak MiB": max(run.peak_mib for run in runs),
                }
                if tool in known:
                    row["spectrum MiB"] = known[tool]["spectrum_bytes"] / 2**20
                    row["passes"] = known[tool]["counting_passes"]
                    row["counted by"] = known[tool]["counted_by"]
                    row |= {f"{s} seconds": t for s, t in known[tool]["seconds"].items()}
                rows.append(row)
    table = report.Table(
        "Whole commands", rows, decimals={"seconds": 2, "CPU seconds": 2, "peak MiB": 0}
    )
    report.print_tables([], [table])
    if json_file is not None:
        report.write_json(json_file, {**report.about(), "threads": threads, "rows": rows})


if __name__ == "__main__":
    report.run(command)
