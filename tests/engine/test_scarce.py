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
    "correct",
    "mem 2 40",
    "pairhmm large single 2",
    "parsepairs",
    "pdhmm",
    "prefilter infix 2",
    "smithwaterman align 40 2",
)


@pytest.mark.parametrize("part", scarce.PARTS)
def test_every_refused_request_is_an_error_or_does_no_harm(
    preloaded: Path, tmp_path: Path, part: str
) -> None:
    """Without threads the caller computes alone."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, part],
        env={**os.environ, "LD_PRELOAD": str(preloaded)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    # A recording that could not begin does not prevent the next one.
    assert "another setting names this file" not in done.stderr
    one, all_later, threads = map(int, done.stdout.split())
    assert min(one, all_later) > 0
    if len(os.sched_getaffinity(0)) > 1:
        assert threads > 0 or part not in THREADED
