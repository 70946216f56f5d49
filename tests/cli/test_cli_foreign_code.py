"""Commands run no program of the working directory, whatever the environment says."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from gkl_shim import paths
from gkl_shim.cli import env
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import archive, fetch, gkl, programs, run, swaps
from tests.cli import shim_command
from tests.conftest import ROOT, require_tool


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


def test_doctor_runs_no_program_of_the_working_directory(trap: Trap) -> None:
    setting = {"PATH": f":.:bin:./bin:{os.environ['PATH']}", "JAVA_HOME": "."}
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


def test_empty_entries_of_a_class_path_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = tmp_path / "gatk.jar"
    jar.touch()
    monkeypatch.delenv("GATK_LOCAL_JAR", raising=False)
    for text in (f":{jar}", f"{jar}:", f"{jar}::{jar}"):
        monkeypatch.setenv("GATK_CLASSPATH", text)
        assert set(run.find_classpath().split(":")) == {str(jar)}


def test_a_relative_cache_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GKL_SHIM_CACHE", "cache")
    with pytest.raises(MissingComponent, match="GKL_SHIM_CACHE=cache is not an absolute path"):
        fetch.cache()
    monkeypatch.delenv("GKL_SHIM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert fetch.cache() == Path.home() / ".cache" / "gkl-shim"
    for home in ("", "."):
        monkeypatch.setenv("HOME", home)
        with pytest.raises(MissingComponent, match="there is no home directory"):
            fetch.cache()


@pytest.fixture
def no_other_gatk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands look for GATK in the cache."""
    for name in ("GATK_CLASSPATH", "GATK_LOCAL_JAR", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


def test_commands_say_why_the_chosen_cache_is_refused(
    no_other_gatk: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    monkeypatch.setenv("GKL_SHIM_CACHE", str(cache))
    code, message = shim_command.refused(tmp_path, "gatk", "HaplotypeCaller")
    assert code != 0
    assert message.endswith(f"others can write to {cache}; set GKL_SHIM_CACHE to another folder")
    found = shim_command.doctor(tmp_path)
    assert found["GATK"] == ("failed", message)
    assert found["native library"][0] == "ok"


def test_a_default_cache_that_others_can_change_counts_as_empty(
    no_other_gatk: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GKL_SHIM_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache = tmp_path / "gkl-shim"
    cache.mkdir()
    jar = tmp_path / "gatk.jar"
    jar.touch()
    (cache / f"{fetch.gatk_name()}.classpath").write_text(str(jar))
    cache.chmod(0o777)
    assert run.known_classpath() is None


def test_empty_entries_of_gkls_class_path_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = tmp_path / "gkl.jar"
    jar.touch()
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert gkl.classpath(f":{jar}::") == (str(jar), None)
    monkeypatch.setenv("GKL_SHIM_CACHE", str(tmp_path / "absent"))
    assert gkl.classpath("")[0] is None


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the library in a folder, and a link to it as ``GKL_SHIM_LIBRARY``."""
    folder = tmp_path / "shared"
    folder.mkdir()
    copy = folder / "lib.so"
    copy.write_bytes(paths.library().read_bytes())
    (tmp_path / "link.so").symlink_to(copy)
    monkeypatch.setenv("GKL_SHIM_LIBRARY", str(tmp_path / "link.so"))
    assert paths.library() == copy
    return copy


def test_a_library_that_others_can_change_is_refused(library: Path) -> None:
    """tests/python_host/test_safe_file.py has all ways to change it."""
    for changed in (library, library.parent):
        before = changed.stat().st_mode
        changed.chmod(0o777)
        with pytest.raises(MissingComponent, match=f"not loaded: others can write to {changed}$"):
            paths.library()
        changed.chmod(before)
    library.parent.chmod(0o1777)
    assert paths.library() == library


def env_refuses(folder: Path) -> set[tuple[int, str]]:
    """Return why `env` writes neither archived classes nor a library into a folder."""
    return {
        shim_command.refused(folder.parent, "env", *option.split(), folder, "-c", __file__)
        for option in ("--archive", "--swap library-path --output")
    }


def test_a_folder_that_others_can_change_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GATK, Maven's plug-ins, archived classes and libraries would be run from there."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "below").mkdir()
    for path in (folder, folder / "below", folder / "not yet" / "below"):
        folder.chmod(0o777)
        monkeypatch.setenv("GKL_SHIM_CACHE", str(path))
        for use in (fetch.cache, lambda path=path: swaps.require_own(path)):
            with pytest.raises(MissingComponent, match=f"from {path}: others can write to"):
                use()
        folder.chmod(0o755)
        swaps.require_own(path)
        assert fetch.cache() == path
    # With the sticky bit, others can add files to it, but remove none.
    for mode in (0o777, 0o1777):
        folder.chmod(mode)
        told = f"no code is loaded from {folder}: others can write to {folder}; use another folder"
        assert env_refuses(folder) == {(1, told)}


def test_archived_classes_that_others_can_change_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = tmp_path / swaps.ARCHIVE_NAME
    found.touch()
    monkeypatch.setattr(archive, "_fits", lambda *_: True)
    assert archive.for_gatk("gatk.jar", tmp_path) == found
    found.chmod(0o666)
    with pytest.raises(MissingComponent, match=f"others can write to {found}"):
        archive.for_gatk("gatk.jar", tmp_path)


def test_a_new_folder_that_others_can_change_is_refused(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with pytest.raises(MissingComponent, match="others can write to"):
            swaps.make_own(tmp_path / "new")
    finally:
        os.umask(before)


def test_a_path_that_a_jvm_would_divide_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The part behind a colon would be a folder of the working directory."""
    folder = tmp_path / "a:b"
    told = f'{folder}: a JVM divides this path at ":"; use a folder without it'
    assert env_refuses(folder) == {(1, told)}
    monkeypatch.setattr(paths, "agent_jar", lambda: tmp_path / "a=b" / "agent.jar")
    with pytest.raises(MissingComponent, match=r'a=b/agent\.jar: a JVM divides this path at "="'):
        swaps.agent()


NAMES = ["a b", "it's", 'say "x"', "$(touch found)", "`touch found`", "a\ntouch found\n#", "-n",
         "a;touch found", "a\\", "*", "~", "caf\u00e9", "\udcff", "\ttab"]  # fmt: skip


@pytest.mark.usefixtures("many_cpus")
@pytest.mark.parametrize("name", NAMES)
def test_what_env_prints_sets_variables_and_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """gkl-shim may be installed in any folder."""
    folder = tmp_path / name
    folder.mkdir()
    jar = folder / "gkl-shim.jar"
    monkeypatch.setattr(paths, "agent_jar", lambda: jar)
    monkeypatch.setattr(env, "_warns_of_libraries", lambda: False)
    monkeypatch.delenv("JAVA_TOOL_OPTIONS", raising=False)
    done = CliRunner().invoke(env.command, [])
    assert done.exit_code == 0, done.output
    show = b'printf "%s" "$JAVA_TOOL_OPTIONS" >options'
    subprocess.run(
        ["sh", "-c", done.stdout_bytes + show], cwd=tmp_path, env={}, check=True, timeout=30
    )
    assert sorted(tmp_path.iterdir()) == sorted([folder, tmp_path / "options"])
    options = os.fsdecode((tmp_path / "options").read_bytes())
    assert options_of_jvm(options) == [f"-javaagent:{jar}"]


def test_csh_sets_all_variables_that_env_prints(tmp_path: Path) -> None:
    """With CuPy, there are two."""
    tcsh = require_tool("tcsh")
    (tmp_path / "cupy.py").touch()
    setting = {"PYTHONPATH": str(tmp_path), "JAVA_TOOL_OPTIONS": "-Da='b  c'"}
    setting["PATH"] = f"{shim_command.COMMAND.parent}:{os.environ['PATH']}"
    report = json.loads(shim_command.run(tmp_path, "env", "--json", "-", env=setting).stdout)
    exports = report["environment"]
    assert list(exports) == ["JAVA_TOOL_OPTIONS", "GKL_SHIM_PYTHON"]
    text = (ROOT / "docs" / "gatk.md").read_text(encoding="utf-8")
    recipe = text.partition("```csh\n")[2].partition("```")[0]
    show = "".join(f"printenv {name}\n" for name in exports)
    done = subprocess.run(
        [tcsh, "-f"], input=recipe + show, env={**os.environ, **setting}, capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.stdout.splitlines(), done.stderr) == (list(exports.values()), "")


def options_of_jvm(text: str) -> list[str]:
    """Divide JAVA_TOOL_OPTIONS as a JVM does: like a shell, but a backslash is an ordinary byte."""
    words = shlex.shlex(text, posix=True)
    words.whitespace_split = True
    words.commenters = words.escape = ""
    return list(words)


def test_options_for_java_that_the_user_has_set_are_kept() -> None:
    """Only ASCII has white space for a JVM."""
    options = ["-Da=b\N{NO-BREAK SPACE}c", "'-Dd=e f'", "-Dg=\x1ch"]
    before = {"JAVA_TOOL_OPTIONS": "\n".join(options)}
    assert swaps.STOCK.environment(before) == {"JAVA_TOOL_OPTIONS": " ".join(options)}
