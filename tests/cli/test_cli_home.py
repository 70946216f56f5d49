"""Without a usable home directory, only commands that need the cache fail, with one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.shim_command import REGIONS, doctor, one_error, run

_VARIABLES = ("HOME", "XDG_CACHE_HOME", "GKL_SHIM_CACHE", "GATK_LOCAL_JAR", "GATK_CLASSPATH")

# If HOME is not set, Python looks in the password file.
NO_ENTRY = """
import pwd

def getpwuid(number):
    raise KeyError(f"getpwuid(): uid not found: {number}")

pwd.getpwuid = getpwuid
"""


@pytest.fixture(params=["unset", "not to be written"])
def without_home(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """Let commands run without a home, and return the expected message."""
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "a.in").write_bytes(REGIONS)
    # Nothing is downloaded, even if a cache is found.
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mvn").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bin" / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    if request.param == "unset":
        (tmp_path / "sitecustomize.py").write_text(NO_ENTRY)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
        return "there is no home directory"
    monkeypatch.setenv("HOME", "/proc/self")  # not even by root
    return "/proc/self/.cache/gkl-shim: No such file or directory"


def test_the_demo_asks_for_a_cache_folder(without_home: str, tmp_path: Path) -> None:
    message = one_error(run(tmp_path, "demo", "-o", "out"))
    assert without_home in message
    assert message.endswith("set GKL_SHIM_CACHE to a folder that can be written")
    # The jar can be given instead.
    message = one_error(run(tmp_path, "gatk", "HaplotypeCaller"))
    assert "give its jar with --classpath, or set GATK_LOCAL_JAR" in message


@pytest.mark.usefixtures("without_home")
def test_other_commands_run_without_a_home(tmp_path: Path) -> None:
    for command in ("pairhmm a.in", "env", "bench pairhmm a.in --seconds 0.01"):
        assert run(tmp_path, *command.split()).returncode == 0
    found = doctor(tmp_path)
    assert found["GATK"][0] == "missing"
    assert "failed" not in {state for state, _ in found.values()}


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
    assert doctor(tmp_path)["GPU"] == ("missing", wanted)
    done = run(tmp_path, "pairhmm", "a.in", "--backend", "cuda")
    assert wanted in one_error(done)
