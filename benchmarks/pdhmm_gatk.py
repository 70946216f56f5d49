"""Compare whole runs of HaplotypeCaller in DRAGEN 3.7.8 mode, stock and with gkl-shim.

    python -m benchmarks.pdhmm_gatk --json FILE.json

Takes some 10 minutes. Needs ART, bwa and samtools, and downloads GATK 4.6.2.0, whose PDHMM is Java
only, and 4.7.0.0, which has GKL's native one. HaplotypeCaller runs at its default settings on a
simulated sample as deep as a panel. The runs of both alternate; the figures are medians. The JSON
is results/pdhmm-gatk-zen3.json; its `rows`:

- `stock` and `shim`: the seconds of the whole run and of each kernel, by GATK's clock.
- `pdhmm_ratio` and `run_ratio`: stock's time over ours.
- `amdahl`: what `run_ratio` would be if only the kernels' times changed, and `share_of_amdahl`,
  `run_ratio` over it. `limit`: what it would be if the kernels took no time at all.
- `vcf`: whether both VCFs have the same records.
"""

from __future__ import annotations

import statistics
import tempfile
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
_LENGTH, _DEPTH, _SNP_RATE = 4_000, 600, 1 / 400
_PARTS = ("run", "PDHMM", "Smith-Waterman")


def figures(stock: list[run.Run], shim: list[run.Run]) -> dict[str, Any]:
    """Return a row of the JSON for the runs of one version, without the VCF."""
    row: dict[str, Any] = {}
    for name, runs in (("stock", stock), ("shim", shim)):
        times = [{"run": done.seconds, **done.kernel_seconds} for done in runs]
        row[name] = {part: statistics.median(each[part] for each in times) for part in _PARTS}
    before, now = row["stock"], row["shim"]
    kernels = sum(before[part] for part in _PARTS[1:])
    saved = kernels - sum(now[part] for part in _PARTS[1:])
    row["pdhmm_ratio"] = before["PDHMM"] / now["PDHMM"]
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
            "GATK": row["gatk"],
            "stock, s": row["stock"]["run"],
            "its PDHMM, s": row["stock"]["PDHMM"],
            "ours, s": row["shim"]["run"],
            "our PDHMM, s": row["shim"]["PDHMM"],
            "times, PDHMM": row["pdhmm_ratio"],
            "times, run": row["run_ratio"],
            "share of Amdahl's": row["share_of_amdahl"],
            "VCF": row["vcf"],
        }
        for row in rows
    ]
    two = ("stock, s", "its PDHMM, s", "ours, s", "times, run", "share of Amdahl's")
    decimals = {**dict.fromkeys(two, 2), "our PDHMM, s": 3, "times, PDHMM": 1}
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
        step("simulating the sample")
        bases = sequence(reference)
        middle = len(bases) // 2
        sample = simulated_samples.simulate(
            Path(folder), "deep", bases[middle : middle + _LENGTH], _DEPTH, snp_rate=_SNP_RATE
        )
        rows = [measure(sample, version, rounds, step) for version in _VERSIONS]
    about = {"bases": _LENGTH, "depth": _DEPTH, "mode": _MODE[0]}
    if json_file is not None:
        report.write_json(json_file, {**report.about(), "sample": about, "rows": rows})
    if json_file != "-":
        report.print_tables([f"{_LENGTH} bases, {_DEPTH}x"], [table(rows)])


if __name__ == "__main__":
    report.run(command)
