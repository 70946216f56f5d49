"""Snakemake, and inputs of the workflow."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, require_tool

SNAKEFILE = ROOT / "workflow" / "Snakefile"

Snakemake = Callable[..., subprocess.Popen[str]]


@pytest.fixture(scope="session")
def snakemake() -> Snakemake:
    """Start Snakemake with the workflow in a folder."""
    program = require_tool("snakemake")
    # The jobs find this environment's `gkl-shim`.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    def start(folder: Path, *arguments: str, path: str = path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [program, "--snakefile", str(SNAKEFILE), *arguments],
            cwd=folder,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    return start


def write_inputs(folder: Path, reads: dict[str, str], **configuration: object) -> None:
    """Write a samples sheet and a configuration."""
    (folder / "config").mkdir(parents=True, exist_ok=True)
    lines = [f"{sample}\t{path}\n" for sample, path in reads.items()]
    (folder / "config" / "samples.tsv").write_text("sample\treads\n" + "".join(lines))
    entries = {"samples": "config/samples.tsv", **configuration}
    text = "".join(f"{key}: {value}\n" for key, value in entries.items())
    (folder / "config" / "config.yaml").write_text(text)
