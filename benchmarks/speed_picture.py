"""Draw docs/speed.svg: PairHMM of gkl-shim relative to GKL, one thread of the same CPU.

    python -m benchmarks.speed_picture [RESULTS.json] [PICTURE.svg]

Needs matplotlib. RESULTS.json comes from pairhmm_gatk.py.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot as plt

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


def main(results: Path = RESULTS, picture: Path = PICTURE) -> None:
    """Draw one bar for each kind of region."""
    report = json.loads(results.read_text(encoding="utf-8"))
    ratios = {
        row["input"]: row["beside"]["ratio"]
        for row in report["gatk"]["rows"]
        if (row["threads"], row["precision"], row["build"]) == (1, "single", "avx512")
    }
    names = [name for name in reversed(LABELS) if name in ratios]
    plt.rcParams.update({"svg.hashsalt": "gkl-shim", "font.size": 10})
    figure, axes = plt.subplots(figsize=(7.2, 2.6), layout="constrained")
    bars = axes.barh([LABELS[name] for name in names], [ratios[name] for name in names], 0.6)
    axes.bar_label(bars, [f"{ratios[name]:.1f}x" for name in names], padding=4)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel(
        f"PairHMM speed relative to GKL {report['gkl']} with AVX-512 = 1\n"
        f"(one thread of an {report['machine']['cpu']})"
    )
    axes.set_xlim(0, 1.12 * max(ratios[name] for name in names))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(picture, metadata={"Date": None})


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
