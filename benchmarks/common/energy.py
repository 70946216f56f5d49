"""Measure the energy that processors use, with NVML for GPUs and RAPL for CPUs."""

from __future__ import annotations

import importlib
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.errors import BackendUnavailable

__all__ = ["Energy", "of_cpu", "of_gpu"]

# Linux shows the counters of each CPU package here, also for AMD.
_RAPL = Path("/sys/class/powercap")
_SAMPLE_SECONDS = 0.02


@dataclass(frozen=True)
class Energy:
    """Energy used while a block ran."""

    seconds: float
    joules: float
    megahertz: float | None = None
    """The median clock of a GPU's multiprocessors. None for a CPU."""

    @property
    def watts(self) -> float:
        """The mean power."""
        return self.joules / self.seconds


@contextmanager
def of_gpu(number: int) -> Iterator[Callable[[], Energy]]:
    """Measure the energy that a CUDA device uses while the block runs.

    The counter changes about ten times a second, so a block should take seconds.

    Yields
    ------
    callable
        Returns the energy; to be called after the block.

    Raises
    ------
    BackendUnavailable
        If nvidia-ml-py is not installed, or the device has no counter.
    """
    nvml, handle = _nvml(number)
    clocks: list[int] = []
    done = threading.Event()

    def sample() -> None:
        while not done.wait(_SAMPLE_SECONDS):
            clocks.append(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM))

    found: list[Energy] = []
    sampler = threading.Thread(target=sample)
    sampler.start()
    before, start = nvml.nvmlDeviceGetTotalEnergyConsumption(handle), time.perf_counter()
    try:
        yield lambda: found[0]
    finally:
        seconds = time.perf_counter() - start
        used = nvml.nvmlDeviceGetTotalEnergyConsumption(handle) - before
        done.set()
        sampler.join()
        megahertz = float(statistics.median(clocks)) if clocks else None
        found.append(Energy(seconds, used / 1e3, megahertz))


def _nvml(number: int) -> tuple[Any, Any]:
    """Return NVML and its handle for a CUDA device. NVML may number devices differently."""
    try:
        nvml = importlib.import_module("pynvml")
    except ImportError:
        raise BackendUnavailable(
            "energy cannot be read: NVML needs nvidia-ml-py: pip install nvidia-ml-py"
        ) from None
    bus = cuda_devices.import_cupy().cuda.runtime.deviceGetPCIBusId(number)
    try:
        nvml.nvmlInit()
        handle = nvml.nvmlDeviceGetHandleByPciBusId(bus.encode())
        nvml.nvmlDeviceGetTotalEnergyConsumption(handle)
    except nvml.NVMLError as error:
        raise BackendUnavailable(f"energy cannot be read: NVML: {error}") from None
    return nvml, handle


@contextmanager
def of_cpu() -> Iterator[Callable[[], Energy]]:
    """Measure the energy that all CPU packages use while the block runs.

    Yields
    ------
    callable
        Returns the energy; to be called after the block.

    Raises
    ------
    BackendUnavailable
        If the machine has no counters, or this process may not read them.
    """
    packages = [path for path in _RAPL.glob("intel-rapl:*") if path.name.count(":") == 1]
    if not packages:
        raise BackendUnavailable(f"energy cannot be read: there is no {_RAPL}/intel-rapl:0")
    before, start = _microjoules(packages), time.perf_counter()
    found: list[Energy] = []
    yield lambda: found[0]
    seconds = time.perf_counter() - start
    used = 0
    for package, old, new in zip(packages, before, _microjoules(packages), strict=True):
        most = int((package / "max_energy_range_uj").read_text())
        used += (new - old) % (most + 1)  # the counter starts again from 0
    found.append(Energy(seconds, used / 1e6))


def _microjoules(packages: list[Path]) -> list[int]:
    try:
        return [int((package / "energy_uj").read_text()) for package in packages]
    except OSError as error:
        raise BackendUnavailable(
            f"energy cannot be read: {error.filename}: {error.strerror}"
        ) from None
