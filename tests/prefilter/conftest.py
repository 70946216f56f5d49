"""The CUDA engine without a device: its kernels compiled for the host, and a fake CuPy."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.cuda import prefilter as launcher
from tests.conftest import ROOT, require_tool
from tests.prefilter.fake_cupy import FakeCuPy


@pytest.fixture(scope="session")
def host_kernels(tmp_path_factory) -> Path:
    # tests/benchmarks has this fixture too, which pytest sets up a second time.
    path = tmp_path_factory.getbasetemp() / "prefilter_kernels.so"
    if path.exists():
        return path
    source = Path(__file__).with_name("cuda_on_host.cpp")
    flags = ["-std=c++17", "-O1", "-shared", "-fPIC", "-Wall", "-Wno-unknown-pragmas"]
    undefined = ["-fsanitize=undefined", "-fno-sanitize-recover=all", "-static-libubsan"]
    subprocess.run(
        [require_tool("c++"), *flags, *undefined, "-I", ROOT / "kernels", source, "-o", path],
        check=True,
    )
    return path


@pytest.fixture
def fake(host_kernels, monkeypatch):
    """Make the launcher see a CuPy that is none; batches are small, so that there are many."""

    def install(devices: int = 1, fails=None, batch_bytes: int = 1 << 14) -> FakeCuPy:
        cupy = FakeCuPy(host_kernels, devices, fails)
        monkeypatch.setattr(cuda_devices, "import_cupy", lambda: cupy)
        monkeypatch.setattr(launcher, "_BATCH_BYTES", batch_bytes)
        return cupy

    return install
