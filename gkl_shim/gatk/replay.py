"""Time several native engines of PairHMM or PDHMM in one JVM, on recorded regions.

Each engine is called through GATK's interface, ``com.intel.gkl.pairhmm.IntelPairHmm`` or
``com.intel.gkl.pdhmm.IntelPDHMM``, in a separate class loader. The engines take turns, so that a
change of the machine's speed affects all of them. The timed calls are those of GATK, from Java
objects to likelihoods.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import re
import statistics
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from gkl_shim import paths
from gkl_shim.errors import FormatError, MissingComponent
from gkl_shim.gatk import programs, swaps

_GKL_JAR = re.compile(r"gkl-(\d[\w.]*)\.jar")
_BAD_LINE = re.compile(r"(.*):(\d+): (.*)")


@dataclass(frozen=True)
class Calls:
    """How engines are called, and for how long."""

    seconds: float = 2.0
    """The least time for each engine, summed over its turns."""
    threads: int = 1
    """Like GATK's ``--native-pair-hmm-threads``. With more than one, the OpenMP class is called."""
    double_precision: bool = False
    """Like GATK's ``--native-pair-hmm-use-double-precision``."""
    pdhmm: bool = False
    """Whether the regions are of PDHMM, in the format of :mod:`gkl_shim.formats.pdhmm_in`."""
    level: str = "FASTEST_AVAILABLE"
    """The instruction set of GKL's PDHMM, a constant of its ``AVXLevel``."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables to add to this process's environment."""


@dataclass(frozen=True)
class Engine:
    """The measurements of one engine."""

    gcups: float
    """The median over turns, in 10^9 cells a second."""
    flush_to_zero: bool
    """Whether the calling thread flushed subnormal numbers to zero while it was timed."""
    largest_difference: float
    """The largest difference from the first engine's log10 likelihoods, over pairs that are finite
    in both."""
    infinite_in_one: int
    """The number of pairs that are infinite in one of the two engines and differ in the other."""


@dataclass(frozen=True)
class Replay:
    """The measurements of several engines on the same regions."""

    regions: int
    pairs: int
    cells: int
    engines: dict[str, Engine]


@dataclass(frozen=True)
class BesideGkl:
    """The speeds of gkl-shim and GKL on the same regions, in GCUPS: medians over turns."""

    shim: float
    gkl: float
    ratio: float
    omp_wait_policy: str
    """The policy with which GKL was faster. With one thread it has no effect."""
    flush_to_zero: bool
    """Whether flush-to-zero was on in the thread that called GKL. gkl-shim always sets it."""
    largest_difference: float
    """The largest difference between two log10 likelihoods."""


def stock_and_shim(classpath: str) -> dict[str, str]:
    """Return the class paths of GKL ("stock") and gkl-shim ("shim"), from one with GKL's jar."""
    jars = ":".join(map(str, swaps.jars(classpath)))
    return {"stock": jars, "shim": f"{paths.agent_jar()}:{jars}"}


def no_gkl() -> str | None:
    """Return why GKL does not run on this machine, or None if it may."""
    machine = platform.machine()
    return None if machine == "x86_64" else f"GKL has no library for {machine}"


def gkl_version(classpath: str) -> str:
    """Return the version of the GKL jar in a class path."""
    found = _GKL_JAR.search(classpath)
    return found[1] if found else "of unknown version"


def replay(regions: Path, engines: Mapping[str, str], calls: Calls = Calls()) -> Replay:
    """Replay recorded regions through each engine, in turns.

    Parameters
    ----------
    regions
        A file in the ``.in`` format, for example from ``GKL_SHIM_RECORD``.
    engines
        The class path of each engine by name: GKL's jars and, for gkl-shim, its jar in front of
        them. The likelihoods of all engines are compared with those of the first.
    calls
        How they are called.

    Returns
    -------
    Replay
        Turns, medians and differences.

    Raises
    ------
    MissingComponent
        If there is no Java, or an engine does not load on this machine.
    FileNotFoundError
        If the file does not exist.
    FormatError
        If the file does not follow its format.
    """
    if not regions.is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(regions))
    done = subprocess.run(
        [
            programs.java(),
            f"-Dreplay.level={calls.level}",
            *("-cp", str(paths.replay_jar()), "org.gklshim.replay.Replay"),
            str(regions),
            str(calls.threads),
            "pdhmm" if calls.pdhmm else "double" if calls.double_precision else "single",
            str(calls.seconds),
            *(f"{name}={classpath}" for name, classpath in engines.items()),
        ],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        # To use a GPU, the native library runs this Python.
        env={"GKL_SHIM_PYTHON": sys.executable, **os.environ, **calls.environment},
    )
    if done.returncode != 0:
        raise _error(done)
    # GKL's PDHMM prints its settings before.
    result = json.loads(done.stdout.splitlines()[-1])
    found = {
        engine.pop("name"): Engine(statistics.median(engine.pop("gcups")), **engine)
        for engine in result.pop("engines")
    }
    return Replay(**result, engines=found)


def _error(done: subprocess.CompletedProcess[str]) -> Exception:
    messages = [line for line in done.stderr.splitlines() if line.startswith("replay: ")]
    if not messages:
        last = done.stderr.strip().splitlines()[-1:] or ["it printed nothing"]
        return MissingComponent(
            f"the replay in Java failed, exit code {done.returncode}: {last[0]}"
        )
    message = messages[0].removeprefix("replay: ")
    if match := _BAD_LINE.fullmatch(message):
        return FormatError(match[1], int(match[2]), match[3])
    return MissingComponent(message)


def beside_gkl(regions: Path, classpath: str, build: str, calls: Calls) -> BesideGkl:
    """Time a build of gkl-shim and GKL in turns, with the OpenMP setting that is faster for GKL.

    Parameters
    ----------
    regions
        A file in the ``.in`` format.
    classpath
        A class path with GKL.
    build
        The build of gkl-shim, a value of ``GKL_SHIM_BUILD``.
    calls
        As for :func:`replay`, which also lists the exceptions.
    """
    found = []
    for policy in ("active", "passive") if calls.threads > 1 else ("passive",):
        settings = {"GKL_SHIM_BUILD": build, "OMP_WAIT_POLICY": policy}
        result = replay(
            regions,
            stock_and_shim(classpath),
            replace(calls, environment={**calls.environment, **settings}),
        )
        stock, shim = result.engines["stock"], result.engines["shim"]
        found.append(
            BesideGkl(
                shim=shim.gcups,
                gkl=stock.gcups,
                ratio=shim.gcups / stock.gcups,
                omp_wait_policy=policy,
                flush_to_zero=stock.flush_to_zero,
                largest_difference=shim.largest_difference,
            )
        )
    return max(found, key=lambda each: each.gkl)
