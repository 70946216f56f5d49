"""The reports of ``gkl-shim correct``: a line for people, a JSON file and a plot."""

from __future__ import annotations

from typing import Any

import click

from gkl_shim._correct_files import FilesCorrection
from gkl_shim._output_files import atomic_output
from gkl_shim.correct import Spectrum

__all__ = ["check_plot", "draw", "report", "summary"]


def report(run: FilesCorrection, spectrum: Spectrum) -> dict[str, Any]:
    """Return what --json writes."""
    return {
        "reads": run.reads,
        "bases": run.bases,
        "reads_written": run.written,
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
    return (
        f"{run.reads} reads: {run.totals.corrected} corrected, {run.totals.unsolved} "
        f"unsolved, {run.totals.bases} bases changed (k {spectrum.k}, threshold "
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
