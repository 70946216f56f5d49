"""What works on this machine: the engines, GATK's parts and the GPUs."""

from __future__ import annotations

import ctypes
import dataclasses
import subprocess
import zipfile
from collections.abc import Callable, Collection
from importlib import metadata
from pathlib import Path

from gkl_shim import paths
from gkl_shim.common import _native, _processor
from gkl_shim.cuda.devices import device_names
from gkl_shim.errors import BackendUnavailable, MissingComponent
from gkl_shim.gatk import kernel_times, known_results, programs, run, settings, swaps
from gkl_shim.gatk.known_results import TOLERANCE
from gkl_shim.pairhmm import PairHMM, Precision
from gkl_shim.pdhmm import PDHMM
from gkl_shim.smithwaterman import SmithWaterman

_START_SECONDS = 120

_JNI_SYMBOL = "Java_com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative"
_REPLACEMENTS = {
    "PairHMM": "org/gklshim/replacements/com/intel/gkl/pairhmm/IntelPairHmm.class",
    "PDHMM": "org/gklshim/replacements/com/intel/gkl/pdhmm/IntelPDHMM.class",
    "Smith-Waterman": "org/gklshim/replacements/com/intel/gkl/smithwaterman/"
    "IntelSmithWaterman.class",
}


@dataclasses.dataclass(frozen=True)
class Finding:
    """One part of the machine or the installation, and its state."""

    name: str
    state: str
    """``ok``, ``failed``, ``missing`` if something optional is not installed, or ``ignored`` for an
    unknown setting."""
    detail: str


def engines() -> list[Finding]:
    """Check the native library: every build computes sequences with known results."""
    try:
        here = _processor.describe()
    except MissingComponent as error:
        return [Finding("native library", "failed", str(error))]
    cpus = f"{here.cpu}, {here.usable_cpus} of {here.cpus} CPUs usable"
    return [
        Finding("native library", "ok", f"version {_native.version()}, {paths.library()}"),
        Finding("CPU", "ok", f"{cpus} ({here.architecture})"),
        *(_build(name, name == here.builds[0]) for name in here.builds),
    ]


def _build(name: str, best: bool) -> Finding:
    """Check a build against the known results."""
    worst: dict[Precision, float] = {}
    try:
        for precision in TOLERANCE:
            with PairHMM(backend="cpu", build=name, precision=precision) as pairhmm:
                worst[precision] = known_results.pairhmm_error(pairhmm)
        with PDHMM(build=name) as engine:
            pdhmm = known_results.pdhmm_error(engine)
        with SmithWaterman(build=name) as aligner:
            aligned = known_results.aligns(aligner)
    except (BackendUnavailable, MemoryError, ValueError) as error:
        return Finding(f"build {name}", "failed", str(error))
    right = _are_right(worst) and pdhmm <= TOLERANCE["double"] and aligned
    use = "; used by default" if best else ""
    return Finding(
        f"build {name}",
        "ok" if right else "failed",
        f"PairHMM: {_shown(worst)} of the exact value; PDHMM: within {pdhmm:.0e}; "
        f"Smith-Waterman: {'the known alignments' if aligned else 'wrong alignments'}{use}",
    )


def _are_right(errors: dict[Precision, float]) -> bool:
    return all(errors[precision] <= limit for precision, limit in TOLERANCE.items())


def _shown(errors: dict[Precision, float]) -> str:
    return ", ".join(f"{precision} within {error:.0e}" for precision, error in errors.items())


def parts() -> list[Finding]:
    """Check what only GATK or a GPU needs."""
    java = _java()
    faulty = [] if java[0].state == "ok" else _java_options()
    others = [] if faulty else _other_agents()
    return [*_settings_made(), *java, *faulty, _gatk(), *others, *_cuda()]


def _settings_made() -> list[Finding]:
    return [
        Finding(fault.name, "failed" if fault.known else "ignored", fault.detail)
        for fault in settings.faults(programs.environment())
    ]


def _java() -> list[Finding]:
    """Check Java, which comes first, and what it needs of gkl-shim."""
    findings = [
        _version("Java", programs.java_version, programs.java),
        _version("Maven", programs.maven_version, programs.maven),
    ]
    try:
        bridge = hasattr(ctypes.CDLL(str(paths.library())), _JNI_SYMBOL)
    except (MissingComponent, OSError) as error:
        findings.append(Finding("bridge to Java", "missing", str(error)))
    else:
        detail = "in the native library" if bridge else "built without a JDK; install one, rebuild"
        findings.append(Finding("bridge to Java", "ok" if bridge else "missing", detail))
    try:
        agent = _agent(paths.agent_jar())
        if agent.state == findings[0].state == "ok" and (fault := _load_fault(paths.agent_jar())):
            agent = Finding(agent.name, "failed", f"Java does not load its library: {fault}")
        findings.append(agent)
    except MissingComponent as error:
        findings.append(Finding("GATK agent", "missing", str(error)))
    return findings


def _agent(jar: Path) -> Finding:
    try:
        with zipfile.ZipFile(jar) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile) as error:
        return Finding("GATK agent", "failed", f"{jar}: {error}; reinstall gkl-shim")
    platforms = [
        name.split("/")[1]
        for name in names
        if name.startswith("native/") and name.endswith("libgkl_shim.so")
    ]
    if not platforms:
        return Finding("GATK agent", "failed", f"{jar} holds no native library; rebuild it")
    replaced = [name for name in kernel_times.KERNELS if _REPLACEMENTS[name] in names]
    if len(replaced) < len(kernel_times.KERNELS):
        return Finding("GATK agent", "failed", f"{jar} lacks classes; rebuild it")
    kernels = ", ".join(replaced)
    return Finding(
        "GATK agent", "ok", f"for {', '.join(sorted(platforms))}; replaces {kernels}; {jar}"
    )


def _run_java(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run Java with the user's environment."""
    return subprocess.run(
        [programs.java(), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=programs.environment(),
        timeout=_START_SECONDS,
        check=False,
    )


def _load_fault(jar: Path) -> str | None:
    """Let Java load the native library as the agent does. Return why that fails, or None."""
    try:
        done = _run_java("-cp", str(jar), "org.gklshim.LibraryCheck")
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = (done.stderr + done.stdout).decode(errors="replace").splitlines()
    return None if done.returncode == 0 else (lines or [f"exit code {done.returncode}"])[-1]


def _version(name: str, version: Callable[[], str], program: Callable[[], str]) -> Finding:
    try:
        return Finding(name, "ok", f"{version()}, {program()}")
    except MissingComponent as error:
        return Finding(name, "missing", str(error))


def _gatk() -> Finding:
    """Find the GATK that `gkl-shim gatk` runs."""
    try:
        found = run.known_classpath()
    except MissingComponent as error:
        return Finding("GATK", "failed", str(error))
    if found is None:
        return Finding("GATK", "missing", f"none found; {run.HOW_TO_GET_GATK}")
    first, *others = found.split(":")
    return Finding("GATK", "ok", f"{first} and {len(others)} more" if others else first)


def _java_options() -> list[Finding]:
    """Find the variables with which Java does not start, such as one that names an absent agent."""
    together = _fault_with(swaps.OPTION_VARIABLES)
    if together is None or _fault_with(()) is not None:
        return []  # or another finding says why no Java starts
    faults = {name: _fault_with([name]) for name in swaps.OPTION_VARIABLES}
    faults = {name: fault for name, fault in faults.items() if fault is not None}
    # Options of several variables may contradict each other.
    faults = faults or {", ".join(swaps.OPTION_VARIABLES): together}
    return [
        Finding("Java options", "failed", f"{name}: {fault}; correct this, or unset it")
        for name, fault in faults.items()
    ]


def _fault_with(variables: Collection[str]) -> str | None:
    """Start a JVM with the options of these variables alone. Return why it does not start."""
    try:
        programs.java_version([name for name in swaps.OPTION_VARIABLES if name not in variables])
    except MissingComponent as error:
        return str(error)
    return None


def _other_agents() -> list[Finding]:
    """Start GATK if the variables name another agent and a class-data archive.

    JaCoCo changes log4j's classes, and with those of an archive log4j then fails.
    """
    given = swaps.options(programs.environment())
    agents = [option.partition(":")[2] for option in given if option.startswith("-javaagent:")]
    others = [
        name for agent in agents if (name := Path(agent.partition("=")[0]).name) != "gkl-shim.jar"
    ]
    archived = any(option.startswith("-XX:SharedArchiveFile=") for option in given)
    if not others or not archived:
        return []
    try:
        classpath = run.known_classpath()
        if classpath is None:
            return []
        fault = _start_fault(classpath)
    except MissingComponent:
        return []  # another finding says so
    which = f"with {', '.join(others)} and a class-data archive"
    if fault is None:
        return [Finding("other agents", "ok", f"GATK starts {which}")]
    advice = "set no archive, or keep the agent from log4j (JaCoCo: excludes=org.apache.logging.*)"
    return [Finding("other agents", "failed", f"GATK does not start {which}: {fault}; {advice}")]


def _start_fault(classpath: str) -> str | None:
    """Start GATK as a user does. Return the first line of an error, or None."""
    try:
        done = _run_java("-cp", classpath, run.MAIN_CLASS, "--version")
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = (done.stderr + done.stdout).decode(errors="replace").splitlines()
    errors = [line for line in lines if "Exception" in line or "Error" in line]
    return (errors or lines or [f"exit code {done.returncode}"])[0].strip()


def _cuda() -> list[Finding]:
    cupy = [
        f"{name} {distribution.version}"
        for distribution in metadata.distributions()
        if (name := distribution.metadata["Name"] or "").lower().startswith("cupy")
    ]
    advice = "not installed; GPUs need it (pip install 'gkl-shim[cuda12]' or 'gkl-shim[cuda13]')"
    findings = [Finding("CuPy", "ok" if cupy else "missing", ", ".join(cupy) if cupy else advice)]
    try:
        names = device_names()
    except BackendUnavailable as error:
        return [*findings, Finding("GPU", "missing", str(error))]
    return findings + [_device(number, name) for number, name in enumerate(names)]


def _device(number: int, name: str) -> Finding:
    """Check a device against the known likelihoods."""
    worst: dict[Precision, float] = {}
    try:
        for precision in TOLERANCE:
            with PairHMM(backend="cuda", devices=[number], precision=precision) as pairhmm:
                worst[precision] = known_results.pairhmm_error(pairhmm)
                if not pairhmm.devices:
                    return Finding(f"GPU {number}", "failed", f"{name} fails at run time")
    except BackendUnavailable as error:
        return Finding(f"GPU {number}", "failed", f"{name}: {error}")
    state = "ok" if _are_right(worst) else "failed"
    return Finding(f"GPU {number}", state, f"{name}: {_shown(worst)} of the exact value")
