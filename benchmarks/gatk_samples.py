"""Make the samples of `gatk_run`: genomes, tumors, deep samples and hard regions.

    python -m benchmarks.gatk_samples FOLDER 300kb35x hard --sequence chr17.fa.gz

Each sample is a folder with a reference, reads, known sites and alleles to force. The reference is
made of real sequences: the head of chr20 and those that are given.
"""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks.common import options, report, run_samples
from gkl_shim.gatk import fetch


@click.command(name="gatk_samples")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.argument("names", metavar="[SAMPLE]...", nargs=-1, type=click.Choice(run_samples.SAMPLES))
@options.sequence
def command(folder: Path, names: tuple[str, ...], files: tuple[Path, ...]) -> None:
    """Make samples for whole runs of GATK in FOLDER; all by default."""
    classpath = fetch.gatk_classpath()
    sequences = options.real_sequences(files)
    with report.progress() as step:
        for name in names or run_samples.SAMPLES:
            step(name)
            run_samples.make(name, folder, sequences, classpath)


if __name__ == "__main__":
    report.run(command)
