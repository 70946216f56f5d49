"""The plots of a validation's page, as SVG. They need matplotlib."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Mapping, Sequence
from typing import Any

_COLORS = {"stock": "#999999", "gkl-shim": "#0072b2", "stock-double": "#e69f00"}


def times(modes: Mapping[str, Any]) -> str:
    """Return bars of CPU seconds and of seconds in kernels, or "" without matplotlib."""
    if not _can_draw():
        return ""
    figure, (whole, kernels) = _figure(2, 1.2 + 0.5 * max(len(modes), 2))
    variants = ("stock", "gkl-shim")
    cpu = {v: [mode["runs"][v]["cpu_seconds"] for mode in modes.values()] for v in variants}
    _bars(whole, list(modes), cpu, "CPU seconds")
    names = [
        (name, kernel)
        for name, mode in modes.items()
        for kernel, sums in mode["kernels"]["stock"].items()
        if sums.get("seconds") and kernel in mode["kernels"]["gkl-shim"]
    ]
    seconds = {v: [modes[n]["kernels"][v][k]["seconds"] for n, k in names] for v in variants}
    _bars(kernels, [f"{kernel}, {name}" for name, kernel in names], seconds, "seconds in kernels")
    _legend(figure, whole)
    return _svg(figure)


def scores(variants: Mapping[str, Any]) -> str:
    """Return bars of recall, precision and F1, or "" without matplotlib."""
    if not _can_draw():
        return ""
    figure, panels = _figure(2, 2.4)
    for axes, kind in zip(panels, ("SNP", "INDEL"), strict=True):
        names = ("recall", "precision", "f1")
        values = {
            variant: [kinds.get(kind, {}).get(name) or 0.0 for name in names]
            for variant, kinds in variants.items()
        }
        _bars(axes, ["recall", "precision", "F1"], values, kind)
        axes.set_xlim(0, 1)
    _legend(figure, panels[0])
    return _svg(figure)


def _can_draw() -> bool:
    return importlib.util.find_spec("matplotlib") is not None


def _figure(panels: int, height: float) -> Any:
    # Imported late, because not every machine has matplotlib, and it takes a second.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, height + 0.6), layout="constrained")
    return figure, figure.subplots(1, panels)


def _bars(axes: Any, names: Sequence[str], values: Mapping[str, Sequence[float]],
          title: str) -> None:  # fmt: skip
    thickness = 0.8 / len(values)
    for number, (variant, lengths) in enumerate(values.items()):
        at = [place + number * thickness for place in range(len(names))]
        axes.barh(at, lengths, thickness, color=_COLORS[variant], label=variant)
    middle = (len(values) - 1) * thickness / 2
    axes.set_yticks([place + middle for place in range(len(names))], names, fontsize=8)
    axes.invert_yaxis()
    axes.set_title(title, fontsize=10)


def _legend(figure: Any, axes: Any) -> None:
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3,
                  fontsize=8)  # fmt: skip


def _svg(figure: Any) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    # A page needs only the element, not the declaration of an XML file.
    return text.getvalue()[text.getvalue().index("<svg") :]
