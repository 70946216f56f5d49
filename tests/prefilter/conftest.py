"""The CUDA engine without a device: stand-ins for CuPy and the driver, and kernels on the host."""

from __future__ import annotations

from typing import Any

import pytest

from gkl_shim.prefilter import _cuda as engine


@pytest.fixture
def fake(fake_gpus, monkeypatch):
    """Return a function that installs stand-ins. Chunks are small, so that there are many."""

    def install(devices: int = 1, chunk_bytes: int = 1 << 14, **options: Any) -> Any:
        monkeypatch.setattr(engine, "_CHUNK_BYTES", chunk_bytes)
        return fake_gpus(devices, kernels="prefilter", **options)

    return install
