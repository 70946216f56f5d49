"""Make the samples of `gatk_run`: genomes, tumors, deep samples and hard regions.

    python -m benchmarks.gatk_samples FOLDER 300kb35x hard --sequence chr17.fa.gz
    python -m benchmarks.gatk_samples FOLDER real-2mb --window reads.bam window.fa.gz

Each sample is a folder with a reference, reads, known sites and alleles to force. The reference of
a simulated sample is made of real sequences: the head of chr20 and those that are given. Samples
named real-... are one window of real reads, repeated.
"""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks.common import options, real_samples, report, run_samples
from gkl_shim.gatk import fetch


@click.command(name="gatk_samples")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.argument(
    "names",
    metavar="[SAMPLE]...",
    nargs=-1,
    type=click.Choice((*run_samples.SAMPLES, *real_samples.SAMPLES)),
)
@options.sequence
@options.window
def command(
    folder: Path,
    names: tuple[str, ...],
    files: tuple[Path, ...],
    window: real_samples.Window | None,
) -> None:
    """Make samples for whole runs of GATK in FOLDER; by default all that the options allow."""
    classpath = fetch.gatk_classpath()
    default = (*run_samples.SAMPLES, *(() if window is None else real_samples.SAMPLES))
    with report.progress() as step:
        for name in names or default:
            step(name)
            if name not in real_samples.SAMPLES:
                run_samples.make(name, folder, options.real_sequences(files), classpath)
            elif window is None:
                raise click.UsageError(f"{name} needs --window")
            else:
                real_samples.make(name, folder, window, classpath)


if __name__ == "__main__":
    report.run(command)
