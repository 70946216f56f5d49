"""Time each part of a PairHMM call on a GPU separately."""

from __future__ import annotations

from dataclasses import dataclass

from gkl_shim.pairhmm import Batch
from gkl_shim.pairhmm import _cuda as cuda

__all__ = ["CallParts", "call_parts"]


@dataclass
class CallParts:
    """The parts of a call. Times are in seconds, summed over the chunks of the batch."""

    cells: int
    computed_cells: int
    chunks: int
    bytes: int
    """Bytes sent to the device."""
    plan: float
    write: float
    """Writing the chunks into pinned memory."""
    transfer: float
    kernel: float
    """The kernels, including the transfer of results, which they write to host memory."""
    collect: float

    @property
    def tcups(self) -> float:
        """10^12 cells of the input a second, in the kernels alone."""
        return self.cells / self.kernel / 1e12

    @property
    def raw_tcups(self) -> float:
        """10^12 computed cells a second, in the kernels alone."""
        return self.computed_cells / self.kernel / 1e12


def call_parts(engine: cuda.Engine, batch: Batch, repeats: int = 5) -> CallParts:
    """Time each part of computing a batch on an engine's first device, chunk by chunk.

    Parameters
    ----------
    engine
        The engine. No other thread may use it at the same time.
    batch
        The regions.
    repeats
        How often each part runs. The result is the median.

    Raises
    ------
    BackendUnavailable
        If the device fails.
    """
    found = engine.measure(batch, repeats)
    return CallParts(
        cells=found.cells,
        computed_cells=found.computed_cells,
        chunks=found.chunks,
        bytes=found.block_bytes,
        plan=found.plan,
        write=found.write,
        transfer=found.transfer,
        kernel=found.kernel,
        collect=found.collect,
    )
