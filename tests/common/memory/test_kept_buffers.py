"""A thread that calls from Java keeps no large buffer after a call, also if the call fails."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable

import pytest

from tests.common.memory.kept_buffers import LARGE

pytestmark = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="needs glibc 2.33"
)


@pytest.mark.parametrize(
    ("call", "exception"),
    [
        ("OwnWithoutRoom", "java/lang/IllegalArgumentException: output shorter than the pairs"),
        ("OwnBeforeAnnouncement", ""),
        ("OwnRecorded", ""),
        ("GklReads", "java/lang/IllegalArgumentException: read 1 has no bases"),
        ("GklHaplotypes", "java/lang/IllegalArgumentException: haplotype 1 has no bases"),
        ("SmithWaterman", "java/lang/IllegalArgumentException: references: sequence 0 has"),
    ],
)
def test_large_buffers_are_freed(
    run_main: Callable[..., subprocess.CompletedProcess[str]], call: str, exception: str
) -> None:
    done = run_main("tests.common.memory.kept_buffers", call)
    said, kept = done.stdout.splitlines()
    assert said.startswith(exception) if exception else said == ""
    # The engines keep some memory of their own.
    assert int(kept) < LARGE // 2
