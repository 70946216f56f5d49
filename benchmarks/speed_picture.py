"""Draw docs/speed.svg, the speed of gkl-shim's PairHMM relative to GKL with one thread.

    python -m benchmarks.speed_picture

Needs matplotlib. The figures are those of pairhmm_gatk.py in results/pairhmm-cpu-zen4.json.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from benchmarks.common import report
from gkl_shim.errors import MissingComponent

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "pairhmm-cpu-zen4.json"
PICTURE = ROOT / "docs" / "speed.svg"

LABELS = {
    "10s": '"10s", the usual benchmark set',
    "amplicon, 1,500x": "amplicon, 1,500x",
    "poor 250 bp": "250-base reads of poor quality",
    "simulated 30x, DRAGEN mode": "simulated 30x, DRAGEN mode",
    "simulated 30x": "simulated 30x",
}


_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("results", type=_FILE, default=RESULTS, metavar="[RESULTS.json]")
@click.argument("picture", type=_FILE, default=PICTURE, metavar="[PICTURE.svg]")
def command(results: Path, picture: Path) -> None:
    """Draw one bar for each kind of region."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingComponent("matplotlib is not installed: pip install matplotlib") from None

    found = json.loads(results.read_text(encoding="utf-8"))
    ratios = {
        row["input"]: row["beside"]["ratio"]
        for row in found["gatk"]["rows"]
        if (row["threads"], row["precision"], row["build"]) == (1, "single", "avx512")
    }
    names = [name for name in reversed(LABELS) if name in ratios]
    matplotlib.rcParams.update({"svg.hashsalt": "gkl-shim", "font.size": 10})
    figure = Figure(figsize=(7.2, 2.6), layout="constrained")
    axes = figure.subplots()
    bars = axes.barh([LABELS[name] for name in names], [ratios[name] for name in names], 0.6)
    axes.bar_label(bars, [f"{ratios[name]:.1f}x" for name in names], padding=4)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel(
        f"PairHMM speed relative to GKL {found['gkl']} with AVX-512 = 1\n"
        f"(one thread of an {found['machine']['cpu']})"
    )
    axes.set_xlim(0, 1.12 * max(ratios[name] for name in names))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(picture, metadata={"Date": None})


if __name__ == "__main__":
    report.run(command)
