"""Download GATK, GKL and demo data from Maven Central into a local cache.

The ``mvn`` command downloads everything, so the user's Maven settings (mirrors, proxies) apply. An
interrupted download resumes in the next run. When everything is complete, the network is not used
again.
"""

from __future__ import annotations

import os
import re
import subprocess
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from gkl_shim.common._output_files import atomic_output
from gkl_shim.common._safe_file import unsafe
from gkl_shim.common._temporary import scratch
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import programs

GATK_VERSION = "4.6.2.0"
GKL_VERSION = "0.8.11"
"""The GKL that GATK 4.6.2.0 ships with."""

_CACHE_ADVICE = "set GKL_SHIM_CACHE to a folder that can be written"
_CLASSPATH_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath"
_SIZE = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
_DOWNLOADED = re.compile(r"Downloaded from \S+ (\S+) \(([\d.]+) ([kMG]?B)")

Progress = Callable[[str, float], None]
"""Called with the name of each downloaded file, and its size in bytes."""


@dataclass(frozen=True)
class Artifact:
    """One Maven artifact: its coordinates, and which of its dependencies to leave out."""

    group: str
    name: str
    version: str
    classifier: str = ""
    without: tuple[str, ...] = ()
    """Dependencies to leave out, as ``group:artifact``; ``*:*`` for all."""

    def to_xml(self) -> str:
        """Return the artifact as a ``<dependency>`` of a Maven project."""
        fields = {
            "groupId": self.group,
            "artifactId": self.name,
            "version": self.version,
            "classifier": self.classifier,
        }
        xml = "".join(f"<{tag}>{escape(text)}</{tag}>" for tag, text in fields.items() if text)
        for excluded in self.without:
            group, name = excluded.split(":")
            xml += (
                f"<exclusions><exclusion><groupId>{escape(group)}</groupId>"
                f"<artifactId>{escape(name)}</artifactId></exclusion></exclusions>"
            )
        xml = xml.replace("</exclusions><exclusions>", "")
        return f"<dependency>{xml}</dependency>"


GATK = (
    # Maven Central no longer has the two excluded versions. Spark tools need the Scala module, in
    # the version of Jackson on the class path.
    Artifact(
        "org.broadinstitute",
        "gatk",
        GATK_VERSION,
        without=(
            "org.apache.orc:orc",
            "com.fasterxml.jackson.module:jackson-module-scala_2.13",
        ),
    ),
    Artifact("com.fasterxml.jackson.module", "jackson-module-scala_2.13", "2.16.0"),
)


def gkl(version: str = GKL_VERSION) -> Artifact:
    """Return a version of Intel's GKL. It depends on GATK's native bindings."""
    return Artifact("com.intel.gkl", "gkl", version)


def cache() -> Path:
    """Return the cache folder: ``GKL_SHIM_CACHE``, else ``$XDG_CACHE_HOME/gkl-shim``.

    Raises
    ------
    MissingComponent
        If ``GKL_SHIM_CACHE`` is a relative path, if it is not set and there is no home directory,
        or if other users can change the folder. A relative path could run programs from a working
        directory that another user controls. An empty or relative ``HOME`` is no home directory.
    """
    folder = _named_cache()
    if reason := unsafe(folder):
        raise MissingComponent(
            f"no program is run from {folder}: {reason}; set GKL_SHIM_CACHE to another folder"
        )
    return folder


def _named_cache() -> Path:
    own = os.environ.get("GKL_SHIM_CACHE")
    if own:
        if not Path(own).is_absolute():
            raise MissingComponent(f"GKL_SHIM_CACHE={own} is not an absolute path")
        return Path(own)
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():
        base = _home() / ".cache"
    return base / "gkl-shim"


def _home() -> Path:
    try:
        home = Path.home()
    except RuntimeError:
        home = Path()
    # Path.home() takes an empty HOME for the folder /.
    if os.environ.get("HOME") == "" or not home.is_absolute():
        raise MissingComponent(f"there is no home directory to keep GATK in; {_CACHE_ADVICE}")
    return home


def _writable_cache() -> Path:
    folder = cache()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MissingComponent(f"{folder}: {error.strerror}; {_CACHE_ADVICE}") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise MissingComponent(f"{folder}: cannot be written; {_CACHE_ADVICE}")
    return folder


def classpath(name: str, artifacts: Sequence[Artifact], progress: Progress | None = None) -> str:
    """Return a class path of artifacts and their dependencies.

    Missing and damaged files are downloaded.

    Parameters
    ----------
    name
        The name in the cache, for example ``gatk-4.6.2.0``.
    artifacts
        The artifacts.
    progress
        Called with the name and size of each downloaded file.

    Returns
    -------
    str
        Jar files in the cache, joined by ``:``.

    Raises
    ------
    MissingComponent
        If ``mvn`` or ``java`` is not installed, the download fails, or the cache cannot be written.
    """
    listing = cache() / f"{name}.classpath"
    kept = _listed(name)
    damaged = [] if kept is None else _damaged(kept)
    if kept is not None and not damaged:
        return kept
    mvn = programs.maven()
    programs.java()
    # Maven downloads only files that do not exist.
    for jar in damaged:
        jar.unlink()
    with scratch(_writable_cache()) as folder:
        pom = folder / "pom.xml"
        pom.write_text(
            '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
            f"<groupId>org.gklshim</groupId><artifactId>{escape(name)}</artifactId>"
            "<version>1</version><packaging>pom</packaging><dependencies>"
            + "".join(artifact.to_xml() for artifact in artifacts)
            + "</dependencies></project>\n"
        )
        output = folder / "classpath"
        command = [
            mvn,
            "--batch-mode",
            "--strict-checksums",
            "--file",
            str(pom),
            f"-Dmaven.repo.local={cache() / 'maven'}",
            f"-Dmdep.outputFile={output}",
            _CLASSPATH_GOAL,
        ]
        _maven(command, progress)
        with atomic_output(listing) as stream:
            stream.write(output.read_bytes())
    kept = complete(name)
    if kept is None:
        raise MissingComponent(f"{cache()}: Maven left no complete {name}; remove it and try again")
    return kept


def complete(name: str) -> str | None:
    """Return a class path from the cache, or None if any of its files is missing.

    Raises
    ------
    MissingComponent
        If a file exists but is not a complete jar, or if :func:`cache` refuses the folder that
        ``GKL_SHIM_CACHE`` names.
    """
    kept = _listed(name)
    for jar in _damaged(kept) if kept is not None else ():
        raise MissingComponent(
            f"{jar}: damaged, {jar.stat().st_size} bytes that are not a complete jar; delete it, "
            "or run `gkl-shim demo`, which fetches it again"
        )
    return kept


def _listed(name: str) -> str | None:
    """Return a class path from the cache like :func:`complete`, without checking its files."""
    try:
        text = (cache() / f"{name}.classpath").read_text(errors="replace").strip()
    except OSError:
        return None
    except MissingComponent:
        # A default folder that cannot be used has nothing; one that the user chose is an error.
        if os.environ.get("GKL_SHIM_CACHE"):
            raise
        return None
    return text if text and all(Path(jar).is_file() for jar in text.split(":")) else None


def _damaged(classpath: str) -> list[Path]:
    """Return the files without the end of a zip file, such as interrupted downloads."""
    return [Path(jar) for jar in classpath.split(":") if not zipfile.is_zipfile(jar)]


@contextmanager
def opened(jar: Path) -> Iterator[zipfile.ZipFile]:
    """Open a jar for reading.

    Raises
    ------
    MissingComponent
        If the file is damaged, is not a jar, or lacks an entry that is read.
    """
    try:
        with zipfile.ZipFile(jar) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError) as error:
        raise MissingComponent(f"{jar}: not a jar, or a damaged one ({error.args[0]})") from error


def gatk_name() -> str:
    """Return the name of GATK's class path in the cache."""
    return f"gatk-{GATK_VERSION}"


def gatk_classpath(progress: Progress | None = None) -> str:
    """Return the class path of GATK 4.6.2.0. It is downloaded if it is not in the cache."""
    return classpath(gatk_name(), GATK, progress)


def gkl_classpath(version: str = GKL_VERSION, progress: Progress | None = None) -> str:
    """Return the class path of GKL and its bindings. It is downloaded if not in the cache."""
    return classpath(f"gkl-{version}", [gkl(version)], progress)


def _maven(command: Sequence[str], progress: Progress | None) -> None:
    errors: list[str] = []
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=programs.environment(),
    ) as process:
        assert process.stdout is not None
        with programs.ending(process):
            for line in process.stdout:
                if line.startswith("[ERROR]"):
                    errors.append(line.removeprefix("[ERROR]").strip())
                elif progress is not None and (match := _DOWNLOADED.search(line)):
                    size = float(match[2]) * _SIZE[match[3]]
                    progress(match[1].rsplit("/", 1)[-1], size)
    if process.returncode != 0:
        reason = next((text for text in errors if text), f"exit code {process.returncode}")
        raise MissingComponent(
            f"Maven could not fetch it: {reason} (if the connection broke, run the command again; "
            "it resumes where it stopped)"
        )
