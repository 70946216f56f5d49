"""A thread that calls from Java keeps no large buffer after a call, also if the call fails."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.engine.kept_buffers import LARGE

pytestmark = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="needs glibc 2.33"
)

PROGRAM = f"""\
import sys
sys.path.append({str(ROOT)!r})
from tests.engine.kept_buffers import main
main()
"""


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
    preloaded: Path, tmp_path: Path, call: str, exception: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, call],
        env={**os.environ, "LD_PRELOAD": str(preloaded)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    said, kept = done.stdout.splitlines()
    assert said.startswith(exception) if exception else said == ""
    # The engines keep some memory of their own.
    assert int(kept) < LARGE // 2
