"""The CUDA engine of the prefilter: devices, streams, memory that is kept, and a call's flow.

A call is cut into batches. A batch's sequences are copied into pinned memory, as they are or
encoded on the way, travel to a device, are encoded there if they were not, and filtered; results
travel back. Several batches are in flight on a device at once, each with a stream and memory of its
own, so that copying, transfers and kernels overlap. Each device has several launch threads, so that
the CPUs copy one batch while the thread of another waits for the device. All devices take batches
from one queue.

What a device leaves undone when it fails is computed by the CPU engine.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gkl_shim import _native, _native_prefilter
from gkl_shim._sequences import Sequences
from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.cuda import kernels
from gkl_shim.errors import BackendUnavailable, PairError

__all__ = ["PADDING", "THREADS", "WORK", "Device", "Engine"]

# Bytes that go to a device at once: they take the bus about half a millisecond. All batches in
# flight fit a large processor's cache, from which the bus then reads them.
_BATCH_BYTES = 1 << 25
# Launch threads of a device, the most batches that each has in flight, and the part of the device's
# free memory that all of these may take.
_LAUNCH_THREADS = 3
_SLOTS = 2
_MEMORY_SHARE = 0.5
# Sequences that lie so far apart, in buffer bases per base of their own, that the buffer goes to
# the device as a whole.
_SCATTERED = 2
# How many pairs of a length must have been filtered before a kernel is compiled for that length and
# threshold, which takes half a second and makes it a tenth faster; and for how many lengths that is
# done at most.
_SPECIAL_AFTER = 1 << 30
_SPECIAL_LENGTHS = 8
# Memory for the state of wide bands at most.
_STATE_BYTES = 1 << 28
# Bytes a base of three planes.
_PLANES_BYTES = 3 / 8

_SOURCE = "prefilter/cuda/kernels.cu"
_NAMESPACE = "gkl_shim::prefilter::"
_MODES = ("global", "infix", "prefix")
THREADS = 128
PADDING = 32  # kPadding words
_ALIGN = 256
_PINNED_MEMORY = 1
_TO_DEVICE, _TO_HOST = 1, 2

_PLACES = np.dtype(
    [("starts", "u8"), ("stride", "i8"), ("origin", "i8"), ("lengths", "u8"), ("length", "i4")],
    align=True,
)
_PLANES = np.dtype(
    [("low", "u8"), ("high", "u8"), ("undefined", "u8"), ("any", "u8"), ("words", "i8")],
    align=True,
)
WORK = np.dtype(
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


class _CpuEngine(Protocol):
    method: Any
    mode: Any
    max_edits: int
    threads: int

    def compute(self, reads: Sequences, segments: Sequences, out: NDArray[np.int16]) -> None: ...

    def resident(self, reads: Sequences, contigs: Sequences) -> Any: ...


class Engine:
    """The prefilter on one or more CUDA devices. Thread-safe: calls take turns.

    Parameters
    ----------
    cpu
        The CPU engine, with the options; it computes what no device does.
    devices
        Their numbers; by default all there are.
    encode
        ``"host"``, ``"device"``, or ``"auto"``: each is tried on the first large call of letters,
        and what took less time is kept.

    Raises
    ------
    BackendUnavailable
        If CuPy or a driver is missing, or a device cannot be used.
    ValueError
        If a device number is wrong.
    """

    def __init__(self, cpu: _CpuEngine, devices: Iterable[int] | None, encode: str) -> None:
        self.cpu = cpu
        self.encode = encode
        self.measured: dict[str, float] = {}
        """Seconds a base, by place of encoding, where ``"auto"`` has tried."""
        self.batch_pairs: int | None = None
        """How many pairs go to a device at once; None for what suits its memory."""
        self.special_after = _SPECIAL_AFTER
        """How many pairs of a length are filtered before a kernel is compiled for it."""
        self._lengths: dict[int, int] = {}
        self._lock = threading.Lock()
        numbers = cuda_devices.chosen(devices)
        cupy = cuda_devices.import_cupy()
        try:
            self._devices = [Device(cupy, number) for number in numbers]
        except Exception as error:
            raise BackendUnavailable(
                f"CUDA cannot be used: {cuda_devices.one_line(error)}"
            ) from error

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the devices in use."""
        return tuple(device.name for device in self.devices_in_use())

    def devices_in_use(self) -> list[Device]:
        """Return the devices that have not failed."""
        return [device for device in self._devices if device.alive]

    def close(self) -> None:
        """Give all memory back. No call may be under way."""
        for device in self._devices:
            device.close()
        self._devices = []

    def compute(self, reads: Sequences, segments: Sequences, out: NDArray[np.int16]) -> None:
        """Fill `out` with every pair's result."""
        self.run(_Pairs(self, reads, segments, out))

    def resident(self, reads: Sequences, contigs: Sequences) -> _Resident:
        """Keep reads and contigs on the devices."""
        return _Resident(self, reads, contigs)

    def kernel_seconds(self, reads: Sequences, segments: Sequences, repeats: int) -> float:
        """Time the filter alone, on pairs that are encoded on the first device already.

        Returns
        -------
        float
            Seconds a launch: the median of so many.
        """
        with self._lock:
            device = self._devices[0]
            call = _Pairs(self, reads, segments, np.empty(len(reads), np.int16))
            with device.cupy.cuda.Device(device.number):
                slot = device.slots[0][0]
                slot.first, slot.last = 0, len(reads)
                call.submit(slot, 0, len(reads))
                return slot.again(repeats)

    def occupancy(self) -> list[tuple[str, int, int, int]]:
        """Return the kernels that the first device has run, as :meth:`Device.occupancy` does."""
        return self._devices[0].occupancy()

    def special_length(self, length: int, pairs: int) -> int:
        """Return the length of a call's pairs, where its kernel is to be compiled for it, else 0.

        Parameters
        ----------
        length
            Of all reads and segments; 0 where they differ.
        """
        if not length or (length not in self._lengths and len(self._lengths) == _SPECIAL_LENGTHS):
            return 0
        self._lengths[length] = self._lengths.get(length, 0) + pairs
        return length if self._lengths[length] >= self.special_after else 0

    def run(self, call: _Call) -> None:
        """Run a call in its turn."""
        with self._lock:
            call.run(self.devices_in_use())


class _Resident:
    """Reads and contigs on every device."""

    def __init__(self, engine: Engine, reads: Sequences, contigs: Sequences) -> None:
        self._engine = engine
        self._given = reads
        self.cpu = engine.cpu.resident(reads, contigs)
        self._strands = reads.encoded(engine.cpu.threads)
        self.contigs = contigs.encoded(engine.cpu.threads)
        self.both = False
        self.count = len(reads)
        self._on: dict[int, tuple[_Whole, _Whole]] = {}
        self._sending = threading.Lock()

    def compute(
        self,
        reads: NDArray[np.int32],
        contigs: NDArray[np.int32] | None,
        positions: NDArray[np.integer[Any]],
        reverse: NDArray[np.uint8] | None,
        out: NDArray[np.int16],
    ) -> None:
        """Fill `out` with every candidate's result."""
        if reverse is not None and not self.both:
            self._strands = self._given.both_strands().encoded(self._engine.cpu.threads)
            self._on.clear()
            self.both = True
        self._engine.run(_Candidates(self._engine, self, reads, contigs, positions, reverse, out))

    def on(self, device: Device) -> tuple[_Whole, _Whole]:
        """Return reads and contigs on a device; they travel there once."""
        with self._sending:
            if device.number not in self._on:
                self._on[device.number] = (
                    _Whole(device, self._strands),
                    _Whole(device, self.contigs),
                )
            return self._on[device.number]


class _Call:
    """One call's way over the devices: a queue of batches."""

    def __init__(self, engine: Engine, out: NDArray[np.int16], pair_bytes: float) -> None:
        self.engine = engine
        self.out = out
        self.pair_bytes = max(pair_bytes, 1.0)
        self.error: BaseException | None = None
        self.length = 0
        """What all reads and segments have, where the kernel is to be compiled for it."""
        self._next = 0
        self._failed: list[tuple[int, int]] = []
        self._lock = threading.Lock()

    def submit(self, slot: _Slot, first: int, last: int) -> None:
        """Send a batch on its way."""
        raise NotImplementedError

    def on_cpu(self, first: int, last: int) -> None:
        """Compute a batch without a device."""
        raise NotImplementedError

    def fault(self, index: int) -> BaseException:
        """Return the error of a candidate that is nowhere."""
        raise NotImplementedError

    def run(self, devices: list[Device]) -> None:
        """Compute all pairs."""
        threads = [
            threading.Thread(target=self._keep_in_flight, args=arguments, name="gkl-shim-cuda")
            for arguments in self._launch_threads(devices)
        ]
        for thread in threads[1:]:
            thread.start()
        if threads:
            threads[0].run()
        for thread in threads[1:]:
            thread.join()
        if self.error is not None:
            raise self.error
        for first, last in [*self._failed, (self._next, len(self.out))]:
            if first < last:
                self.on_cpu(first, last)

    def _launch_threads(self, devices: list[Device]) -> list[tuple[Device, deque[_Slot], int]]:
        """Return each launch thread's device, slots, and pairs a batch."""
        threads = []
        for device in devices:
            try:
                with device.cupy.cuda.Device(device.number):
                    step = self.engine.batch_pairs or device.batch(self.pair_bytes)
            except Exception as error:
                device.retire(error)
                continue
            batches = -(-len(self.out) // (step * len(devices)))
            useful = min(batches, self.engine.cpu.threads or _native.cpu_count(), _LAUNCH_THREADS)
            threads += [(device, slots, step) for slots in device.slots[:useful]]
        return threads

    def _take(self, step: int) -> tuple[int, int]:
        with self._lock:
            if self.error is not None:
                return 0, 0
            first = self._next
            self._next = min(first + step, len(self.out))
            return first, self._next

    def _keep_in_flight(self, device: Device, slots: deque[_Slot], step: int) -> None:
        in_flight: deque[_Slot] = deque()
        first = last = 0
        try:
            with device.cupy.cuda.Device(device.number):
                while device.alive:
                    slot = slots[0]
                    slots.rotate(-1)
                    if slot in in_flight:
                        self._collect(in_flight)
                    first, last = self._take(step)
                    if first == last:
                        break
                    slot.first, slot.last = first, last
                    self.submit(slot, first, last)
                    in_flight.append(slot)
                    first = last = 0
                while in_flight:
                    self._collect(in_flight)
        except (KeyboardInterrupt, SystemExit) as error:
            self.error = error
            for slot in in_flight:  # they write to the caller's memory
                slot.synchronize()
        except Exception as error:
            with self._lock:
                self._failed += [(slot.first, slot.last) for slot in in_flight]
                if first < last:
                    self._failed.append((first, last))
            device.retire(error)

    def _collect(self, in_flight: deque[_Slot]) -> None:
        slot = in_flight[0]
        fault = slot.finish(self.out[slot.first : slot.last], self.engine)
        in_flight.popleft()
        if fault is not None:
            with self._lock:
                index = slot.first + fault
                if self.error is None or (
                    isinstance(self.error, PairError) and index < self.error.index
                ):
                    self.error = self.fault(index)

    def launch(self, slot: _Slot, work: Any, widest: int, longest: int) -> None:
        """Start the filter on what `work` describes; results follow it back.

        Parameters
        ----------
        widest
            No band is wider, for ``exact``.
        longest
            No read is longer, for ``gatekeeper``.
        """
        cpu = self.engine.cpu
        slot.flush(self.engine)
        count = int(work["count"][0])
        edits = np.array([cpu.max_edits], np.int32)
        blocks = -(-count // THREADS)
        if cpu.method == "gatekeeper":
            words = next(size for size in (4, 8, 16, 320) if 32 * size >= longest)
            slot.launch(f"estimate<{words}>", blocks, work, edits)
        else:
            mode = _MODES.index(cpu.mode)
            word = "unsigned int" if widest <= 32 else "unsigned long long"
            length = self.length if widest <= 64 else 0
            special = f"{length}, {cpu.max_edits if length else 0}"
            slot.launch(f"exact<{word}, {mode}, {special}>", blocks, work, edits)
            for words in (4, 8):
                if widest > 16 * words:
                    slot.launch(f"exact_words<{words}, {mode}>", blocks, work, edits)
            if widest > 256:
                size = 8 * -(-widest // 32)
                blocks = min(blocks, max(1, _STATE_BYTES // (size * THREADS)))
                state = slot.state(size * THREADS * blocks)
                slot.launch(
                    f"exact_blocks<{mode}>", blocks, work, edits, np.array([state], np.uint64)
                )
        slot.fetch(self.out[slot.first : slot.last])


class _Pairs(_Call):
    """Pairs of two lists of sequences."""

    def __init__(
        self, engine: Engine, reads: Sequences, segments: Sequences, out: NDArray[np.int16]
    ) -> None:
        self._reads, self._segments = reads, segments
        self._sides = (reads, segments)
        self._whole: dict[tuple[int, int], _Whole] = {}
        self._once = threading.RLock()
        self._scattered = [_is_scattered(side) for side in self._sides]
        letters = reads.raw.letters
        self._shared = (
            letters is not None and letters is segments.raw.letters and not any(self._scattered)
        )
        size = 0.0
        for k, side in enumerate(self._sides):
            raw = side.raw
            size += 8 * (raw.starts is not None) + 4 * (raw.lengths is not None)
            if not (self._scattered[k] or (k and self._shared)):
                bases = _span(side, 0, len(out)) / max(len(out), 1)
                size += bases * (1 if raw.letters is not None else _PLANES_BYTES)
        super().__init__(engine, out, size)
        raw, other = reads.raw, segments.raw
        if raw.lengths is None and other.lengths is None and raw.length == other.length:
            self.length = engine.special_length(raw.length, len(out))
        # Where letters are encoded; "" is to be measured.
        self._place = engine.encode
        some_letters = any(
            side.raw.letters is not None and not scattered
            for side, scattered in zip(self._sides, self._scattered, strict=True)
        )
        if self._place == "auto":
            measured = engine.measured if some_letters else {"host": 0.0}
            self._place = min(measured, key=measured.__getitem__, default="")

    def on_cpu(self, first: int, last: int) -> None:
        self.engine.cpu.compute(
            self._reads.part(first, last), self._segments.part(first, last), self.out[first:last]
        )

    def submit(self, slot: _Slot, first: int, last: int) -> None:
        with self._once:
            if not self._place:
                self._measure(slot, first, last)
                return
        self._submit(slot, first, last, self._place)

    def _measure(self, slot: _Slot, first: int, last: int) -> None:
        """Try each place of encoding, to warm up and to measure; the last results count."""
        measured = {}
        for place in ("host", "device"):
            for _ in range(2):
                start = time.perf_counter()
                self._submit(slot, first, last, place)
                staged = time.perf_counter() - start
                slot.synchronize()
                moved = time.perf_counter() - start - staged
                measured[place] = max(staged, moved)
        self._place = min(measured, key=measured.__getitem__)
        if last - first >= 1 << 16:
            self.engine.measured = measured

    def _submit(self, slot: _Slot, first: int, last: int, place: str) -> None:
        spans = [_bounds(side, first, last) for side in self._sides]
        if self._shared:
            low = min(span[0] for span in spans)
            high = max(span[1] for span in spans)
            spans = [(low, high)] * 2
        slot.reserve(self._room(first, last, spans, place))
        work = np.zeros(1, WORK)
        one = None
        for k, (name, side) in enumerate((("read", self._reads), ("segment", self._segments))):
            if self._scattered[k]:
                planes, origin = self._on(slot.device, k).planes, 0
            elif k and self._shared and one is not None:
                planes, origin = one
            else:
                planes, origin = slot.put_bases(side.raw, *spans[k], place, self.engine)
                one = planes, origin
            work[f"{name}_planes"] = planes
            work[f"{name}s"] = slot.put_places(side.raw, first, last, origin)
        work["count"] = last - first
        work["results"] = slot.results(last - first)
        longest, longer = self._shape(first, last)
        self.launch(slot, work, _widest(self.engine.cpu, longer), longest)

    def _on(self, device: Device, k: int) -> _Whole:
        """Return a whole side's buffer on a device; it travels there once."""
        with self._once:
            if (device.number, k) not in self._whole:
                encoded = self._sides[k].encoded(self.engine.cpu.threads)
                self._whole[device.number, k] = _Whole(device, encoded)
            return self._whole[device.number, k]

    def _room(self, first: int, last: int, spans: list[tuple[int, int]], place: str) -> int:
        size = 0
        for side, scattered, (low, high) in zip(self._sides, self._scattered, spans, strict=True):
            raw, count = side.raw, last - first
            size += (raw.starts is not None) * 8 * count + (raw.lengths is not None) * 4 * count
            if not scattered:
                words = (high - low) // 32 + 2
                planes = 3 * (4 * words + 2 * PADDING + _ALIGN)
                size += planes
                if raw.letters is not None and place == "device":
                    size += 32 * words + _ALIGN
            size += 4 * _ALIGN
        return size

    def _shape(self, first: int, last: int) -> tuple[int, int]:
        """Return the longest read, and the most that a segment is longer than its read."""
        reads, segments = self._reads.raw, self._segments.raw
        m = reads.length if reads.lengths is None else reads.lengths[first:last]
        n = segments.length if segments.lengths is None else segments.lengths[first:last]
        return int(np.max(m)), int(np.max(np.subtract(n, m)))


class _Candidates(_Call):
    """A mapper's candidates."""

    def __init__(
        self,
        engine: Engine,
        resident: _Resident,
        reads: NDArray[np.int32],
        contigs: NDArray[np.int32] | None,
        positions: NDArray[np.integer[Any]],
        reverse: NDArray[np.uint8] | None,
        out: NDArray[np.int16],
    ) -> None:
        self._resident = resident
        self._arrays = {
            "read_numbers": reads,
            "contigs": contigs,
            "positions": positions,
            "reverse": reverse,
        }
        super().__init__(
            engine, out, sum(a.itemsize for a in self._arrays.values() if a is not None)
        )

    def on_cpu(self, first: int, last: int) -> None:
        try:
            self._resident.cpu.compute(*self._part(first, last), self.out[first:last])
        except PairError as error:
            raise PairError(first + error.index, error.message) from None

    def fault(self, index: int) -> BaseException:
        """Ask the CPU engine what is wrong with it."""
        try:
            self._resident.cpu.compute(*self._part(index, index + 1), np.empty(1, np.int16))
        except PairError as error:
            return PairError(index, error.message)
        return RuntimeError(f"candidate {index}: CUDA and CPU engines disagree about its place")

    def _part(self, first: int, last: int) -> list[Any]:
        order = ("read_numbers", "contigs", "positions", "reverse")
        return [None if a is None else a[first:last] for a in map(self._arrays.get, order)]

    def submit(self, slot: _Slot, first: int, last: int) -> None:
        cpu, resident = self.engine.cpu, self._resident
        reads, contigs = resident.on(slot.device)
        count = last - first
        slot.reserve(
            sum(a.itemsize * count + _ALIGN for a in self._arrays.values() if a is not None)
        )
        work = np.zeros(1, WORK)
        work["read_planes"], work["reads"] = reads.planes, reads.places
        work["segment_planes"], work["segments"] = contigs.planes, contigs.places
        for name, array in self._arrays.items():
            if array is not None:
                work[name] = slot.put(array[first:last])
        reach = 0 if cpu.mode == "global" else cpu.max_edits
        work["wide"] = self._arrays["positions"].itemsize == 8  # type: ignore[union-attr]
        work["strand"] = resident.count
        work["read_count"] = resident.count
        work["contig_count"] = len(resident.contigs)
        work["before"] = reach if cpu.mode == "infix" else 0
        work["after"] = reach
        work["clipped"] = cpu.method != "gatekeeper"
        work["count"] = count
        work["results"] = slot.results(count)
        work["fault"] = slot.fault()
        longer = int(work["before"][0] + work["after"][0])
        self.launch(slot, work, _widest(cpu, longer), reads.longest)


class _Whole:
    """A buffer of encoded sequences that stays on a device, and where they are in it."""

    def __init__(self, device: Device, sequences: Sequences) -> None:
        raw = sequences.raw
        cupy = device.cupy
        self._kept: list[Any] = []
        assert raw.low is not None and raw.high is not None
        planes = [raw.low, raw.high, *([] if raw.undefined is None else [raw.undefined])]
        addresses = [0, 0, 0]
        for k, plane in enumerate(planes):
            padded = cupy.zeros(len(plane) + 2 * (PADDING // 4), np.uint32)
            padded[PADDING // 4 : PADDING // 4 + len(plane)].set(plane)
            self._kept.append(padded)
            addresses[k] = padded.data.ptr + PADDING
        self.planes = (*addresses, 0, len(raw.low))
        starts = self._on(cupy, raw.starts)
        lengths = self._on(cupy, raw.lengths)
        self.places = (starts, raw.stride, 0, lengths, raw.length)
        self.longest = int(raw.length if raw.lengths is None else raw.lengths.max(initial=1))
        device.cupy.cuda.get_current_stream().synchronize()

    def _on(self, cupy: Any, array: NDArray[Any] | None) -> int:
        if array is None:
            return 0
        self._kept.append(cupy.asarray(array))
        return int(self._kept[-1].data.ptr)


class _Slot:
    """What one batch needs on a device: a stream, and memory that grows and is kept."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.first = self.last = 0
        self._cupy = device.cupy
        self._runtime = device.cupy.cuda.runtime
        self.stream = device.cupy.cuda.Stream(non_blocking=True)
        self._used = 0
        self._block: Any = None
        self._pinned: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._state: Any = None
        self._results: Any = None
        self._fetched: NDArray[np.int16] = np.empty(0, np.int16)
        self._direct = False
        # A fault's number comes back beside the results.
        self._fault: Any = None
        self._fault_seen = _pinned(device.cupy, 8).view(np.uint64)
        self._faulty = False
        # What is to be copied into pinned memory, sent and encoded before the filter.
        self._copies: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]] = []
        self._unsent: list[tuple[int, NDArray[np.uint8]]] = []
        self._encodes: list[tuple[Any, ...]] = []
        self._arguments: list[Any] = []
        self._launched: list[tuple[int, int, NDArray[np.uint64]]] = []

    def synchronize(self) -> None:
        self.stream.synchronize()

    def reserve(self, size: int) -> None:
        """Make room for a batch's transfers; what was there is gone."""
        self._used = 0
        self._faulty = False
        for pending in (self._copies, self._unsent, self._encodes, self._arguments):
            pending.clear()
        if len(self._pinned) < size:
            self.stream.synchronize()
            size = size + size // 8
            self._block = None
            self._pinned = np.empty(0, np.uint8)
            self._block = self._cupy.cuda.alloc(size)
            # Bands reach into the padding: what is there has no influence, but is something.
            self._runtime.memsetAsync(self._block.ptr, 0, size, self.stream.ptr)
            self._pinned = _pinned(self._cupy, size)

    def put(self, array: NDArray[Any]) -> int:
        """Have an array sent by :meth:`flush`; return where it will be."""
        data = array.view(np.uint8) if array.itemsize > 1 else array
        at = self._take(data.nbytes)
        source = data
        if not self.device.is_pinned(array):
            source = self._pinned[at : at + data.nbytes]
            self._copies.append((source, data))
        self._unsent.append((at, source))
        return int(self._block.ptr) + at

    def flush(self, engine: Engine) -> None:
        """Send what was put, and encode on the device what is to be encoded there."""
        # All at once: waking the threads takes as long as copying some megabytes.
        _native.copy(self._copies, engine.cpu.threads)
        for at, source in self._unsent:
            self._send(at, source)
        for blocks, flag, *arguments in self._encodes:
            self._runtime.memsetAsync(flag, 0, 4, self.stream.ptr)
            self.launch("encode", blocks, *arguments, np.array([flag], np.uint64))
        self._launched.clear()

    def put_places(
        self, raw: _native_prefilter.Sequences, first: int, last: int, origin: int
    ) -> tuple[int, int, int, int, int]:
        """Have it sent where sequences are; return a ``Places``."""
        starts = 0 if raw.starts is None else self.put(raw.starts[first:last])
        lengths = 0 if raw.lengths is None else self.put(raw.lengths[first:last])
        if raw.starts is None:
            origin -= first * raw.stride
        return starts, raw.stride, origin, lengths, raw.length

    def put_bases(
        self, raw: _native_prefilter.Sequences, low: int, high: int, place: str, engine: Engine
    ) -> tuple[tuple[int, int, int, int, int], int]:
        """Have bases [low, high) sent; return ``Planes`` and which base is the first."""
        if raw.letters is None:
            first, last = low // 32, -(-high // 32)
            addresses = [0, 0, 0]
            for k, plane in enumerate((raw.low, raw.high, raw.undefined)):
                if plane is not None:
                    self._used += PADDING
                    addresses[k] = self.put(plane[first:last])
                    self._used += PADDING
            return (addresses[0], addresses[1], addresses[2], 0, last - first), 32 * first
        letters = raw.letters[low:high]
        words = -(-len(letters) // 32)
        if place == "host":
            at = []
            for _ in range(3):
                self._used += PADDING
                at.append(self._take(4 * words))
                self._used += PADDING
            views = [self._pinned[k : k + 4 * words].view(np.uint32) for k in at]
            found = _native_prefilter.encode(
                letters, views[0], views[1], views[2], engine.cpu.threads
            )
            for offset, view in list(zip(at, views, strict=True))[: 2 + found]:
                self._send(offset, view.view(np.uint8))
            block = int(self._block.ptr)
            unknown = block + at[2] if found else 0
            return (block + at[0], block + at[1], unknown, 0, words), low
        text = self.put(letters)
        self._used += 32
        planes = []
        for _ in range(3):
            self._used += PADDING
            planes.append(int(self._block.ptr) + self._take(4 * words))
            self._used += PADDING
        flag = int(self._block.ptr) + self._take(4)
        pointers = [np.array([address], np.uint64) for address in (text, *planes)]
        size = np.array([len(letters)], np.int64)
        self._encodes.append((-(-words // THREADS), flag, pointers[0], size, *pointers[1:]))
        return (planes[0], planes[1], planes[2], flag, words), low

    def results(self, count: int) -> int:
        """Make room for results; return where."""
        if self._results is None or self._results.mem.size < 2 * count:
            self._results = self._cupy.cuda.alloc(2 * count)
        return int(self._results.ptr)

    def state(self, size: int) -> int:
        """Make room for wide bands; return where."""
        if self._state is None or self._state.mem.size < size:
            self.stream.synchronize()
            self._state = self._cupy.cuda.alloc(size)
        return int(self._state.ptr)

    def fault(self) -> int:
        """Reset the number of the lowest candidate that is nowhere; return where it is."""
        if self._fault is None:
            self._fault = self._cupy.cuda.alloc(8)
        self._runtime.memsetAsync(self._fault.ptr, 0xFF, 8, self.stream.ptr)
        self._faulty = True
        return int(self._fault.ptr)

    def launch(self, name: str, blocks: int, *arguments: NDArray[Any]) -> None:
        """Start a kernel; each argument is an array of one element."""
        addresses = np.array([argument.ctypes.data for argument in arguments], np.uint64)
        self._arguments.append((arguments, addresses))
        self._launched.append((self.device.function(name), blocks, addresses))
        self._start(*self._launched[-1])

    def _start(self, function: int, blocks: int, addresses: NDArray[np.uint64]) -> None:
        self._cupy.cuda.driver.launchKernel(
            function, blocks, 1, 1, THREADS, 1, 1, 0, self.stream.ptr, addresses.ctypes.data, 0
        )

    def again(self, repeats: int) -> float:
        """Start the filter's kernels so often; return the median seconds that they took."""
        self.stream.synchronize()
        seconds = []
        for _ in range(repeats):
            begin, end = (self._cupy.cuda.Event() for _ in range(2))
            begin.record(self.stream)
            for launched in self._launched:
                self._start(*launched)
            end.record(self.stream)
            end.synchronize()
            seconds.append(self._cupy.cuda.get_elapsed_time(begin, end) / 1e3)
        return float(np.median(seconds))

    def fetch(self, out: NDArray[np.int16]) -> None:
        """Send results back."""
        self._direct = self.device.is_pinned(out)
        if not self._direct and len(self._fetched) < len(out):
            self._fetched = _pinned(self._cupy, 2 * (len(out) + len(out) // 8)).view(np.int16)
        target = out if self._direct else self._fetched
        copy = self._runtime.memcpyAsync
        copy(target.ctypes.data, self._results.ptr, out.nbytes, _TO_HOST, self.stream.ptr)
        if self._faulty:
            seen = self._fault_seen.ctypes.data
            copy(seen, self._fault.ptr, 8, _TO_HOST, self.stream.ptr)

    def finish(self, out: NDArray[np.int16], engine: Engine) -> int | None:
        """Wait for the batch; fill `out`. Return the lowest candidate that is nowhere."""
        self.stream.synchronize()
        if not self._direct:
            fetched = self._fetched[: len(out)]
            _native.copy([(out.view(np.uint8), fetched.view(np.uint8))], engine.cpu.threads)
        if self._faulty and self._fault_seen[0] < len(out):
            return int(self._fault_seen[0])
        return None

    def _take(self, size: int) -> int:
        at = -(-self._used // _ALIGN) * _ALIGN
        self._used = at + size
        return at

    def _send(self, at: int, source: NDArray[np.uint8]) -> None:
        self._runtime.memcpyAsync(
            self._block.ptr + at, source.ctypes.data, source.nbytes, _TO_DEVICE, self.stream.ptr
        )


class Device:
    """A device, its kernels and slots."""

    def __init__(self, cupy: Any, number: int) -> None:
        self.cupy = cupy
        self.number = number
        self.alive = True
        properties = cupy.cuda.runtime.getDeviceProperties(number)
        self.name = properties["name"].decode()
        self._functions: dict[str, Any] = {}
        self._lock = threading.Lock()
        with cupy.cuda.Device(number) as device:
            self._module = kernels.load(cupy, _SOURCE, device.compute_capability)
            self.slots = [deque(_Slot(self) for _ in range(_SLOTS)) for _ in range(_LAUNCH_THREADS)]

    def function(self, name: str) -> int:
        """Return a kernel."""
        with self._lock:
            if name not in self._functions:
                self._functions[name] = self._module.get_function(_NAMESPACE + name)
            return int(self._functions[name].kernel.ptr)

    def occupancy(self) -> list[tuple[str, int, int, int]]:
        """Return each kernel that has run, with its resources.

        Returns
        -------
        list of tuple
            Name, registers a thread, warps that a multiprocessor holds, warps that it could.
        """
        driver = self.cupy.cuda.driver
        properties = self.cupy.cuda.runtime.getDeviceProperties(self.number)
        found = []
        with self.cupy.cuda.Device(self.number):
            for name, function in self._functions.items():
                pointer = function.kernel.ptr
                blocks = driver.occupancyMaxActiveBlocksPerMultiprocessor(pointer, THREADS, 0)
                warps, most = blocks * (THREADS // 32), properties["maxThreadsPerMultiProcessor"]
                found.append((name, int(function.num_regs), int(warps), int(most) // 32))
        return found

    def batch(self, pair_bytes: float) -> int:
        """Return how many pairs go at once: what fits the memory and repays a launch."""
        free = self.cupy.cuda.runtime.memGetInfo()[0]
        free += self.cupy.get_default_memory_pool().free_bytes()
        # Letters and their planes may be there at once, and results.
        room = _MEMORY_SHARE * free / (_LAUNCH_THREADS * _SLOTS * (2 * pair_bytes + 8))
        return max(int(min(_BATCH_BYTES / pair_bytes, room)), 1)

    def is_pinned(self, array: NDArray[Any]) -> bool:
        """Whether an array lies in pinned memory, from which transfers need no copy."""
        attributes = self.cupy.cuda.runtime.pointerGetAttributes(array.ctypes.data)
        return int(attributes.type) == _PINNED_MEMORY

    def retire(self, error: BaseException) -> None:
        """Use the device no more, and say so once."""
        with self._lock:
            known, self.alive = not self.alive, False
        if not known:
            cuda_devices.warn_of_loss(self.number, self.name, error)

    def close(self) -> None:
        """Give its memory back."""
        # Of a device that failed nothing can be freed; its memory goes with the process.
        if self.alive:
            with self.cupy.cuda.Device(self.number):
                self.slots.clear()
                self._functions.clear()


def _pinned(cupy: Any, size: int) -> NDArray[np.uint8]:
    return np.frombuffer(cupy.cuda.alloc_pinned_memory(size), np.uint8, size)


def _bounds(side: Sequences, first: int, last: int) -> tuple[int, int]:
    """Between which bases of the buffer sequences [first, last) lie."""
    raw = side.raw
    if raw.starts is None and raw.lengths is None:
        return first * raw.stride, (last - 1) * raw.stride + raw.length
    starts = side.part(first, last).starts
    lengths = raw.length if raw.lengths is None else raw.lengths[first:last]
    return int(starts.min()), int((starts + lengths).max())


def _span(side: Sequences, first: int, last: int) -> int:
    low, high = _bounds(side, first, last) if last > first else (0, 0)
    return high - low


def _is_scattered(side: Sequences) -> bool:
    """Whether batches would span far more of the buffer than their sequences."""
    raw = side.raw
    if raw.starts is None or len(side) < 2:
        return False
    step = max(1, min(1 << 18, len(side)))
    spans = sum(_span(side, at, min(at + step, len(side))) for at in range(0, len(side), step))
    own = raw.length * len(side) if raw.lengths is None else int(raw.lengths.sum())
    return spans > _SCATTERED * own and spans > _SCATTERED * raw.size


def _widest(cpu: _CpuEngine, longer: int) -> int:
    """Return the widest band where no segment is more than `longer` longer than its read."""
    if cpu.mode == "global":
        return cpu.max_edits + 1
    if cpu.mode == "prefix":
        return 2 * cpu.max_edits + 1
    return max(longer, 0) + 2 * cpu.max_edits + 1
