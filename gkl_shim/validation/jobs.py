"""Runs of GATK, several at a time, whose results are kept for the next `gkl-shim validate`.

A run writes to a temporary folder, which is renamed when GATK has succeeded. So the folder of a job
is complete if it exists. Its ``job.json`` says what was run. A job is run again if an input, a
version or an argument has changed.
"""

from __future__ import annotations

import ctypes
import fcntl
import functools
import hashlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.request import pathname2url

from gkl_shim import paths
from gkl_shim.common._naming import naming
from gkl_shim.common._temporary import scratch
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import kernel_times, programs, run, swaps
from gkl_shim.validation.inputs import option_name, sha256

FOLDER = "{folder}"
"""Stands for the folder of a job in its arguments."""

_DESCRIPTION = "job.json"
_FULL = b"No space left on device"
# More than nothing, because a JVM that fails on a full disk deletes its unfinished files.
_LEAST_FREE = 16 << 20
_TMPDIR = "-Djava.io.tmpdir="
_OTHER_REFERENCE = "incompatible contigs"
_KIB = 1024
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_GRACE_SECONDS = 0.3


class Progress(Protocol):
    """Is told what happens."""

    def stage(self, title: str, total: int) -> None:
        """Begin a stage of `total` runs."""

    def done(self, name: str) -> None:
        """Count a run that is done."""


@dataclass(frozen=True)
class Job:
    """A run of GATK."""

    name: str
    folder: Path
    """Where its results are kept."""
    arguments: tuple[str, ...]
    """The tool and its arguments. `FOLDER` stands for the folder."""
    inputs: tuple[str, ...] = ()
    """The checksums of its inputs, or the keys of the jobs that make them."""
    swap: swaps.Swap = swaps.STOCK
    inside: bool = False
    """Whether GATK runs in the folder, and has its temporary files beside it. Arguments then name
    outputs without the folder, so a command line that an output holds is the same in each run."""

    def file(self, name: str) -> Path:
        """Return a file of its results."""
        return self.folder / name

    @property
    def log(self) -> Path:
        """The log, also of a run that failed."""
        return self.folder.with_name(self.folder.name + ".log")

    def forget(self) -> None:
        """Let the next call of `Runner.run` run it again."""
        self.file(_DESCRIPTION).unlink(missing_ok=True)


@dataclass(frozen=True)
class Result:
    """What a run took and said."""

    key: str
    """The SHA-256 of all that its results depend on."""
    arguments: list[str]
    seconds: float
    cpu_seconds: float
    """User and system time of the whole JVM."""
    peak_mib: float
    """The most memory that was resident."""
    kernel_seconds: dict[str, float]
    """By the clock that counts all threads: see `gkl_shim.gatk.run.Run.kernel_seconds`."""
    aligns_in_java: bool
    """Whether Smith-Waterman was GATK's Java code: see `gkl_shim.gatk.kernel_times`."""
    said: list[str]
    """The lines of gkl-shim in the log."""
    versions: list[str]
    """The lines of the log that name versions."""
    sizes: dict[str, int]
    """The bytes of each file."""

    @property
    def log(self) -> bytes:
        """The lines of gkl-shim, as they are in the log."""
        return "\n".join(self.said).encode()


@dataclass
class _Running:
    """A JVM that runs, and what it holds."""

    job: Job
    key: str
    process: subprocess.Popen[bytes]
    folder: Path
    started: float
    stack: ExitStack


class Runner:
    """Runs jobs.

    Parameters
    ----------
    classpath
        GATK's class path.
    java_options
        Options for each JVM.
    parallel
        How many runs there are at a time.
    progress
        Is told of each run.
    """

    def __init__(
        self, classpath: str, java_options: Sequence[str], parallel: int, progress: Progress
    ) -> None:
        # A job may run in another folder.
        self._classpath = ":".join(str(Path(entry).absolute()) for entry in classpath.split(":"))
        self._java_options = list(java_options)
        self._parallel = parallel
        self._progress = progress
        self._stock = [[jar.name, jar.stat().st_size, jar.stat().st_mtime_ns]
                       for jar in swaps.jars(classpath)]  # fmt: skip
        self._java = [programs.java(), programs.java_version()]
        self._shim = [sha256(paths.agent_jar()), sha256(paths.library())]

    def key(self, job: Job) -> str:
        """Return the SHA-256 of all that the results of a job depend on."""
        # Where temporary files are changes no result.
        options = [text for text in self._java_options if not text.startswith(_TMPDIR)]
        parts = [job.arguments, job.inputs, self._stock, self._java, options,
                 _settings(job.swap)]  # fmt: skip
        if job.swap != swaps.STOCK:
            parts.append(self._shim)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def run(self, title: str, jobs: Sequence[Job]) -> list[Result]:
        """Run the jobs whose results are not there, and return all results in order.

        Raises
        ------
        MissingComponent
            If GATK fails. Other runs are ended, too; what is finished is kept.
        """
        keys = [self.key(job) for job in jobs]
        kept = [_kept(job, key) for job, key in zip(jobs, keys, strict=True)]
        waiting = [(job, key) for job, key, old in zip(jobs, keys, kept, strict=True) if not old]
        self._progress.stage(title, len(waiting))
        self._run_all(waiting)
        results = []
        for job, key, old in zip(jobs, keys, kept, strict=True):
            result = old or _kept(job, key)
            if result is None:
                raise MissingComponent(f"{job.folder}: another program has changed it; try again")
            results.append(result)
        return results

    def _run_all(self, waiting: list[tuple[Job, str]]) -> None:
        running: dict[int, _Running] = {}
        try:
            for job, key in waiting:
                while len(running) >= self._parallel:
                    self._finish_one(running)
                started = self._start(job, key)
                running[started.process.pid] = started
            while running:
                self._finish_one(running)
        finally:
            _end(list(running.values()))

    def _start(self, job: Job, key: str) -> _Running:
        with naming(str(job.folder)):
            job.folder.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            # The folder inside has ordinary permissions, and is what gets the job's name.
            private = stack.enter_context(scratch(job.folder.parent))
            folder = private / "results"
            folder.mkdir()
            options = self._java_options
            if _has_own_temporary_folder(job, options):
                (private / "temporary").mkdir()
                options = [f"{_TMPDIR}{private / 'temporary'}", *options]
            arguments = _filled(job.arguments, folder)
            command = run.java_command(arguments, self._classpath, job.swap, options)
            # A JVM of a killed command may still write to the old log.
            job.log.unlink(missing_ok=True)
            with job.log.open("wb") as log:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    cwd=folder if job.inside else None,
                    env=_environment(job.swap),
                    preexec_fn=functools.partial(_end_with, os.getpid()),
                )
            return _Running(job, key, process, folder, time.monotonic(), stack.pop_all())

    def _finish_one(self, running: dict[int, _Running]) -> None:
        """Wait for the next run that ends, and give its folder its name."""
        process_id, status, usage = os.wait3(0)
        if process_id not in running:
            return
        done = running.pop(process_id)
        done.process.returncode = os.waitstatus_to_exitcode(status)
        with done.stack:
            seconds = time.monotonic() - done.started
            log = done.job.log.read_bytes()
            finished = run.Run(
                done.job.arguments, done.process.returncode, seconds, log, done.job.swap
            )
            if finished.returncode != 0:
                raise MissingComponent(_failure(done.job, finished, self._java_options))
            lines = log.decode(errors="replace").splitlines()
            said = [line for line in lines if line.startswith("[gkl-shim ")]
            _require_own_swap(done.job, said, self._java_options)
            result = Result(
                key=done.key,
                arguments=_filled(done.job.arguments, done.job.folder),
                seconds=seconds,
                cpu_seconds=usage.ru_utime + usage.ru_stime,
                peak_mib=usage.ru_maxrss / _KIB,
                kernel_seconds=finished.kernel_seconds,
                aligns_in_java=kernel_times.aligns_in_java(log),
                said=said,
                versions=_versions(lines),
                sizes=_sizes(done.folder),
            )
            _put(done.folder, done.job.folder, result)
        self._progress.done(done.job.name)


def _end_with(parent: int) -> None:
    """Let the kernel end this process, a new JVM, when the thread that made it ends.

    That is this command's main thread, so a JVM does not outlive a command that was killed. There
    are system calls only, because other threads may have held locks.
    """
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it has ended already
        os._exit(1)


def _filled(arguments: Sequence[str], folder: Path) -> list[str]:
    return [argument.replace(FOLDER, str(folder)) for argument in arguments]


def _environment(swap: swaps.Swap) -> dict[str, str]:
    """Return the variables of a run. gkl-shim says in the log whether it computed."""
    return {**swap.environment(os.environ), "GKL_SHIM_LOG": "info"}


def _settings(swap: swaps.Swap) -> dict[str, str]:
    """Return the variables that may change the results of a run."""
    return {
        name: value
        for name, value in sorted(_environment(swap).items())
        if name in (*swaps.OPTION_VARIABLES, "JAVA_HOME")
        or (swap != swaps.STOCK and name.startswith("GKL_SHIM_"))
    }


def _kept(job: Job, key: str) -> Result | None:
    """Return the result of a finished job, or None if there is none of this key."""
    try:
        text: dict[str, Any] = json.loads((job.folder / _DESCRIPTION).read_text())
        result = Result(**text)
        return result if result.key == key and _sizes(job.folder) == result.sizes else None
    except (OSError, ValueError, TypeError):
        return None


def _sizes(folder: Path) -> dict[str, int]:
    return {
        path.name: path.stat().st_size
        for path in sorted(folder.iterdir())
        if path.name != _DESCRIPTION
    }


def _require_own_swap(job: Job, said: Sequence[str], java_options: Sequence[str]) -> None:
    """Refuse a run of stock GATK with gkl-shim, and a run without gkl-shim that should have it.

    This comes before the run is kept, because what caused it may change without another key.
    """
    if job.swap == swaps.STOCK and said:
        options = {name: os.environ.get(name, "") for name in swaps.OPTION_VARIABLES}
        options["--java-options"] = " ".join(java_options)
        found = [name for name, text in options.items() if "-javaagent:" in text]
        where = " and ".join(found) or "GATK's class path and the files of options for Java"
        raise MissingComponent(
            f"{job.name}: stock GATK ran with gkl-shim, see {job.log}; remove it from {where}"
        )
    if job.swap != swaps.STOCK and not said:
        raise MissingComponent(
            f"{job.name}: gkl-shim did not run in GATK, see {job.log}; {programs.java()} may be a "
            "script that drops JAVA_TOOL_OPTIONS, or -Dgkl.shim.log=quiet silences gkl-shim"
        )


def _put(folder: Path, target: Path, result: Result) -> None:
    with naming(str(target)):
        (folder / _DESCRIPTION).write_text(json.dumps(asdict(result), indent=1))
        if target.exists():
            shutil.rmtree(target)
        folder.replace(target)


def _versions(lines: Sequence[str]) -> list[str]:
    marks = ("The Genome Analysis Toolkit (GATK) v", "HTSJDK Version:", "Picard Version:",
             "Java runtime:")  # fmt: skip
    found = (line[line.index(mark) :] for line in lines for mark in marks if mark in line)
    return list(dict.fromkeys(found))


def _failure(job: Job, done: run.Run, java_options: Sequence[str]) -> str:
    advice = "; give the reference of these files" if _OTHER_REFERENCE in done.complaint else ""
    advice += _about_space(job, done, java_options)
    return f"{job.name}: {job.arguments[0]} failed, see {job.log}: {done.complaint}{advice}"


def _about_space(job: Job, done: run.Run, java_options: Sequence[str]) -> str:
    """Return which folder is full, and what to do. The log cannot say so if it is full itself."""
    output, temporary = job.folder.parent, _temporary_folder(job, java_options)
    # They may be the same.
    remedies = {
        temporary: f"give another folder with --java-options {_TMPDIR}FOLDER",
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
    own = _has_own_temporary_folder(job, java_options)
    return Path(given[-1]) if given else job.folder.parent if own else Path("/tmp")


def _has_own_temporary_folder(job: Job, java_options: Sequence[str]) -> bool:
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
    return [text.removeprefix(_TMPDIR) for text in options if text.startswith(_TMPDIR)]


def _end(running: Sequence[_Running]) -> None:
    """End runs, and remove what they have written."""
    for item in running:
        item.process.terminate()
    deadline = time.monotonic() + _GRACE_SECONDS
    for item in running:
        with item.stack:
            try:
                item.process.wait(max(0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                item.process.kill()
                item.process.wait()


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Refuse a folder that another command writes to."""
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise MissingComponent(
                f"{folder}: another gkl-shim validate writes there; give another --output"
            ) from None
        except OSError:  # a file system without locks
            pass
        yield
