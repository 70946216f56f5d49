"""Make a table and a page of how long each shard took, the slowest first."""

import csv
import io
import re
import statistics
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import matplotlib
from markupsafe import Markup

matplotlib.use("svg")
import matplotlib.pyplot as plt

KERNELS = ("PairHMM", "PDHMM", "Smith-Waterman")
COLORS = ("#0072b2", "#d55e00", "#009e73")
SHOWN = 40

# gkl-shim's closing line of each kernel.
CLOSING = re.compile(
    r"^\[gkl-shim [^]]*\] (PairHMM|PDHMM|Smith-Waterman): .* cells in ([\d.]+) s", re.MULTILINE
)

PAGE = jinja2.Environment(autoescape=True).from_string(
    """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Times of the shards</title>
<style>
body { font: 15px sans-serif; margin: 2em; max-width: 60em }
table { border-collapse: collapse }
td, th { padding: 0.2em 0.8em; text-align: right; border-bottom: 1px solid #ddd }
svg { max-width: 100%; height: auto }
</style>
<h1>Times of the shards</h1>
<p>{{ times | length }} shards took {{ "%.0f" | format(total) }} s together. The slowest took
{{ "%.1f" | format(times[0].seconds) }} s, the median {{ "%.1f" | format(median) }} s.
{% if missing %}The logs of {{ missing }} shards have no times of kernels: gkl-shim did not compute
there.{% endif %} The times of kernels are summed over the threads that call regions.</p>
{{ plot }}
<table>
<tr><th>sample</th><th>shard</th><th>total, s</th><th>memory, MB</th>
{% for kernel in kernels %}<th>{{ kernel }}, s</th>{% endfor %}</tr>
{% for time in times %}<tr><td>{{ time.sample }}</td><td>{{ time.shard }}</td>
<td>{{ "%.1f" | format(time.seconds) }}</td><td>{{ time.memory }}</td>
{% for kernel in kernels %}<td>
{% if kernel in time.kernels %}{{ "%.3f" | format(time.kernels[kernel]) }}{% endif %}</td>
{% endfor %}</tr>
{% endfor %}</table>
</html>
"""
)


class Time(NamedTuple):
    """The times of one shard, in seconds, and its largest resident memory, in MB."""

    sample: str
    shard: str
    seconds: float
    memory: str
    kernels: dict[str, float]


def read(sample: str, shard: str, benchmark: str, log: str) -> Time:
    """Read Snakemake's benchmark of a shard, and gkl-shim's lines in its log."""
    with Path(benchmark).open(newline="") as stream:
        *_, measured = csv.DictReader(stream, delimiter="\t")
    text = Path(log).read_text(errors="replace")
    kernels = {kernel: float(seconds) for kernel, seconds in CLOSING.findall(text)}
    return Time(sample, shard, float(measured["s"]), measured["max_rss"], kernels)


def plot(times: list[Time]) -> str:
    """Return bars of the slowest shards as SVG: their whole time, and the time in the kernels."""
    shown = times[:SHOWN]
    names = [f"{time.sample} {time.shard}" for time in shown]
    size = (10, 1.5 + 0.25 * len(shown))
    figure, (whole, kernels) = plt.subplots(1, 2, sharey=True, figsize=size, layout="constrained")
    whole.barh(names, [time.seconds for time in shown], color="#999999")
    whole.set_xlabel("whole shard, seconds")
    left = [0.0] * len(shown)
    for kernel, color in zip(KERNELS, COLORS, strict=True):
        seconds = [time.kernels.get(kernel, 0.0) for time in shown]
        kernels.barh(names, seconds, left=left, color=color, label=kernel)
        left = [start + width for start, width in zip(left, seconds, strict=True)]
    kernels.set_xlabel("in kernels, seconds, summed over threads")
    kernels.legend()
    whole.invert_yaxis()
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    # A page needs only the element, not the declaration of an XML file.
    return text.getvalue()[text.getvalue().index("<svg") :]


def write_table(path: str, times: list[Time]) -> None:
    """Write the times as tab-separated text."""
    with Path(path).open("w", newline="") as stream:
        table = csv.writer(stream, delimiter="\t", lineterminator="\n")
        table.writerow(["sample", "shard", "seconds", "max_rss_mb", *KERNELS])
        for time in times:
            kernels = [time.kernels.get(kernel, "") for kernel in KERNELS]
            table.writerow([time.sample, time.shard, time.seconds, time.memory, *kernels])


def main(job: Any) -> None:
    """Read the files of Snakemake's job, and write the table and the page."""
    files = zip(job.params.shards, job.input.benchmarks, job.input.logs, strict=True)
    times = [read(*shard, benchmark, log) for shard, benchmark, log in files]
    times.sort(key=lambda time: time.seconds, reverse=True)
    write_table(job.output.table, times)
    page = PAGE.render(
        times=times,
        kernels=KERNELS,
        total=sum(time.seconds for time in times),
        median=statistics.median(time.seconds for time in times),
        missing=sum(not time.kernels for time in times),
        plot=Markup(plot(times)),
    )
    Path(job.output.page).write_text(page, encoding="utf-8")


job = snakemake  # noqa: F821 (Snakemake defines it)
with Path(job.log[0]).open("w") as log, redirect_stderr(log):
    main(job)
