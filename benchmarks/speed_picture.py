"""Draw docs/speed.svg, the speed of gkl-shim's PairHMM relative to GKL with one thread.

    python -m benchmarks.speed_picture

The figures are those of pairhmm_gatk.py in results/pairhmm/pairhmm-cpu-zen4.json.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import click

from benchmarks.common import report

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "pairhmm" / "pairhmm-cpu-zen4.json"
PICTURE = ROOT / "docs" / "speed.svg"

LABELS = {
    "10s": '"10s", the usual benchmark set',
    "amplicon, 1,500x": "amplicon, 1,500x",
    "poor 250 bp": "250-base reads of poor quality",
    "simulated 30x, DRAGEN mode": "simulated 30x, DRAGEN mode",
    "simulated 30x": "simulated 30x",
}


_FILE = click.Path(dir_okay=False, path_type=Path)
# In pixels. A bar of _WIDTH is the largest ratio.
_LEFT, _WIDTH, _HEIGHT, _STEP = 250, 360, 22, 36


@click.command()
@click.argument("results", type=_FILE, default=RESULTS, metavar="[RESULTS.json]")
@click.argument("picture", type=_FILE, default=PICTURE, metavar="[PICTURE.svg]")
def command(results: Path, picture: Path) -> None:
    """Draw one bar for each kind of region."""
    found = json.loads(results.read_text(encoding="utf-8"))
    ratios = {
        row["input"]: row["beside"]["ratio"]
        for row in found["gatk"]["rows"]
        if (row["threads"], row["precision"], row["build"]) == (1, "single", "avx512")
    }
    bars = {LABELS[name]: ratios[name] for name in LABELS if name in ratios}
    axis = (
        f"PairHMM speed relative to GKL {found['gkl']} with AVX-512 = 1",
        f"(one thread of an {found['machine']['cpu']})",
    )
    picture.write_text(_svg(bars, axis), encoding="utf-8")


def _svg(bars: dict[str, float], axis: tuple[str, ...]) -> str:
    scale = _WIDTH / max(bars.values())
    bottom = _STEP * len(bars)
    height = bottom + 20 * len(axis) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{height}" '
        'font-family="sans-serif" font-size="15">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for place, (label, ratio) in enumerate(bars.items()):
        top = _STEP * place + 8
        middle = top + _HEIGHT - 6
        end = _LEFT + ratio * scale
        lines += [
            f'<text x="{_LEFT - 10}" y="{middle}" text-anchor="end">{escape(label)}</text>',
            f'<rect x="{_LEFT}" y="{top}" width="{ratio * scale:.1f}" height="{_HEIGHT}" '
            'fill="#1f77b4"/>',
            f'<text x="{end + 6:.1f}" y="{middle}">{ratio:.1f}x</text>',
        ]
    gkl = _LEFT + scale
    lines.append(f'<path d="M{_LEFT} 0V{bottom}M{gkl:.1f} 0V{bottom}" stroke="black"/>')
    lines += [
        f'<text x="{_LEFT}" y="{bottom + 20 * (k + 1)}">{escape(text)}</text>'
        for k, text in enumerate(axis)
    ]
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    report.run(command)
