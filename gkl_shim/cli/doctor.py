"""``gkl-shim doctor``: check what works on this machine."""

from __future__ import annotations

import ctypes
import dataclasses
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import gkl_shim
from gkl_shim import _known_results, _native, _processor, paths
from gkl_shim._files import check_outputs
from gkl_shim._known_results import TOLERANCE
from gkl_shim._printable import printable
from gkl_shim.cli import _options
from gkl_shim.cuda.devices import device_names
from gkl_shim.errors import BackendUnavailable, MissingComponent
from gkl_shim.gatk import programs, run
from gkl_shim.pairhmm import PairHMM, Precision
from gkl_shim.pdhmm import PDHMM
from gkl_shim.smithwaterman import SmithWaterman

_JNI_SYMBOL = "Java_com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative"
_REPLACEMENTS = {
    "PairHMM": "org/gklshim/replacements/com/intel/gkl/pairhmm/IntelPairHmm.class",
    "PDHMM": "org/gklshim/replacements/com/intel/gkl/pdhmm/IntelPDHMM.class",
    "Smith-Waterman": "org/gklshim/replacements/com/intel/gkl/smithwaterman/"
    "IntelSmithWaterman.class",
}


@dataclasses.dataclass(frozen=True)
class _Finding:
    """One line of the report."""

    name: str
    state: str
    """``ok``, ``failed``, or ``missing`` if something optional is not installed."""
    detail: str


@click.command(name="doctor", epilog="Example: gkl-shim doctor --json - | jq .ok")
@_options.json_file("the report")
def command(json_file: str | None) -> int:
    """Check what works on this machine.

    Every engine build that this CPU can run computes PairHMM, PDHMM and Smith-Waterman of
    sequences with known results. The exit code is 0 if all results are correct, and 1 otherwise.
    Missing parts that only GATK or a GPU needs are listed, but do not change the exit code.
    """
    check_outputs(json_file)
    engine = _engine()
    findings = [*engine, *_java(), _gatk(), *_cuda()]
    works = all(finding.state == "ok" for finding in engine)
    if json_file is not None:
        report = {
            "version": gkl_shim.__version__,
            "ok": works,
            "findings": [dataclasses.asdict(finding) for finding in findings],
        }
        _options.write_json(json_file, report)
    if json_file != "-":
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        table.add_column()
        table.add_column()
        table.add_column(overflow="fold")  # paths stay whole
        styles = {"ok": "green", "missing": "yellow", "failed": "bold red"}
        for finding in findings:
            state = f"[{styles[finding.state]}]{finding.state}[/]"
            table.add_row(finding.name, state, escape(printable(finding.detail)))
        console = Console()
        console.print(f"gkl-shim {gkl_shim.__version__}", highlight=False)
        console.print(table, highlight=False)
    return 0 if works else 1


def _engine() -> list[_Finding]:
    try:
        here = _processor.describe()
    except MissingComponent as error:
        return [_Finding("native library", "failed", str(error))]
    cpus = f"{here.cpu}, {here.usable_cpus} of {here.cpus} CPUs usable"
    return [
        _Finding("native library", "ok", f"version {_native.version()}, {paths.library()}"),
        _Finding("CPU", "ok", f"{cpus} ({here.architecture})"),
        *(_build(name, name == here.builds[0]) for name in here.builds),
    ]


def _build(name: str, best: bool) -> _Finding:
    """Check a build against the known results."""
    worst: dict[Precision, float] = {}
    try:
        for precision in TOLERANCE:
            with PairHMM(backend="cpu", build=name, precision=precision) as pairhmm:
                worst[precision] = _known_results.pairhmm_error(pairhmm)
        with PDHMM(build=name) as engine:
            pdhmm = _known_results.pdhmm_error(engine)
        with SmithWaterman(build=name) as aligner:
            aligned = _known_results.aligns(aligner)
    except (BackendUnavailable, MemoryError, ValueError) as error:
        return _Finding(f"build {name}", "failed", str(error))
    right = _are_right(worst) and pdhmm <= TOLERANCE["double"] and aligned
    use = "; used by default" if best else ""
    return _Finding(
        f"build {name}",
        "ok" if right else "failed",
        f"PairHMM: {_shown(worst)} of the exact value; PDHMM: within {pdhmm:.0e}; "
        f"Smith-Waterman: {'the known alignments' if aligned else 'wrong alignments'}{use}",
    )


def _are_right(errors: dict[Precision, float]) -> bool:
    return all(errors[precision] <= limit for precision, limit in TOLERANCE.items())


def _shown(errors: dict[Precision, float]) -> str:
    return ", ".join(f"{precision} within {error:.0e}" for precision, error in errors.items())


def _java() -> list[_Finding]:
    findings = [
        _version("Java", programs.java_version, programs.java),
        _version("Maven", programs.maven_version, programs.maven),
    ]
    try:
        bridge = hasattr(ctypes.CDLL(str(paths.library())), _JNI_SYMBOL)
    except (MissingComponent, OSError) as error:
        findings.append(_Finding("bridge to Java", "missing", str(error)))
    else:
        detail = "in the native library" if bridge else "built without a JDK; install one, rebuild"
        findings.append(_Finding("bridge to Java", "ok" if bridge else "missing", detail))
    try:
        findings.append(_agent(paths.agent_jar()))
    except MissingComponent as error:
        findings.append(_Finding("GATK agent", "missing", str(error)))
    return findings


def _agent(jar: Path) -> _Finding:
    try:
        with zipfile.ZipFile(jar) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile) as error:
        return _Finding("GATK agent", "failed", f"{jar}: {error}; reinstall gkl-shim")
    platforms = [
        name.split("/")[1]
        for name in names
        if name.startswith("native/") and name.endswith("libgkl_shim.so")
    ]
    if not platforms:
        return _Finding("GATK agent", "failed", f"{jar} holds no native library; rebuild it")
    replaced = [name for name in run.KERNELS if _REPLACEMENTS[name] in names]
    if len(replaced) < len(run.KERNELS):
        return _Finding("GATK agent", "failed", f"{jar} lacks classes; rebuild it")
    kernels = ", ".join(replaced)
    return _Finding(
        "GATK agent", "ok", f"for {', '.join(sorted(platforms))}; replaces {kernels}; {jar}"
    )


def _version(name: str, version: Callable[[], str], program: Callable[[], str]) -> _Finding:
    try:
        return _Finding(name, "ok", f"{version()}, {program()}")
    except MissingComponent as error:
        return _Finding(name, "missing", str(error))


def _gatk() -> _Finding:
    """Find the GATK that `gkl-shim gatk` runs."""
    try:
        found = run.known_classpath()
    except MissingComponent as error:
        return _Finding("GATK", "failed", str(error))
    if found is None:
        return _Finding("GATK", "missing", f"none found; {run.HOW_TO_GET_GATK}")
    first, *others = found.split(":")
    return _Finding("GATK", "ok", f"{first} and {len(others)} more" if others else first)


def _cuda() -> list[_Finding]:
    cupy = [
        f"{name} {distribution.version}"
        for distribution in metadata.distributions()
        if (name := distribution.metadata["Name"] or "").lower().startswith("cupy")
    ]
    advice = "not installed; GPUs need it (pip install 'gkl-shim[cuda12]' or 'gkl-shim[cuda13]')"
    findings = [_Finding("CuPy", "ok" if cupy else "missing", ", ".join(cupy) if cupy else advice)]
    try:
        names = device_names()
    except BackendUnavailable as error:
        return [*findings, _Finding("GPU", "missing", str(error))]
    return findings + [_device(number, name) for number, name in enumerate(names)]


def _device(number: int, name: str) -> _Finding:
    """Check a device against the known likelihoods."""
    worst: dict[Precision, float] = {}
    try:
        for precision in TOLERANCE:
            with PairHMM(backend="cuda", devices=[number], precision=precision) as pairhmm:
                worst[precision] = _known_results.pairhmm_error(pairhmm)
                if not pairhmm.devices:
                    return _Finding(f"GPU {number}", "failed", f"{name} fails at run time")
    except BackendUnavailable as error:
        return _Finding(f"GPU {number}", "failed", f"{name}: {error}")
    state = "ok" if _are_right(worst) else "failed"
    return _Finding(f"GPU {number}", state, f"{name}: {_shown(worst)} of the exact value")
