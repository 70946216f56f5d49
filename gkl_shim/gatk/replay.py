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
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

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
    callers: int = 1
    """The number of Java threads that compute all regions at the same time. Each has separate
    outputs. GKL sets flush-to-zero only in the first of them, the thread that initializes it, as in
    GATK."""
    pause: float = 0.0
    """The seconds before each call in which a caller computes something else, as GATK does. The
    time of a turn includes them."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables to add to this process's environment."""


@dataclass(frozen=True)
class Turn:
    """One turn of one engine. The passes over all regions are summed over callers."""

    passes: int
    seconds: float
    gcups: float


@dataclass(frozen=True)
class Engine:
    """The measurements of one engine."""

    name: str
    turns: tuple[Turn, ...]
    flush_to_zero: bool
    """Whether the calling thread flushed subnormal numbers to zero while it was timed."""
    largest_difference: float
    """The largest difference from the first engine's log10 likelihoods, over pairs that are finite
    in both."""
    infinite_in_one: int
    """The number of pairs that are infinite in one of the two engines and differ in the other."""
    start_seconds: float
    """From the creation of the engine to the result of its first call. With one engine, this is
    the time in which its library loads and its GPU opens."""

    @property
    def gcups(self) -> float:
        """The median over turns, in 10^9 cells a second."""
        return statistics.median(turn.gcups for turn in self.turns)

    @property
    def seconds_per_pass(self) -> float:
        """The median over turns of the time divided by the passes of all callers."""
        return statistics.median(turn.seconds / turn.passes for turn in self.turns)


@dataclass(frozen=True)
class Replay:
    """The measurements of several engines on the same regions."""

    regions: int
    pairs: int
    cells: int
    engines: dict[str, Engine]
    log: str = field(repr=False)
    """The standard error of the JVM, including the messages of gkl-shim."""


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
    return {"stock": jars, "shim": f"{paths.classpath_jar()}:{jars}"}


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
    (found,) = side_by_side(1, regions, engines, calls)
    return found


def side_by_side(
    processes: int,
    regions: Path,
    engines: Mapping[str, str],
    calls: Calls,
    when_ready: Callable[[], object] = lambda: None,
) -> list[Replay]:
    """Replay recorded regions in several JVMs that begin their turns at the same time.

    Parameters
    ----------
    processes
        The number of JVMs. They also start at the same time.
    regions, engines, calls
        As for :func:`replay`, which also lists the exceptions.
    when_ready
        Called once all JVMs have computed all regions, before the turns begin.

    Returns
    -------
    list of Replay
        One for each JVM.
    """
    if not regions.is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(regions))
    with ExitStack() as stack:
        command = [
            programs.java(),
            f"-Dreplay.level={calls.level}",
            f"-Dreplay.pause={round(calls.pause * 1e9)}",
            *("-cp", str(paths.replay_jar()), "org.gklshim.replay.Replay"),
            str(regions),
            str(calls.threads),
            "pdhmm" if calls.pdhmm else "double" if calls.double_precision else "single",
            str(calls.seconds),
            str(calls.callers),
            *(f"{name}={classpath}" for name, classpath in engines.items()),
        ]
        # To use a GPU, the native library runs this Python.
        variables = {"GKL_SHIM_PYTHON": sys.executable, **os.environ, **calls.environment}
        started = [stack.enter_context(_process(command, variables)) for _ in range(processes)]
        for process in started:
            process.wait_until_ready()
        when_ready()
        for process in started:
            process.go()
        return [process.result() for process in started]


@contextmanager
def _process(command: list[str], environment: Mapping[str, str]) -> Iterator[_Process]:
    """Start a JVM that replays regions, and end it with the block."""
    # The log is a file, because nobody would read a pipe while the JVM computes.
    with (
        tempfile.TemporaryFile(mode="w+", errors="replace") as log,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            errors="replace",
            env=environment,
        ) as process,
    ):
        try:
            yield _Process(process, log)
        finally:
            process.kill()


class _Process:
    """A JVM that replays regions."""

    def __init__(self, process: subprocess.Popen[str], log: IO[str]) -> None:
        self._process = process
        self._log = log

    def wait_until_ready(self) -> None:
        assert self._process.stdout is not None
        # GKL's PDHMM prints its settings.
        for line in self._process.stdout:
            if line == "ready\n":
                return
        raise self._error()

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def result(self) -> Replay:
        out, _ = self._process.communicate()
        if self._process.returncode != 0:
            raise self._error()
        result = json.loads(out.splitlines()[-1])
        return Replay(
            regions=result["regions"],
            pairs=result["pairs"],
            cells=result["cells"],
            engines={
                engine["name"]: Engine(
                    **{**engine, "turns": tuple(Turn(**turn) for turn in engine["turns"])}
                )
                for engine in result["engines"]
            },
            log=self._read_log(),
        )

    def _read_log(self) -> str:
        self._log.seek(0)
        return self._log.read()

    def _error(self) -> Exception:
        code = self._process.wait()
        log = self._read_log()
        messages = [line for line in log.splitlines() if line.startswith("replay: ")]
        if not messages:
            last = log.strip().splitlines()[-1:] or ["it printed nothing"]
            return MissingComponent(f"the replay in Java failed, exit code {code}: {last[0]}")
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
