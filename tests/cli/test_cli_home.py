"""Without a usable home directory, only commands that need the cache fail, with one line."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli import shim_command
from tests.cli.shim_command import COMMAND, REGIONS, one_error

_VARIABLES = ("HOME", "XDG_CACHE_HOME", "GKL_SHIM_CACHE", "GATK_LOCAL_JAR", "GATK_CLASSPATH")

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


# If HOME is not set, Python looks in the password file.
NO_ENTRY = """
import pwd

def getpwuid(number):
    raise KeyError(f"getpwuid(): uid not found: {number}")

pwd.getpwuid = getpwuid
"""


@pytest.fixture(params=["unset", "not to be written"])
def without_home(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Run, str]:
    """Return a function that runs ``gkl-shim`` without a home, and the expected message."""
    environment = {name: value for name, value in os.environ.items() if name not in _VARIABLES}
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.in").write_bytes(REGIONS)
    # Nothing is downloaded, even if a cache is found.
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mvn").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bin" / "mvn").chmod(0o755)
    environment["PATH"] = f"{tmp_path / 'bin'}:{environment['PATH']}"
    if request.param == "unset":
        (tmp_path / "sitecustomize.py").write_text(NO_ENTRY)
        environment["PYTHONPATH"] = f"{tmp_path}:{environment.get('PYTHONPATH', '')}".rstrip(":")
        wrong = "there is no home directory"
    else:
        environment["HOME"] = "/proc/self"  # not even by root
        wrong = "/proc/self/.cache/gkl-shim: No such file or directory"

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=folder,
            env=environment,
            check=False,
            timeout=300,
        )

    return run, wrong


def test_the_demo_asks_for_a_cache_folder(without_home: tuple[Run, str]) -> None:
    run, wrong = without_home
    message = one_error(run("demo", "-o", "out"))
    assert wrong in message
    assert message.endswith("set GKL_SHIM_CACHE to a folder that can be written")
    # The jar can be given instead.
    message = one_error(run("gatk", "HaplotypeCaller"))
    assert "give its jar with --classpath, or set GATK_LOCAL_JAR" in message


def test_other_commands_run_without_a_home(without_home: tuple[Run, str]) -> None:
    run, _ = without_home
    assert run("pairhmm", "a.in").returncode == 0
    assert run("env").returncode == 0
    assert run("bench", "pairhmm", "a.in", "--seconds", "0.01").returncode == 0
    done = run("doctor", "--json", "-")
    assert (done.returncode, done.stderr) == (0, b"")
    found = {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert found["GATK"]["state"] == "missing"


# CuPy makes the folder of its compiled kernels when it is imported.
CUPY = """
import os

folder = os.environ.get("CUPY_CACHE_DIR", os.path.expanduser("~/.cupy/kernel_cache"))
os.makedirs(folder, exist_ok=True)
"""


def test_cupy_without_a_home_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cupy.py").write_text(CUPY)
    (tmp_path / "a.in").write_bytes(REGIONS)
    monkeypatch.delenv("CUPY_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", "/proc/self")  # not to be written, even by root
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    wanted = "CUDA needs CuPy, which cannot make its folder /proc/self/.cupy (No such file or "
    wanted += "directory); set CUPY_CACHE_DIR to a folder that can be written"
    assert shim_command.doctor(tmp_path)["GPU"] == ("missing", wanted)
    done = shim_command.run(tmp_path, "pairhmm", "a.in", "--backend", "cuda")
    assert wanted in one_error(done)
