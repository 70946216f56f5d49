"""The results of ``gkl-shim demo`` as a table and as text."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape
from rich.table import Table

from gkl_shim.common import _native
from gkl_shim.common._printable import printable
from gkl_shim.gatk import fetch, kernel_times
from gkl_shim.gatk.demonstration import DRAGEN, OPTIONS, Result


def table(result: Result) -> Table:
    """Return the VCFs and times of both GATKs, side by side."""
    shown = Table(title=result.sample.title, title_justify="left")
    shown.add_column("")
    shown.add_column("stock GATK", justify="right")
    shown.add_column("gkl-shim", justify="right")
    shown.add_column("faster", justify="right")
    for mode, runs in result.runs.items():
        if runs.vcf.identical:
            verdict = f"[green]identical[/green], {runs.vcf.records[0]} records"
        else:
            verdict = f"[red]{escape(str(runs.vcf))}[/red]"
        shown.add_row(f"VCF, {mode}", "", verdict, "")
    for mode, runs in result.runs.items():
        for kernel in kernel_times.KERNELS:
            stock, shim = (done.kernel_seconds.get(kernel) for done in (runs.stock, runs.shim))
            # GATK rounds the time of Smith-Waterman to hundredths.
            if kernel != "Smith-Waterman" and stock and shim:
                # Two clocks have no ratio: GATK's includes its work before and after a call.
                shown.add_row(f"{kernel} in GATK", f"{stock:.3f} s", f"{shim:.3f} s", "")
        stock, shim = runs.stock.seconds, runs.shim.seconds
        shown.add_row(
            f"whole run, {mode}", f"{stock:.3f} s", f"{shim:.3f} s", f"{stock / shim:.1f}x"
        )
    return shown


def summary(result: Result, output: Path) -> str:
    """Return what the table does not say: differences, how times were measured, what is next."""
    lines = [
        f"VCFs, {mode}: {runs.vcf}" for mode, runs in result.runs.items() if not runs.vcf.identical
    ]
    lines += [
        "in GATK: on GATK's default number of threads. Stock GATK's time is by GATK's clock, which "
        "includes GATK's work before and after a call. gkl-shim's is by its own clock: its calls, "
        f"{_summed(result)}. "
        f"{DRAGEN}: {' '.join(OPTIONS[DRAGEN])}; it computes PDHMM, in Java in stock GATK "
        f"{fetch.GATK_VERSION}.",
        f"CPUs this process may use: {_native.cpu_count()}. VCFs and logs: "
        f"{printable(str(output))}",
        "",
        "To run it on your own reads:",
        "  gkl-shim gatk HaplotypeCaller -R REFERENCE.fa -I READS.bam -O OUT.vcf",
        "or with any other launcher of GATK:",
        '  eval "$(gkl-shim env)"',
    ]
    return "\n".join(lines)


def _summed(result: Result) -> str:
    threads = max(runs.shim.region_threads for runs in result.runs.values())
    return f"summed over {threads} threads that call regions" if threads > 1 else "on one thread"
