"""Find GATK, run it, and read its log."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch, kernel_times, programs, swaps

DEFAULT_THREADS = 4
"""GATK's default for ``--native-pair-hmm-threads``."""

MAIN_CLASS = "org.broadinstitute.hellbender.Main"

HOW_TO_GET_GATK = (
    "set GATK_LOCAL_JAR to gatk-package-<version>-local.jar, or put `gatk` on the PATH, or run "
    f"`gkl-shim demo` once, which fetches GATK {fetch.GATK_VERSION}"
)

# Spark on Java 17 needs these packages opened. With `java -jar`, the manifest of GATK's package jar
# opens them. Java 8, which runs older versions of GATK, has no modules and must ignore the options.
_OPENED = (
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.security.action",
    "java.base/sun.util.calendar",
)
_MODULE_OPTIONS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    swaps.NATIVE_ACCESS,
    *(f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED),
)


def known_classpath(given: str | None = None) -> str | None:
    """Return the class path of the GATK to use, or None if there is no GATK.

    It is the first of `given`, the environment variables ``GATK_CLASSPATH`` and ``GATK_LOCAL_JAR``
    (the official package jar), the package jar that the ``gatk`` on the PATH runs, and the GATK
    that ``gkl-shim demo`` has fetched.

    Parameters
    ----------
    given
        What the user gave with ``--classpath``, or None.

    Raises
    ------
    MissingComponent
        If one of its jars is missing or damaged.
    """
    for source, text in (
        ("--classpath", given),
        ("GATK_CLASSPATH", os.environ.get("GATK_CLASSPATH")),
        ("GATK_LOCAL_JAR", os.environ.get("GATK_LOCAL_JAR")),
    ):
        if named := swaps.named_classpath(source, text):
            return named
    return _launchers_jar() or fetch.complete(fetch.gatk_name())


def find_classpath(given: str | None = None) -> str:
    """Return the same as :func:`known_classpath`, or raise MissingComponent if there is none."""
    found = known_classpath(given)
    if found is None:
        raise MissingComponent(
            f"no GATK found: give its jar with --classpath, or {HOW_TO_GET_GATK}"
        )
    return found


def _launchers_jar() -> str | None:
    """Return the package jar of the ``gatk`` on the PATH: the newest one in its folder."""
    launcher = shutil.which("gatk", path=programs.environment()["PATH"])
    if launcher is None:
        return None
    jars = Path(launcher).resolve().parent.glob("gatk*local.jar")
    newest = max(jars, key=lambda jar: jar.stat().st_mtime, default=None)
    return None if newest is None else str(newest)


@dataclass(frozen=True)
class Run:
    """The result of a run of GATK."""

    command: tuple[str, ...]
    returncode: int
    seconds: float
    """The wall-clock time of the whole process."""
    log: bytes = field(repr=False)
    """The standard error of GATK."""

    swap: swaps.Swap = swaps.STOCK
    """The native classes that it used."""

    @property
    def kernel_seconds(self) -> dict[str, float]:
        """The seconds in PairHMM, PDHMM and Smith-Waterman.

        They are by GATK's clock in stock GATK, which calls regions in one thread. With gkl-shim,
        they are by gkl-shim's own, summed over all threads. A kernel is absent if the log has no
        time for it.
        """
        if self.swap == swaps.STOCK:
            return kernel_times.by_gatk(self.log)
        totals = kernel_times.by_gkl_shim(self.log)
        return {kernel: total.seconds for kernel, total in totals.items()}

    @property
    def region_threads(self) -> int:
        """How many threads called regions."""
        return kernel_times.region_threads(self.log)

    @property
    def complaint(self) -> str:
        """The log line that best explains why the run failed, with its exit code."""
        lines = [line.strip() for line in self.log.decode(errors="replace").splitlines()]
        for marker in ("A USER ERROR has occurred", "Exception", "Error:", "ERROR"):
            for line in lines:
                if marker in line:
                    return f"{line} (exit code {self.returncode})"
        return f"exit code {self.returncode}"


def java_command(
    arguments: Sequence[str], classpath: str, swap: swaps.Swap, java_options: Sequence[str] = ()
) -> list[str]:
    """Return the command that runs a GATK tool, to be run in the environment of the swap."""
    return [
        programs.java(),
        *_MODULE_OPTIONS,
        *java_options,
        "-cp",
        classpath,
        MAIN_CLASS,
        *arguments,
    ]


def gatk(
    arguments: Sequence[str],
    classpath: str,
    swap: swaps.Swap = swaps.STOCK,
    *,
    java_options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    echo: bool = False,
) -> Run:
    """Run a GATK tool and wait for it.

    Parameters
    ----------
    arguments
        The name of the tool and its arguments, as after ``gatk`` on the command line.
    classpath
        The class path of GATK.
    swap
        Which native classes to use.
    java_options
        Options for the JVM.
    environment
        Variables to add to this process's environment.
    echo
        Whether to forward GATK's standard output and error while it runs.

    Returns
    -------
    Run
        The result. A failed run does not raise an exception.
    """
    command = java_command(arguments, classpath, swap, java_options)
    started = time.monotonic()
    log: list[bytes] = []
    with subprocess.Popen(
        command,
        stdin=None if echo else subprocess.DEVNULL,
        stdout=None if echo else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=swap.environment({**os.environ, **(environment or {})}),
    ) as process:
        assert process.stderr is not None
        with _forwarding_signals(process) if echo else programs.ending(process):
            for line in process.stderr:
                log.append(line)
                if echo:
                    sys.stderr.buffer.write(line)
                    sys.stderr.buffer.flush()
            process.wait()
    # If a signal ended the process, use the exit code that a shell would return.
    returncode = process.returncode if process.returncode >= 0 else 128 - process.returncode
    return Run(tuple(command), returncode, time.monotonic() - started, b"".join(log), swap)


@contextmanager
def _forwarding_signals(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Forward SIGTERM and SIGHUP to GATK, so that it cleans up and this process reports.

    SIGINT is ignored here, because a terminal sends it to GATK too.
    """

    def forward(number: int, _frame: object) -> None:
        process.send_signal(number)

    handlers = {signal.SIGTERM: forward, signal.SIGHUP: forward, signal.SIGINT: lambda *_: None}
    previous = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        with programs.ending(process):
            yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
