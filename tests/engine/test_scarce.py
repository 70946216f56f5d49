"""In every part of the C interface, each request for memory or a thread is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.engine import scarce

pytestmark = pytest.mark.skipif(os.confstr("CS_GNU_LIBC_VERSION") is None, reason="needs glibc")

#: The tests' folder comes after the installed package, not before.
PROGRAM = f"""\
import sys
sys.path.append({str(ROOT)!r})
from tests.engine.scarce import main
main()
"""


#: Parts whose calls start a second thread, where there is a CPU for it.
THREADED = (
    "correct voting 2",
    "correcttext 2",
    "mem 2 0",
    "mem 2 40",
    "pairhmm large single 2",
    "pairhmm large double 2",
    "parsepairs",
    "pdhmm 30 2",
    "prefilter infix 2",
    "smithwaterman align 40 2",
)


def requests(preloaded: Path, folder: Path, part: str, mode: str) -> int:
    """Refuse each request of a part, and return how many there are."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, part, mode],
        env={**os.environ, "LD_PRELOAD": str(preloaded)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return int(done.stdout)


@pytest.mark.parametrize("mode", ["one", "all"])
@pytest.mark.parametrize("part", scarce.PARTS)
def test_every_refused_request_is_an_error_or_does_no_harm(
    preloaded: Path, tmp_path: Path, part: str, mode: str
) -> None:
    assert requests(preloaded, tmp_path, part, mode) > 0


@pytest.mark.parametrize("part", THREADED)
def test_without_threads_the_caller_computes_alone(
    preloaded: Path, tmp_path: Path, part: str
) -> None:
    expected = len(os.sched_getaffinity(0)) > 1
    assert (requests(preloaded, tmp_path, part, "threads") > 0) >= expected
