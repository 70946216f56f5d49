"""Draw docs/speed.svg: how long the steps from MarkDuplicates to HaplotypeCaller take.

    python -m benchmarks.speed_picture

The figures are those of docs/performance.md, "Real reads".
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from benchmarks.common import report

_ROOT = Path(__file__).resolve().parent.parent
PAGE = _ROOT / "docs" / "performance.md"
PICTURE = _ROOT / "docs" / "speed.svg"

#: The steps, and the colors of their parts of a bar.
STEPS = {
    "MarkDuplicates": "#e69f00",
    "BaseRecalibrator": "#56b4e9",
    "ApplyBQSR": "#009e73",
    "HaplotypeCaller": "#0072b2",
}
_MACHINES = {"2 CPUs": "### On two CPUs", "16 CPUs": "### On 16 CPUs"}
_CELL = r"([\d.]+) \(\d+\)"

_FILE = click.Path(dir_okay=False, path_type=Path)
# In pixels. A bar of _WIDTH takes as long as the longest run.
_LEFT, _WIDTH, _HEIGHT, _STEP, _GAP, _TOP = 160, 400, 24, 30, 14, 56


@click.command()
@click.argument("page", type=_FILE, default=PAGE, metavar="[PAGE.md]")
@click.argument("picture", type=_FILE, default=PICTURE, metavar="[PICTURE.svg]")
def command(page: Path, picture: Path) -> None:
    """Draw a bar for each machine, of stock GATK and of GATK with gkl-shim."""
    text = page.read_text(encoding="utf-8")
    picture.write_text(_svg({cpus: seconds(text, start) for cpus, start in _MACHINES.items()}))


def seconds(text: str, heading: str) -> list[list[float]]:
    """Return the seconds of each step under a heading of the page: of stock GATK, with gkl-shim."""
    section = text.partition(f"\n{heading}\n")[2].partition("\n#")[0]
    rows = [re.search(rf"^\| {step} \| {_CELL} \| {_CELL} \|", section, re.M) for step in STEPS]
    found = [[float(row[1]), float(row[2])] for row in rows if row]
    if len(found) < len(STEPS):
        raise click.ClickException(f"docs/performance.md has no row of a step under {heading!r}")
    return [list(run) for run in zip(*found, strict=True)]


def _svg(machines: dict[str, list[list[float]]]) -> str:
    longest = max(sum(run) for runs in machines.values() for run in runs)
    height = _TOP + len(machines) * (2 * _STEP + _GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{height}" '
        'font-family="sans-serif" font-size="15">',
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="10" y="18">Seconds for 10 Mb of real reads at 30x, GATK 4.6.2.0, Xeon</text>',
    ]
    for place, (step, color) in enumerate(STEPS.items()):
        start = 10 + 168 * place
        lines += [
            f'<rect x="{start}" y="28" width="14" height="14" fill="{color}"/>',
            f'<text x="{start + 20}" y="40">{step}</text>',
        ]
    top = _TOP
    for cpus, runs in machines.items():
        stock, ours = (sum(run) for run in runs)
        ends = (f"{stock:.3g} s", f"{ours:.3g} s, {_ratio(stock / ours)} times faster")
        for label, run, end in zip(("stock", "gkl-shim"), runs, ends, strict=True):
            middle = top + _HEIGHT - 7
            lines.append(
                f'<text x="{_LEFT - 10}" y="{middle}" text-anchor="end">{cpus}, {label}</text>'
            )
            left = float(_LEFT)
            for color, taken in zip(STEPS.values(), run, strict=True):
                width = _WIDTH * taken / longest
                lines.append(
                    f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{_HEIGHT}" '
                    f'fill="{color}"/>'
                )
                left += width
            lines.append(f'<text x="{left + 6:.1f}" y="{middle}">{end}</text>')
            top += _STEP
        top += _GAP
    return "\n".join([*lines, "</svg>", ""])


def _ratio(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


if __name__ == "__main__":
    report.run(command)
