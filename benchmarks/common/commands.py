"""Run a command, and measure what it takes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gkl_shim.errors import MissingComponent

__all__ = ["Cost", "measured"]

# A process starts with the peak memory of the one that starts it, so the command must be started
# by a small one.
_MEASURE = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
seconds = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
sys.exit(done.returncode)
"""


@dataclass(frozen=True)
class Cost:
    """What a command took."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


def measured(command: Sequence[str], folder: str | Path) -> Cost:
    """Run a command in a folder, and drop its standard output.

    Raises
    ------
    MissingComponent
        If the command fails.
    """
    line = [sys.executable, "-I", "-c", _MEASURE, *command]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MissingComponent(f"{Path(command[0]).name} failed: {done.stderr.strip()[-500:]}")
    return Cost(*json.loads(done.stdout))
