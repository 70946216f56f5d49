"""The pre-alignment filter: tell reads that are within so many edits of a segment.

``exact`` computes the edit distance by banded bit-vectors (Myers 1999, Hyyro 2003), so nothing is
rejected or accepted falsely. ``gatekeeper`` is the estimate of GateKeeper-GPU (Bingol et al., IEEE
TC 2024, arXiv:2103.14978), for comparison.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native
from gkl_shim._closable import Closable
from gkl_shim._sequences import MAX_LENGTH, Sequences, contig_sequences, sequences
from gkl_shim.errors import BackendUnavailable, PairError

if TYPE_CHECKING:
    from gkl_shim.cuda.prefilter import Engine as CudaEngine

__all__ = ["ABOVE", "MAX_EDITS", "MAX_LENGTH", "UNDEFINED", "Prefilter", "Resident", "Sequences",
           "Summary", "edits", "summarize"]  # fmt: skip

Backend: TypeAlias = Literal["auto", "cpu", "cuda"]
Encode: TypeAlias = Literal["auto", "host", "device"]
Method: TypeAlias = Literal["exact", "gatekeeper"]
Mode: TypeAlias = Literal["global", "infix", "prefix"]

ABOVE = -1
"""A pair's result where it has more edits than the threshold."""
UNDEFINED = -2
"""A pair's result where one of the two has a letter other than ACGT."""
MAX_EDITS = 255
"""The highest threshold."""

_CLIPPED = "the segment would reach beyond its contig, and gatekeeper needs equal lengths"

# What one native call takes at most, in bases: it bounds how long Ctrl-C waits.
_CALL_BASES = 1 << 28
# How many bases of reads "auto" gives to the CPU before it opens CUDA, which takes a second or two,
# and what a call has at least that then goes there.
_CUDA_OPENS = 1 << 32
_CUDA_CALL = 1 << 24
# Candidates of one native call: their places are worked out in arrays that stay in cache.
_CALL_CANDIDATES = 1 << 16


class Engine(Protocol):
    """What computes: the CPU engine below, or the CUDA engine."""

    def compute(self, reads: Sequences, segments: Sequences, out: NDArray[np.int16]) -> None:
        """Fill `out` with every pair's result."""

    def resident(self, reads: Sequences, contigs: Sequences) -> ResidentEngine:
        """Keep reads and contigs at hand."""


class ResidentEngine(Protocol):
    """Reads and contigs that stay where the engine computes."""

    def compute(
        self,
        reads: NDArray[np.int32],
        contigs: NDArray[np.int32] | None,
        positions: NDArray[np.integer[Any]],
        reverse: NDArray[np.uint8] | None,
        out: NDArray[np.int16],
    ) -> None:
        """Fill `out` with every candidate's result; raise PairError for one that is nowhere."""


@dataclasses.dataclass(frozen=True, slots=True)
class Summary:
    """How many pairs went which way."""

    pairs: int
    accepted: int
    """Within the threshold."""
    rejected: int
    """Above it."""
    undefined: int
    """With a letter other than ACGT."""

    @property
    def acceptance_rate(self) -> float:
        """The share of all pairs that is accepted; NaN where there is no pair."""
        return self.accepted / self.pairs if self.pairs else float("nan")

    def __add__(self, other: Summary) -> Summary:
        return Summary(
            self.pairs + other.pairs,
            self.accepted + other.accepted,
            self.rejected + other.rejected,
            self.undefined + other.undefined,
        )


class Prefilter(Closable):
    """A configured filter. Cheap to make, reusable, safe to use from several threads at once.

    Parameters
    ----------
    max_edits
        The threshold, 0 to 255. Pairs with at most so many edits are accepted.
    method
        ``"exact"``, or ``"gatekeeper"`` for the estimate, which needs pairs of equal length.
    mode
        ``"global"``: the whole read against the whole segment; ``"infix"``: against any piece of
        the segment; ``"prefix"``: against a piece at the segment's start (edlib's NW, HW, SHW).
    backend
        ``"cpu"``, ``"cuda"``, or ``"auto"``: CUDA where CuPy and a device are at hand and a call's
        work repays it, otherwise the CPU.
    threads
        CPU threads a call at most, the caller's included; 0 for as many as the process may use.
    build
        The CPU engine's build: ``"avx512"``, ``"avx2"``, ``"neon"`` or ``"portable"``; by default
        the best. All give the same results.
    devices
        CUDA devices to use, by number; by default all. They share the work of each call.
    encode
        Where letters become two bits a base for CUDA: ``"host"``, ``"device"``, or ``"auto"`` for
        what costs less by measurement.

    Raises
    ------
    BackendUnavailable
        If the backend or build cannot run here.
    MissingComponent
        If the native library is not installed.
    ValueError
        If an option is none of the above.

    Examples
    --------
    >>> with Prefilter(2) as prefilter:
    ...     prefilter.edits(["ACGTACGT", "ACGTACGT", "NCGT"], ["ACGTTCGT", "TTTTTTTT", "ACGT"])
    array([ 1, -1, -2], dtype=int16)
    """

    def __init__(
        self,
        max_edits: int,
        *,
        method: Method = "exact",
        mode: Mode = "global",
        backend: Backend = "auto",
        threads: int = 0,
        build: str | None = None,
        devices: list[int] | None = None,
        encode: Encode = "auto",
    ) -> None:
        for name, value, allowed in (
            ("method", method, get_args(Method)),
            ("mode", mode, get_args(Mode)),
            ("backend", backend, get_args(Backend)),
            ("encode", encode, get_args(Encode)),
        ):
            if value not in allowed:
                raise ValueError(f"{name}: one of {', '.join(allowed)}, not {value!r}")
        _whole("max_edits", max_edits, MAX_EDITS)
        _whole("threads", threads, 2**31 - 1)
        if method == "gatekeeper" and mode != "global":
            raise ValueError(f"mode: gatekeeper knows global only, not {mode}")
        if build is not None and not isinstance(build, str):
            raise ValueError(f"build: a name, not {build!r}")
        self.max_edits = int(max_edits)
        self.method: Method = method
        self.mode: Mode = mode
        self._cpu: CpuEngine | None = CpuEngine(method, mode, self.max_edits, int(threads), build)
        self._cuda: CudaEngine | None = None
        self._backend = backend
        self._devices, self._encode = devices, encode
        # What "auto" has seen of work, in bases of reads.
        self._bases = 0
        self._opening = threading.Lock()
        if backend == "cuda":
            self._cuda = self._open_cuda(self._cpu)

    @property
    def build(self) -> str:
        """The CPU engine's build."""
        return self._open().build

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the CUDA devices in use; empty where the CPU computes."""
        return () if self._cuda is None else self._cuda.devices

    def close(self) -> None:
        """Give back what it holds; it cannot be used afterwards. Calling it again is fine."""
        self._cpu = None
        if self._cuda is not None:
            self._cuda.close()
            self._cuda = None

    def edits(
        self, reads: Any, segments: Any, out: NDArray[np.int16] | None = None
    ) -> NDArray[np.int16]:
        """Compute every pair's edits: see :func:`edits`.

        Parameters
        ----------
        out
            int16, shape (N,), C-contiguous: filled and returned, where given.
        """
        one, other = sequences(reads, "reads"), sequences(segments, "segments")
        if len(one) != len(other):
            raise ValueError(f"{len(one)} reads, but {len(other)} segments: they go in pairs")
        if self.method == "gatekeeper":
            _check_equal(one, other)
        results = _output(out, len(one))
        if len(one):
            self.engine(_bases(one)).compute(one, other, results)
        return results

    def resident(self, reads: Any, contigs: Any) -> Resident:
        """Keep reads and a reference encoded, for candidates as a mapper has them.

        Arrays are copied: they may be filled again at once.

        Parameters
        ----------
        reads
            R reads, as for :func:`edits`.
        contigs
            The reference's contigs, of any length, each bytes, str or a uint8 array.
        """
        self._open()
        kept_reads, kept_contigs = sequences(reads, "reads"), contig_sequences(contigs)
        # What was a list has been copied already.
        if isinstance(reads, (Sequences, np.ndarray)):
            kept_reads = kept_reads.copied()
        if isinstance(contigs, Sequences):
            kept_contigs = kept_contigs.copied()
        return Resident(self, kept_reads, kept_contigs)

    def engine(self, bases: int) -> Engine:
        """Return the engine for a call of so many bases of reads."""
        cpu = self._open()
        if self._cuda is None and self._backend == "auto":
            with self._opening:
                self._bases += bases
                if self._bases >= _CUDA_OPENS:
                    try:
                        self._cuda = self._open_cuda(cpu)
                    except BackendUnavailable:
                        self._backend = "cpu"
        small = self._backend == "auto" and bases < _CUDA_CALL
        return cpu if self._cuda is None or small else self._cuda

    def _open(self) -> CpuEngine:
        if self._cpu is None:
            raise ValueError("this Prefilter is closed")
        return self._cpu

    def _open_cuda(self, cpu: CpuEngine) -> CudaEngine:
        # Imported here: CuPy takes a second to load, and is optional.
        from gkl_shim.cuda.prefilter import Engine as CudaEngine

        return CudaEngine(cpu, self._devices, self._encode)


class Resident:
    """Reads and a reference that are encoded and stay at hand; made by :meth:`Prefilter.resident`.

    With CUDA they stay on the devices, and only candidates and results travel.
    """

    def __init__(self, prefilter: Prefilter, reads: Sequences, contigs: Sequences) -> None:
        self._prefilter = prefilter
        self._reads = reads
        self._contigs = contigs
        self._read_bases = _bases(reads) / max(len(reads), 1)
        self._on: dict[int, ResidentEngine] = {}

    def edits(
        self,
        reads: NDArray[np.integer[Any]],
        positions: NDArray[np.integer[Any]],
        contigs: NDArray[np.integer[Any]] | None = None,
        reverse: NDArray[np.bool_] | None = None,
        out: NDArray[np.int16] | None = None,
    ) -> NDArray[np.int16]:
        """Compute every candidate's edits.

        Parameters
        ----------
        reads
            Whole numbers, shape (candidates,): which read, from 0.
        positions
            Likewise: where in the contig the segment starts, from 0. The segment is as long as the
            read; for ``infix`` it reaches `max_edits` further on both sides, for ``prefix`` at its
            end, and in each case no further than the contig.
        contigs
            Likewise: which contig, from 0. None where there is one only.
        reverse
            Whether the read's reverse complement is meant, shape (candidates,). None: nowhere.
        out
            int16, shape (candidates,), C-contiguous: filled and returned, where given.

        Returns
        -------
        ndarray
            int16, shape (candidates,): the edits, ABOVE or UNDEFINED.

        Raises
        ------
        PairError
            Naming the index of a candidate whose read, contig or position there is not, or, for
            ``gatekeeper``, whose segment would reach beyond the contig.
        ValueError
            If the arrays' shapes or types do not fit.
        """
        which = _indices(reads, "reads", np.int32)
        small = np.asarray(positions).dtype == np.int32
        where = _indices(positions, "positions", np.int32 if small else np.int64)
        on = None if contigs is None else _indices(contigs, "contigs", np.int32)
        strand = None
        if reverse is not None:
            strand = np.ascontiguousarray(reverse, np.bool_).view(np.uint8)
        for name, array in (("positions", where), ("contigs", on), ("reverse", strand)):
            if array is not None and len(array) != len(which):
                raise ValueError(f"{name}: {len(array)} values for {len(which)} candidates")
        if on is None and len(self._contigs) > 1:
            raise ValueError(f"contigs: needed, since there are {len(self._contigs)}")
        results = _output(out, len(which))
        if len(which):
            engine = self._prefilter.engine(int(len(which) * self._read_bases))
            if id(engine) not in self._on:
                self._on[id(engine)] = engine.resident(self._reads, self._contigs)
            self._on[id(engine)].compute(which, on, where, strand, results)
        return results


def edits(
    reads: Any,
    segments: Any,
    max_edits: int,
    *,
    method: Method = "exact",
    mode: Mode = "global",
    backend: Backend = "auto",
    threads: int = 0,
    build: str | None = None,
    devices: list[int] | None = None,
    encode: Encode = "auto",
) -> NDArray[np.int16]:
    """Compute the edits of every pair of a read and a segment.

    Parameters
    ----------
    reads
        N reads of 1 to 10,000 bases: a :class:`Sequences`, a uint8 array of shape (N, length), an
        array of fixed-width bytes, or any iterable of bytes, str or uint8 arrays. Letters count in
        either case.
    segments
        N segments, likewise.
    max_edits, method, mode, backend, threads, build, devices, encode
        As for :class:`Prefilter`.

    Returns
    -------
    ndarray
        int16, shape (N,): the edits (``gatekeeper``: their estimate), :data:`ABOVE` (-1) where
        they are more than `max_edits`, :data:`UNDEFINED` (-2) where a letter is none of ACGT.

    Raises
    ------
    ValueError
        Naming the argument and index: a length out of range, reads and segments of unequal number.
    PairError
        Where ``gatekeeper`` gets a pair of unequal lengths.
    BackendUnavailable, MissingComponent, MemoryError
        As for :class:`Prefilter`; and if the engine's memory does not suffice.

    Examples
    --------
    >>> edits([b"ACGTACGT"], [b"CGTACGTA"], 2, mode="infix")
    array([1], dtype=int16)
    """
    with Prefilter(
        max_edits,
        method=method,
        mode=mode,
        backend=backend,
        threads=threads,
        build=build,
        devices=devices,
        encode=encode,
    ) as prefilter:
        return prefilter.edits(reads, segments)


def summarize(results: NDArray[np.int16]) -> Summary:
    """Count how many pairs went which way.

    Parameters
    ----------
    results
        As :func:`edits` returns them.
    """
    accepted = int(np.count_nonzero(results >= 0))
    undefined = int(np.count_nonzero(results == UNDEFINED))
    return Summary(len(results), accepted, len(results) - accepted - undefined, undefined)


class CpuEngine:
    """The native engine."""

    def __init__(
        self, method: Method, mode: Mode, max_edits: int, threads: int, build: str | None
    ) -> None:
        self._native = _native.PrefilterEngine(threads, method, mode, max_edits, build)
        self.method = method
        self.mode = mode
        self.max_edits = max_edits
        self.threads = threads

    @property
    def build(self) -> str:
        """The build in use."""
        return self._native.build

    def compute(self, reads: Sequences, segments: Sequences, out: NDArray[np.int16]) -> None:
        """Fill `out` with every pair's result."""
        longest = max(
            int(side.raw.length if side.raw.lengths is None else side.raw.lengths.max(initial=1))
            for side in (reads, segments)
        )
        # Python's signal handlers run between the parts.
        step = max(1, _CALL_BASES // max(longest, 1))
        for first in range(0, len(out), step):
            last = min(first + step, len(out))
            part = slice(first, last)
            if last - first == len(out):
                self._native.compute(reads.raw, segments.raw, out)
            else:
                self._native.compute(
                    reads.part(first, last).raw, segments.part(first, last).raw, out[part]
                )

    def resident(self, reads: Sequences, contigs: Sequences) -> ResidentEngine:
        """Keep reads and contigs encoded."""
        return _CpuResident(self, reads, contigs)


class _CpuResident:
    def __init__(self, engine: CpuEngine, reads: Sequences, contigs: Sequences) -> None:
        self._engine = engine
        self._given = reads
        self._reads = reads.encoded(engine.threads)
        self._stranded: Sequences | None = None
        self._contigs = contigs.encoded(engine.threads)
        self._begins = contigs.starts
        self._ends = contigs.starts + contigs.lengths

    def compute(
        self,
        reads: NDArray[np.int32],
        contigs: NDArray[np.int32] | None,
        positions: NDArray[np.integer[Any]],
        reverse: NDArray[np.uint8] | None,
        out: NDArray[np.int16],
    ) -> None:
        strands = self._reads
        if reverse is not None:
            if self._stranded is None:
                self._stranded = self._given.both_strands().encoded(self._engine.threads)
            strands = self._stranded
        starts, lengths = strands.starts, strands.lengths
        for first in range(0, len(out), _CALL_CANDIDATES):
            part = slice(first, first + _CALL_CANDIDATES)
            which = reads[part]
            _check_indices(which, len(self._reads), first, "read")
            if reverse is not None:
                which = which + np.int32(len(self._reads)) * reverse[part]
            own = lengths[which]
            begins, ends = self._segments(
                first, None if contigs is None else contigs[part], positions[part], own
            )
            self._engine.compute(
                Sequences(
                    dataclasses.replace(
                        strands.raw, count=len(own), starts=starts[which], lengths=own
                    )
                ),
                Sequences(
                    dataclasses.replace(
                        self._contigs.raw,
                        count=len(own),
                        starts=begins,
                        lengths=(ends - begins).astype(np.int32),
                    )
                ),
                out[part],
            )

    def _segments(
        self,
        first: int,
        contigs: NDArray[np.int32] | None,
        positions: NDArray[np.integer[Any]],
        lengths: NDArray[np.int32],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where in the reference's buffer the segments begin and end."""
        if contigs is None:
            low, high = self._begins[:1], self._ends[:1]
        else:
            _check_indices(contigs, len(self._begins), first, "contig")
            low, high = self._begins[contigs], self._ends[contigs]
        begins = positions + low  # int64, as the contigs' begins are
        _refuse(
            (positions < 0) | (begins >= high), first,
            lambda k: f"position {positions[k]} is not in its contig",
        )  # fmt: skip
        ends = begins + lengths
        if self._engine.mode != "global":
            ends += self._engine.max_edits
        if self._engine.mode == "infix":
            begins = np.maximum(begins - self._engine.max_edits, low)
        if self._engine.method == "gatekeeper":
            _refuse(ends > high, first, lambda k: _CLIPPED)
        return begins, np.minimum(ends, high)


def _refuse(wrong: NDArray[np.bool_], first: int, message: Callable[[int], str]) -> None:
    if wrong.any():
        at = int(np.argmax(wrong))
        raise PairError(first + at, message(at))


def _check_indices(values: NDArray[np.int32], count: int, first: int, what: str) -> None:
    _refuse(
        (values < 0) | (values >= count),
        first,
        lambda k: f"{what} {values[k]} is none of the {count} there are",
    )


def _check_equal(reads: Sequences, segments: Sequences) -> None:
    if reads.raw.lengths is None and segments.raw.lengths is None:
        wrong = np.full(min(len(reads), 1), reads.raw.length != segments.raw.length)
    else:
        wrong = reads.lengths != segments.lengths
    _refuse(
        wrong, 0,
        lambda k: "gatekeeper needs equal lengths; the read has "
        f"{reads.lengths[k]} bases, the segment {segments.lengths[k]}",
    )  # fmt: skip


def _indices(values: Any, name: str, kind: type[np.integer[Any]]) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and len(array)):
        raise ValueError(
            f"{name}: expected whole numbers in one dimension, got {array.dtype} of shape "
            f"{array.shape}"
        )
    if array.dtype.itemsize > np.dtype(kind).itemsize or array.dtype.kind == "u":
        limits = np.iinfo(kind)
        _refuse(
            (array < limits.min) | (array > limits.max), 0,
            lambda k: f"{name}: {array[k]} is out of range",
        )  # fmt: skip
    return np.ascontiguousarray(array, kind)


def _bases(reads: Sequences) -> int:
    lengths = reads.raw.lengths
    return len(reads) * reads.raw.length if lengths is None else int(lengths.sum(dtype=np.int64))


def _output(out: NDArray[np.int16] | None, count: int) -> NDArray[np.int16]:
    if out is None:
        return np.empty(count, np.int16)
    if out.dtype != np.int16 or out.shape != (count,) or not out.flags.c_contiguous:
        raise ValueError(f"out: expected a C-contiguous int16 array of shape ({count},)")
    return out


def _whole(name: str, value: Any, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name}: a whole number, not {value!r}")
    if not 0 <= value <= most:
        raise ValueError(f"{name}: 0 to {most}, not {value}")
