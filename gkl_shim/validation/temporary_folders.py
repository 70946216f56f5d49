"""Where GATK writes temporary files, and what to do when a disk is full."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from urllib.request import pathname2url

from gkl_shim.gatk import run, swaps
from gkl_shim.validation.inputs import option_name
from gkl_shim.validation.jobs import Job

_FULL = b"No space left on device"
# More than nothing, because a JVM that fails on a full disk deletes its unfinished files.
_LEAST_FREE = 16 << 20
TMPDIR = "-Djava.io.tmpdir="
"""The option of Java that names the folder."""


def about_space(job: Job, done: run.Run, java_options: Sequence[str]) -> str:
    """Return which folder is full, and what to do. The log cannot say so if it is full itself."""
    output, temporary = job.folder.parent, _temporary_folder(job, java_options)
    # They may be the same.
    remedies = {
        temporary: f"give another folder with --java-options {TMPDIR}FOLDER",
        output: "start again with another --output",
    }
    full = [
        f"; {folder} has less than {_LEAST_FREE >> 20} MiB left: make room, or {remedy}"
        for folder, remedy in remedies.items()
        if _is_full(folder)
    ]
    if not full and _FULL in done.log:  # a quota, or there is room again
        full = [f"; {output} or {temporary} was full: make room"]
    return "".join([*full, "; what is finished is kept"]) if full else ""


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _LEAST_FREE
    except OSError:  # there is no such folder
        return False


def _temporary_folder(job: Job, java_options: Sequence[str]) -> Path:
    """Return where GATK writes its temporary files."""
    for argument, next_one in itertools.pairwise((*job.arguments, "")):
        if option_name(argument) == "tmp-dir":
            return Path(next_one)
    given = _given_temporary_folders(java_options)
    own = has_own_temporary_folder(job, java_options)
    return Path(given[-1]) if given else job.folder.parent if own else Path("/tmp")


def has_own_temporary_folder(job: Job, java_options: Sequence[str]) -> bool:
    """Return whether temporary files are in the job's folder.

    GATK fails if their folder's path has a space or another character that a URL escapes.
    """
    is_plain = pathname2url(str(job.folder)) == str(job.folder)
    return job.inside and is_plain and not _given_temporary_folders(java_options)


def _given_temporary_folders(java_options: Sequence[str]) -> list[str]:
    """Return the folders for temporary files that a JVM is told. It takes the last one."""
    variables = [swaps.options({n: os.environ.get(n, "")}) for n in swaps.OPTION_VARIABLES]
    # The options of the last variable come after those of the command line.
    options = [*variables[0], *variables[1], *java_options, *variables[2]]
    return [text.removeprefix(TMPDIR) for text in options if text.startswith(TMPDIR)]
