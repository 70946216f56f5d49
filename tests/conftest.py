"""What all tests share: where the shared data is, and what to do about a missing tool."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent

#: The public C header, and the one for this project's own Python package and tests.
HEADER_FOLDERS = (ROOT / "kernels" / "include", ROOT / "kernels" / "internal")

# The tests try the installed package, not the source folder beside them.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != ROOT] + [str(ROOT)]

#: Committed; README.md there names the sources.
DATA = ROOT / "tests" / "data"
SHARED_DATA = ROOT.parent / "shared" / "data"

#: Where a missing tool comes from (Debian's names).
PACKAGES = {
    "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu",
    "art_illumina": "art-nextgen-simulation-tools",
    "bwa": "bwa",
    "c++": "g++",
    "cc": "gcc",
    "g++": "g++",
    "java": "openjdk-17-jdk",
    "javac": "openjdk-17-jdk",
    "minimap2": "minimap2",
    "mvn": "maven",
    "nm": "binutils",
    "qemu-aarch64": "qemu-user",
    "readelf": "binutils",
    "samtools": "samtools",
}


def require_tool(name: str) -> str:
    """A tool's path; where it is missing the test is skipped, under CI=true it fails."""
    path = shutil.which(name)
    if path is None:
        reason = f"{name} is not installed (Debian: {PACKAGES.get(name, name)})"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


def shared_data(*parts: str) -> Path:
    """A file or folder of the shared data; where it is absent, skip, or fail under CI=true."""
    path = SHARED_DATA.joinpath(*parts)
    if not path.exists():
        reason = f"no shared data: {Path('..', 'shared', 'data', *parts)} is absent"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


#: Recorded regions with known likelihoods: a few, committed, and the whole set.
RECORDED = ("10s_three_regions", "10s")


def recorded(name: str) -> tuple[Path, np.ndarray]:
    """One of `RECORDED`: the ``.in`` file, and each pair's log10 likelihood in 80-bit precision."""
    if name == "10s":
        regions, likelihoods = (shared_data("pairhmm", f"10s.{kind}") for kind in ("in", "log10"))
    else:
        regions, likelihoods = (DATA / f"{name}.{kind}" for kind in ("in", "log10"))
    return regions, np.loadtxt(likelihoods)


@pytest.fixture(scope="session")
def gpu() -> None:
    """A device: without one the test is skipped, and under GKL_SHIM_TEST_GPU=1 it fails."""
    from gkl_shim.cuda.devices import device_count
    from gkl_shim.errors import BackendUnavailable

    try:
        count = device_count()
        reason = "no CUDA device"
    except BackendUnavailable as error:
        count, reason = 0, str(error)
    if count:
        return
    if os.environ.get("GKL_SHIM_TEST_GPU") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
