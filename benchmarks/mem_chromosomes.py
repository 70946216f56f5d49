"""How long do exact matches of two vertebrate chromosomes take, and how much memory?

    python -m benchmarks.mem_chromosomes --sequence chr17.fa.gz --copmem2 PROGRAM --json FILE.json

The reference is simulated: random letters, of which 45% are then replaced by copies of pieces of a
real human sequence, each with its own share of changed letters, as the copies of a family of
repeats have. The query is a copy of the reference with 20% of its letters changed, cut into pieces
that are shuffled and half of them turned. mummer and copMEM2, where there are any, run beside
`gkl-shim mem`, one after the other. All find matches of both strands, and drop their output, except
copMEM2, which writes a file. It serves lengths of 50 and more, and its threads share the records of
the query. A length that is given several times is measured as often.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np

from benchmarks.common import options, report, samples
from benchmarks.common.commands import measured
from benchmarks.common.mem_programs import programs
from gkl_shim.bench.genomes import Letters, Shape, fasta, mutated

# The families of repeats: their length, how many there are, and the share of the genome. After
# Lander and others (2001), doi:10.1038/35057062: Alu is 11% of the human genome, L1 17%, and all
# interspersed repeats 45%.
_FAMILIES = ((300, 30, 0.11), (1_200, 100, 0.17), (6_000, 20, 0.17))
_YOUNGEST, _OLDEST = 0.05, 0.3  # the share of letters that a copy has changed
_DIVERGENCE = 0.2
_PIECES = 200
# A changed letter is drawn from all four, so a quarter of them stays.
_DRAWN = 4 / 3


def chromosome(real: Letters, letters: int) -> Letters:
    """Make the reference from a real sequence."""
    random = np.random.default_rng(11)
    made = random.choice(np.frombuffer(b"ACGT", np.uint8), letters)
    for length, families, share in _FAMILIES:
        for _ in range(families):
            at = int(random.integers(0, len(real) - length))
            family = real[at : at + length]
            for start in random.integers(
                0, letters - length, int(letters * share / length / families)
            ):
                rate = random.uniform(_YOUNGEST, _OLDEST) * _DRAWN
                made[start : start + length] = mutated(family, int(start), rate, 1)
    return made


def _write(folder: Path, real: Letters, letters: int, records: int) -> list[str]:
    """Write the reference and the query, and return their files."""
    reference = chromosome(real, letters)
    query = mutated(reference, 5, _DIVERGENCE * _DRAWN, _PIECES)
    files = {"reference.fa": (reference, 1), "query.fa": (query, records)}
    for name, (sequence, parts) in files.items():
        offsets = np.linspace(0, letters, parts + 1).astype(np.int64)
        (folder / name).write_bytes(fasta(sequence, offsets, "chromosome"))
    return [str(folder / name) for name in files]


@click.command()
@options.sequence
@click.option("--letters", default=250_000_000, show_default=True, help="Of each chromosome.")
@click.option("--records", default=1, show_default=True, help="How many sequences the query has.")
@click.option("--threads", default=2, show_default=True)
@click.option("--mummer", default=shutil.which("mummer"), help="Default: the one on the PATH.")
@click.option("--copmem2", help="The program. Default: it is not measured.")
@click.option("--length", "lengths", multiple=True, type=int, default=(20, 50), show_default=True)
@click.option("--folder", type=Path, help="Where the files are written. Default: a temporary one.")
@report.json_option
def command(
    files: tuple[Path, ...],
    letters: int,
    records: int,
    threads: int,
    mummer: str | None,
    copmem2: str | None,
    lengths: tuple[int, ...],
    folder: Path | None,
    json_file: str | None,
) -> None:
    """Measure whole commands on a pair of simulated chromosomes."""
    text = "".join(samples.read_fasta(file)[1] for file in files) or samples.chr20_head()
    real = np.frombuffer(text.upper().encode(), np.uint8)
    real = real[real != ord("N")]

    def measure(step: report.Progress) -> report.Table:
        title = f"Chromosomes of {letters:,} letters, query records: {records}, {threads} threads"
        decimals = {"seconds": 1, "cpu_seconds": 1, "peak_mib": 0}
        table = report.Table(title, name="chromosomes", decimals=decimals)
        with tempfile.TemporaryDirectory(dir=folder) as made:
            step("making chromosomes")
            names = _write(Path(made), real, letters, records)
            for length in lengths:
                shape = Shape("chromosomes", letters, 0, 0, length, both_strands=True)
                for tool, line in programs(shape, names, threads, mummer, copmem2).items():
                    step(f"l = {length}: {tool}")
                    cost = measured(line, made)
                    table.rows.append({"l": length, "tool": tool, **asdict(cost)})
        return table

    report.measure_tables([measure], json_file, gpu=False)


if __name__ == "__main__":
    report.run(command)
