"""Time the exact filter on unified memory instead of pinned staging buffers.

It runs in a separate process, so that the caller does not hang if the driver hangs on a page.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import statistics
import time
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native
from gkl_shim.cuda import devices, kernels
from gkl_shim.errors import BackendUnavailable
from gkl_shim.prefilter import Prefilter, Sequences

__all__ = ["seconds"]

# The time limit in seconds. On the slowest bus, about ten rounds take a second each.
_LIMIT = 60
_PREFER = 3  # cudaMemAdviseSetPreferredLocation

# The structs and constants of kernels/prefilter/cuda/work.h.
_THREADS = 128
_PADDING = 32  # bytes
_PLANES = np.dtype(
    [("low", "u8"), ("high", "u8"), ("undefined", "u8"), ("any", "u8"), ("words", "i8")],
    align=True,
)
_PLACES = np.dtype(
    [("starts", "u8"), ("stride", "i8"), ("origin", "i8"), ("lengths", "u8"), ("length", "i4")],
    align=True,
)
_WORK = np.dtype(
    [
        ("read_planes", _PLANES),
        ("segment_planes", _PLANES),
        ("reads", _PLACES),
        ("segments", _PLACES),
        ("read_numbers", "u8"),
        ("strand", "i4"),
        ("contigs", "u8"),
        ("positions", "u8"),
        ("reverse", "u8"),
        ("wide", "i4"),
        ("contig_count", "i4"),
        ("read_count", "i4"),
        ("before", "i4"),
        ("after", "i4"),
        ("clipped", "i4"),
        ("fault", "u8"),
        ("results", "u8"),
        ("count", "i8"),
    ],
    align=True,
)


def seconds(reads: Sequences, segments: Sequences, max_edits: int, rounds: int) -> dict[str, float]:
    """Time a call from and to host arrays on the first device.

    Parameters
    ----------
    reads, segments
        Encoded pairs of one length, a few hundred megabytes at most.
    max_edits
        The threshold of the global mode.
    rounds
        The number of calls. The result is the median.

    Returns
    -------
    dict
        Seconds by the kind of memory: pages that are transferred when they are touched, and pages
        that are advised to stay on the device and are prefetched there. In both, results are
        transferred when they are touched, because CuPy prefetches only to devices.

    Raises
    ------
    BackendUnavailable
        If the device, the driver or CuPy has no unified memory, or the calls take over a minute.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(
        target=_measure, args=(sender, reads, segments, max_edits, rounds), daemon=True
    )
    child.start()
    sender.close()
    try:
        if not receiver.poll(_LIMIT):
            raise BackendUnavailable(f"unified memory: not done after {_LIMIT} seconds")
        got: dict[str, float] | str = receiver.recv()
    except EOFError:
        raise BackendUnavailable("unified memory: the process that tried it died") from None
    finally:
        child.kill()
        child.join(1)
    if isinstance(got, str):
        raise BackendUnavailable(f"unified memory: {got}")
    return got


def _measure(
    sender: Connection, reads: Sequences, segments: Sequences, max_edits: int, rounds: int
) -> None:
    """Send the result of :func:`seconds`, or an error message, from the separate process."""
    try:
        sender.send(_seconds(reads, segments, max_edits, rounds))
    except Exception as error:
        sender.send(devices.one_line(error))


def _seconds(
    reads: Sequences, segments: Sequences, max_edits: int, rounds: int
) -> dict[str, float]:
    cupy = devices.import_cupy()
    with Prefilter(max_edits, backend="cuda", devices=[0]) as prefilter:
        want = prefilter.edits(reads, segments)
    taken = {}
    with cupy.cuda.Device(0):
        for name, advised in (
            ("unified memory", False),
            ("unified memory, advised and prefetched", True),
        ):
            pairs = _ManagedPairs(cupy, reads, segments, max_edits, advised)
            out = np.empty(len(reads), np.int16)
            times = []
            for _ in range(rounds + 1):
                start = time.perf_counter()
                pairs.compute(out)
                times.append(time.perf_counter() - start)
            if not np.array_equal(out, want):
                raise RuntimeError("wrong results")
            taken[name] = statistics.median(times[1:])
    return taken


class _Managed:
    """A buffer that has one address on the host and on the device."""

    def __init__(self, cupy: Any, size: int) -> None:
        self._memory = cupy.cuda.malloc_managed(size)
        self.size = size
        self.address = int(self._memory.ptr)
        room = (ctypes.c_uint8 * size).from_address(self.address)
        self.bytes: NDArray[np.uint8] = np.ctypeslib.as_array(room)


class _ManagedPairs:
    """Pairs and their results in unified memory."""

    def __init__(
        self,
        cupy: Any,
        reads: Sequences,
        segments: Sequences,
        max_edits: int,
        advised: bool,
    ) -> None:
        self._runtime = cupy.cuda.runtime
        self._launch = cupy.cuda.driver.launchKernel
        self._stream = cupy.cuda.Stream(non_blocking=True)
        architecture = cupy.cuda.Device(0).compute_capability
        self._module = kernels.load(cupy, "prefilter/cuda/kernels.cu", architecture)
        self._kernel = self._module.get_function("gkl_shim::prefilter::exact<unsigned int, 0>")
        self._advised = advised
        self._max_edits = max_edits
        self._work = np.zeros(1, _WORK)
        self._planes: list[tuple[_Managed, NDArray[np.uint8]]] = []
        for name, side in (("read", reads), ("segment", segments)):
            raw = side.raw
            simple = raw.undefined is None and raw.lengths is None
            if raw.low is None or raw.high is None or not simple:
                raise ValueError(
                    "the pairs must be encoded, of one length and without undefined letters"
                )
            addresses = []
            for plane in (raw.low, raw.high):
                managed = _Managed(cupy, plane.nbytes + 2 * _PADDING)
                self._planes.append((managed, plane.view(np.uint8)))
                addresses.append(managed.address + _PADDING)
            self._work[f"{name}_planes"] = (*addresses, 0, 0, len(raw.low))
            self._work[f"{name}s"] = (0, raw.stride, 0, 0, raw.length)
        self._results = _Managed(cupy, 2 * len(reads))
        self._work["results"], self._work["count"] = self._results.address, len(reads)
        if advised:
            for managed, _ in self._planes:
                self._runtime.memAdvise(managed.address, managed.size, _PREFER, 0)

    def compute(self, out: NDArray[np.int16]) -> None:
        """Write the pairs, filter them, read the results."""
        stream = self._stream.ptr
        for managed, plane in self._planes:
            inside = managed.bytes[_PADDING : _PADDING + len(plane)]
            _native.copy([(inside, plane)])
            if self._advised:
                self._runtime.memPrefetchAsync(managed.address, managed.size, 0, stream)
        edits = np.array([self._max_edits], np.int32)
        blocks = -(-len(out) // _THREADS)
        arguments = np.array([self._work.ctypes.data, edits.ctypes.data], np.uint64)
        self._launch(
            self._kernel.kernel.ptr, blocks, 1, 1, _THREADS, 1, 1, 0, stream,
            arguments.ctypes.data, 0,
        )  # fmt: skip
        self._stream.synchronize()
        _native.copy([(out.view(np.uint8), self._results.bytes)])
