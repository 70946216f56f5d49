"""The pre-alignment filter: report which read-segment pairs are within E edits.

The method ``exact`` computes the edit distance with banded bit vectors (Myers 1999, Hyyro 2003), so
it has no false accepts and no false rejects. The method ``gatekeeper`` is the estimate of
GateKeeper-GPU (Bingol et al., IEEE TC 2024, arXiv:2103.14978), for comparison.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._arguments import check_choice, whole_number
from gkl_shim.common._auto import CallCosts, Devices, estimate
from gkl_shim.common._checks import whole_numbers
from gkl_shim.common._closable import Closable
from gkl_shim.prefilter._engine import (
    Candidates,
    CpuEngine,
    Engine,
    Method,
    Mode,
    ResidentEngine,
    refuse,
)
from gkl_shim.prefilter._sequences import MAX_LENGTH, Sequences, contig_sequences, sequences

if TYPE_CHECKING:
    from gkl_shim.prefilter._cuda import Engine as CudaEngine

__all__ = ["ABOVE", "MAX_EDITS", "MAX_LENGTH", "UNDEFINED", "Prefilter", "Resident", "Sequences",
           "Summary", "edits", "summarize"]  # fmt: skip

Backend: TypeAlias = Literal["auto", "cpu", "cuda"]
Encode: TypeAlias = Literal["auto", "host", "device"]

ABOVE = -1
"""The result of a pair with more edits than the threshold."""
UNDEFINED = -2
"""The result of a pair with a letter other than ACGT in the read or the segment."""
MAX_EDITS = 255
"""The highest threshold."""


@dataclasses.dataclass(frozen=True, slots=True)
class Summary:
    """How many pairs were accepted, rejected and undefined."""

    pairs: int
    accepted: int
    """Pairs within the threshold."""
    rejected: int
    """Pairs above the threshold."""
    undefined: int
    """Pairs with a letter other than ACGT."""

    @property
    def acceptance_rate(self) -> float:
        """The share of all pairs that is accepted, or NaN if there are no pairs."""
        return self.accepted / self.pairs if self.pairs else float("nan")

    def __add__(self, other: Summary) -> Summary:
        return Summary(
            self.pairs + other.pairs,
            self.accepted + other.accepted,
            self.rejected + other.rejected,
            self.undefined + other.undefined,
        )


class Prefilter(Closable):
    """A filter with its options. It is cheap to make and may be used by several threads.

    Parameters
    ----------
    max_edits
        The threshold, 0 to 255. Pairs with at most this many edits are accepted.
    method
        ``"exact"``, or ``"gatekeeper"`` for the estimate. The estimate needs a read and a segment
        of equal length.
    mode
        What the whole read is aligned with: ``"global"``, the whole segment; ``"infix"``, any part
        of the segment; ``"prefix"``, a part at the start of the segment. edlib calls these NW, HW
        and SHW.
    backend
        ``"cpu"``, ``"cuda"`` or ``"auto"``, as for :class:`gkl_shim.pairhmm.PairHMM`: with
        ``"auto"``, each call goes to the CPU or to the devices, whichever was faster for calls of
        its size. All backends return the same results.
    threads, build
        As for :class:`gkl_shim.pairhmm.PairHMM`. All builds return the same results.
    devices
        The numbers of the CUDA devices to use. The default is all devices. They share the work of
        each call.
    encode
        Where letters are encoded in two bits a base for CUDA: ``"host"``, ``"device"``, or
        ``"auto"``, which is the device for letters in pinned memory and the host for others.

    Raises
    ------
    BackendUnavailable, MissingComponent, ValueError
        As for :class:`gkl_shim.pairhmm.PairHMM`.

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
        devices: Iterable[int] | None = None,
        encode: Encode = "auto",
    ) -> None:
        check_choice("method", method, Method)
        check_choice("mode", mode, Mode)
        check_choice("backend", backend, Backend)
        check_choice("encode", encode, Encode)
        if method == "gatekeeper" and mode != "global":
            raise ValueError(f"mode: gatekeeper supports only global, not {mode}")
        self.max_edits = whole_number("max_edits", max_edits, 0, MAX_EDITS)
        self.method: Method = method
        self.mode: Mode = mode
        self._cpu: CpuEngine | None = CpuEngine(method, mode, self.max_edits, threads, build)
        self._devices: Devices[CudaEngine] = Devices(
            "prefilter", backend, devices, self._cpu, encode
        )

    @property
    def build(self) -> str:
        """The build of the CPU engine."""
        return self._open().build

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the CUDA devices in use. Empty if the CPU computes."""
        engine = self._devices.engine
        return () if engine is None else engine.devices

    def close(self) -> None:
        """Release memory and devices. The filter cannot be used afterwards."""
        self._cpu = None
        engine = self._devices.close()
        if engine is not None:
            engine.close()

    def edits(
        self, reads: Any, segments: Any, out: NDArray[np.int16] | None = None
    ) -> NDArray[np.int16]:
        """Compute the edits of every pair; see :func:`edits`.

        Parameters
        ----------
        out
            A writable int16 array of shape (N,), C-contiguous. If given, it is filled and returned.
        """
        queries, targets = sequences(reads, "reads"), sequences(segments, "segments")
        if len(queries) != len(targets):
            raise ValueError(f"{len(queries)} reads, but {len(targets)} segments: they go in pairs")
        if self.method == "gatekeeper":
            _check_equal(queries, targets)
        results = _output(out, len(queries))
        if len(queries):

            def load() -> tuple[int, int]:
                return _bases(queries), _bytes_to_send(queries) + _bytes_to_send(targets)

            with self._engine_for(load) as engine:
                engine.compute(queries, targets, results)
        return results

    def resident(self, reads: Any, contigs: Any) -> Resident:
        """Encode reads and a reference, and keep them for a mapper's candidates.

        Arrays are copied, so the caller may refill them at once.

        Parameters
        ----------
        reads
            R reads, as for :func:`edits`.
        contigs
            The contigs of the reference, of any length. Each is bytes, str or a uint8 array.
        """
        self._open()
        kept_reads, kept_contigs = sequences(reads, "reads"), contig_sequences(contigs)
        # A list has been copied already.
        if isinstance(reads, (Sequences, np.ndarray)):
            kept_reads = kept_reads.copied()
        if isinstance(contigs, Sequences):
            kept_contigs = kept_contigs.copied()
        return Resident(self, kept_reads, kept_contigs)

    @contextlib.contextmanager
    def _engine_for(
        self, load: Callable[[], tuple[int, int]], costs: CallCosts | None = None
    ) -> Iterator[Engine]:
        """Choose the engine for a call.

        Parameters
        ----------
        load
            Returns the bases of the call's reads, and the bytes that a device has to be sent.
        costs
            As for :meth:`gkl_shim.common._auto.Devices.for_call`.
        """
        cpu = self._open()
        with self._devices.for_call(
            lambda: estimate("prefilter", *load(), self.max_edits, cpu.threads), costs
        ) as engine:
            yield cpu if engine is None else engine

    def _open(self) -> CpuEngine:
        if self._cpu is None:
            raise ValueError("this Prefilter is closed")
        return self._cpu


class Resident:
    """Encoded reads and an encoded reference. :meth:`Prefilter.resident` makes one.

    With CUDA they stay in device memory, and only candidates and results are transferred.
    """

    def __init__(self, prefilter: Prefilter, reads: Sequences, contigs: Sequences) -> None:
        self._prefilter = prefilter
        self._reads = reads
        self._contigs = contigs
        self._read_bases = _bases(reads) / max(len(reads), 1)
        self._on: dict[int, ResidentEngine] = {}
        # Candidates send less than pairs of sequences do.
        self._costs = CallCosts()
        self._opening = threading.Lock()

    def edits(
        self,
        reads: NDArray[np.integer[Any]],
        positions: NDArray[np.integer[Any]],
        contigs: NDArray[np.integer[Any]] | None = None,
        reverse: NDArray[np.bool_] | None = None,
        out: NDArray[np.int16] | None = None,
    ) -> NDArray[np.int16]:
        """Compute the edits of every candidate.

        Parameters
        ----------
        reads
            The index of each candidate's read, from 0: integers, shape (candidates,).
        positions
            Where each segment starts in its contig, from 0: integers, shape (candidates,). The
            segment is as long as the read. For ``infix`` it extends by `max_edits` at both ends,
            and for ``prefix`` at its end. It never extends beyond the contig.
        contigs
            The index of each candidate's contig, from 0: integers, shape (candidates,). May be None
            if there is only one contig.
        reverse
            Whether to use the reverse complement of the read: bool, shape (candidates,). None means
            that all reads are on the forward strand.
        out
            A writable int16 array of shape (candidates,), C-contiguous. If given, it is filled
            and returned.

        Returns
        -------
        ndarray
            The edits, ABOVE or UNDEFINED: int16, shape (candidates,).

        Raises
        ------
        PairError
            If a candidate's read, contig or position does not exist, or if the segment would reach
            beyond the contig with ``gatekeeper``. It holds the index of the candidate.
        ValueError
            If an array has a wrong shape or type.
        """
        which = _indices(reads, "reads", np.int32)
        small = np.asarray(positions).dtype == np.int32
        where = _indices(positions, "positions", np.int32 if small else np.int64)
        on = None if contigs is None else _indices(contigs, "contigs", np.int32)
        strand = None
        if reverse is not None:
            # A view of other numbers as bool may have bytes above 1, and this is used as an index.
            strand = np.asarray(np.not_equal(reverse, 0)).view(np.uint8)
            if strand.ndim != 1:
                raise ValueError(f"reverse: expected one dimension, got shape {strand.shape}")
        candidates = Candidates(which, where, on, strand)
        for name, array in zip(Candidates._fields, candidates, strict=True):
            if array is not None and len(array) != len(which):
                raise ValueError(f"{name}: {len(array)} values for {len(which)} candidates")
        if on is None and len(self._contigs) > 1:
            raise ValueError(f"contigs: required, because there are {len(self._contigs)} contigs")
        results = _output(out, len(which))
        if len(which):

            def load() -> tuple[int, int]:
                sent = sum(array.nbytes for array in candidates if array is not None)
                return int(len(which) * self._read_bases), sent

            with self._prefilter._engine_for(load, self._costs) as engine:
                with self._opening:
                    if id(engine) not in self._on:
                        self._on[id(engine)] = engine.resident(self._reads, self._contigs)
                self._on[id(engine)].compute(candidates, results)
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
    devices: Iterable[int] | None = None,
    encode: Encode = "auto",
) -> NDArray[np.int16]:
    """Compute the edits of every read-segment pair.

    Parameters
    ----------
    reads
        N reads of 1 to 10,000 bases: a :class:`Sequences`, a uint8 array of shape (N, length), an
        array of fixed-width bytes, or an iterable of bytes, str or uint8 arrays. Letters may have
        either case.
    segments
        N segments, in the same forms.
    max_edits, method, mode, backend, threads, build, devices, encode
        As for :class:`Prefilter`, but the backend ``"auto"`` is the CPU, because it chooses by the
        times of earlier calls of the same object.

    Returns
    -------
    ndarray
        int16, shape (N,): the edits of each pair, or their estimate with ``gatekeeper``;
        :data:`ABOVE` (-1) if there are more than `max_edits`; :data:`UNDEFINED` (-2) if a letter is
        not one of ACGT.

    Raises
    ------
    ValueError
        If a length is out of range, or the numbers of reads and segments differ. The message names
        the argument and the index.
    PairError
        If ``gatekeeper`` gets a read and a segment of different lengths.
    BackendUnavailable, MissingComponent
        As for :class:`Prefilter`.
    MemoryError
        If the engine cannot allocate its tables.

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
        prefilter._devices.never_open()
        return prefilter.edits(reads, segments)


def summarize(results: NDArray[np.int16]) -> Summary:
    """Count accepted, rejected and undefined pairs.

    Parameters
    ----------
    results
        The array that :func:`edits` returns.
    """
    accepted = int(np.count_nonzero(results >= 0))
    undefined = int(np.count_nonzero(results == UNDEFINED))
    return Summary(len(results), accepted, len(results) - accepted - undefined, undefined)


def _check_equal(reads: Sequences, segments: Sequences) -> None:
    if reads.raw.lengths is None and segments.raw.lengths is None:
        wrong = np.full(min(len(reads), 1), reads.raw.length != segments.raw.length)
    else:
        wrong = reads.lengths != segments.lengths
    refuse(
        wrong, 0,
        lambda k: "gatekeeper needs equal lengths; the read has "
        f"{reads.lengths[k]} bases, the segment {segments.lengths[k]}",
    )  # fmt: skip


def _indices(values: Any, name: str, kind: type[np.integer[Any]]) -> NDArray[Any]:
    array = whole_numbers(values, name)
    if array.dtype.itemsize > np.dtype(kind).itemsize or array.dtype.kind == "u":
        limits = np.iinfo(kind)
        refuse(
            (array < limits.min) | (array > limits.max), 0,
            lambda k: f"{name}: {array[k]} is out of range",
        )  # fmt: skip
    return np.ascontiguousarray(array, kind)


def _bases(reads: Sequences) -> int:
    lengths = reads.raw.lengths
    return len(reads) * reads.raw.length if lengths is None else int(lengths.sum(dtype=np.int64))


def _bytes_to_send(sequences: Sequences) -> int:
    # Letters are sent as letters, or encoded in three bits on the host.
    return _bases(sequences) * (3 if sequences.raw.letters is None else 8) // 8


def _output(out: NDArray[np.int16] | None, count: int) -> NDArray[np.int16]:
    if out is None:
        return np.empty(count, np.int16)
    fits = isinstance(out, np.ndarray) and out.dtype == np.int16 and out.shape == (count,)
    if not (fits and out.flags.c_contiguous and out.flags.writeable):
        raise ValueError(f"out: expected a writable C-contiguous int16 array of shape ({count},)")
    return out
