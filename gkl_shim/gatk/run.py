"""Run GATK, unchanged or with one of the three ways to replace its native classes."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gkl_shim import _native, paths
from gkl_shim._files import scratch
from gkl_shim._safe_file import unsafe
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch

__all__ = [
    "ARCHIVE_NAME",
    "DEFAULT_THREADS",
    "KERNELS",
    "MAIN_CLASS",
    "NATIVE_ACCESS",
    "STOCK",
    "Run",
    "Swap",
    "agent_swap",
    "classpath_swap",
    "find_classpath",
    "gatk",
    "jars",
    "library_folder",
    "library_path_swap",
    "require_own",
]

KERNELS = ("PairHMM", "PDHMM", "Smith-Waterman")
"""What gkl-shim replaces, by the names in its log."""

DEFAULT_THREADS = 4
"""GATK's default for ``--native-pair-hmm-threads``."""

MAIN_CLASS = "org.broadinstitute.hellbender.Main"

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
NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED"
"""Without this option Java 24 and later warn of every class that loads a native library."""
_MODULE_OPTIONS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    NATIVE_ACCESS,
    *(f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED),
)

# The JVM prints its warnings on standard output, where GATK may write its results.
_WARNINGS_TO_STDERR = ("-Xlog:disable", "-Xlog:all=warning:stderr")

ARCHIVE_NAME = "gkl-shim.jsa"
"""The file name of every class-data archive that gkl-shim makes."""

_TOKEN = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")
_OWN_OPTION = re.compile(
    r"-javaagent:.*gkl-shim\.jar(=.*)?"
    rf"|-XX:SharedArchiveFile=.*{re.escape(ARCHIVE_NAME)}"
)
# GATK's clock for PDHMM calls it PairHMM too, but another class writes the line.
_COMPUTE_TIME = re.compile(
    rb"(?:\b(PDPairHMM) +- )?Total compute time in "
    rb"(PairHMM computeLogLikelihoods\(\)|(?:native|java) Smith-Waterman) : ([\d.eE+-]+)"
)
# The total leaves out a native PDHMM.
_NATIVE_PDHMM_TIME = re.compile(
    rb"\bVectorLoglessPairPDHMM +- Time spent in "
    rb"(setup for JNI call|JNI call|post-processing) : ([\d.eE+-]+)"
)
_NATIVE = re.compile(r"com/intel/gkl/native/(libgkl_\w+\.so)")
_PAIRHMM_LIBRARIES = ("libgkl_pairhmm.so", "libgkl_pairhmm_omp.so")


@dataclass(frozen=True)
class Swap:
    """A way to replace GATK's native classes: the changes to the start of its JVM."""

    name: str
    agent: Path | None = None
    jars: tuple[Path, ...] = ()
    """Jars to put in front of GATK's class path."""
    libraries: Path | None = None
    """A folder made by `library_folder`."""
    archive: Path | None = None
    """A class-data archive made by `gkl_shim.gatk.archive`."""

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """Return the environment `base` with this swap, and without any other swap."""
        result = dict(base)
        options = [
            token
            for token in _TOKEN.findall(result.pop("JAVA_TOOL_OPTIONS", ""))
            if not _OWN_OPTION.fullmatch(re.sub("['\"]", "", token))
        ]
        result.pop("USE_LIBRARY_PATH", None)
        if self.agent is not None:
            options.append(_tool_option(f"-javaagent:{self.agent}"))
        if self.archive is not None:
            options.append(_tool_option(f"-XX:SharedArchiveFile={self.archive}"))
            options += [option for option in _WARNINGS_TO_STDERR if option not in options]
        if self.libraries is not None:
            result["USE_LIBRARY_PATH"] = "1"
            options.append(_tool_option(f"-Djava.library.path={self.libraries}"))
        if options:
            result["JAVA_TOOL_OPTIONS"] = " ".join(options)
        if self.agent is not None or self.jars or self.libraries is not None:
            # To use a GPU, the native library runs this Python.
            result.setdefault("GKL_SHIM_PYTHON", sys.executable)
        return result


STOCK = Swap("stock")


def agent_swap() -> Swap:
    """Return the swap that uses the Java agent."""
    return Swap("agent", agent=paths.agent_jar())


def classpath_swap() -> Swap:
    """Return the swap that puts gkl-shim's jar in front of GATK's class path."""
    return Swap("classpath", jars=(paths.classpath_jar(),))


def library_path_swap(folder: Path) -> Swap:
    """Return the swap that uses a folder made by `library_folder`."""
    return Swap("library-path", libraries=folder)


def library_folder(classpath: str, folder: Path) -> list[Path]:
    """Fill a folder for the library-path swap.

    With ``USE_LIBRARY_PATH`` set, GKL takes all its libraries from ``java.library.path``. The
    folder therefore gets gkl-shim's library under both names of GKL's PairHMM library, and GKL's
    other libraries.

    Parameters
    ----------
    classpath : str
        GATK's class path, GATK's package jar, or GKL's jar.
    folder : Path
        The folder, which is created if necessary.

    Returns
    -------
    list of Path
        The libraries in the folder.

    Raises
    ------
    MissingComponent
        If no jar on the class path holds GKL's libraries, a jar is damaged, or other users can
        change the folder.
    """
    require_own(folder)
    _native.library()  # raises if the file is not a usable library
    ours = paths.library().read_bytes()
    libraries = dict.fromkeys(_PAIRHMM_LIBRARIES, ours)
    for jar in jars(classpath):
        with fetch.opened(jar) as archive:
            for entry in archive.namelist():
                match = _NATIVE.fullmatch(entry)
                if match:
                    libraries.setdefault(match[1], archive.read(entry))
    if len(libraries) == len(_PAIRHMM_LIBRARIES):
        raise MissingComponent(
            f"{classpath}: no jar there holds GKL's libraries; give GATK's, or use the agent if "
            "this GATK has no GKL"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with scratch(folder) as partial:
        for name, content in libraries.items():
            (partial / name).write_bytes(content)
            (partial / name).chmod(0o755)
            (partial / name).replace(folder / name)
    return [folder / name for name in sorted(libraries)]


def require_own(folder: Path) -> None:
    """Refuse a folder for code that a JVM loads, if it exists and other users can change it."""
    if reason := unsafe(folder):
        raise MissingComponent(f"no code is loaded from {folder}: {reason}; use another folder")


def find_classpath(given: str | None = None) -> str:
    """Return the class path of the GATK to use.

    It is the first of `given`, the environment variables ``GATK_CLASSPATH`` and ``GATK_LOCAL_JAR``
    (the official package jar), the package jar that the ``gatk`` on the PATH runs, and the GATK
    that ``gkl-shim demo`` has fetched.

    Raises
    ------
    MissingComponent
        If there is none, or if one of its jars is missing or damaged.
    """
    for source, text in (
        ("--classpath", given),
        ("GATK_CLASSPATH", os.environ.get("GATK_CLASSPATH")),
        ("GATK_LOCAL_JAR", os.environ.get("GATK_LOCAL_JAR")),
    ):
        # Java reads an empty entry as the working directory.
        entries = [entry for entry in (text or "").split(":") if entry]
        for entry in entries:
            if not Path(entry.removesuffix("*")).exists():
                raise MissingComponent(f"{source}: {entry}: no such file or folder")
        if entries:
            return ":".join(entries)
    kept = _launchers_jar() or fetch.complete(fetch.gatk_name())
    if kept is None:
        raise MissingComponent(
            "no GATK found: give its jar with --classpath, or set GATK_LOCAL_JAR to "
            "gatk-package-<version>-local.jar, or put `gatk` on the PATH, or run `gkl-shim demo` "
            f"once, which fetches GATK {fetch.GATK_VERSION}"
        )
    return kept


def _launchers_jar() -> str | None:
    """Return the package jar of the ``gatk`` on the PATH: the newest one in its folder."""
    launcher = shutil.which("gatk", path=fetch.tool_environment()["PATH"])
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

    @property
    def kernel_seconds(self) -> dict[str, float]:
        """The times that GATK reports, of PairHMM, PDHMM and Smith-Waterman.

        A kernel is absent if GATK reports no time for it. Smith-Waterman's is in hundredths.
        """
        found = {}
        for pdhmm, what, seconds in _COMPUTE_TIME.findall(self.log):
            aligner = what.endswith(b"Smith-Waterman")
            found["PDHMM" if pdhmm else "Smith-Waterman" if aligner else "PairHMM"] = float(seconds)
        native = dict(_NATIVE_PDHMM_TIME.findall(self.log))
        if native:
            found["PDHMM"] = found.get("PDHMM", 0.0) + sum(map(float, native.values()))
        return {name: found[name] for name in KERNELS if name in found}

    @property
    def pairhmm_seconds(self) -> float | None:
        """The time in PairHMM that GATK reports, or None if the tool reports none."""
        return self.kernel_seconds.get("PairHMM")

    @property
    def complaint(self) -> str:
        """The log line that best explains why the run failed, with its exit code."""
        lines = [line.strip() for line in self.log.decode(errors="replace").splitlines()]
        for marker in ("A USER ERROR has occurred", "Exception", "Error:", "ERROR"):
            for line in lines:
                if marker in line:
                    return f"{line} (exit code {self.returncode})"
        return f"exit code {self.returncode}"


def gatk(
    arguments: Sequence[str],
    classpath: str,
    swap: Swap = STOCK,
    *,
    java_options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    echo: bool = False,
) -> Run:
    """Run a GATK tool and wait for it.

    Parameters
    ----------
    arguments : sequence of str
        The name of the tool and its arguments, as after ``gatk`` on the command line.
    classpath : str
        The class path of GATK.
    swap : Swap
        Which native classes to use.
    java_options : sequence of str
        Options for the JVM.
    environment : mapping, optional
        Variables to add to this process's environment.
    echo : bool
        Whether to forward GATK's standard output and error while it runs.

    Returns
    -------
    Run
        The result. A failed run does not raise an exception.
    """
    command = [
        fetch.java(),
        *_MODULE_OPTIONS,
        *java_options,
        "-cp",
        ":".join([*map(str, swap.jars), classpath]),
        MAIN_CLASS,
        *arguments,
    ]
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
        with _forwarding_signals(process) if echo else fetch.ending(process):
            for line in process.stderr:
                log.append(line)
                if echo:
                    sys.stderr.buffer.write(line)
                    sys.stderr.buffer.flush()
            process.wait()
    # If a signal ended the process, use the exit code that a shell would return.
    returncode = process.returncode if process.returncode >= 0 else 128 - process.returncode
    return Run(tuple(command), returncode, time.monotonic() - started, b"".join(log))


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
        with fetch.ending(process):
            yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _tool_option(option: str) -> str:
    """Quote an option for JAVA_TOOL_OPTIONS. A JVM reads quotes there as a shell does."""
    return shlex.quote(option) if re.search(r"[\s'\"]", option) else option


def jars(classpath: str) -> Iterator[Path]:
    """Yield the jars of a class path, including the jars of ``folder/*`` entries."""
    for entry in classpath.split(":"):
        path = Path(entry)
        if path.name == "*":
            yield from sorted(path.parent.glob("*.jar"))
        elif path.suffix == ".jar":
            yield path
