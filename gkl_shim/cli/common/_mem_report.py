"""What ``gkl-shim mem --verbose`` prints."""

from __future__ import annotations

import resource
import sys
import time

from gkl_shim.mem import Index


class Report:
    """The times of the parts of a run of ``gkl-shim mem``, for --verbose."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._last = time.perf_counter()
        self._seconds: dict[str, float] = {}

    def add(self, part: str) -> None:
        """Add the time since the last call to a part of the work."""
        now = time.perf_counter()
        self._seconds[part] = self._seconds.get(part, 0) + now - self._last
        self._last = now

    def print(self, index: Index) -> None:
        """Print the index, the memory and the times, if they are wanted."""
        if not self._wanted:
            return
        known = index.information
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        times = ", ".join(f"{part} {spent:.3f} s" for part, spent in self._seconds.items())
        print(
            f"# {known.letters} letters in {known.pages} pages of {known.page_letters}, "
            f"index {known.bytes / 2**20:.1f} MiB, peak memory {peak:.1f} MiB\n"
            f"# seeds of {known.seed_letters} letters at every {known.reference_step} positions\n"
            f"# {times}",
            file=sys.stderr,
        )
