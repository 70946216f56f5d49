"""PDHMM from C: the library for aarch64 under emulation."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import gkl_shim
from tests.conftest import DATA, require_tool

DRIVER = Path(__file__).parent / "driver.c"
RECORDED = DATA / "chr22_dragen.pdhmm.in"


def compiled(compiler: str, library: Path, folder: Path) -> Path:
    program = folder / "driver"
    include = gkl_shim.paths.header().parent
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I", include]
    link = [library, f"-Wl,-rpath,{library.parent}"]
    subprocess.run([compiler, *flags, DRIVER, "-o", program, *link], check=True)
    return program


def run(command: list[str], build: str, threads: int) -> str:
    done = subprocess.run(
        [*command, str(RECORDED), build, str(threads)], check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("native")
    return [str(compiled(require_tool("cc"), gkl_shim.paths.library(), folder))]


@pytest.fixture(scope="module")
def aarch64(
    tmp_path_factory: pytest.TempPathFactory,
    aarch64_compiler: str,
    aarch64_emulator: list[str],
    aarch64_library: Path,
) -> list[str]:
    folder = tmp_path_factory.mktemp("aarch64")
    return [*aarch64_emulator, str(compiled(aarch64_compiler, aarch64_library, folder))]


def test_recorded_regions(native: list[str]) -> None:
    values = [float.fromhex(line) for line in run(native, "portable", 1).splitlines()]
    np.testing.assert_allclose(values, np.loadtxt(RECORDED.with_suffix(".log10")), atol=1e-9)


@pytest.mark.parametrize("build", ["neon", "portable"])
def test_aarch64_has_the_same_bits(native: list[str], aarch64: list[str], build: str) -> None:
    assert run(aarch64, build, 2) == run(native, "portable", 1)
