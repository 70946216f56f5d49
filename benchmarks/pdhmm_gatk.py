"""Compare whole runs of HaplotypeCaller in DRAGEN 3.7.8 mode, stock and with gkl-shim.

    python -m benchmarks.pdhmm_gatk --json FILE.json

Takes some 20 minutes. Needs ART, bwa and samtools, and downloads GATK 4.6.2.0, whose PDHMM is Java
only, and 4.7.0.0, which has GKL's native one. HaplotypeCaller runs at its default settings on two
simulated samples, one as deep as a whole genome and one as deep as a panel. The runs of both
alternate; the figures are medians. The JSON is results/pdhmm-gatk-xeon.json; its `rows`:

- `stock` and `shim`: the seconds of the whole run and of each kernel. A kernel's are by GATK's
  clock in stock GATK, and by gkl-shim's own with it: its calls, summed over the threads that call
  regions.
- `run_ratio`: stock's time over ours. The two times of PDHMM have no ratio, because stock's
  includes GATK's preparation of reads and haplotypes. `call`, for a GATK that calls a native PDHMM,
  does not, and `call_ratio` compares the calls alone.
- `amdahl`: what `run_ratio` would be in one thread if the kernels and the preparation of their
  input took as long as our calls, and `share_of_amdahl`, `run_ratio` over it. `limit`: what
  `run_ratio` would be if they took no time at all.
- `vcf`: whether both VCFs have the same records.

The results file is from before threads called regions. Its times of gkl-shim are by GATK's clock,
and `pdhmm_ratio` is stock's time of PDHMM over ours.
"""

from __future__ import annotations

import re
import statistics
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.common import gatk_versions, report, simulated_samples
from benchmarks.common.haplotype_caller import haplotype_caller
from benchmarks.common.report import Progress, Table
from benchmarks.gatk_versions import verdict
from benchmarks.pairhmm_gatk import sequence
from gkl_shim.gatk import compare, data, fetch, run, swaps

_VERSIONS = (fetch.GATK_VERSION, "4.7.0.0")
_MODE = ("--dragen-378-concordance-mode",)
_PARTS = ("run", "PDHMM", "Smith-Waterman")
_CALL = re.compile(rb"\bVectorLoglessPairPDHMM +- Time spent in JNI call : ([\d.eE+-]+)")


@dataclass(frozen=True)
class _Shape:
    """The middle of a sequence, and the reads that cover it."""

    name: str
    bases: int
    depth: int
    snp_rate: float


_SHAPES = (_Shape("genome", 240_000, 35, 1 / 1000), _Shape("panel", 4_000, 600, 1 / 400))


def figures(stock: list[run.Run], shim: list[run.Run]) -> dict[str, Any]:
    """Return a row of the JSON for the runs of one version, without the VCF."""
    row: dict[str, Any] = {}
    for name, runs in (("stock", stock), ("shim", shim)):
        times = [{"run": done.seconds, **done.kernel_seconds} for done in runs]
        row[name] = {part: statistics.median(each[part] for each in times) for part in _PARTS}
    before, now = row["stock"], row["shim"]
    kernels = sum(before[part] for part in _PARTS[1:])
    saved = kernels - sum(now[part] for part in _PARTS[1:])
    calls = [float(found[1]) for done in stock if (found := _CALL.search(done.log))]
    before["call"] = statistics.median(calls) if calls else None
    row["call_ratio"] = before["call"] / now["PDHMM"] if before["call"] else None
    row["run_ratio"] = before["run"] / now["run"]
    row["amdahl"] = before["run"] / (before["run"] - saved)
    row["share_of_amdahl"] = row["run_ratio"] / row["amdahl"]
    row["limit"] = before["run"] / (before["run"] - kernels)
    return row


def measure(sample: data.Sample, version: str, rounds: int, step: Progress) -> dict[str, Any]:
    """Run one version of GATK in turns, and return a row of the JSON."""
    classpath = gatk_versions.classpath(version)
    runs: dict[str, list[run.Run]] = {"stock": [], "agent": []}
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        vcfs = {name: Path(folder, f"{name}.vcf") for name in runs}
        for k in range(rounds):
            for swap in (swaps.STOCK, swaps.agent()):
                step(f"GATK {version}, {swap.name}, {k + 1} of {rounds}")
                vcf = vcfs[swap.name]
                done = haplotype_caller(sample.reference, sample.reads, vcf, classpath, swap, _MODE)
                runs[swap.name].append(done)
        found = verdict(compare.compare(vcfs["stock"], vcfs["agent"]))
    return {
        "sample": sample.name,
        "gatk": version,
        "gkl": gatk_versions.gkl_version(classpath),
        "rounds": rounds,
        **figures(runs["stock"], runs["agent"]),
        "vcf": found,
    }


def table(rows: list[dict[str, Any]]) -> Table:
    """Return the table to print."""
    shown = [
        {
            "sample": row["sample"],
            "GATK": row["gatk"],
            "stock, s": row["stock"]["run"],
            "its PDHMM, s": row["stock"]["PDHMM"],
            "ours, s": row["shim"]["run"],
            "our PDHMM, s": row["shim"]["PDHMM"],
            "times, its call": row["call_ratio"],
            "times, run": row["run_ratio"],
            "share of Amdahl's": row["share_of_amdahl"],
            "VCF": row["vcf"],
        }
        for row in rows
    ]
    two = ("stock, s", "its PDHMM, s", "ours, s", "times, run", "share of Amdahl's")
    decimals = {**dict.fromkeys(two, 2), "our PDHMM, s": 3, "times, its call": 1}
    return Table("HaplotypeCaller, DRAGEN 3.7.8 mode", shown, decimals=decimals)


@click.command()
@click.option(
    "--reference",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FASTA",
    help="Simulate the sample from the first sequence of this file. Default: the head of chr20.",
)
@click.option("--rounds", type=click.IntRange(1), default=3, help="Runs of each.  [default: 3]")
@report.json_option
def command(reference: Path | None, rounds: int, json_file: str | None) -> None:
    """Compare whole runs of HaplotypeCaller in DRAGEN 3.7.8 mode, stock and with gkl-shim."""
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder, report.progress() as step:
        bases = sequence(reference)
        rows = []
        for shape in _SHAPES:
            step(f"simulating the sample {shape.name}")
            start = max(0, (len(bases) - shape.bases) // 2)
            part = bases[start : start + shape.bases]
            sample = simulated_samples.simulate(
                Path(folder), shape.name, part, shape.depth, snp_rate=shape.snp_rate
            )
            rows += [measure(sample, version, rounds, step) for version in _VERSIONS]
    samples = [asdict(shape) for shape in _SHAPES]
    if json_file is not None:
        figures = {**report.about(), "samples": samples, "mode": _MODE[0], "rows": rows}
        report.write_json(json_file, figures)
    if json_file != "-":
        titles = [f"{each.name}: {each.bases} bases, {each.depth}x" for each in _SHAPES]
        report.print_tables(titles, [table(rows)])


if __name__ == "__main__":
    report.run(command)
