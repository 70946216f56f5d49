"""The three ways to replace GATK's native classes: changes to the start of its JVM."""

from __future__ import annotations

import contextlib
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gkl_shim import paths
from gkl_shim.common import _native
from gkl_shim.common._naming import naming
from gkl_shim.common._output_files import make_folder
from gkl_shim.common._safe_file import unsafe
from gkl_shim.common._take_name import move
from gkl_shim.common._temporary import scratch
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch

NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED"
"""Without this option Java 24 and later warn of every class that loads a native library."""

OPTION_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
"""Environment variables with options for a JVM, JDK_JAVA_OPTIONS for one that ``java`` starts."""

# The JVM prints its warnings on standard output, where GATK may write its results. Of an archive of
# another Java, Java 25 would print a warning and an error.
_WARNINGS_TO_STDERR = ("-Xlog:disable", "-Xlog:all=warning:stderr", "-Xlog:cds=error:stderr")

FEW_CPUS = 2
"""With at most this many CPUs, the JVM's second compiler slows GATK down."""

# 30 times the JVM's own thresholds: fewer methods are compiled a second time. The figures are in
# docs/performance.md, "Warm-up".
_LATE_COMPILING = (
    "-XX:Tier4InvocationThreshold=150000",
    "-XX:Tier4MinInvocationThreshold=18000",
    "-XX:Tier4CompileThreshold=450000",
    "-XX:Tier4BackEdgeThreshold=1200000",
)

ARCHIVE_NAME = "gkl-shim.jsa"
"""The file name of every class-data archive that gkl-shim makes."""

# Options in a variable are divided at ASCII's white space alone.
_TOKEN = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""", re.ASCII)
_OWN_OPTION = re.compile(
    r"-javaagent:.*gkl-shim\.jar(=.*)?"
    rf"|-XX:SharedArchiveFile=.*{re.escape(ARCHIVE_NAME)}"
    rf"|{'|'.join(_LATE_COMPILING)}"
)
# Options with which users choose how the JVM compiles.
_COMPILING = re.compile(r"-X(int|comp)|-XX:([+-]TieredCompilation|Tier|CompileThreshold).*")
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
        given = {name: _foreign_options(result.pop(name, "")) for name in OPTION_VARIABLES}
        options = given["JAVA_TOOL_OPTIONS"]
        result.pop("USE_LIBRARY_PATH", None)
        if self.agent is not None:
            foreign = [_unquoted(token) for tokens in given.values() for token in tokens]
            chosen = any(_COMPILING.fullmatch(option) for option in foreign)
            options.append(_tool_option(f"-javaagent:{self.agent}"))
            if _native.cpu_count() <= FEW_CPUS and not chosen:
                options += _LATE_COMPILING
        if self.archive is not None:
            options.append(_tool_option(f"-XX:SharedArchiveFile={self.archive}"))
            options += [option for option in _WARNINGS_TO_STDERR if option not in options]
        if self.libraries is not None:
            result["USE_LIBRARY_PATH"] = "1"
            folder = _tool_option(f"-Djava.library.path={self.libraries}")
            options = [*(option for option in options if option != folder), folder]
        given["JAVA_TOOL_OPTIONS"] = options
        result.update({name: " ".join(texts) for name, texts in given.items() if texts})
        if self.agent is not None or self.jars or self.libraries is not None:
            # To use a GPU, the native library runs this Python.
            result.setdefault("GKL_SHIM_PYTHON", sys.executable)
        return result


STOCK = Swap("stock")


def options(environment: Mapping[str, str]) -> list[str]:
    """Return the options for a JVM in the variables of an environment, without quotes."""
    texts = (environment.get(name, "") for name in OPTION_VARIABLES)
    return [_unquoted(token) for text in texts for token in _TOKEN.findall(text)]


def _unquoted(token: str) -> str:
    return re.sub("['\"]", "", token)


def agent() -> Swap:
    """Return the swap that uses the Java agent."""
    return Swap("agent", agent=_undivided(paths.agent_jar(), "="))


def classpath() -> Swap:
    """Return the swap that puts gkl-shim's jar in front of GATK's class path."""
    return Swap("classpath", jars=(_undivided(paths.classpath_jar(), ":"),))


def library_path(folder: Path) -> Swap:
    """Return the swap that uses a folder made by `library_folder`."""
    return Swap("library-path", libraries=folder)


def library_folder(classpath: str, folder: Path) -> list[Path]:
    """Fill a folder for the library-path swap.

    With ``USE_LIBRARY_PATH`` set, GKL takes all its libraries from ``java.library.path``. The
    folder therefore gets gkl-shim's library under both names of GKL's PairHMM library, and GKL's
    other libraries.

    Parameters
    ----------
    classpath
        GATK's class path, GATK's package jar, or GKL's jar.
    folder
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
    OSError
        If a library cannot be written. It names the file, and the folder is as it was.
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
    new = not folder.exists()
    make_own(folder)
    try:
        with scratch(folder) as partial:
            for name, content in libraries.items():
                with naming(str(folder / name)):
                    (partial / name).write_bytes(content)
                    (partial / name).chmod(0o755)
            for name in libraries:
                move(partial / name, folder / name)
    except BaseException:
        if new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    return [folder / name for name in sorted(libraries)]


def require_own(folder: Path) -> None:
    """Refuse a file or folder for code that a JVM loads, if other users can change it."""
    _undivided(folder, ":")
    if reason := unsafe(folder):
        raise MissingComponent(f"no code is loaded from {folder}: {reason}; use another folder")


def make_own(folder: Path) -> None:
    """Make a folder for code that a JVM loads, if there is none. Raises like `require_own`."""
    require_own(folder)
    make_folder(folder)
    # Another user may have made it meanwhile, or the mask lets all users write to it.
    require_own(folder)


def _undivided(path: Path, separator: str) -> Path:
    """Return a path in which a JVM finds no separator. It would take the parts for files."""
    if separator in str(path):
        raise MissingComponent(
            f'{path}: a JVM divides this path at "{separator}"; use a folder without it'
        )
    return path


def named_classpath(source: str, text: str | None) -> str | None:
    """Return a class path that the user names, without empty entries; None if there is no other.

    Java reads an empty entry as the working directory. A file or folder that does not exist raises
    MissingComponent, which names `source`.
    """
    entries = [entry for entry in (text or "").split(":") if entry]
    for entry in entries:
        if not Path(entry.removesuffix("*")).exists():
            raise MissingComponent(f"{source}: {entry}: no such file or folder")
    return ":".join(entries) or None


def jars(classpath: str) -> Iterator[Path]:
    """Yield the jars of a class path, including the jars of ``folder/*`` entries."""
    for entry in classpath.split(":"):
        path = Path(entry)
        if path.name == "*":
            yield from sorted(path.parent.glob("*.jar"))
        elif path.suffix == ".jar":
            yield path


def _foreign_options(text: str) -> list[str]:
    """Return the options in a variable, with their quotes, but without those of gkl-shim."""
    return [token for token in _TOKEN.findall(text) if not _OWN_OPTION.fullmatch(_unquoted(token))]


def _tool_option(option: str) -> str:
    """Quote an option for JAVA_TOOL_OPTIONS. A JVM reads quotes there as a shell does."""
    return shlex.quote(option) if re.search(r"[\s'\"]", option) else option
