"""The scripts in benchmarks/ start from the repository, and the package does without them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

SCRIPTS = sorted(
    path.stem
    for path in (ROOT / "benchmarks").glob("*.py")
    if path.stem not in ("__init__", "speed_picture")
)


def python(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("script", SCRIPTS)
def test_help(script: str) -> None:
    done = python("-m", f"benchmarks.{script}", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--json FILE" in done.stdout


def test_they_measure_the_installed_package() -> None:
    done = python("-c", "import benchmarks, gkl_shim; print(gkl_shim.__file__)")
    assert Path(done.stdout.strip()).parent != ROOT / "gkl_shim"


def test_an_error_is_one_line() -> None:
    done = python("-m", "benchmarks.prefilter_papers", "absent.tsv")
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["error: [Errno 2] No such file or directory: 'absent.tsv'"]


def test_the_package_imports_neither_them_nor_the_command_line(tmp_path: Path) -> None:
    code = """
import sys
from gkl_shim import pairhmm, prefilter
from gkl_shim.cuda import embedded, pairhmm, prefilter
print([name for name in sys.modules if name.split(".")[0] in ("benchmarks", "click")])
from gkl_shim.cli import bench
print([name for name in sys.modules if name.split(".")[0] in ("benchmarks", "matplotlib")])
"""
    done = python("-c", code, folder=tmp_path)
    assert (done.stdout, done.stderr) == ("[]\n[]\n", "")


@pytest.mark.parametrize("plot", ["x.bmp", "x"])
def test_an_unknown_kind_of_plot(plot: str) -> None:
    done = python("-m", "benchmarks.pairhmm_papers", "--plot", plot)
    assert done.returncode == 2
    assert f"{plot}: the name must end in .png, .svg, .pdf" in done.stderr
