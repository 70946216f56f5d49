"""``gkl-shim doctor``: check what works on this machine."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import re
import subprocess
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import gkl_shim
from gkl_shim import _native, paths
from gkl_shim.cli import _processor
from gkl_shim.cli._terminal import printable
from gkl_shim.cuda.devices import device_names
from gkl_shim.errors import BackendUnavailable, MissingComponent
from gkl_shim.gatk import fetch, run
from gkl_shim.pairhmm import PairHMM, Precision, Read
from gkl_shim.pdhmm import PDHMM, Flag, Haplotype
from gkl_shim.smithwaterman import HAPLOTYPE_TO_REFERENCE, Overhang, SmithWaterman

_JNI_SYMBOL = "Java_com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative"
_REPLACEMENTS = {
    "PairHMM": "org/gklshim/replacements/com/intel/gkl/pairhmm/IntelPairHmm.class",
    "PDHMM": "org/gklshim/replacements/com/intel/gkl/pdhmm/IntelPDHMM.class",
    "Smith-Waterman": "org/gklshim/replacements/com/intel/gkl/smithwaterman/"
    "IntelSmithWaterman.class",
}
_TOLERANCE: dict[Precision, float] = {"single": 1e-5, "double": 1e-8}
_COMMAND_SECONDS = 30

# Reads, haplotypes and their log10 likelihoods, computed from the model with 40 digits. The last
# two pairs underflow: one in single precision, the other also in double.
_KNOWN: tuple[tuple[Read, tuple[str, ...], tuple[float, ...]], ...] = (
    (
        Read("ACGTTGCAACGGTACTGA", 30),
        ("ACGTTGCAACGGTACTGATC", "ACGTTGCAACTGTACTGATC", "ACGTTGCACGGTACTGATC"),
        (-1.35506034911441, -4.83174601538446, -5.57687696266721),
    ),
    (
        Read(
            "GATTACANGATTACA",
            [35, 34, 33, 12, 31, 30, 29, 2, 27, 26, 25, 24, 23, 22, 21],
            [45, 45, 40, 40, 35, 35, 30, 30, 25, 25, 20, 20, 15, 15, 10],
            [45, 40, 35, 30, 25, 20, 15, 10, 45, 40, 35, 30, 25, 20, 15],
            [10, 11, 12, 13, 14, 15, 10, 11, 12, 13, 14, 15, 10, 11, 12],
        ),
        ("CCGATTACAGGATTACATT", "CCGATTACAGATTACATT"),
        (-1.92566369427422, -4.06129398375506),
    ),
    (Read("ACGT" * 150, 3), ("TGCA" * 40,), (-529.269507158226,)),
    (Read("ACGT" * 150, 40, 60, 60, 40), ("TTTT" * 40,), (-2085.15061566801,)),
)


# Haplotypes of PDHMM with the flags of some letters. Their log10 likelihoods for two reads were
# computed from the model in extended precision.
_PD_READS = (Read("ACGTTGCANACGTAC", 30, 45, 40, 10), Read("TTGCAGACG", 20, 30, 35, 10))
_PD_HAPLOTYPES: tuple[tuple[str, dict[int, Flag]], ...] = (
    ("GGACGTTGCAGACGTACCAT", {}),
    ("GGACGTTGCTAGACGTACCAT", {9: Flag.DELETION_START | Flag.DELETION_END}),
    (
        "GGACGTTCAGTGACGTACCAT",
        {7: Flag.SNP | Flag.G, 9: Flag.DELETION_START, 11: Flag.DELETION_END},
    ),
)
_PD_KNOWN = (
    (-1.3540510635947833, -1.3752012464800842, -6.91867208757461),
    (-1.3897542816962678, -1.410815166309876, -6.8488798881236645),
)

# A reference, a sequence, and its offset and CIGAR for each overhang strategy by GATK's method.
_ALIGNED: tuple[str, str, dict[Overhang, tuple[int, str]]] = (
    "GATTACAGATTACAGGCATCGATCAGGCTTAACGATCGGCATTTACGACGACTACGAGCATCACGGATACC",
    "TTGATTACAGATTCAGGCATCGATCAGGAACTTAACGATCGGCTTTACGACGACTACGTGCATCACGGAT",
    {
        "softclip": (0, "2S11M1D15M2I13M1D27M"),
        "indel": (0, "2I11M1D15M2I13M1D27M3D"),
        "leading_indel": (0, "2I11M1D15M2I13M1D27M"),
        "ignore": (-2, "13M1D15M2I13M1D27M"),
    },
)


@dataclasses.dataclass(frozen=True)
class _Finding:
    """One line of the report."""

    name: str
    state: str
    """``ok``, ``failed``, or ``missing`` if something optional is not installed."""
    detail: str


@click.command(name="doctor", epilog="Example: gkl-shim doctor --json | jq .ok")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> int:
    """Check what works on this machine.

    Every engine build that this CPU can run computes PairHMM, PDHMM and Smith-Waterman of
    sequences with known results. The exit code is 0 if all results are correct, and 1 otherwise.
    Missing parts that only GATK or a GPU needs are listed, but do not change the exit code.
    """
    engine = _engine()
    findings = [*engine, *_java(), _maven(), _gatk(), *_cuda()]
    works = all(finding.state == "ok" for finding in engine)
    if as_json:
        report: dict[str, Any] = {
            "version": gkl_shim.__version__,
            "ok": works,
            "findings": [dataclasses.asdict(finding) for finding in findings],
        }
        print(json.dumps(report, indent=2))
    else:
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
    """Check a build against the known likelihoods."""
    worst: dict[Precision, float] = {}
    try:
        for precision in _TOLERANCE:
            with PairHMM(backend="cpu", build=name, precision=precision) as pairhmm:
                worst[precision] = _worst(pairhmm)
        worst_pdhmm = _worst_pdhmm(name)
        aligned = _aligns(name)
    except (BackendUnavailable, MemoryError, ValueError) as error:
        return _Finding(f"build {name}", "failed", str(error))
    errors = ", ".join(f"{precision} within {error:.0e}" for precision, error in worst.items())
    right = all(worst[precision] <= limit for precision, limit in _TOLERANCE.items())
    right = right and worst_pdhmm <= _TOLERANCE["double"] and aligned
    use = "; used by default" if best else ""
    return _Finding(
        f"build {name}",
        "ok" if right else "failed",
        f"PairHMM: {errors} of the exact value; PDHMM: within {worst_pdhmm:.0e}; "
        f"Smith-Waterman: {'the known alignments' if aligned else 'wrong alignments'}{use}",
    )


def _worst_pdhmm(build: str) -> float:
    """Return the largest error over the known likelihoods of PDHMM."""
    haplotypes = [
        Haplotype(bases, [flags.get(at, 0) for at in range(len(bases))])
        for bases, flags in _PD_HAPLOTYPES
    ]
    with PDHMM(build=build) as pdhmm:
        found = pdhmm.likelihoods(_PD_READS, haplotypes)
    return float(abs(found - np.array(_PD_KNOWN)).max())


def _aligns(build: str) -> bool:
    """Return whether the known alignments are found."""
    reference, sequence, known = _ALIGNED
    aligner = SmithWaterman(build=build)
    for overhang, expected in known.items():
        found = aligner.align([reference], [sequence], HAPLOTYPE_TO_REFERENCE, overhang)
        if (int(found.offsets[0]), found.cigars[0]) != expected:
            return False
    return True


def _worst(pairhmm: PairHMM) -> float:
    """Return the largest error over the known likelihoods."""
    return max(
        abs(float(got) - want)
        for read, haplotypes, known in _KNOWN
        for got, want in zip(pairhmm.likelihoods([read], haplotypes)[0], known, strict=True)
    )


def _java() -> list[_Finding]:
    findings = []
    try:
        findings.append(_Finding("Java", "ok", f"{fetch.java_version()}, {fetch.java()}"))
    except MissingComponent as error:
        findings.append(_Finding("Java", "missing", str(error)))
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


def _maven() -> _Finding:
    try:
        path = fetch.tool("mvn", "the demo fetches GATK with it (Debian: apt install maven)")
    except MissingComponent as error:
        return _Finding("Maven", "missing", str(error))
    version = re.search(r"Apache Maven ([\w.-]+)", _output_of([path, "--version"]))
    if version is None:
        return _Finding("Maven", "missing", f"{path} does not run")
    return _Finding("Maven", "ok", f"{version[1]}, {path}")


def _gatk() -> _Finding:
    try:
        folder = fetch.cache()
    except MissingComponent as error:
        return _Finding("GATK", "missing", str(error))
    try:
        kept = fetch.complete(fetch.gatk_name())
    except MissingComponent as error:
        return _Finding("GATK", "failed", str(error))
    if kept is None:
        return _Finding("GATK", "missing", f"none in {folder}; `gkl-shim demo` fetches one")
    return _Finding("GATK", "ok", f"{fetch.GATK_VERSION} in {folder}")


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
        for precision in _TOLERANCE:
            with PairHMM(backend="cuda", devices=[number], precision=precision) as pairhmm:
                worst[precision] = _worst(pairhmm)
                if not pairhmm.devices:
                    return _Finding(f"GPU {number}", "failed", f"{name} fails at run time")
    except BackendUnavailable as error:
        return _Finding(f"GPU {number}", "failed", f"{name}: {error}")
    errors = ", ".join(f"{precision} within {error:.0e}" for precision, error in worst.items())
    right = all(worst[precision] <= limit for precision, limit in _TOLERANCE.items())
    return _Finding(
        f"GPU {number}", "ok" if right else "failed", f"{name}: {errors} of the exact value"
    )


def _output_of(command: list[str]) -> str:
    """Return what a command prints, or an empty string if it fails."""
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=fetch.tool_environment(),
            timeout=_COMMAND_SECONDS,
            check=False,
            text=True,
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
