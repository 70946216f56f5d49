"""What does read correction do to the calls of HaplotypeCaller?

Paired reads of a simulated diploid genome, whose variants are known, are corrected by gkl-shim,
Lighter, BFC or not at all. bwa aligns them, HaplotypeCaller with gkl-shim calls them, and GATK's
Concordance compares the calls with the truth. All correctors get the mates in one file.

Example: python -m benchmarks.correct_calls --sequence chr17.fa.gz --bfc bfc --json out.json
"""

from __future__ import annotations

import functools
import itertools
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from benchmarks.common import haplotype_caller, report, run_samples, samples, simulated_samples
from gkl_shim.bench.timing import shim_command
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch, programs, run, swaps
from gkl_shim.validation import accuracy

_SNP_RATE, _SEED, _NAME = 1e-3, 17, "genome"

_Corrector = Callable[[Path, Path], Path]
"""Corrects a FASTQ file, writes into a folder, and returns the corrected file."""


def _interleaved(mates: list[Path], target: Path) -> Path:
    """Write one file in which the mates follow each other."""
    with mates[0].open("rb") as one, mates[1].open("rb") as other, target.open("wb") as file:
        while records := [line for mate in (one, other) for line in itertools.islice(mate, 4)]:
            file.writelines(records)
    return target


def _run(command: list[str], stdout: Path | None = None) -> None:
    with (stdout or Path("/dev/null")).open("wb") as file:
        done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace")[-500:]
        raise MissingComponent(f"{command[0]} failed, exit code {done.returncode}: {said}")


def _correctors(size: int, threads: int, lighter_k: int, bfc: str | None) -> dict[str, _Corrector]:
    def ours(reads: Path, folder: Path) -> Path:
        out = folder / "ours.fq"
        options = ["--interleaved", "--threads", str(threads), "-o", str(out)]
        _run([*shim_command("correct"), str(reads), *options])
        return out

    def lighter(reads: Path, folder: Path) -> Path:
        program = programs.find("lighter", "apt install lighter")
        options = ["-K", str(lighter_k), str(size), "-t", str(threads), "-od", str(folder)]
        _run([program, "-r", str(reads), *options])
        return folder / f"{reads.stem}.cor.fq"

    def with_bfc(reads: Path, folder: Path) -> Path:
        out = folder / "bfc.fq"
        _run([str(bfc), "-s", str(size), "-t", str(threads), str(reads)], out)
        return out

    found: dict[str, _Corrector] = {"none": lambda reads, _folder: reads, "gkl-shim": ours}
    found[f"Lighter -K {lighter_k}"] = lighter
    return {**found, "BFC": with_bfc} if bfc else found


def _scores(reads: Path, folder: Path, reference: Path, truth: Path, classpath: str,
            threads: int) -> Mapping[str, accuracy.Score]:  # fmt: skip
    """Align and call reads, and compare the calls with the truth."""
    bam, vcf, summary = folder / "reads.bam", folder / "calls.vcf", folder / "summary.tsv"
    simulated_samples.align(
        [reads], reference, bam, _NAME, individual="individual", threads=threads
    )
    haplotype_caller.haplotype_caller(reference, bam, vcf, classpath, swaps.agent())
    arguments = ["Concordance", "-R", str(reference), "-eval", str(vcf)]
    done = run.gatk([*arguments, "--truth", str(truth), "-S", str(summary)], classpath)
    if done.returncode != 0:
        raise MissingComponent(f"Concordance failed: {done.complaint}")
    return accuracy.read_summary(summary)


def _measure(
    sequence: Path, length: int, depths: tuple[int, ...], threads: int, lighter_k: int,
    bfc: str | None, step: report.Progress,
) -> report.Table:  # fmt: skip
    classpath = fetch.gatk_classpath()
    letters = run_samples.human_like(
        length, [samples.read_fasta(sequence)[1], samples.chr20_head()]
    )
    copies = simulated_samples.mutated_copies(letters, _SNP_RATE, _SEED)
    variants = list(simulated_samples.variants(letters, _SNP_RATE, _SEED))
    rows: list[report.Row] = []
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as temporary:
        folder = Path(temporary)
        reference, truth = folder / f"{_NAME}.fa", folder / "truth.vcf.gz"
        samples.write_reference(reference, {_NAME: letters})
        run_samples.write_variants(truth, reference, {_NAME: letters}, {_NAME: variants}, classpath)
        for depth in depths:
            step(f"{depth}x: simulating")
            mates = simulated_samples.simulate_reads(
                folder, [(copy, depth / 2) for copy in copies], seed=_SEED
            )
            reads = _interleaved(mates, folder / "reads.fq")
            for name, corrector in _correctors(length, threads, lighter_k, bfc).items():
                step(f"{depth}x: {name}")
                with tempfile.TemporaryDirectory(dir=folder) as place:
                    own = Path(place)
                    scores = _scores(
                        corrector(reads, own), own, reference, truth, classpath, threads
                    )
                for kind, score in sorted(scores.items(), reverse=True):
                    rows.append(
                        {
                            "depth": depth,
                            "corrected by": name,
                            "variants": kind,
                            "true": score.true_positives,
                            "false": score.false_positives,
                            "missed": score.false_negatives,
                            "recall": score.recall,
                            "precision": score.precision,
                            "F1": score.f1,
                        }
                    )
    decimals = dict.fromkeys(("recall", "precision", "F1"), 4)
    return report.Table("Calls of corrected reads", rows, name="calls", decimals=decimals)


@click.command()
@click.option("--sequence", type=Path, required=True, help="A piece of a human genome, in FASTA.")
@click.option("--length", default=1_000_000, show_default=True, help="Of the genome.")
@click.option("--depth", "depths", type=int, multiple=True, default=(10, 20, 40))
@click.option("--lighter-k", default=19, show_default=True, help="Lighter's k.")
@click.option("--bfc", help="BFC's program. Without it, BFC is left out.")
@click.option("--threads", default=2, show_default=True)
@report.json_option
def command(
    sequence: Path,
    length: int,
    depths: tuple[int, ...],
    lighter_k: int,
    bfc: str | None,
    threads: int,
    json_file: str | None,
) -> None:
    """Compare the calls of reads that were corrected in several ways."""
    measure = functools.partial(_measure, sequence, length, depths, threads, lighter_k, bfc)
    report.measure_tables([measure], json_file, gpu=False)


if __name__ == "__main__":
    report.run(command)
