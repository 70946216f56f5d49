"""Time each part of a PairHMM call on a GPU separately."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.common.device_timer import timed
from gkl_shim.errors import BackendUnavailable
from gkl_shim.pairhmm import Batch
from gkl_shim.pairhmm import _cuda as cuda


@dataclass
class CallParts:
    """The parts of a call. Times are in seconds, summed over the chunks of the batch."""

    cells: int
    computed_cells: int
    bytes: int
    """Bytes sent to the device."""
    host: float
    """The rest of the call: planning, writing into pinned memory, collecting results."""
    transfer: float
    kernel: float
    """The kernels, including the transfer of results, which they write to host memory."""

    @property
    def tcups(self) -> float:
        """10^12 cells of the input a second, in the kernels alone."""
        return self.cells / self.kernel / 1e12


class TimedEngine:
    """PairHMM on the first device, one chunk after another, each as large as possible.

    Parameters
    ----------
    precision, chosen
        As for :class:`gkl_shim.pairhmm._cuda.Engine`.
    """

    def __init__(self, precision: cuda.Precision = "single", **chosen: Any) -> None:
        with timed() as self._timer:
            self._engine = cuda.Engine(
                [0], precision, streams=1, launch_threads=1, planning=0, **chosen
            )

    def parts(self, batch: Batch, repeats: int = 5) -> CallParts:
        """Time each part of computing a batch: medians of `repeats` calls.

        Pairs outside single precision are included, with the kernels that compute them.

        Raises
        ------
        BackendUnavailable
            If the device fails.
        """
        self._engine.compute(batch)  # allocates memory
        self._timer.take(self._engine)
        computed, sent = self._computed_cells(), self._timer.bytes
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            self._engine.compute(batch)
            spent = time.perf_counter() - start
            kernel, transfer = self._timer.take(self._engine)
            times.append((spent - kernel - transfer, transfer, kernel))
        if not self._engine.devices:
            raise BackendUnavailable("the GPU has failed")
        host, transfer, kernel = (median(column) for column in zip(*times, strict=True))
        return CallParts(
            cells=batch.cells,
            computed_cells=(self._computed_cells() - computed) // repeats,
            bytes=(self._timer.bytes - sent) // repeats,
            host=host,
            transfer=transfer,
            kernel=kernel,
        )

    def close(self) -> None:
        """Free all memory."""
        self._engine.close()

    def _computed_cells(self) -> int:
        return int(self._engine.statistics()["computed_cells"])
