"""Commands run no program of the working directory, whatever the environment says."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch, programs, run
from tests.cli import shim_command
from tests.conftest import require_tool


class Trap:
    """A working directory with programs that commands look for. Each leaves a mark if it runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mark = folder / "mark"
        (folder / "bin").mkdir()
        for name in ("java", "mvn", "cc", "minimap2", "bwa", "samtools", "art_illumina"):
            for program in (folder / name, folder / "bin" / name):
                program.write_text(f"#!/bin/sh\necho $0 >> {self._mark}\n")
                program.chmod(0o755)

    @property
    def caught(self) -> str:
        return self._mark.read_text() if self._mark.exists() else ""


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    folder = tmp_path / "trap"
    folder.mkdir()
    return Trap(folder)


@pytest.mark.parametrize("entry", ["", ".", "bin", "./bin"])
def test_doctor_runs_no_program_of_the_working_directory(trap: Trap, entry: str) -> None:
    setting = {"PATH": f"{entry}:{os.environ['PATH']}", "JAVA_HOME": "."}
    done = shim_command.run(trap.folder, "doctor", env=setting)
    assert done.returncode == 0, done.stderr
    assert trap.caught == ""


@pytest.mark.parametrize("path", ["", ":", ".:bin"])
def test_no_tool_is_found_on_a_path_without_absolute_entries(
    trap: Trap, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(trap.folder)
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("JAVA_HOME", ".")
    for find in (programs.java, lambda: programs.find("minimap2", "it is needed")):
        with pytest.raises(MissingComponent, match="not found on the PATH"):
            find()


def test_options_for_maven_in_the_working_directory_are_ignored(tmp_path: Path) -> None:
    require_tool("mvn")
    (tmp_path / ".mvn").mkdir()
    (tmp_path / ".mvn" / "jvm.config").write_text("-XX:+NoSuchOption\n")
    below = tmp_path / "below"
    below.mkdir()
    for folder in (tmp_path, below):
        report = json.loads(shim_command.run(folder, "doctor", "--json").stdout)
        (maven,) = (found for found in report["findings"] if found["name"] == "Maven")
        assert maven["state"] == "ok", maven


def test_empty_entries_of_a_class_path_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = tmp_path / "gatk.jar"
    jar.touch()
    monkeypatch.delenv("GATK_LOCAL_JAR", raising=False)
    for text in (f":{jar}", f"{jar}:", f"{jar}::{jar}"):
        monkeypatch.setenv("GATK_CLASSPATH", text)
        assert set(run.find_classpath().split(":")) == {str(jar)}


def test_a_relative_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lib.so").touch()
    done = shim_command.run(tmp_path, "pairhmm", "-", env={"GKL_SHIM_LIBRARY": "lib.so"})
    said = shim_command.one_error(done)
    assert said == "GKL_SHIM_LIBRARY names lib.so, which is not an absolute path"


def test_a_relative_cache_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GKL_SHIM_CACHE", "cache")
    with pytest.raises(MissingComponent, match="GKL_SHIM_CACHE=cache is not an absolute path"):
        fetch.cache()
    monkeypatch.delenv("GKL_SHIM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert fetch.cache() == Path.home() / ".cache" / "gkl-shim"
