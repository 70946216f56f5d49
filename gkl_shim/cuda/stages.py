"""Where the time of a batch on a CUDA device goes: each part measured by itself."""

from __future__ import annotations

from dataclasses import dataclass

from gkl_shim.cuda import pairhmm as cuda_pairhmm
from gkl_shim.pairhmm import Batch

__all__ = ["Stages", "stages"]


@dataclass
class Stages:
    """A batch's way over a device; times in seconds, the sum over its chunks."""

    cells: int = 0
    computed_cells: int = 0
    chunks: int = 0
    bytes: int = 0
    """That travel to the device."""
    plan: float = 0
    write: float = 0
    """Into pinned memory."""
    transfer: float = 0
    kernel: float = 0
    """With the results' way back, which it writes into the host's memory."""
    collect: float = 0

    @property
    def tcups(self) -> float:
        """10^12 cells a second of the kernels alone, every cell of the input counted."""
        return self.cells / self.kernel / 1e12

    @property
    def raw_tcups(self) -> float:
        """The same, only cells that are computed counted."""
        return self.computed_cells / self.kernel / 1e12


def stages(engine: cuda_pairhmm.Engine, batch: Batch, repeats: int = 5) -> Stages:
    """Time each part of a batch's first pass over an engine's first device, chunk after chunk.

    Parameters
    ----------
    engine
        Nobody else may use it meanwhile.
    batch
        The regions.
    repeats
        How often each part is done; medians count.

    Raises
    ------
    BackendUnavailable
        If the device fails.
    """
    found = engine.measure(batch, repeats)
    return Stages(
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
