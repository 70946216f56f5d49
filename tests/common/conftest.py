"""A library that makes requests for memory and threads fail."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import HEADER_FOLDERS, ROOT, require_tool


@pytest.fixture(scope="session")
def preloaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that makes requests for memory and threads fail, and that acts as a JVM."""
    library = tmp_path_factory.mktemp("scarce") / "scarce.so"
    sources = [Path(__file__).with_name("memory") / "scarce.c", ROOT / "tests" / "fakes" / "jvm.c"]
    jdk = Path(require_tool("javac")).resolve().parents[1] / "include"
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    flags += [f"-I{folder}" for folder in (*HEADER_FOLDERS, jdk, jdk / "linux")]
    subprocess.run([require_tool("cc"), *flags, *sources, "-o", library, "-ldl"], check=True)
    return library


@pytest.fixture
def run_main(preloaded: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run main() of a module of these tests with an argument, with the preloaded library."""

    def run(module: str, argument: str) -> subprocess.CompletedProcess[str]:
        # The tests' folder comes after the installed package, not before.
        program = f"import sys; sys.path.append({str(ROOT)!r}); from {module} import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", program, argument],
            env={**os.environ, "LD_PRELOAD": str(preloaded)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done

    return run
