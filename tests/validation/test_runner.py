"""A run that fails ends the others, and names a full disk; a run depends on its Java."""

from __future__ import annotations

import shutil
import sys
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

from gkl_shim.errors import MissingComponent
from gkl_shim.validation.jobs import FOLDER, Job
from gkl_shim.validation.runner import Runner
from tests.conftest import ROOT
from tests.validation.fake_java import OPTIONS


class _Progress:
    def __init__(self) -> None:
        self.finished: list[str] = []

    def stage(self, title: str, total: int) -> None:
        pass

    def done(self, name: str) -> None:
        self.finished.append(name)


class _Usage(NamedTuple):
    free: int


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for Java, whose runs fail."""
    path = tmp_path / "bin" / "java"
    path.parent.mkdir()
    fake = ROOT / "tests" / "validation" / "fake_java.py"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{fake}" "$@"\n')
    path.chmod(0o755)
    (tmp_path / "gatk.jar").write_bytes(b"x")
    for name, value in {
        "JAVA_HOME": str(tmp_path), "JAVA_TOOL_OPTIONS": "", "FAKE_LOG": str(tmp_path / "runs"),
        "FAKE_TROUBLE": "odd", "FAKE_TROUBLE_AT": "",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    return path


def _runner(folder: Path, *options: str) -> Runner:
    return Runner(str(folder / "gatk.jar"), options, 1, _Progress())


def _children() -> str:
    """The processes that this thread has started, JVMs that other tests share among them."""
    return Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text()


@pytest.mark.parametrize(
    ("full", "options", "arguments", "said"),
    [
        ("", (), (), ""),
        ("out", (), (), "; OUT has less than 16 MiB left: make room, or start again"),
        ("/tmp", (), (), "; /tmp has less than 16 MiB left: make room, or give another"),
        ("temp", ("-Djava.io.tmpdir=s", "-Djava.io.tmpdir=temp"), (), "; temp has less than "),
        ("temp", ("-Djava.io.tmpdir=s",), ("--tmp-dir", "temp"), "; temp has less than "),
    ],
)
def test_a_full_disk_is_named(
    java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: str,
    options: tuple[str, ...], arguments: tuple[str, ...], said: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(
        shutil,
        "disk_usage",
        lambda folder: _Usage(1 << 10 if full and str(folder).endswith(full) else 1 << 30),
    )
    job = Job("x", tmp_path / "out" / "0000", ("HaplotypeCaller", *arguments))
    with pytest.raises(MissingComponent) as error:
        _runner(tmp_path, *options).run("x", [job])
    message = str(error.value)
    assert message.startswith(f"x: HaplotypeCaller failed, see {job.log}: exit code 1")
    assert said.replace("OUT", str(tmp_path / "out")) in message
    assert message.count("MiB left") == bool(full)


def test_a_full_disk_that_has_temporary_files_too(
    java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: _Usage(1 << 10))
    job = Job("x", tmp_path / "out" / "stock", ("MarkDuplicates",), inside=True)
    with pytest.raises(MissingComponent) as error:
        _runner(tmp_path).run("x", [job])
    assert str(error.value).endswith(
        f"; {tmp_path / 'out'} has less than 16 MiB left: make room, or start again with another "
        "--output; what is finished is kept"
    )
    temporary = f"-Djava.io.tmpdir={tmp_path / 'out'}/.gkl-shim."
    assert temporary in (tmp_path / "runs").read_text()
    # The user's own folder is used, also one of a variable and in quotes.
    own = f"-Djava.io.tmpdir={tmp_path}"
    for variable in (None, *OPTIONS):
        with monkeypatch.context() as patch:
            if variable is not None:
                patch.setenv(variable, f'-Xmx1g "{own}"')
            options = [own] if variable is None else []
            with pytest.raises(MissingComponent, match="give another folder with --java-options"):
                _runner(tmp_path, *options).run("x", [job])
        assert temporary not in (tmp_path / "runs").read_text().splitlines()[-1]


def test_a_run_that_fails_ends_those_beside_it(
    java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has finished is kept."""
    monkeypatch.setenv("FAKE_TROUBLE_AT", "--fails")
    monkeypatch.setenv("FAKE_HANG_AT", "--hangs")
    names = ("finishes", "hangs", "hangs too", "fails", "waits")
    arguments = ("HaplotypeCaller", "-O", f"{FOLDER}/out.vcf.gz")
    jobs = [
        Job(name, tmp_path / "out" / name, (*arguments, f"--{name.split()[0]}")) for name in names
    ]
    others = _children()
    progress = _Progress()
    runner = Runner(str(tmp_path / "gatk.jar"), (), 3, progress)
    with pytest.raises(MissingComponent, match=r"^fails: HaplotypeCaller failed"):
        runner.run("x", jobs)
    assert _children() == others
    assert progress.finished == ["finishes"]
    assert "--waits" not in (tmp_path / "runs").read_text()
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "finishes", *(f"{name}.log" for name in names[:4])
    }  # fmt: skip


def test_another_java_or_its_options_make_another_key(
    java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job("x", tmp_path / "out", ("HaplotypeCaller",))
    key = _runner(tmp_path).key(job)
    assert _runner(tmp_path, "-Djava.io.tmpdir=elsewhere").key(job) == key
    for name in OPTIONS:
        with monkeypatch.context() as patch:
            patch.setenv(name, "-Da=b")
            assert _runner(tmp_path).key(job) != key
    monkeypatch.setenv("FAKE_VERSION", "21.0.1")
    assert _runner(tmp_path).key(job) != key
    monkeypatch.delenv("JAVA_HOME")
    keys = set()
    for name in ("bin", "other"):
        (tmp_path / name).mkdir(exist_ok=True)
        if name == "other":
            shutil.copy(java, tmp_path / name / "java")
        monkeypatch.setenv("PATH", f"{tmp_path / name}:/usr/bin:/bin")
        keys.add(_runner(tmp_path).key(job))
    assert len(keys) == 2
