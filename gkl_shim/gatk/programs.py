"""Find Java and other programs, and never run one of the working directory."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gkl_shim.errors import MissingComponent

_COMMAND_SECONDS = 30

# What a JVM that does not start says in addition to the reason.
_NO_START = (
    "Error occurred during initialization of VM",
    "Error: Could not create the Java Virtual Machine.",
    "Error: A fatal exception has occurred. Program will exit.",
)


def java() -> str:
    """Return the ``java`` command in ``JAVA_HOME`` or, if there is none, on the PATH."""
    home = environment().get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").is_file():
        return str(Path(home) / "bin" / "java")
    return find("java", "install Java 17 (Debian: apt install openjdk-17-jre-headless)")


def java_version(without: Collection[str] = ()) -> str:
    """Return the version of `java`, such as 17.0.15.

    Parameters
    ----------
    without
        Variables of the environment that are not passed on.

    Raises
    ------
    MissingComponent
        If there is no Java, or it does not run. The text has the reason if Java gives one.
    """
    return _version([java(), "-version"], r'version "([^"]+)"', without)


def start_fault(output: str) -> str | None:
    """Return why a JVM did not start, by what it wrote, or None if it started."""
    lines = [line.strip() for line in output.splitlines()]
    if not set(_NO_START).intersection(lines):
        return None
    return "; ".join(
        line for line in lines if line and line not in _NO_START and "Picked up " not in line
    )


def maven() -> str:
    """Return the ``mvn`` command on the PATH."""
    return find("mvn", "install Maven (Debian: apt install maven)")


def maven_version() -> str:
    """Return the version of `maven`, such as 3.8.7.

    Raises
    ------
    MissingComponent
        If there is no Maven, or it does not run.
    """
    return _version([maven(), "--version"], r"Apache Maven ([\w.-]+)")


def _version(command: list[str], pattern: str, without: Collection[str] = ()) -> str:
    variables = environment()
    for name in without:
        variables.pop(name, None)
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=variables,
            timeout=_COMMAND_SECONDS,
            check=False,
            text=True,
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired):
        raise MissingComponent(f"{command[0]} does not run") from None
    version = re.search(pattern, done.stdout)
    if done.returncode != 0 or version is None:
        reason = start_fault(done.stdout)
        raise MissingComponent(f"{command[0]} does not run" + (f": {reason}" if reason else ""))
    return version[1]


def find(name: str, advice: str) -> str:
    """Return the path of a command. If it is not installed, raise MissingComponent with advice."""
    path = shutil.which(name, path=environment()["PATH"])
    if path is None:
        raise MissingComponent(f"{name}: not found on the PATH; {advice}")
    return path


def environment() -> dict[str, str]:
    """Return the environment in which to find and run tools.

    It is the environment of this process, without relative or empty entries in PATH and without a
    relative JAVA_HOME. With those, programs could come from a working directory that another user
    controls. Maven takes no options from a folder .mvn in or above the folder that it works in.
    """
    variables = dict(os.environ)
    entries = variables.get("PATH", os.defpath).split(os.pathsep)
    variables["PATH"] = os.pathsep.join(entry for entry in entries if Path(entry).is_absolute())
    if not Path(variables.get("JAVA_HOME", "/")).is_absolute():
        del variables["JAVA_HOME"]
    variables["MAVEN_BASEDIR"] = "/"
    return variables


@contextmanager
def ending(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Terminate a process if the ``with`` block raises an exception."""
    try:
        yield
    except BaseException:
        process.terminate()
        raise
