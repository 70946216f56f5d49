"""Describe the processor, for reports and measurements."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

from gkl_shim.common import _native


@dataclass(frozen=True)
class Processor:
    """The processor that this process runs on."""

    cpu: str
    """The model name that the system reports."""
    architecture: str
    cpus: int
    """The number of CPUs in the system."""
    usable_cpus: int
    """The number of CPUs that the affinity mask and control group let this process use."""
    builds: tuple[str, ...]
    """The engine builds that the CPU can run, best first."""


def describe() -> Processor:
    """Describe this machine.

    Raises
    ------
    MissingComponent
        If the native library is not installed.
    """
    return Processor(
        cpu=_cpu_model(),
        architecture=platform.machine(),
        cpus=os.cpu_count() or 1,
        usable_cpus=_native.cpu_count(),
        builds=_native.builds(),
    )


def _cpu_model() -> str:
    """Return the model of the first CPU, or the architecture if the system does not report it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()
