"""GATK with and without the shim on the same reads: the runs of ``gkl-shim demo``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias

from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import compare, data, kernel_times, programs, run, swaps

DEFAULT, DRAGEN = "default settings", "DRAGEN mode"
# PDHMM in Java takes most of a run in this mode, so that run covers a part of the reads.
OPTIONS = {DEFAULT: (), DRAGEN: ("--dragen-378-concordance-mode", "-L", "q:1-2500")}
"""The runs, and GATK's options for each."""


# Shows the title of a step while it runs.
Step: TypeAlias = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True)
class Runs:
    """GATK with and without the shim on one sample."""

    vcf: compare.Comparison
    stock: run.Run
    shim: run.Run


@dataclass(frozen=True)
class Result:
    """What was measured on one sample."""

    sample: data.Sample
    runs: dict[str, Runs]
    """By mode, a key of `OPTIONS`."""

    @property
    def identical(self) -> bool:
        """Whether every VCF is."""
        return all(runs.vcf.identical for runs in self.runs.values())


def demonstrate(sample: data.Sample, classpath: str, swap: swaps.Swap, step: Step) -> Result:
    """Run GATK in each mode with and without the shim. VCFs and logs are written beside the reads.

    Raises
    ------
    MissingComponent
        If Java does not run, GATK fails, or the shim does not compute in it.
    """
    programs.java_version()  # A JVM says on standard output why it does not start.
    folder = sample.reads.parent
    runs = {}
    for mode, options in OPTIONS.items():
        word = mode.split()[0]
        with step(f"HaplotypeCaller, {mode}, stock"):
            stock = _call(sample, f"stock.{word}", classpath, swaps.STOCK, options)
        with step(f"HaplotypeCaller, {mode}, shim"):
            shim = _call(sample, f"shim.{word}", classpath, swap, options)
        if not kernel_times.by_gkl_shim(shim.log):
            log = folder / f"shim.{word}.log"
            raise MissingComponent(f"the shim did not compute in GATK; {log} says why")
        vcf = compare.compare(folder / f"stock.{word}.vcf", folder / f"shim.{word}.vcf")
        runs[mode] = Runs(vcf, stock, shim)
    return Result(sample, runs)


def _call(
    sample: data.Sample, label: str, classpath: str, swap: swaps.Swap, options: tuple[str, ...]
) -> run.Run:
    folder = sample.reads.parent
    result = run.gatk(
        [
            "HaplotypeCaller",
            *("-R", str(sample.reference)),
            *("-I", str(sample.reads)),
            *("-O", str(folder / f"{label}.vcf")),
            *options,
        ],
        classpath,
        swap,
        environment={"GKL_SHIM_LOG": "info"},  # it has gkl-shim's times
    )
    log = folder / f"{label}.log"
    log.write_bytes(result.log)
    if result.returncode != 0:
        raise MissingComponent(f"HaplotypeCaller failed, see {log}: {result.complaint}")
    return result


def document(result: Result) -> dict[str, Any]:
    """Return what demo.json holds."""
    return {
        "sample": result.sample.name,
        "runs": {
            mode: {
                "vcf_identical": runs.vcf.identical,
                "records": runs.vcf.records,
                "first_difference": None if runs.vcf.identical else str(runs.vcf.differences[0]),
                "stock": _figures(runs.stock),
                "shim": _figures(runs.shim),
            }
            for mode, runs in result.runs.items()
        },
    }


def _figures(done: run.Run) -> dict[str, Any]:
    return {"seconds": done.seconds, "kernel_seconds": done.kernel_seconds}
