"""The reports of ``gkl-shim correct``: a line for people, a JSON file and a plot."""

from __future__ import annotations

from typing import Any

import click

from gkl_shim.common._output_files import atomic_output
from gkl_shim.correct import Spectrum
from gkl_shim.correct._files import FilesCorrection


def report(run: FilesCorrection, spectrum: Spectrum) -> dict[str, Any]:
    """Return what --json writes."""
    removed = run.removed
    return {
        "reads": run.reads,
        "bases": run.bases,
        "reads_written": run.reads - removed.discarded,
        "bases_written": run.bases - removed.discarded_bases - removed.trimmed_bases,
        "reads_discarded": removed.discarded,
        "reads_discarded_for_their_mates": removed.mates,
        "bases_discarded": removed.discarded_bases,
        "reads_trimmed": removed.trimmed,
        "bases_trimmed": removed.trimmed_bases,
        "bases_changed": run.totals.bases,
        "reads_by_state": {
            "solid": run.totals.solid,
            "corrected": run.totals.corrected,
            "unsolved": run.totals.unsolved,
            "short": run.totals.short,
        },
        "method": run.settings.method,
        "k": spectrum.k,
        "threshold": spectrum.threshold,
        "solid_kmers": spectrum.kmers,
        "spectrum_bytes": spectrum.bytes,
        "false_positive_rate": spectrum.false_positive_rate,
        "counting_passes": run.passes,
        "histogram": spectrum.histogram.tolist(),
        "counted_by": run.counted_by,
        "bases_corrected_by": run.processors.bases,
        "seconds": run.seconds,
    }


def summary(run: FilesCorrection, spectrum: Spectrum) -> str:
    """Return a line for people."""
    settings, removed = run.settings, run.removed
    parts = [
        f"{run.totals.corrected} corrected",
        f"{run.totals.unsolved} unsolved",
        f"{run.totals.bases} bases changed",
    ]
    if settings.discard:
        share = removed.discarded / run.reads if run.reads else 0.0
        paired = len(run.inputs) == 2 or settings.interleaved
        mates = f", {removed.mates} of them for their mates" if paired else ""
        parts.append(f"{removed.discarded} discarded ({share:.1%}{mates})")
    if settings.trim:
        parts.append(f"{removed.trimmed} trimmed by {removed.trimmed_bases} bases")
    return (
        f"{run.reads} reads: {', '.join(parts)} (k {spectrum.k}, threshold "
        f"{spectrum.threshold}, {spectrum.kmers} solid k-mers)"
    )


def check_plot(path: str) -> None:
    """Check that :func:`draw` can draw this file, before any work is done."""
    if not path.endswith((".svg", ".png")):
        raise click.BadParameter(f"{path} ends with neither .svg nor .png", param_hint="--plot")
    try:
        import matplotlib  # noqa: F401 - checks that it is installed
    except ImportError:
        raise click.ClickException(
            "--plot needs matplotlib: pip install 'gkl-shim[plot]'"
        ) from None


def draw(spectrum: Spectrum, path: str) -> None:
    """Draw the histogram up to three times the genome's peak, or to its end."""
    # Imported late, because it takes long, and not every machine has it.
    from matplotlib.figure import Figure

    counts = spectrum.histogram
    solid = counts[spectrum.threshold - 1 :]
    peak = spectrum.threshold + int(solid.argmax()) if len(solid) else len(counts)
    shown = min(len(counts), max(3 * peak, 20))
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.plot(range(1, shown + 1), counts[:shown], drawstyle="steps-mid")
    axes.axvline(spectrum.threshold - 0.5, linestyle="--", color="black")
    axes.text(spectrum.threshold, counts[:shown].max(), f" solid from {spectrum.threshold}")
    axes.set_yscale("symlog")
    axes.set_xlabel(f"times that a {spectrum.k}-mer occurs ({len(counts)}: or more often)")
    axes.set_ylabel("k-mers")
    with atomic_output(path) as file:
        figure.savefig(file, format=path[-3:])
