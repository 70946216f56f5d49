"""Modules of these tests that run in a process with little memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT


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
