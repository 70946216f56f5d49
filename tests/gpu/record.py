"""Run every test that a CUDA device has a part in, and write down how each went.

python tests/gpu/record.py [RECORD.json]

The exit status is pytest's, or 1 where there is no device.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gkl_shim.cli.common._json import write_json
from gkl_shim.errors import BackendUnavailable

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.common import report

ROOT = Path(__file__).resolve().parents[2]
PLACES = (
    *(f"tests/{room}" for room in ("gpu", "pairhmm", "prefilter", "mem", "correct")),
    "tests/gatk/kernels/test_cuda_host.py",
)
PACKAGES = ("gkl-shim", "cupy-cuda12x", "cupy-cuda13x", "numpy", "pytest")


def run() -> tuple[int, list[dict[str, Any]]]:
    """Run pytest; return its exit status and what became of each test."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-m", "gpu or gatk", *PLACES]
        command += [f"--junitxml={report}", "-o", "junit_family=xunit1", "--durations=5"]
        # A package that is missing ends the tests of one file only.
        command += ["--continue-on-collection-errors"]
        environment = {**os.environ, "GKL_SHIM_TEST_GPU": "1"}
        status = subprocess.run(command, cwd=ROOT, env=environment).returncode
        cases = ElementTree.parse(report).getroot().iter("testcase") if report.is_file() else ()
        return status, [_outcome(case) for case in cases]


def _outcome(case: ElementTree.Element) -> dict[str, Any]:
    found: dict[str, Any] = {
        "test": f"{case.get('file')}::{case.get('name')}",
        "outcome": "passed",
        "seconds": round(float(case.get("time", 0)), 3),
    }
    for child in case:
        if child.tag in ("failure", "error", "skipped"):
            found["outcome"] = {"failure": "failed"}.get(child.tag, child.tag)
            found["reason"] = (child.get("message") or "").splitlines()[0][:300]
    return found


def versions() -> dict[str, str]:
    """Return the versions of what was tested and of what it was tested with."""
    found = {"Python": ".".join(map(str, sys.version_info[:3]))}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def main(record: str | None = None) -> int:
    """Run, and write the record."""
    try:
        about = report.about(gpu=True)
    except BackendUnavailable as error:
        raise SystemExit(f"the GPU tests need a CUDA device: {error}") from None
    status, tests = run()
    if record is not None:
        write_json(record, {**about, "versions": versions(), **summary(tests)})
    return status


def summary(tests: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the totals, those of each file, and each test that has not passed."""
    files: dict[str, list[dict[str, Any]]] = {}
    for test in tests:
        files.setdefault(test["test"].partition("::")[0], []).append(test)
    return {
        **_totals(tests),
        "files": {name: _totals(own) for name, own in files.items()},
        "not_passed": [test for test in tests if test["outcome"] != "passed"],
    }


def _totals(tests: list[dict[str, Any]]) -> dict[str, Any]:
    seconds = round(sum(test["seconds"] for test in tests), 1)
    return {"outcomes": Counter(test["outcome"] for test in tests), "seconds": seconds}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
