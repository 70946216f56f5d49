"""Runs jobs, several at a time, and keeps their results for the next `gkl-shim validate`.

A run writes to a temporary folder, which is renamed when GATK has succeeded.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gkl_shim import paths
from gkl_shim.common._naming import naming
from gkl_shim.common._temporary import scratch
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import kernel_times, programs, run, swaps
from gkl_shim.validation.inputs import sha256
from gkl_shim.validation.jobs import FOLDER, Job, Result, keep, kept_result, sizes
from gkl_shim.validation.temporary_folders import TMPDIR, about_space, has_own_temporary_folder

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
        options = [text for text in self._java_options if not text.startswith(TMPDIR)]
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
        kept = [kept_result(job, key) for job, key in zip(jobs, keys, strict=True)]
        waiting = [(job, key) for job, key, old in zip(jobs, keys, kept, strict=True) if not old]
        self._progress.stage(title, len(waiting))
        self._run_all(waiting)
        results = []
        for job, key, old in zip(jobs, keys, kept, strict=True):
            result = old or kept_result(job, key)
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
            if has_own_temporary_folder(job, options):
                (private / "temporary").mkdir()
                options = [f"{TMPDIR}{private / 'temporary'}", *options]
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
                sizes=sizes(done.folder),
            )
            keep(done.folder, done.job.folder, result)
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


def _versions(lines: Sequence[str]) -> list[str]:
    marks = ("The Genome Analysis Toolkit (GATK) v", "HTSJDK Version:", "Picard Version:",
             "Java runtime:")  # fmt: skip
    found = (line[line.index(mark) :] for line in lines for mark in marks if mark in line)
    return list(dict.fromkeys(found))


def _failure(job: Job, done: run.Run, java_options: Sequence[str]) -> str:
    advice = "; give the reference of these files" if _OTHER_REFERENCE in done.complaint else ""
    advice += about_space(job, done, java_options)
    return f"{job.name}: {job.arguments[0]} failed, see {job.log}: {done.complaint}{advice}"


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
