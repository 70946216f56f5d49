"""Snakemake, and inputs of the workflow."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, require_package, require_tool

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


Plan = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def plan() -> Plan:
    """Run Snakemake in forks of this process, because its import takes longer than a plan."""
    snakemake = require_package("snakemake.cli")
    own = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    def run(folder: Path, *arguments: str, path: str = own) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryFile("w+") as printed:
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    os.chdir(folder)
                    os.environ["PATH"] = path
                    for number in (1, 2):
                        os.dup2(printed.fileno(), number)
                    sys.stdout = sys.stderr = printed
                    snakemake.main(["--snakefile", str(SNAKEFILE), *arguments])
                except SystemExit as end:
                    code = int(end.code or 0)
                finally:
                    printed.flush()
                    os._exit(code)
            _, status = os.waitpid(child, 0)
            printed.seek(0)
            code = os.waitstatus_to_exitcode(status)
            return subprocess.CompletedProcess(arguments, code, printed.read())

    return run


def write_inputs(folder: Path, reads: dict[str, str], **configuration: object) -> None:
    """Write a samples sheet and a configuration."""
    (folder / "config").mkdir(parents=True, exist_ok=True)
    lines = [f"{sample}\t{path}\n" for sample, path in reads.items()]
    (folder / "config" / "samples.tsv").write_text("sample\treads\n" + "".join(lines))
    entries = {"samples": "config/samples.tsv", **configuration}
    text = "".join(f"{key}: {value}\n" for key, value in entries.items())
    (folder / "config" / "config.yaml").write_text(text)
