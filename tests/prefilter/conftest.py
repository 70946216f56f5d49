"""The CUDA engine without a device: its kernels compiled for the host, and a fake CuPy."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.cuda import driver
from gkl_shim.cuda import prefilter as engine
from tests.conftest import ROOT, require_tool
from tests.prefilter.fake_cupy import FakeCuPy, HostDriver


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
    """Return a function that installs a stand-in for CuPy and the driver. Chunks are small, so that
    there are many."""
    made = []

    def install(devices: int = 1, chunk_bytes: int = 1 << 14, **options) -> HostDriver:
        made.append(HostDriver(host_kernels, **options))
        cupy = FakeCuPy(made[-1], devices)
        monkeypatch.setattr(cuda_devices, "import_cupy", lambda: cupy)
        monkeypatch.setattr(driver, "functions", made[-1].functions)
        monkeypatch.setattr(engine, "_CHUNK_BYTES", chunk_bytes)
        return made[-1]

    yield install
    for each in made:
        assert each.misused == []
