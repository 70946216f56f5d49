"""GATK with and without the shim on the same reads: the runs of ``gkl-shim demo``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from gkl_shim.common import _native
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import compare, data, fetch, programs, replay, replay_smithwaterman, run, swaps

REPLAY_SECONDS = 1.0
"""The least time of each engine in a replay."""
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
class Alone:
    """The kernels of the run with default settings, replayed beside GKL on one thread."""

    pairhmm: replay.BesideGkl
    smithwaterman: replay_smithwaterman.BesideGkl


@dataclass(frozen=True)
class Result:
    """What was measured on one sample."""

    sample: data.Sample
    runs: dict[str, Runs]
    """By mode, a key of `OPTIONS`."""
    alone: Alone | None
    """None if GKL does not run on this machine."""

    @property
    def identical(self) -> bool:
        """Whether every VCF is."""
        return all(runs.vcf.identical for runs in self.runs.values())


def demonstrate(sample: data.Sample, classpath: str, swap: swaps.Swap, step: Step) -> Result:
    """Run GATK in each mode with and without the shim, and replay the kernels beside GKL.

    VCFs, logs and recordings are written beside the reads.

    Raises
    ------
    MissingComponent
        If Java does not run, GATK fails, or the shim does not compute in it.
    """
    programs.java_version()  # A JVM says on standard output why it does not start.
    folder = sample.reads.parent
    regions, pairs = folder / "regions.in", folder / "pairs.tsv"
    for recording in (regions, pairs):
        recording.unlink(missing_ok=True)
    record = {"GKL_SHIM_RECORD": str(regions), "GKL_SHIM_RECORD_SMITHWATERMAN": str(pairs)}
    runs = {}
    for mode, options in OPTIONS.items():
        word = mode.split()[0]
        with step(f"HaplotypeCaller, {mode}, stock"):
            stock = _call(sample, f"stock.{word}", classpath, swaps.STOCK, {}, options)
        with step(f"HaplotypeCaller, {mode}, shim"):
            environment = record if mode == DEFAULT else {}
            shim = _call(sample, f"shim.{word}", classpath, swap, environment, options)
        vcf = compare.compare(folder / f"stock.{word}.vcf", folder / f"shim.{word}.vcf")
        runs[mode] = Runs(vcf, stock, shim)
    for recording in (regions, pairs):
        if not recording.is_file() or recording.stat().st_size == 0:
            log = folder / "shim.default.log"
            raise MissingComponent(f"the shim did not compute in GATK; {log} says why")
    alone = None if replay.no_gkl() else _beside_gkl(regions, pairs, step)
    return Result(sample, runs, alone)


def _beside_gkl(regions: Path, pairs: Path, step: Step) -> Alone:
    gkl = fetch.gkl_classpath()
    build = _native.builds()[0]
    with step("replaying PairHMM"):
        pairhmm = replay.beside_gkl(regions, gkl, build, replay.Calls(REPLAY_SECONDS))
    with step("replaying Smith-Waterman"):
        smithwaterman = replay_smithwaterman.beside_gkl(pairs, gkl, build, seconds=REPLAY_SECONDS)
    return Alone(pairhmm, smithwaterman)


def _call(
    sample: data.Sample,
    label: str,
    classpath: str,
    swap: swaps.Swap,
    environment: dict[str, str],
    options: tuple[str, ...],
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
        environment=environment,
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
        "alone": None if result.alone is None else asdict(result.alone),
    }


def _figures(done: run.Run) -> dict[str, Any]:
    return {"seconds": done.seconds, "kernel_seconds": done.kernel_seconds}
