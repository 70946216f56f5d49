"""Where the time of a PairHMM call on a GPU goes: each part of the call timed by itself."""

from __future__ import annotations

from dataclasses import dataclass

from gkl_shim.cuda import pairhmm as cuda
from gkl_shim.pairhmm import Batch

__all__ = ["CallParts", "call_parts"]


@dataclass
class CallParts:
    """The parts of a call. Times are in seconds, summed over the chunks of the batch."""

    cells: int
    computed_cells: int
    chunks: int
    bytes: int
    """Sent to the device."""
    plan: float
    write: float
    """Into pinned memory."""
    transfer: float
    kernel: float
    """With the results' way back: the kernel writes them to the host's memory."""
    collect: float

    @property
    def tcups(self) -> float:
        """10^12 cells of the input a second, by the kernels alone."""
        return self.cells / self.kernel / 1e12

    @property
    def raw_tcups(self) -> float:
        """The same, with only those cells counted that are computed."""
        return self.computed_cells / self.kernel / 1e12


def call_parts(engine: cuda.Engine, batch: Batch, repeats: int = 5) -> CallParts:
    """Time each part of a batch's first pass over an engine's first device, chunk after chunk.

    Parameters
    ----------
    engine
        No other thread may use it meanwhile.
    batch
        The regions.
    repeats
        How often each part is done; the medians count.

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
