"""The scripts in benchmarks/ start, and the package does without them."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.common import report
from tests.conftest import ROOT

BENCHMARKS = ROOT / "benchmarks"
#: Their names below the folder, such as `gpu.mem_cuda`.
SCRIPTS = sorted(
    ".".join(path.relative_to(BENCHMARKS).with_suffix("").parts)
    for path in (*BENCHMARKS.glob("*.py"), *BENCHMARKS.glob("gpu/*.py"))
    if path.stem != "__init__"
)


def python(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("script", SCRIPTS)
def test_help(script: str) -> None:
    module = importlib.import_module(f"benchmarks.{script}")
    done = CliRunner().invoke(module.command, ["--help"], catch_exceptions=False)
    assert done.exit_code == 0
    assert f"python -m benchmarks.{script}" in module.__doc__


def test_a_script_runs_from_the_repository_and_measures_the_installed_package() -> None:
    done = python("-m", "benchmarks.correct_peers", "--ecoli", "absent.fa", "--human", "absent.fa")
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["error: absent.fa: No such file or directory"]
    done = python("-c", "import benchmarks, gkl_shim; print(gkl_shim.__file__)")
    assert Path(done.stdout.strip()).parent != ROOT / "gkl_shim"


def test_the_package_imports_no_benchmarks(tmp_path: Path) -> None:
    code = """
import sys
from gkl_shim import pairhmm, prefilter
from gkl_shim.cuda import opened_by_library
import gkl_shim.pairhmm._cuda, gkl_shim.prefilter._cuda
print([name for name in sys.modules if name.split(".")[0] in ("benchmarks", "click")])
from gkl_shim.cli import bench
print([name for name in sys.modules if name.split(".")[0] in ("benchmarks", "matplotlib")])
"""
    done = python("-c", code, folder=tmp_path)
    assert (done.stdout, done.stderr) == ("[]\n[]\n", "")


def test_a_report_names_the_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    monkeypatch.setattr(report, "_ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert report.about()["commit"] is None
    git("init", "-q")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "-q", "-m", "a file")
    head = git("rev-parse", "HEAD")
    assert report.about()["commit"] == head[:12]
    (tmp_path / "file").write_text("two")
    assert report.about()["commit"] == f"{head[:12]}-dirty"


def test_the_readme_lists_every_script_and_every_result() -> None:
    listed = re.findall(r"^\| `([\w/]+)\.py` \|", (BENCHMARKS / "README.md").read_text(), re.M)
    assert sorted(name.replace("/", ".") for name in listed) == SCRIPTS
    results = BENCHMARKS / "results"
    listed = re.findall(r"^\| `([\w/-]+\.json)`", (results / "README.md").read_text(), re.M)
    assert sorted(listed) == sorted(
        str(path.relative_to(results)) for path in results.rglob("*.json")
    )


@pytest.mark.parametrize("text", ["README.md", "CHANGELOG.md", "benchmarks", "docs", "gkl_shim"])
def test_scripts_that_are_named_exist(text: str) -> None:
    path = ROOT / text
    files = [*path.rglob("*.md"), *path.rglob("*.py")] if path.is_dir() else [path]
    for file in files:
        content = file.read_text(encoding="utf-8")
        for script in re.findall(r"\bbenchmarks[./]((?:gpu[./])?\w+)(?:\.py)?\b", content):
            names = [*SCRIPTS, "README", "common", "results", "gpu.NAME", "X"]
            assert script.replace("/", ".") in names, f"{file}: {script}"


@pytest.mark.parametrize(
    "path", sorted((BENCHMARKS / "results").rglob("*.json")), ids=lambda path: path.stem
)
def test_results_name_the_machine_and_the_commit(path: Path) -> None:
    found = json.loads(path.read_text())
    assert {"machine", "device", "devices"} & set(found)
    assert re.fullmatch(r"[0-9a-f]{7,40}(-dirty)?", found["commit"])
