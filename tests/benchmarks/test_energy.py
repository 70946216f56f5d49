"""The benchmarks' energy counters, and the message if there are none."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.common import energy
from gkl_shim.errors import BackendUnavailable
from tests.fakes.cupy import CuPy


def test_energy_of_cpu_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(energy, "_RAPL", tmp_path)
    with pytest.raises(BackendUnavailable, match="energy cannot be read: there is no"):
        energy.of_cpu().__enter__()
    for package, before in (("intel-rapl:0", 900), ("intel-rapl:1", 100), ("intel-rapl:0:0", 7)):
        (tmp_path / package).mkdir()
        (tmp_path / package / "energy_uj").write_text(f"{before}\n")
        (tmp_path / package / "max_energy_range_uj").write_text("999\n")
    start = time.perf_counter()
    with energy.of_cpu() as drawn:
        time.sleep(0.1)
        (tmp_path / "intel-rapl:0" / "energy_uj").write_text("100\n")  # started again from 0
        (tmp_path / "intel-rapl:1" / "energy_uj").write_text("400\n")
    most = 500e-6 / 0.1
    assert 500e-6 / (time.perf_counter() - start) <= drawn().watts <= most


class NVMLError(Exception):
    pass


def nvml(**changed: object) -> SimpleNamespace:
    """A device that has drawn 5 J, and 1.5 J more whenever it is asked."""
    counter = iter(range(5000, 10**6, 1500))
    functions = {
        "NVMLError": NVMLError,
        "NVML_CLOCK_SM": 1,
        "nvmlInit": lambda: None,
        "nvmlDeviceGetHandleByPciBusId": {b"0000:1A:00.0": "handle"}.__getitem__,
        "nvmlDeviceGetTotalEnergyConsumption": lambda handle: next(counter),
        "nvmlDeviceGetClockInfo": lambda handle, kind: 1980,
    }
    return SimpleNamespace(**{**functions, **changed})


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", CuPy())


@pytest.mark.usefixtures("device")
def test_energy_and_clock_of_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", nvml())
    with energy.of_gpu(1) as drawn:
        time.sleep(0.2)
    assert drawn().joules == 1.5
    assert 0.2 <= drawn().seconds < 20
    assert drawn().watts == 1.5 / drawn().seconds
    assert drawn().megahertz == 1980
