"""The thread that loads the classes of GATK's start loads no class that GATK does not load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gkl_shim.gatk import data, run, swaps
from tests.gatk.conftest import QUICK

pytestmark = pytest.mark.gatk

#: A class in a jar. Those that the JVM makes for lambda expressions differ between runs.
LOADED = re.compile(r"\] ([\w.$]+) source: file:.*(?<!/gkl-shim)\.jar$", re.M)
NO_ARCHIVE = [option for option in QUICK if "Archive" not in option]


def loaded(classpath: str, reference: Path, folder: Path, processors: int) -> tuple[set[str], str]:
    """Return the classes that a short tool of Picard loads, and its log."""
    log = folder / f"classes-{processors}"
    options = [*NO_ARCHIVE, f"-XX:ActiveProcessorCount={processors}"]
    done = run.gatk(
        ["CreateSequenceDictionary", "-R", str(reference), "-O", str(folder / "out.dict")],
        classpath,
        swaps.agent(),
        java_options=[*options, f"-Xlog:class+load:file={log}"],
        environment={"GKL_SHIM_LOG": "debug"},
    )
    assert done.returncode == 0, done.complaint
    (folder / "out.dict").unlink()
    return set(LOADED.findall(log.read_text())), done.log.decode()


def test_a_thread_loads_only_what_gatk_loads(
    classpath: str, chr22: data.Sample, tmp_path: Path
) -> None:
    alone, log = loaded(classpath, chr22.reference, tmp_path, 1)
    assert "start:" not in log
    ahead, log = loaded(classpath, chr22.reference, tmp_path, 2)
    (counts,) = re.findall(r"start: a thread has loaded (\d+) of (\d+) classes", log)
    assert counts[0] == counts[1] and int(counts[0]) > 2000
    assert len(alone) > int(counts[0])
    assert ahead == alone
