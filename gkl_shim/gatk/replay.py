"""Time native PairHMMs beside each other inside one JVM, on recorded regions.

Every engine is driven through GATK's own interface, ``com.intel.gkl.pairhmm.IntelPairHmm``, in a
class loader of its own, and they take turns, so that a change of the machine's speed meets all
alike. What is timed is a whole call as GATK makes it: Java objects in, likelihoods out.
"""

from __future__ import annotations

import errno
import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from gkl_shim import paths
from gkl_shim.errors import FormatError, MissingComponent
from gkl_shim.gatk import fetch, run

__all__ = [
    "BesideGkl",
    "Engine",
    "Replay",
    "Turn",
    "beside_gkl",
    "gkl_version",
    "replay",
    "stock_and_shim",
]

_GKL_JAR = re.compile(r"gkl-(\d[\w.]*)\.jar")
_BAD_LINE = re.compile(r"(.*):(\d+): (.*)")


@dataclass(frozen=True)
class Turn:
    """One engine's turn: so many passes over all regions, those of all callers together."""

    passes: int
    seconds: float
    gcups: float


@dataclass(frozen=True)
class Engine:
    """What one engine did."""

    name: str
    turns: tuple[Turn, ...]
    flush_to_zero: bool
    """Whether the calling thread flushed subnormal numbers to zero while it was timed."""
    largest_difference: float
    """From the first engine's log10 likelihoods, over the pairs that are finite in both."""
    infinite_in_one: int
    """Pairs that are infinite here or in the first engine, and not the same in the other."""

    @property
    def gcups(self) -> float:
        """Billions of cells a second, the median over turns."""
        return statistics.median(turn.gcups for turn in self.turns)

    @property
    def seconds_per_pass(self) -> float:
        """For all regions once, the median over turns: the time divided by all callers' passes."""
        return statistics.median(turn.seconds / turn.passes for turn in self.turns)


@dataclass(frozen=True)
class Replay:
    """The same regions through several engines."""

    regions: int
    pairs: int
    cells: int
    engines: dict[str, Engine]
    log: str = field(repr=False)
    """What the JVM said on standard error, our engine's lines among it."""


@dataclass(frozen=True)
class BesideGkl:
    """Our engine and GKL on the same regions, in GCUPS: medians over turns."""

    shim: float
    gkl: float
    ratio: float
    omp_wait_policy: str
    """The one that GKL was faster with; with one thread it plays no part."""
    flush_to_zero: bool
    """Whether the thread that called GKL had it on; ours sets it within a call in any case."""
    largest_difference: float
    """Of a log10 likelihood."""


def stock_and_shim(classpath: str) -> dict[str, str]:
    """Return the two engines to compare for a class path that holds GKL: it as it is, and ours."""
    jars = ":".join(map(str, run.jars(classpath)))
    return {"stock": jars, "shim": f"{paths.classpath_jar()}:{jars}"}


def gkl_version(classpath: str) -> str:
    """Return the version of the GKL jar in a class path."""
    found = _GKL_JAR.search(classpath)
    return found[1] if found else "of unknown version"


def replay(
    regions: Path,
    engines: Mapping[str, str],
    *,
    threads: int = 1,
    double_precision: bool = False,
    seconds: float = 2.0,
    callers: int = 1,
    environment: Mapping[str, str] | None = None,
) -> Replay:
    """Replay recorded regions through each engine, in turns.

    Parameters
    ----------
    regions : Path
        In the ``.in`` format, as ``GKL_SHIM_RECORD`` writes it.
    engines : mapping of str to str
        A class path for each name: GKL's jars, with ours in front for our engine. The first is
        what the others' likelihoods are compared with.
    threads : int
        As GATK's ``--native-pair-hmm-threads``; with more than one, the OpenMP class is driven.
    double_precision : bool
        As GATK's ``--native-pair-hmm-use-double-precision``.
    seconds : float
        At least so long for each engine, all its turns together.
    callers : int
        Java threads that go through the regions at once, each with outputs of its own. GKL flushes
        subnormal numbers to zero in the first alone, as in GATK in the thread that initializes it.
    environment : mapping, optional
        Added to this process's environment, for example ``OMP_WAIT_POLICY``.

    Returns
    -------
    Replay
        Turns, medians and differences.

    Raises
    ------
    MissingComponent
        There is no JDK, or an engine does not load on this machine.
    FileNotFoundError
        There is no such file.
    FormatError
        The regions do not follow their format.
    """
    if not regions.is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(regions))
    with resources.as_file(resources.files(__package__) / "Replay.java") as source:
        command = [
            fetch.java(),
            str(source),
            str(regions),
            str(threads),
            "double" if double_precision else "single",
            str(seconds),
            str(callers),
            *(f"{name}={classpath}" for name, classpath in engines.items()),
        ]
        process = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            # For a GPU, the native library runs this Python.
            env={"GKL_SHIM_PYTHON": sys.executable, **os.environ, **(environment or {})},
        )
    if process.returncode != 0:
        raise _error(process.stderr, process.returncode)
    result = json.loads(process.stdout)
    return Replay(
        regions=result["regions"],
        pairs=result["pairs"],
        cells=result["cells"],
        engines={
            engine["name"]: Engine(**{**engine, "turns": tuple(Turn(**t) for t in engine["turns"])})
            for engine in result["engines"]
        },
        log=process.stderr,
    )


def beside_gkl(
    regions: Path,
    classpath: str,
    build: str,
    *,
    threads: int,
    double_precision: bool,
    seconds: float,
) -> BesideGkl:
    """Time one of our builds and GKL in turns, with the OpenMP setting that suits GKL best.

    Parameters
    ----------
    regions : Path
        In the ``.in`` format.
    classpath : str
        GKL's.
    build : str
        Ours, as ``GKL_SHIM_BUILD`` names it.
    threads, double_precision, seconds
        As for :func:`replay`, which see for the errors.
    """
    found = []
    for policy in ("active", "passive") if threads > 1 else ("passive",):
        result = replay(
            regions,
            stock_and_shim(classpath),
            threads=threads,
            double_precision=double_precision,
            seconds=seconds,
            environment={"GKL_SHIM_BUILD": build, "OMP_WAIT_POLICY": policy},
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


def _error(log: str, returncode: int) -> Exception:
    said = [line for line in log.splitlines() if line.startswith("replay: ")]
    if not said:
        last = log.strip().splitlines()[-1:] or ["it said nothing"]
        return MissingComponent(f"the replay in Java failed, exit code {returncode}: {last[0]}")
    message = said[0].removeprefix("replay: ")
    if match := _BAD_LINE.fullmatch(message):
        return FormatError(match[1], int(match[2]), match[3])
    return MissingComponent(message)
