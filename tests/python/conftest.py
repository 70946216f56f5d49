"""What the tests of the Python package share."""

from __future__ import annotations

from pathlib import Path

import pytest

_SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def tens() -> tuple[Path, Path]:
    """The 10s set and its likelihoods in 80-bit precision."""
    folder = _SHARED / "pairhmm"
    if not (folder / "10s.in").is_file():
        pytest.skip(f"needs the shared data: {folder} is not there")
    return folder / "10s.in", folder / "10s.log10"
