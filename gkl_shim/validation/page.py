"""The report of a validation, as one HTML page without other files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

_SHOWN = 200
_STYLE = """
body { font: 15px/1.45 sans-serif; margin: 2em auto; max-width: 62em; padding: 0 1em }
table { border-collapse: collapse; margin: 0.6em 0 1.4em }
td, th { padding: 0.2em 0.8em; text-align: right; border-bottom: 1px solid #ddd }
td:first-child, th:first-child, .text td { text-align: left }
code, pre { font-size: 13px; overflow-wrap: anywhere; white-space: pre-wrap }
.same { color: #00664a } .differs { color: #b00020 }
.wide { overflow-x: auto }
"""


def page(facts: Mapping[str, Any]) -> str:
    """Return the page of a report: see `gkl_shim.validation.report.document`."""
    modes, steps = facts["modes"], facts["steps"]
    parts = []
    if modes:
        parts += [_verdict(facts["same_calls"], "calls"), _overview(modes)]
        parts.append(
            "<p>A call is a record's site, alleles, FILTER and genotypes. A near tie has the same "
            "call, and all its fields that differ also differ between stock GATK's own single and "
            "double precision. Other differences are neither.</p>"
        )
    if steps:
        parts += [_verdict(facts["same_files"], "files of other steps"), _steps(steps)]
    measured = {**modes, **{tool: step for tool, step in steps.items() if step["runs"]}}
    parts += ["<h2>Times and memory</h2>", _times(measured)]
    for name, mode in modes.items():
        parts += [f"<h2>{escape(name)}: {escape(mode['tool'])}</h2>", *_mode(mode)]
    for tool, step in steps.items():
        if step["runs"]:
            parts += [f"<h2>{escape(tool)}</h2>", *_logs_and_commands(step["runs"])]
    parts += _origin(facts)
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>gkl-shim validate</title>\n<style>{_STYLE}</style>\n"
        f"<h1>GATK with gkl-shim beside stock GATK</h1>\n{body}\n</html>\n"
    )


def _verdict(same: bool, what: str) -> str:
    text = f"All {what} are the same." if same else f"{what.capitalize()} differ."
    return f'<p class="{"same" if same else "differs"}"><b>{text}</b></p>'


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]], text: bool = False) -> str:
    lines = ["".join(f"<th>{escape(head)}</th>" for head in heads)]
    lines += ["".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows]
    kind = ' class="text"' if text else ""
    inside = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide"><table{kind}>\n{inside}\n</table></div>'


def _overview(modes: Mapping[str, Any]) -> str:
    rows = []
    for name, mode in modes.items():
        final = mode["final_calls"]
        rows.append((
            name,
            f"{mode['records']:,}",
            f"{mode['identical']:,}",
            mode["near_ties"],
            mode["other_differences"],
            mode["calls_that_differ"],
            "" if final is None else f"{len(final['calls_that_differ'])} of {final['records']:,}",
        ))  # fmt: skip
    heads = ["mode", "records", "identical", "near ties", "other differences",
             "calls that differ", "final calls that differ"]  # fmt: skip
    return _table(heads, rows)


def _steps(steps: Mapping[str, Any]) -> str:
    rows = []
    for tool, step in steps.items():
        if step["skipped"]:
            rows.append((tool, "", f"skipped: {step['skipped']}"))
        for file in step["files"]:
            rows.append((tool, file["name"], ("" if file["same"] else "DIFFERS: ") + file["how"]))
    return _table(["step", "file", "with gkl-shim, beside stock"], rows, text=True) + (
        "<p>Intel's deflater, which GATK uses at level 2, does not always compress a block to the "
        "same bytes, in stock GATK either. Then the content of BAM files is compared, and the "
        "places that their indexes point to.</p>"
    )


def _times(modes: Mapping[str, Any]) -> str:
    rows = []
    for name, mode in modes.items():
        stock, shim = mode["runs"]["stock"], mode["runs"]["gkl-shim"]
        rows.append((f"{name}: CPU seconds", *_pair(stock["cpu_seconds"], shim["cpu_seconds"])))
        rows.append((f"{name}: seconds", *_pair(stock["seconds"], shim["seconds"])))
        rows.append((f"{name}: peak memory, MiB", *_pair(stock["peak_mib"], shim["peak_mib"])))
        for kernel, sums in mode["kernels"]["stock"].items():
            # gkl-shim has none for a kernel that its settings leave to GATK.
            own = mode["kernels"]["gkl-shim"].get(kernel, {}).get("seconds")
            if seconds := sums.get("seconds"):
                times = f"{seconds:,.2f}", "" if own is None else f"{own:,.2f}"
                rows.append((f"{name}: {kernel}, seconds", *times, ""))
        for gpu, pairs in mode["pairs_on_gpu"].items():
            rows.append((f"{name}: PairHMM, pairs on {gpu}", "", f"{pairs:,}", ""))
    return _table(["", "stock", "gkl-shim", "stock / gkl-shim"], rows) + (
        "<p>Seconds and CPU seconds are sums over the shards. Memory is the largest of a shard. "
        "Runs shared the machine, so seconds of the clock depend on what else ran. A kernel's "
        "time in stock GATK is by GATK's clock, which includes GATK's work before and after a call "
        "and is rounded to hundredths for Smith-Waterman. With gkl-shim it is by gkl-shim's own "
        "clock: its calls, summed over the threads that call regions. So these have no ratio.</p>"
    )


def _pair(stock: float, shim: float) -> tuple[str, str, str]:
    return f"{stock:,.2f}", f"{shim:,.2f}", f"{stock / shim:.2f}" if shim else ""


def _mode(mode: Mapping[str, Any]) -> list[str]:
    parts = []
    if mode["arguments"]:
        parts.append(f"<p><code>{escape(' '.join(mode['arguments']))}</code></p>")
    if mode["scores"]:
        parts += ["<h3>Beside the truth, by GATK's Concordance</h3>", _scores(mode["scores"])]
    parts += ["<h3>Functional equivalence</h3>", _equivalence(mode["beside_stock"])]
    if findings := mode["findings"]:
        parts.append("<h3>Differences</h3>")
        parts += [_finding(finding) for finding in findings[:_SHOWN]]
        if len(findings) > _SHOWN:
            parts.append(f"<p>{len(findings) - _SHOWN} more are in validation.json.</p>")
    if (final := mode["final_calls"]) and final["calls_that_differ"]:
        parts.append(f"<h3>Calls of {escape(final['tool'])} that differ</h3>")
        parts.append(_table(["record"], [(text,) for text in final["calls_that_differ"]], True))
    return [*parts, *_logs_and_commands(mode["runs"])]


def _logs_and_commands(runs: Mapping[str, Any]) -> list[str]:
    said = [line for shard in runs["gkl-shim"]["shards"] for line in shard["gkl_shim"]]
    commands = [shard["command"] for variant in runs.values() for shard in variant["shards"]]
    return [_folded("What gkl-shim logged", said), _folded("Command lines", commands)]


def _scores(scores: Mapping[str, Any]) -> str:
    rows = [
        (f"{kind}, {variant}", score["true_positives"], score["false_positives"],
         score["false_negatives"], *(_share(score[name]) for name in ("recall", "precision", "f1")))
        for kind in ("SNP", "INDEL")
        for variant, kinds in scores.items()
        if (score := kinds.get(kind))
    ]  # fmt: skip
    heads = ["", "true positives", "false positives", "false negatives", "recall", "precision",
             "F1"]  # fmt: skip
    return _table(heads, rows)


def _equivalence(scores: Mapping[str, Any]) -> str:
    rows = [
        (f"{kind}, stock and {variant}", score["true_positives"],
         score["false_positives"] + score["false_negatives"], _share(score["discordance"]))
        for kind in ("SNP", "INDEL")
        for variant, kinds in scores.items()
        if (score := kinds.get(kind))
    ]  # fmt: skip
    return (
        "<p>Regier and others (Nature Communications 9:4038, 2018) call pipelines functionally "
        "equivalent if they differ by less than two sequencing runs of one sample do. One run "
        "cannot show how much two differ; a discordance of 0 meets the criterion whatever that "
        "is. Discordance is the share of the calls of either set that the other lacks.</p>"
        + _table(["", "in both", "in one", "discordance"], rows)
    )


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def _finding(finding: Mapping[str, Any]) -> str:
    rows = [
        (name, *(_text(values[variant]) for variant in ("stock", "shim", "stock_double",
                                                        "shim_double")),
         _text(values["distance"]), _text(values["distance_of_precisions"]))
        for name, values in finding["fields"].items()
    ]  # fmt: skip
    heads = ["field", "stock", "gkl-shim", "stock, double", "gkl-shim, double",
             "stock to gkl-shim", "stock's precisions"]  # fmt: skip
    note = "" if finding["reproduced_alone"] else "; the interval called alone gives other values"
    return (
        f"<h4>{escape(finding['record'])}: {escape(finding['kind'])}{note}</h4>"
        + _table(heads, rows, text=True)
        + _folded("Commands that show it", finding["commands"])
    )


def _folded(title: str, lines: Iterable[str]) -> str:
    text = escape("\n".join(lines))
    return f"<details><summary>{title}</summary><pre>{text}</pre></details>"


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)


def _origin(facts: Mapping[str, Any]) -> list[str]:
    inputs = facts["inputs"]
    files = [*sorted(facts["sha256"].items()), ("gkl-shim.jar", facts["gkl_shim_jar_sha256"])]
    machine = facts["machine"]
    versions = [f"gkl-shim {facts['gkl_shim']}", *facts["versions"],
                f"{machine['cpu']}, {machine['usable_cpus']} CPUs"]  # fmt: skip
    rows = [("intervals", " ".join(inputs["intervals"]) or "all"),
            ("more arguments", " ".join(inputs["arguments"]) or "none")]  # fmt: skip
    return [
        "<h2>Inputs and versions</h2>",
        _table(["", ""], [*rows, *(("version", text) for text in versions)], True),
        _table(["file", "SHA-256"], files, True),
    ]
