"""Time several native Smith-Waterman engines in one JVM.

Each engine is called through GATK's interface, ``com.intel.gkl.smithwaterman.IntelSmithWaterman``,
with one call for each pair. Each has a separate class loader. The engines take turns.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gkl_shim import paths
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import programs
from gkl_shim.gatk.replay import stock_and_shim


@dataclass(frozen=True)
class BesideGkl:
    """The speeds of gkl-shim and GKL on the same pairs, in GCUPS: medians over turns."""

    shim: float
    gkl: float
    ratio: float
    """The median over turns of gkl-shim's speed divided by GKL's."""
    different: int
    """The number of pairs with another offset or CIGAR than GKL's."""


def beside_gkl(pairs: Path, classpath: str, build: str, *, seconds: float) -> BesideGkl:
    """Time a build of gkl-shim and GKL in turns, in one thread.

    Parameters
    ----------
    pairs
        Lines of a reference, an alternative, scores and an overhang strategy, separated by TABs.
    classpath
        A class path with GKL.
    build
        The build of gkl-shim, a value of ``GKL_SHIM_BUILD``.
    seconds
        The time for each engine, summed over its turns.

    Raises
    ------
    MissingComponent
        If there is no Java, or an engine does not load on this machine.
    """
    engines = stock_and_shim(classpath)
    main = ("-cp", str(paths.replay_jar()), "org.gklshim.replay.ReplaySmithWaterman")
    process = subprocess.run(
        [
            *(programs.java(), *main, str(pairs), str(seconds)),
            *(f"{name}={path}" for name, path in engines.items()),
        ],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env={**os.environ, "GKL_SHIM_BUILD": build},
    )
    if process.returncode != 0:
        last = process.stderr.strip().splitlines()[-1:] or ["it printed nothing"]
        raise MissingComponent(
            f"the replay in Java failed, exit code {process.returncode}: "
            f"{last[0].removeprefix('replay: ')}"
        )
    found = {engine["name"]: engine for engine in json.loads(process.stdout)["engines"]}
    shim, stock = found["shim"]["gcups"], found["stock"]["gcups"]
    return BesideGkl(
        shim=statistics.median(shim),
        gkl=statistics.median(stock),
        ratio=statistics.median(ours / theirs for ours, theirs in zip(shim, stock, strict=True)),
        different=found["shim"]["different"],
    )
