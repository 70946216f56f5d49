"""The CUDA engine of the prefilter: CuPy opens devices and loads kernels, native code computes.

The native engine (``kernels/prefilter/cuda/``) cuts a call into chunks. It copies or encodes each
chunk to pinned memory, sends it and filters it, on all devices at once. This module passes the
addresses of arrays to it. If devices fail, the CPU engine computes the remaining pairs.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common import _native
from gkl_shim.cuda.engine import Device, DeviceEngine, open_devices, with_options
from gkl_shim.errors import PairError
from gkl_shim.prefilter import _native_prefilter
from gkl_shim.prefilter._engine import Candidates, CpuEngine
from gkl_shim.prefilter._sequences import Sequences

# The approximate number of bytes in a chunk. The bus takes about half a millisecond to send them,
# and the chunks in flight fit into the cache of a large processor, from which they are then sent.
_CHUNK_BYTES = 1 << 25

_SOURCE = "prefilter/cuda/kernels.cu"
_NAMESPACE = "gkl_shim::prefilter::"


class Engine(DeviceEngine):
    """The prefilter on one or more CUDA devices. Thread-safe; many callers may compute at once.

    Parameters
    ----------
    devices
        As in :func:`gkl_shim.cuda.engine.open_devices`, which also lists the exceptions.
    cpu
        The CPU engine, with the options. It computes the pairs that no device computes.
    encode
        Where letters are encoded: ``"host"`` or ``"device"``. ``"auto"`` encodes letters in pinned
        memory on the device, and others on the host.
    """

    _NAME = "prefilter_cuda"

    def __init__(self, devices: Iterable[int] | None, cpu: CpuEngine, encode: str) -> None:
        self.cpu = cpu
        self.chunk_pairs = 0
        """The number of pairs in a chunk; 0 chooses it from their size."""
        self._ffi, self._lib = _native.library()
        found, functions = open_devices(
            devices, lambda cupy, number: _Device(cupy, number, cpu.method, cpu.mode)
        )
        fields = {
            "threads": cpu.threads,
            "method": _native_prefilter.constant(cpu.method),
            "mode": _native_prefilter.constant(cpu.mode),
            "max_edits": cpu.max_edits,
            "encode": _native_prefilter.constant(
                "cuda_auto" if encode == "auto" else f"cuda_on_{encode}"
            ),
            "chunk_bytes": _CHUNK_BYTES,
            "memory_bytes": min(device.memory_bytes for device in found),
        }
        self._open(with_options(self._NAME, found, functions, **fields))
        self._residents: weakref.WeakSet[_Resident] = weakref.WeakSet()

    def close(self) -> None:
        """Free all memory, including what :meth:`resident` keeps. No call may be running."""
        if self._engine is not None:
            for resident in list(self._residents):
                resident.close()
            super().close()

    def compute(self, reads: Sequences, segments: Sequences, out: NDArray[np.int16]) -> None:
        """Fill `out` with the result of every pair."""
        engine = self.pointer
        queries, targets = (
            _native_prefilter.sequences_pointer(reads.raw),
            _native_prefilter.sequences_pointer(segments.raw),
        )

        def on_devices(results: Any, call: Any) -> Any:
            return self._lib.gkl_shim_prefilter_cuda_compute(
                engine, queries, targets, results, call
            )

        def on_cpu(first: int, last: int) -> None:
            self.cpu.compute(reads.part(first, last), segments.part(first, last), out[first:last])

        self.run(on_devices, on_cpu, out)

    def resident(self, reads: Sequences, contigs: Sequences) -> _Resident:
        """Keep reads and contigs on the devices."""
        made = _Resident(self, reads, contigs)
        self._residents.add(made)
        return made

    def run(
        self,
        on_devices: Callable[[Any, Any], Any],
        on_cpu: Callable[[int, int], None],
        out: NDArray[np.int16],
    ) -> None:
        """Fill `out`. Python's signal handlers run meanwhile.

        Parameters
        ----------
        on_devices
            Calls the native library with the results and a ``gkl_shim_prefilter_cuda_call *``.
        on_cpu
            Computes the pairs [first, last). Raises PairError for the first that is out of range.
        """
        results = self._ffi.from_buffer("int16_t[]", out, require_writable=True)
        call = self._ffi.new(
            "gkl_shim_prefilter_cuda_call *", {"last": len(out), "chunk_pairs": self.chunk_pairs}
        )
        status = _native.interruptible(on_devices, results, call)
        self.tell_of_losses()
        _native.check(status)
        end = len(out) if call.fault < 0 else int(call.fault)
        if call.undone:
            for begin, stop in _runs(out[:end] == self._lib.GKL_SHIM_PREFILTER_CUDA_UNDONE):
                on_cpu(begin, stop)
        if call.fault >= 0:
            on_cpu(end, end + 1)
            raise RuntimeError(
                f"candidate {end}: out of range for the CUDA engine, but not for the CPU engine"
            )


class _OnDevices(NamedTuple):
    """A handle, and the sequences in whose memory the library finds what it sends to a device."""

    pointer: Any
    """The ``gkl_shim_prefilter_cuda_resident *``."""
    reads: Sequences


class _Resident:
    """Reads and contigs that stay on the devices."""

    def __init__(self, engine: Engine, reads: Sequences, contigs: Sequences) -> None:
        engine.pointer  # noqa: B018 - a closed engine keeps nothing
        self._engine = engine
        self._reads = reads
        self._contigs = contigs.encoded(engine.cpu.threads)
        self._cpu = engine.cpu.resident(reads, contigs)
        self._opening = threading.Lock()
        # By whether the reverse complements follow the reads.
        self._opened: dict[bool, _OnDevices] = {}

    def compute(self, candidates: Candidates, out: NDArray[np.int16]) -> None:
        """Fill `out` with the result of every candidate."""
        reads, positions, contigs, reverse = candidates
        ffi, lib = _native.library()
        # It lasts to the end of the call, even if another thread replaces it.
        on = self._on_devices(both_strands=reverse is not None)
        given = ffi.new(
            "gkl_shim_prefilter_cuda_candidates *",
            {
                "reads": ffi.from_buffer("int32_t[]", reads),
                "positions": ffi.from_buffer(positions),
                "wide": positions.itemsize == 8,
            },
        )
        if contigs is not None:
            given.contigs = ffi.from_buffer("int32_t[]", contigs)
        if reverse is not None:
            given.reverse = ffi.from_buffer("uint8_t[]", reverse)

        def on_devices(results: Any, call: Any) -> Any:
            return lib.gkl_shim_prefilter_cuda_compute_candidates(
                self._engine.pointer, on.pointer, given, results, call
            )

        def on_cpu(first: int, last: int) -> None:
            try:
                self._cpu.compute(candidates.part(first, last), out[first:last])
            except PairError as error:
                raise PairError(first + error.index, error.message) from None

        self._engine.run(on_devices, on_cpu, out)

    def close(self) -> None:
        """Free the devices' memory. No call may be running."""
        ffi, _ = _native.library()
        for on in self._opened.values():
            ffi.release(on.pointer)
        self._opened.clear()

    def _on_devices(self, both_strands: bool) -> _OnDevices:
        """Return the handle, opened when it is first needed."""
        with self._opening:
            # Once there is a handle for both strands, it is used for all candidates, so that the
            # reads are on a device only once.
            both_strands = both_strands or True in self._opened
            if both_strands not in self._opened:
                self._opened.clear()
                self._opened[both_strands] = self._open(both_strands)
            return self._opened[both_strands]

    def _open(self, both_strands: bool) -> _OnDevices:
        ffi, _ = _native.library()
        reads = self._reads.both_strands() if both_strands else self._reads
        reads = reads.encoded(self._engine.cpu.threads)
        sides = (reads, self._contigs)
        pointers = [_native_prefilter.sequences_pointer(side.raw) for side in sides]
        references = ffi.new(
            "gkl_shim_prefilter_cuda_references *",
            (*pointers, len(self._reads), len(self._contigs), both_strands),
        )
        handle = _native.opened("prefilter_cuda_resident", self._engine.pointer, references)
        return _OnDevices(handle, reads)


class _Device(Device):
    """Open a device, and hold its kernels for a ``gkl_shim_prefilter_cuda_device``."""

    def __init__(self, cupy: Any, number: int, method: str, mode: str) -> None:
        super().__init__(cupy, number, _SOURCE)
        with self.current():
            self.record["kernels"] = self._kernels(method, mode)

    def _kernels(self, method: str, mode: str) -> dict[str, Any]:
        def function(name: str) -> Any:
            return self.function(_NAMESPACE + name)

        found: dict[str, Any] = {"encode": function("encode")}
        if method == "gatekeeper":
            found["estimate"] = [function(f"estimate<{w}>") for w in (4, 8, 16, 320)]
            return found
        words, code = ("unsigned int", "unsigned long long"), _native_prefilter.constant(mode)
        found["exact"] = [function(f"exact<{word}, {code}>") for word in words]
        found["exact_words"] = [function(f"exact_words<{w}, {code}>") for w in (4, 8)]
        if mode != "global":
            found["exact_blocks"] = function(f"exact_blocks<{code}>")
        return found


def _runs(flags: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield the begin and the end of each run of true values."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
