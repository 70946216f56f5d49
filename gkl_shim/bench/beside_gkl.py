"""Time PairHMM of GKL and of gkl-shim in JVMs, with calls like GATK's.

One program in Java makes the calls through GATK's interface, with GKL's jars on the class path, and
in turns with gkl-shim's agent. The timed calls go from Java objects to likelihoods.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gkl_shim import paths
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import kernel_times, programs, swaps

_ROUNDS = 3
_FAULT = re.compile(r'^Exception in thread "main" (.*)', re.MULTILINE)


@dataclass(frozen=True)
class Calls:
    """How PairHMM is called, and for how long."""

    seconds: float = 2.0
    """The least time for each engine, summed over its turns."""
    threads: int = 1
    """Like GATK's ``--native-pair-hmm-threads``. With more than one, the OpenMP class is called."""
    double_precision: bool = False
    """Like GATK's ``--native-pair-hmm-use-double-precision``."""


@dataclass(frozen=True)
class Timed:
    """The measurements of one engine."""

    seconds: float
    """How long all calls take once: the median over turns."""
    flush_to_zero: bool
    """Whether the calling thread flushed subnormal numbers to zero while it was timed."""
    results: bytes
    """What the program in Java has written."""


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
    """The largest difference between two log10 likelihoods that are finite in both."""


def in_turns(
    program: Sequence[str], regions: Path, seconds: float, arguments: Sequence[str],
    classpath: str, environment: Mapping[str, str],
) -> tuple[Timed, Timed]:  # fmt: skip
    """Run a program that extends ``org.gklshim.bench.Times`` with GKL and with gkl-shim, in turns.

    Parameters
    ----------
    program
        The class path of the program's own classes, and the name of its class.
    regions, seconds, arguments
        The program's arguments: its input, the time for each engine, and what follows these.
    classpath
        A class path with GKL's jars.
    environment
        Variables to add to this process's environment.

    Returns
    -------
    tuple of Timed
        GKL and gkl-shim.

    Raises
    ------
    MissingComponent
        If there is no Java, or an engine does not work on this machine.
    """
    own, name = program
    entries = ":".join([own, *map(str, swaps.jars(classpath))])
    # To use a GPU, the native library runs this Python.
    env = {"GKL_SHIM_PYTHON": sys.executable, **os.environ, **environment, "GKL_SHIM_LOG": "info"}
    engines = {"GKL": (), "gkl-shim": (f"-javaagent:{swaps.agent().agent}",)}
    turns: dict[str, list[float]] = {engine: [] for engine in engines}
    found = {}
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as folder:
        results = Path(folder) / "results"
        for _ in range(_ROUNDS):
            for engine, options in engines.items():
                given = [str(regions), str(results), str(seconds / _ROUNDS), *arguments]
                done = subprocess.run(
                    [programs.java(), *options, "-cp", entries, name, *given],
                    capture_output=True,
                    check=False,
                    env=swaps.STOCK.environment(env),
                )
                if done.returncode != 0:
                    raise MissingComponent(f"{engine} in Java: {_fault(done)}")
                if bool(options) != bool(kernel_times.by_gkl_shim(done.stderr)):
                    raise MissingComponent("the agent of gkl-shim replaces no class in Java")
                figures = json.loads(done.stdout.splitlines()[-1])
                turns[engine] += figures["seconds"]
                median = statistics.median(turns[engine])
                found[engine] = Timed(median, figures["flush_to_zero"], results.read_bytes())
    return found["GKL"], found["gkl-shim"]


def _fault(done: subprocess.CompletedProcess[bytes]) -> str:
    text = done.stderr.decode(errors="replace")
    if thrown := _FAULT.search(text):
        return thrown[1]
    return f"exit code {done.returncode}: {(text.strip().splitlines() or ['no message'])[-1]}"


def beside_gkl(regions: Path, cells: int, classpath: str, build: str, calls: Calls) -> BesideGkl:
    """Time a build of gkl-shim and GKL in turns, with the OpenMP setting that is faster for GKL.

    Parameters
    ----------
    regions
        A file in the ``.in`` format, for example from ``GKL_SHIM_RECORD``.
    cells
        The read-by-haplotype cells of these regions.
    classpath
        A class path with GKL.
    build
        The build of gkl-shim, a value of ``GKL_SHIM_BUILD``.
    calls
        How PairHMM is called.

    Raises
    ------
    MissingComponent
        If there is no Java, or an engine does not work on this machine.
    """
    program = (str(paths.bench_jar()), "org.gklshim.bench.PairHmmTimes")
    arguments = [str(calls.threads), "double" if calls.double_precision else "single"]
    found = []
    for policy in ("active", "passive") if calls.threads > 1 else ("passive",):
        environment = {"GKL_SHIM_BUILD": build, "OMP_WAIT_POLICY": policy}
        gkl, shim = in_turns(program, regions, calls.seconds, arguments, classpath, environment)
        found.append(
            BesideGkl(
                shim=cells / shim.seconds / 1e9,
                gkl=cells / gkl.seconds / 1e9,
                ratio=gkl.seconds / shim.seconds,
                omp_wait_policy=policy,
                flush_to_zero=gkl.flush_to_zero,
                largest_difference=largest_difference(gkl.results, shim.results),
            )
        )
    return max(found, key=lambda each: each.gkl)


def largest_difference(one: bytes, other: bytes) -> float:
    """Return the largest difference between two results that are finite in both."""
    values, expected = (np.frombuffer(each, ">f8") for each in (one, other))
    both = np.isfinite(values) & np.isfinite(expected)
    return float(np.abs(values - expected)[both].max(initial=0))
