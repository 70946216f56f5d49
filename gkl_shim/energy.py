"""What processors draw while something runs: GPUs by NVML's counter, CPU packages by RAPL's."""

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

__all__ = ["Drawn", "of_cpu", "of_gpu"]

# Where Linux shows the counters of each CPU package; AMD's processors have them, too.
_RAPL = Path("/sys/class/powercap")
_SAMPLE_SECONDS = 0.02


@dataclass(frozen=True)
class Drawn:
    """What was drawn while a block ran."""

    seconds: float
    joules: float
    megahertz: float | None = None
    """The clock of a GPU's multiprocessors, the median of samples; None of a CPU."""

    @property
    def watts(self) -> float:
        """The mean."""
        return self.joules / self.seconds


@contextmanager
def of_gpu(number: int) -> Iterator[Callable[[], Drawn]]:
    """Measure what a CUDA device draws while the block runs.

    The counter moves some ten times a second: a block should take seconds.

    Yields
    ------
    callable
        To be called after the block.

    Raises
    ------
    BackendUnavailable
        If nvidia-ml-py is not installed, or the device does not tell.
    """
    nvml, handle = _nvml(number)
    clocks: list[int] = []
    done = threading.Event()

    def sample() -> None:
        while not done.wait(_SAMPLE_SECONDS):
            clocks.append(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM))

    found: list[Drawn] = []
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
        found.append(Drawn(seconds, used / 1e3, megahertz))


def _nvml(number: int) -> tuple[Any, Any]:
    """Return NVML and its handle of a CUDA device, which it may count in another order."""
    try:
        nvml = importlib.import_module("pynvml")
    except ImportError:
        raise BackendUnavailable(
            "energy cannot be read: NVML needs nvidia-ml-py: pip install 'gkl-shim[bench]'"
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
def of_cpu() -> Iterator[Callable[[], Drawn]]:
    """Measure what all CPU packages draw while the block runs.

    Yields
    ------
    callable
        To be called after the block.

    Raises
    ------
    BackendUnavailable
        If the machine has no counters, or this process may not read them.
    """
    packages = [path for path in _RAPL.glob("intel-rapl:*") if path.name.count(":") == 1]
    if not packages:
        raise BackendUnavailable(f"energy cannot be read: there is no {_RAPL}/intel-rapl:0")
    before, start = _microjoules(packages), time.perf_counter()
    found: list[Drawn] = []
    yield lambda: found[0]
    seconds = time.perf_counter() - start
    used = 0
    for package, old, new in zip(packages, before, _microjoules(packages), strict=True):
        most = int((package / "max_energy_range_uj").read_text())
        used += (new - old) % (most + 1)  # it starts again from 0
    found.append(Drawn(seconds, used / 1e6))


def _microjoules(packages: list[Path]) -> list[int]:
    try:
        return [int((package / "energy_uj").read_text()) for package in packages]
    except OSError as error:
        raise BackendUnavailable(
            f"energy cannot be read: {error.filename}: {error.strerror}"
        ) from None
