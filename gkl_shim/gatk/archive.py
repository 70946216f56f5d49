"""A class-data archive, with which the JVM starts GATK sooner.

It holds GATK's classes as the JVM keeps them in memory. Without it, every start reads and checks
them again. It fits one Java and one class path, and is ignored with any other.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

from gkl_shim.common._take_name import move
from gkl_shim.common._temporary import scratch
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import data, programs, run, swaps

_FIRST_JAVA = 13
"""The first Java that writes the archive of a run."""

_COMMAND_SECONDS = 60


def for_gatk(classpath: str, folder: Path) -> Path:
    """Return the archive in a folder. It is made, if there is none that fits.

    Parameters
    ----------
    classpath
        The class path of GATK, or its package jar.
    folder
        The folder, which is created if necessary.

    Returns
    -------
    Path
        The archive.

    Raises
    ------
    MissingComponent
        If this Java is too old, or GATK does not run, or Java writes no archive, or other users can
        change the folder or the archive.
    """
    archive = folder / swaps.ARCHIVE_NAME
    swaps.require_own(folder)
    swaps.require_own(archive)
    if archive.is_file() and _fits(archive, classpath):
        return archive
    version = programs.java_version()
    number = re.match(r"(?:1\.)?(\d+)", version)
    if number is None or int(number[1]) < _FIRST_JAVA:
        raise MissingComponent(
            f"{programs.java()}: Java {version} cannot archive the classes of a run; use Java "
            f"{_FIRST_JAVA} or newer, or leave out --archive"
        )
    swaps.make_own(folder)
    with scratch(folder) as partial:
        # A file that was cut short kills the JVM. So the archive is renamed once it is complete.
        new = partial / swaps.ARCHIVE_NAME
        _make(new, classpath, partial)
        if not _fits(new, classpath):
            raise MissingComponent(
                f"{classpath}: Java {version} cannot use an archive of its classes; give GATK's "
                "jars, without folders of classes, or leave out --archive"
            )
        new.chmod(0o644)
        move(new, archive)
    return archive


def _make(archive: Path, classpath: str, folder: Path) -> None:
    """Archive the classes that a short run of HaplotypeCaller loads.

    The run is stock, because Java archives no class while an agent runs.
    """
    sample = data.na12878_chr22(folder / "sample")
    arguments = ["HaplotypeCaller", "-R", str(sample.reference), "-I", str(sample.reads)]
    arguments += ["-O", str(folder / "out.vcf")]
    # The first compiler alone: the run ends before the second pays.
    options = ["-XX:TieredStopAtLevel=1", f"-XX:ArchiveClassesAtExit={archive}"]
    done = run.gatk(arguments, classpath, java_options=options)
    if done.returncode != 0:
        raise MissingComponent(f"GATK does not run, so its classes are not known: {done.complaint}")
    if not archive.is_file():
        raise MissingComponent(
            f"{programs.java()}: it wrote no archive; run "
            f"`{shlex.quote(programs.java())} -Xshare:dump` if this Java lacks the archive of the "
            "JDK's classes, or make room on the disk"
        )


def _fits(archive: Path, classpath: str) -> bool:
    """Return whether this Java takes GATK's main class from the archive."""
    # A JVM that does not survive a damaged archive would write a report to the working directory.
    command = [programs.java(), f"-XX:SharedArchiveFile={archive}", "-XX:ErrorFile=/dev/null"]
    command += ["-Xlog:class+load", "--dry-run"]
    environment = swaps.STOCK.environment(programs.environment())
    try:
        done = subprocess.run(
            [*command, "-cp", classpath, run.MAIN_CLASS],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=_COMMAND_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return re.search(rb"hellbender\.Main source: shared objects file", done.stdout) is not None
