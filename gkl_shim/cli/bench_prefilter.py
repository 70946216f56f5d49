"""``gkl-shim bench prefilter``: pairs a second, and the tables of the GateKeeper papers."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

import gkl_shim
from gkl_shim import machine
from gkl_shim._files import atomic_output
from gkl_shim._sequences import Sequences
from gkl_shim.cli import _bench
from gkl_shim.cli import _prefilter_rates as rates
from gkl_shim.cli import _prefilter_verification as verification
from gkl_shim.cli._terminal import printable
from gkl_shim.errors import BackendUnavailable, MissingComponent
from gkl_shim.formats.prefilter_text import read_contigs, read_reads


@dataclasses.dataclass
class _Report:
    """All that was measured, and why some was not."""

    version: str
    machine: machine.Machine
    pairs: str
    cuda: list[str]
    rows: list[rates.Row] = dataclasses.field(default_factory=list)
    accuracy: list[rates.Accuracy] = dataclasses.field(default_factory=list)
    verification: list[verification.Verification] = dataclasses.field(default_factory=list)
    occupancy: list[rates.Occupancy] = dataclasses.field(default_factory=list)
    energy: list[rates.Energy] = dataclasses.field(default_factory=list)
    missing: dict[str, str] = dataclasses.field(default_factory=dict)
    """What could not be measured, and why."""

    @contextmanager
    def may_be_missing(self, what: str) -> Iterator[None]:
        try:
            yield
        except (BackendUnavailable, MissingComponent) as error:
            self.missing[what] = str(error)


@click.command(
    name="prefilter", epilog="Example: gkl-shim bench prefilter --papers pairs.tsv --json out.json"
)
@click.argument("pairs_file", metavar="[PAIRS.tsv]", required=False)
@_bench.json_option
@click.option(
    "--plot", "plot_file", metavar="FILE", help="Draw them (.png, .svg, .pdf). Needs matplotlib."
)
@_bench.seconds_option(0.5, "At least so long for each measurement.")
@click.option(
    "--papers",
    is_flag=True,
    help="The tables of the GateKeeper papers too: by length, threads, devices, pairs a batch, "
    "place of encoding and kind of memory; falsely accepted pairs; filter and verification; "
    "occupancy, energy.",
)
@click.option("--reads", metavar="FILE", help="For the verification: reads, FASTQ or FASTA.")
@click.option("--reference", metavar="FILE", help="Where they are from, FASTA.")
def command(
    pairs_file: str | None,
    json_file: str | None,
    plot_file: str | None,
    seconds: float,
    papers: bool,
    reads: str | None,
    reference: str | None,
) -> None:
    """Time the pre-alignment filter: each CPU build, edlib where installed, CUDA where there is.

    PAIRS.tsv holds pairs of one length, for example a mapper's candidates; they are repeated until
    there are enough. By default pairs of 100 bases are made, from a fixed seed. The verification's
    candidates come from minimap2, of the reads and the reference given or of made ones.
    """
    _bench.check_outputs(json_file, plot_file)
    if (reads is None) != (reference is None) or (reads is not None and not papers):
        raise click.UsageError("--reads and --reference go together, and with --papers")
    if papers and importlib.util.find_spec("edlib") is None:
        raise MissingComponent("--papers needs edlib: pip install edlib")
    pairs = rates.read_pairs(pairs_file) if pairs_file else rates.made_pairs()
    mapped = verification.made_reads()
    if reads is not None and reference is not None:
        mapped = read_reads(reads), read_contigs(reference)[1]
    cuda, absent = rates.cuda_devices()
    report = _Report(
        gkl_shim.__version__,
        machine.describe(),
        Path(pairs_file).name if pairs_file else "made",
        cuda,
    )
    if absent is not None:
        report.missing["CUDA"] = absent
    with _bench.progress() as step:
        _measure(report, pairs, seconds, step)
        if papers:
            _measure_papers(report, pairs, mapped, seconds, step)
    if json_file is not None:
        _bench.write_json(json_file, dataclasses.asdict(report))
    if json_file != "-":
        _print(report)
    if plot_file is not None:
        _plot(plot_file, report)


def _measure(
    report: _Report,
    pairs: tuple[rates.Matrix, rates.Matrix],
    seconds: float,
    step: Callable[[str], None],
) -> None:
    here = report.machine
    step("CPU")
    report.rows += rates.cpu_rows("edits", *pairs, here.builds, (1,), seconds, rates.EDITS)
    if here.usable_cpus > 1:
        report.rows += rates.cpu_rows(
            "edits", *pairs, here.builds[:1], (here.usable_cpus,), seconds, rates.EDITS
        )
    step("edlib")
    report.rows += rates.edlib_rows(*pairs, seconds)
    if report.cuda:
        step("CUDA")
        report.rows += rates.cuda_rows("edits", *pairs, rates.EDITS, seconds)
        report.rows += rates.candidate_rows("edits", 1, seconds)


def _measure_papers(
    report: _Report,
    pairs: tuple[rates.Matrix, rates.Matrix],
    mapped: tuple[Sequences, Sequences],
    seconds: float,
    step: Callable[[str], None],
) -> None:
    here = report.machine
    step("falsely accepted pairs")
    report.accuracy += [rates.accuracy(*pairs, e) for e in range(41)]
    for length in rates.PAPER_LENGTHS:
        step(f"length {length}")
        made = rates.made_pairs(length)
        edits = [int(share * length) for share in rates.PAPER_SHARES]
        report.rows += rates.cpu_rows("length", *made, here.builds[:1], (1,), seconds, edits)
        if report.cuda:
            report.rows += rates.cuda_rows("length", *made, edits, seconds)
    step("threads")
    threads = sorted({1, *(2**k for k in range(1, 10)), here.usable_cpus})
    threads = [count for count in threads if count <= here.usable_cpus]
    report.rows += rates.cpu_rows("threads", *pairs, here.builds[:1], threads, seconds, [5])
    step("verification")
    with report.may_be_missing("verification"):
        proposed = verification.propose(*mapped)
        backends = ["cpu", "cuda"] if report.cuda else ["cpu"]
        report.verification += verification.verifications(proposed, backends)
    step("energy")
    with report.may_be_missing("energy of the CPU"):
        report.energy += rates.cpu_energy(*pairs, here.cpu)
    if report.cuda:
        with report.may_be_missing("energy of the GPU"):
            report.energy += rates.cuda_energy(*pairs)
        step("occupancy")
        report.occupancy += rates.occupancy(*pairs)
        step("pairs a batch")
        report.rows += rates.batch_rows(*pairs, seconds)
        step("devices")
        report.rows += rates.device_rows(*pairs, len(report.cuda), seconds)
        step("memory")
        with report.may_be_missing("unified memory"):
            report.rows += rates.memory_rows(*pairs, seconds)


# ---- showing


def _print(report: _Report) -> None:
    console = _bench.wide_console()
    here = report.machine

    def say(text: str) -> None:
        console.print(printable(text), highlight=False, markup=False)

    say(f"{here.cpu}, {here.usable_cpus} of {here.cpus} CPUs usable")
    if report.cuda:
        say(f"CUDA: {', '.join(report.cuda)}")
    for what, why in report.missing.items():
        say(f"{what} not measured: {why}")
    for name in dict.fromkeys(row.table for row in report.rows):
        rows = [row for row in report.rows if row.table == name]
        _bench.print_table(
            console,
            _bench.Table(
                name,
                f"Pre-alignment filter, million pairs/s: by {_ACROSS[name][1]}",
                decimals={"M/s": 2},
                rows=[
                    {
                        "what": row.what,
                        "method": row.method,
                        "bases": row.length,
                        "edits": "any" if row.max_edits < 0 else row.max_edits,
                        "threads": row.threads or None,
                        "GPUs": row.devices or None,
                        "batch": row.batch or None,
                        "M/s": row.millions,
                    }
                    for row in rows
                ],
            ),
        )
    items: Sequence[Any]
    for title, items, left_out, computed in (
        ("Accepted pairs", report.accuracy, (), ()),
        ("Verification by edlib, seconds", report.verification,
         ("reads", "candidates", "seeding"), ("speedup",)),
        ("Occupancy", report.occupancy, ("device",), ("share",)),
        ("Energy", report.energy, (), ()),
    ):  # fmt: skip
        if items:
            names = [field.name for field in dataclasses.fields(items[0])]
            names = [name for name in names if name not in left_out] + [*computed]
            shown = [{name: getattr(item, name) for name in names} for item in items]
            _bench.print_table(console, _bench.Table(title, title, rows=shown))
    for found in report.verification[:1]:
        say(
            f"minimap2 proposed {found.candidates} candidates for {found.reads} reads in "
            f"{found.seeding:.1f} s."
        )


# A row's field along the axis of each table's plot, and what it is called.
_ACROSS = {
    "edits": ("max_edits", "edits allowed"),
    "length": ("length", "bases a read"),
    "threads": ("threads", "CPU threads"),
    "batch": ("batch", "pairs a batch"),
    "devices": ("devices", "GPUs"),
    "memory": ("what", "kind of memory"),
}


def _plot(path: str, report: _Report) -> None:
    # Imported here: an optional dependency, and slow to load.
    from matplotlib.figure import Figure

    panels: list[Callable[[Any], None]] = []
    for name in dict.fromkeys(row.table for row in report.rows):
        rows = [row for row in report.rows if row.table == name and row.max_edits >= 0]
        panels.append(partial(_draw_bars if name == "memory" else _draw_lines, rows=rows))
    if report.accuracy:
        panels.append(lambda axes: _draw_accuracy(axes, report.accuracy))
    if report.verification:
        panels.append(lambda axes: _draw_verification(axes, report.verification))
    if report.occupancy:
        shares = {row.kernel: row.share for row in report.occupancy}
        panels.append(lambda axes: _bars(axes, shares, "warps there are of those possible"))
    if report.energy:
        joules = {
            f"{row.what}, {row.method}, {row.max_edits} edits": row.nanojoules_a_pair
            for row in report.energy
        }
        panels.append(lambda axes: _bars(axes, joules, "nanojoules a pair", log=True))
    figure = Figure(figsize=(8, 4 * len(panels)), layout="constrained")
    figure.suptitle(", ".join([report.machine.cpu, *report.cuda[:1]]))
    for axes, panel in zip(figure.subplots(len(panels), squeeze=False)[:, 0], panels, strict=True):
        panel(axes)
        axes.grid(alpha=0.3)
    with atomic_output(path) as file:
        figure.savefig(file, format=Path(path).suffix.removeprefix(".").lower())


def _draw_lines(axes: Any, rows: list[rates.Row]) -> None:
    """One line for all that differs in nothing but the table's subject."""
    table = rows[0].table
    field, label = _ACROSS[table]
    lines: dict[str, list[tuple[Any, float]]] = {}
    for row in rows:
        key = f"{row.what}, {row.method}"
        if table == "length":
            key += f", {row.max_edits / row.length:.0%}"
        elif table == "edits" and row.threads > 1:
            key += f", {row.threads} threads"
        lines.setdefault(key, []).append((getattr(row, field), row.millions))
    for key, points in lines.items():
        axes.plot(*zip(*sorted(points), strict=True), marker="o", markersize=3, label=key)
    axes.set(xlabel=label, ylabel="million pairs/s", yscale="log")
    if table in ("threads", "batch", "devices"):
        axes.set_xscale("log", base=2)
    axes.legend(fontsize=5)


def _draw_bars(axes: Any, rows: list[rates.Row]) -> None:
    _bars(axes, {row.what: row.millions for row in rows}, "million pairs/s")


def _draw_accuracy(axes: Any, accuracy: list[rates.Accuracy]) -> None:
    for field in ("exact", "gatekeeper"):
        shares = [100 * getattr(row, field) / row.pairs for row in accuracy]
        axes.plot([row.max_edits for row in accuracy], shares, label=field)
    axes.set(xlabel="edits allowed", ylabel="accepted, %")
    axes.legend()


def _draw_verification(axes: Any, found: list[verification.Verification]) -> None:
    alone = {f"edlib alone, {row.max_edits} edits": row.edlib_alone for row in found}
    after = {
        f"filter ({row.filter}) and edlib, {row.max_edits} edits": row.filtering + row.edlib_after
        for row in found
    }
    _bars(axes, alone | after, "seconds", log=True)


def _bars(axes: Any, values: dict[str, float], label: str, log: bool = False) -> None:
    axes.barh(list(values), list(values.values()), log=log)
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=6)
    axes.set_xlabel(label)
