"""In every part of the C interface, each request for memory or a thread is refused."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest

from tests.common.memory import scarce

pytestmark = pytest.mark.skipif(os.confstr("CS_GNU_LIBC_VERSION") is None, reason="needs glibc")


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
    run_main: Callable[..., subprocess.CompletedProcess[str]], part: str
) -> None:
    """Without threads the caller computes alone."""
    done = run_main("tests.common.memory.scarce", part)
    # A recording that could not begin does not prevent the next one.
    assert "another setting names this file" not in done.stderr
    one, all_later, threads = map(int, done.stdout.split())
    assert min(one, all_later) > 0
    if len(os.sched_getaffinity(0)) > 1:
        assert threads > 0 or part not in THREADED
