"""Measure the pre-alignment filter in the form of the tables in the GateKeeper papers.

    python -m benchmarks.prefilter_papers PAIRS.tsv --reads FASTQ --reference FASTA --json FILE.json

Needs edlib; the verification also needs minimap2, and the GPU's figures CuPy and a CUDA device.
PAIRS.tsv holds pairs of one length, for example a mapper's candidates; they
are repeated until there are enough. Without it, pairs of 100 bases are generated. The verification
takes as candidates the places that minimap2 proposes for FASTQ's reads in FASTA, or for generated
reads. The JSON is results/prefilter-cpu-zen4.json and results/prefilter-h200.json; its tables:

- `rows`: pairs a second by the threshold, the length, the threads and the devices, as the field
  `table` says, with lists for the thresholds;
- `accuracy`: accepted and falsely accepted pairs of both methods, a list for each column;
- `verification`: edlib on all candidates, beside the filter and edlib on what it accepts;
- `missing`: what could not be measured, and why.

The files also have the pairs a batch, the occupancy of the kernels, and their energy.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import click

from benchmarks.common import prefilter_rates as rates
from benchmarks.common import prefilter_verification, report
from benchmarks.common.report import Progress, Table
from gkl_shim.common import _processor
from gkl_shim.errors import BackendUnavailable, MissingComponent
from gkl_shim.formats.prefilter_text import read_contigs, read_reads
from gkl_shim.prefilter import Backend, Prefilter, Sequences

_EDITS = (0, 2, 5, 10, 15, 25, 40)
_LENGTHS = (100, 150, 250, 300)
_SHARES = (0.02, 0.05, 0.1, 0.15)
# The tables of rates, and what differs in each.
_RATES = {
    "edits": "edits allowed",
    "length": "bases a read",
    "threads": "CPU threads",
    "devices": "GPUs",
}


@dataclass
class Report:
    """All measurements, and why some are missing."""

    machine: _processor.Processor
    pairs: str
    cuda: list[str] = field(default_factory=list)
    rows: list[rates.Row] = field(default_factory=list)
    accuracy: list[rates.Figures] = field(default_factory=list)
    verification: list[prefilter_verification.Verification] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def may_be_missing(self, what: str) -> Iterator[None]:
        """Record why what the block measures cannot be measured."""
        try:
            yield
        except (BackendUnavailable, MissingComponent) as error:
            self.missing[what] = str(error)


@click.command()
@click.argument("pairs_file", metavar="[PAIRS.tsv]", required=False)
@click.option("--reads", metavar="FILE", help="For the verification: reads, FASTQ or FASTA.")
@click.option("--reference", metavar="FILE", help="The reference of --reads, FASTA.")
@report.seconds_option(0.5)
@report.json_option
def command(
    pairs_file: str | None,
    reads: str | None,
    reference: str | None,
    seconds: float,
    json_file: str | None,
) -> None:
    """Measure the pre-alignment filter in the form of the tables in the GateKeeper papers."""
    if (reads is None) != (reference is None):
        raise click.UsageError("--reads and --reference go together")
    if importlib.util.find_spec("edlib") is None:
        raise MissingComponent("edlib is not installed: pip install edlib")
    pairs = rates.read_pairs(pairs_file) if pairs_file else rates.generated_pairs()
    mapped = prefilter_verification.generated_reads()
    if reads is not None and reference is not None:
        mapped = read_reads(reads)[0], read_contigs(reference)[1]
    source = Path(pairs_file).name if pairs_file else "generated"
    found = Report(_processor.describe(), source)
    with found.may_be_missing("CUDA"), Prefilter(0, backend="cuda") as engine:
        found.cuda.extend(engine.devices)
    with report.progress() as step:
        _measure(found, pairs, mapped, seconds, step)
    if json_file is not None:
        accuracy = {name: [row[name] for row in found.accuracy] for name in found.accuracy[0]}
        lists = {"rows": list(_by_threshold(found.rows)), "accuracy": accuracy}
        report.write_json(json_file, {**report.about(), **asdict(found), **lists})
    shown = [table for table in tables(found) if table.rows]
    if json_file != "-":
        here = found.machine
        lines = [f"{here.cpu}, {here.usable_cpus} of {here.cpus} CPUs usable"]
        lines += [f"CUDA: {', '.join(found.cuda)}"] if found.cuda else []
        lines += [f"{what} not measured: {why}" for what, why in found.missing.items()]
        report.print_tables(lines, shown)


def _measure(
    found: Report,
    pairs: tuple[rates.Letters, rates.Letters],
    mapped: tuple[Sequences, Sequences],
    seconds: float,
    step: Progress,
) -> None:
    here, best = found.machine, found.machine.builds[:1]
    step("CPU")
    found.rows += rates.cpu_rows("edits", pairs, here.builds, [1], _EDITS, seconds)
    if here.usable_cpus > 1:
        found.rows += rates.cpu_rows("edits", pairs, best, [here.usable_cpus], _EDITS, seconds)
    step("edlib")
    found.rows += rates.edlib_rows(pairs, seconds)
    if found.cuda:
        step("CUDA")
        found.rows += rates.cuda_rows("edits", pairs, _EDITS, seconds)
        found.rows += rates.candidate_rows("edits", 1, seconds)
    step("falsely accepted pairs")
    found.accuracy += [rates.accuracy(pairs, max_edits) for max_edits in range(41)]
    for length in _LENGTHS:
        step(f"length {length}")
        made = rates.generated_pairs(length)
        edits = [int(share * length) for share in _SHARES]
        found.rows += rates.cpu_rows("length", made, best, [1], edits, seconds)
        if found.cuda:
            found.rows += rates.cuda_rows("length", made, edits, seconds)
    step("threads")
    threads = sorted({*(2**k for k in range(10)), here.usable_cpus})
    threads = [count for count in threads if count <= here.usable_cpus]
    found.rows += rates.cpu_rows("threads", pairs, best, threads, [5], seconds)
    step("verification")
    with found.may_be_missing("verification"):
        proposed = prefilter_verification.propose(*mapped)
        backends: list[Backend] = ["cpu", "cuda"] if found.cuda else ["cpu"]
        found.verification += prefilter_verification.verifications(proposed, backends)
    if found.cuda:
        step("devices")
        found.rows += rates.device_rows(pairs, len(found.cuda), seconds)


def _by_threshold(rows: Sequence[rates.Row]) -> Iterator[rates.Figures]:
    """Yield a row for all thresholds of what is otherwise the same, with lists of their rates."""
    same: dict[rates.Row, list[rates.Row]] = {}
    for row in rows:
        same.setdefault(replace(row, max_edits=0, millions=0), []).append(row)
    for first, own in same.items():
        millions = [float(f"{row.millions:.6g}") for row in own]
        edits = [row.max_edits for row in own]
        yield {**asdict(first), "max_edits": edits, "millions": millions}


def tables(found: Report) -> Iterator[Table]:
    """Yield a table for each part that has figures."""
    for name, label in _RATES.items():
        yield Table(
            f"Pre-alignment filter, million pairs/s: by {label}",
            [_rate_row(row) for row in found.rows if row.table == name],
            decimals={"M/s": 2},
        )
    yield Table("Accepted pairs", found.accuracy)
    yield Table(
        "Verification by edlib, seconds",
        [{**asdict(row), "speedup": row.speedup} for row in found.verification],
        note="seeding: by minimap2, of all candidates.",
    )


def _rate_row(row: rates.Row) -> report.Row:
    limited = row.max_edits >= 0
    return {
        "what": row.what,
        "method": row.method,
        "bases": row.length,
        "edits": row.max_edits if limited else None,
        "percent": round(100 * row.max_edits / row.length) if limited else None,
        "threads": row.threads or None,
        "GPUs": row.devices or None,
        "M/s": row.millions,
    }


if __name__ == "__main__":
    report.run(command)
