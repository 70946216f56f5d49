"""What processors draw while something runs: GPUs by nvidia-smi, CPU packages by Intel's RAPL."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gkl_shim.errors import BackendUnavailable

__all__ = ["of_cpu", "of_gpu"]

# Where Linux shows the counters of each CPU package; AMD's processors have them, too.
_RAPL = Path("/sys/class/powercap")
_SAMPLES_MS = 50


@contextmanager
def of_gpu(number: int) -> Iterator[Callable[[], float]]:
    """Sample what a GPU draws while the block runs.

    Yields
    ------
    callable
        To be called after the block: watts, the median of the samples of its second half, since
        the first ones come from before the GPU was busy.

    Raises
    ------
    BackendUnavailable
        If there is no nvidia-smi, or it does not tell.
    """
    query = ["nvidia-smi", "-i", str(number), "--query-gpu=power.draw",
             "--format=csv,noheader,nounits", "-lms", str(_SAMPLES_MS)]  # fmt: skip
    try:
        sampler = subprocess.Popen(
            query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
    except OSError as error:
        raise BackendUnavailable(f"power cannot be read: nvidia-smi: {error.strerror}") from None
    printed = ""

    def watts() -> float:
        samples = []
        for line in printed.splitlines():
            try:
                samples.append(float(line))
            except ValueError:
                continue
        if not samples:
            raise BackendUnavailable("power cannot be read: nvidia-smi does not tell")
        return statistics.median(samples[len(samples) // 2 :])

    try:
        yield watts
    finally:
        sampler.terminate()
        printed = sampler.communicate()[0]


@contextmanager
def of_cpu() -> Iterator[Callable[[], float]]:
    """Measure what all CPU packages draw while the block runs.

    Yields
    ------
    callable
        To be called after the block: watts, the mean.

    Raises
    ------
    BackendUnavailable
        If the machine has no counters, or this process may not read them.
    """
    packages = [path for path in _RAPL.glob("intel-rapl:*") if path.name.count(":") == 1]
    if not packages:
        raise BackendUnavailable(f"energy cannot be read: there is no {_RAPL}/intel-rapl:0")
    before, start = _microjoules(packages), time.perf_counter()
    result = 0.0

    def watts() -> float:
        return result

    yield watts
    taken = time.perf_counter() - start
    used = 0
    for package, old, new in zip(packages, before, _microjoules(packages), strict=True):
        most = int((package / "max_energy_range_uj").read_text())
        used += (new - old) % (most + 1)  # it starts again from 0
    result = used / taken / 1e6


def _microjoules(packages: list[Path]) -> list[int]:
    try:
        return [int((package / "energy_uj").read_text()) for package in packages]
    except OSError as error:
        raise BackendUnavailable(
            f"energy cannot be read: {error.filename}: {error.strerror}"
        ) from None
