"""The engines of the prefilter: what they have in common, and the CPU engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common import _native
from gkl_shim.errors import PairError
from gkl_shim.prefilter import _native_prefilter
from gkl_shim.prefilter._sequences import Sequences

Method: TypeAlias = Literal["exact", "gatekeeper"]
Mode: TypeAlias = Literal["global", "infix", "prefix"]

_CLIPPED = "the segment would reach beyond its contig, and gatekeeper needs equal lengths"

# The most candidates in one native call. The arrays of their positions stay in cache.
_CALL_CANDIDATES = 1 << 16


class Candidates(NamedTuple):
    """A mapper's candidates, as :meth:`gkl_shim.prefilter.Resident.edits` takes them."""

    reads: NDArray[np.int32]
    positions: NDArray[np.integer[Any]]
    contigs: NDArray[np.int32] | None
    reverse: NDArray[np.uint8] | None

    def part(self, first: int, last: int) -> Candidates:
        """Return the candidates ``[first, last)``. The arrays are not copied."""
        return Candidates._make(None if each is None else each[first:last] for each in self)


class Engine(Protocol):
    """What the CPU engine and the CUDA engine have in common."""

    def compute(self, reads: Sequences, segments: Sequences, out: NDArray[np.int16]) -> None:
        """Fill `out` with the result of every pair."""

    def resident(self, reads: Sequences, contigs: Sequences) -> ResidentEngine:
        """Encode reads and contigs, and keep them in the engine's memory."""


class ResidentEngine(Protocol):
    """An engine with reads and contigs in its memory."""

    def compute(self, candidates: Candidates, out: NDArray[np.int16]) -> None:
        """Fill `out` with the result of every candidate.

        Raise PairError for a candidate with a wrong index or position.
        """


class CpuEngine(_native.CpuEngine):
    """The CPU engine of the native library."""

    _kind = "prefilter"

    def __init__(
        self, method: Method, mode: Mode, max_edits: int, threads: int, build: str | None
    ) -> None:
        constant = _native_prefilter.constant
        codes = {"method": constant(method), "mode": constant(mode)}
        super().__init__(build, threads, **codes, max_edits=max_edits)
        self.method = method
        self.mode = mode
        self.max_edits = max_edits
        self.threads = int(threads)

    def compute(self, reads: Sequences, segments: Sequences, out: NDArray[np.int16]) -> None:
        """Fill `out` with the result of every pair."""
        sides = (_native_prefilter.sequences_pointer(side.raw) for side in (reads, segments))
        results = self._ffi.from_buffer("int16_t[]", out, require_writable=True)
        compute = self._lib.gkl_shim_prefilter_compute
        _native.run(compute, self._handle, len(reads), *sides, results)

    def resident(self, reads: Sequences, contigs: Sequences) -> ResidentEngine:
        """Encode reads and contigs, and keep them in memory."""
        return _CpuResident(self, reads, contigs)


class _CpuResident:
    """Encoded reads and contigs; computes candidates with the CPU engine."""

    def __init__(self, engine: CpuEngine, reads: Sequences, contigs: Sequences) -> None:
        self._engine = engine
        self._letters = reads
        self._reads = reads.encoded(engine.threads)
        self._both_strands: Sequences | None = None
        self._contigs = contigs.encoded(engine.threads)
        self._begins = contigs.starts
        self._ends = contigs.starts + contigs.lengths

    def compute(self, candidates: Candidates, out: NDArray[np.int16]) -> None:
        strands = self._reads
        if candidates.reverse is not None:
            if self._both_strands is None:
                self._both_strands = self._letters.both_strands().encoded(self._engine.threads)
            strands = self._both_strands
        starts, lengths = strands.starts, strands.lengths
        for first in range(0, len(out), _CALL_CANDIDATES):
            last = first + _CALL_CANDIDATES
            part = candidates.part(first, last)
            which = part.reads
            _check_indices(which, len(self._reads), first, "read")
            if part.reverse is not None:
                which = which + np.int32(len(self._reads)) * part.reverse
            own = lengths[which]
            begins, ends = self._segments(first, part, own)
            sizes = (ends - begins).astype(np.int32)
            self._engine.compute(
                strands.changed(count=len(own), starts=starts[which], lengths=own),
                self._contigs.changed(count=len(own), starts=begins, lengths=sizes),
                out[first:last],
            )

    def _segments(
        self, first: int, part: Candidates, lengths: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the segments begin and end in the buffer of the contigs."""
        contigs, positions = part.contigs, part.positions
        if contigs is None:
            low, high = self._begins[:1], self._ends[:1]
        else:
            _check_indices(contigs, len(self._begins), first, "contig")
            low, high = self._begins[contigs], self._ends[contigs]
        # Compared before it is added to `low`, because a sum of large numbers would wrap around.
        refuse(
            (positions < 0) | (positions >= high - low), first,
            lambda k: f"position {positions[k]} is not in its contig",
        )  # fmt: skip
        begins = positions + low  # int64, like `low`
        ends = begins + lengths
        if self._engine.mode != "global":
            ends += self._engine.max_edits
        if self._engine.mode == "infix":
            begins = np.maximum(begins - self._engine.max_edits, low)
        if self._engine.method == "gatekeeper":
            refuse(ends > high, first, lambda k: _CLIPPED)
        return begins, np.minimum(ends, high)


def refuse(wrong: NDArray[np.bool_], first: int, message: Callable[[int], str]) -> None:
    """Raise PairError for the first wrong pair, if there is one.

    Parameters
    ----------
    wrong
        Whether each pair is wrong.
    first
        The index of the first of them in the caller's arrays.
    message
        Given an index in `wrong`, returns what is wrong with that pair.
    """
    if wrong.any():
        at = int(np.argmax(wrong))
        raise PairError(first + at, message(at))


def _check_indices(values: NDArray[np.int32], count: int, first: int, what: str) -> None:
    refuse(
        (values < 0) | (values >= count),
        first,
        lambda k: f"{what} {values[k]}: there are {count} {what}s, counted from 0",
    )
