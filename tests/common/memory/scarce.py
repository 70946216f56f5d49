"""Call a part of the C interface, and let each of its requests fail in turn.

The command line is: PART. A request is a call that allocates memory or starts a thread. The
preloaded scarce.c makes it fail. A new process is started for each request of the part. It calls
the part three times, which must return the right results or GKL_SHIM_ENOMEM: first this request and
all later ones fail, then only the request of the same number, and at last none, so that the results
must be right. Then each request for a thread fails with all later ones, and none for memory; the
results must be right then, too. The script prints the numbers of requests that have failed in these
two ways.

Each guard has a part: the C interface (all functions, with little input, for which alignments need
no memory), the thread pool (PairHMM and mem), engines on a device whose work the CPU can do, and
the bridge to Java with arrays of ours and of GKL's.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

import cffi
import numpy as np
from numpy import testing

from gkl_shim import paths
from gkl_shim.common import _native
from gkl_shim.pairhmm import Read, _native_pairhmm
from gkl_shim.pairhmm._batch import Batch
from gkl_shim.pairhmm._convert import haplotype_batch, read_batch
from gkl_shim.pairhmm._copies import concatenated
from tests.common.arguments import Handles
from tests.common.test_wrong_arguments import CALLS
from tests.fakes.driver import host_kernels
from tests.mem import oracle as maximal
from tests.pairhmm import oracle
from tests.prefilter import simulate
from tests.smithwaterman import oracle as alignment
from tests.smithwaterman.pairs import OVERHANGS, pairs

PATIENCE = 60  # seconds, for calls that take milliseconds
REFUSED, NONE_REFUSED = 10, 11  # exit codes
PARTS: dict[str, Callable[[], Callable[[], None] | list[Callable[[], None]]]] = {}
"""By name, functions that prepare a part and return the function that calls it, or several."""

ffi, lib = _native.library()
scarce_ffi = cffi.FFI()
scarce_ffi.cdef("""
    void scarce_begin(long first, int32_t all_after, int32_t threads_alone);
    int32_t scarce_reached(void);
    void scarce_end(void);
    int64_t scarce_call(void *function, const int64_t *arguments);
    extern const char scarce_driver[];

    // tests/fakes/jvm.h
    struct fake_object { int32_t length; const void *content; struct fake_object **elements; };
    const char *fake_pending(void);
    int fake_strings_held(void);
    extern const char fake_env[], fake_machine[];
""")
scarce = scarce_ffi.dlopen(None)


class CallError(Exception):
    """A status other than GKL_SHIM_OK."""


def call_address(function: int, *arguments: Any) -> int:
    """Call a function while requests may be refused, and return its result."""
    numbers = scarce_ffi.new("int64_t[12]")
    for k, argument in enumerate(arguments):
        number = isinstance(argument, (int, np.integer))
        numbers[k] = argument if number else int(ffi.cast("intptr_t", argument))
    return int(scarce.scarce_call(scarce_ffi.cast("void *", function), numbers))


class Repeated:
    """Whether a call that lacked memory is made again, with enough."""

    calls = False


def call(name: str, *arguments: Any) -> int:
    """Call a function of the C interface in the same way. Raise CallError for a status.

    A call that is made again must succeed, with the right results, because the handle stays usable.
    Only a counter of k-mers may refuse it, unless it makes a spectrum.
    """
    result, status = _result(name, *arguments)
    error = CallError(status, ffi.string(lib.gkl_shim_last_error()).decode())
    if status == lib.GKL_SHIM_ENOMEM and Repeated.calls:
        scarce.scarce_end()
        result, status = _result(name, *arguments)
        if status == lib.GKL_SHIM_EINVAL:
            message = ffi.string(lib.gkl_shim_last_error()).decode()
            assert message.startswith("an earlier call failed"), message
            assert name != "gkl_shim_correct_spectrum_make"
    if status > lib.GKL_SHIM_OK:
        raise error
    return result


def _result(name: str, *arguments: Any) -> tuple[int, int]:
    """Call a function, and return its result and status."""
    returned = call_address(int(ffi.cast("intptr_t", ffi.addressof(lib, name))), *arguments)
    kind = ffi.typeof(getattr(lib, name)).result
    if kind.kind == "void":
        return 0, lib.GKL_SHIM_OK
    # The upper half of a narrower result is undefined.
    result = int(ffi.cast("int64_t" if ffi.sizeof(kind) == 8 else "int32_t", returned))
    return result, result if kind.kind == "enum" else -result


def part(*arguments: str) -> Any:
    """Add a part, or several of the same class, by their argument."""

    def add(function: Any) -> Any:
        name = function.__name__.lower()
        if not arguments:
            PARTS[name] = function
        for each in arguments:
            PARTS[f"{name} {each}"] = functools.partial(function, each)
        return function

    return add


def pointer(array: Any) -> Any:
    return ffi.cast("void *", array.ctypes.data)


def driver() -> Any:
    """The CUDA driver of scarce.c."""
    address = int(scarce_ffi.cast("intptr_t", scarce_ffi.addressof(scarce, "scarce_driver")))
    return ffi.cast("gkl_shim_cuda_driver *", address)


def kernel(algorithm: str, name: str) -> Any:
    """A kernel that is compiled for the host."""
    found = host_kernels(algorithm).find_kernel(name.encode())
    assert found, name
    return ffi.cast("void *", found)


def kernels(algorithm: str) -> dict[str, Any]:
    """All kernels of an algorithm whose record of kernels has their own names."""
    fields = ffi.typeof(f"gkl_shim_{algorithm}_cuda_kernels").fields
    return {name: kernel(algorithm, name) for name, _ in fields}


# ---- Every function of the public header --------------------------------------------------------


def _call_once(name: str) -> None:
    """Call a function with the arguments of test_wrong_arguments.CALLS."""
    handles = Handles()
    given = [handles.value(argument) for argument in CALLS[name](handles)]
    if ffi.typeof(getattr(lib, name)).result.kind != "pointer":
        call(name, *given)
    for output in given:
        kind = "" if isinstance(output, int) else ffi.typeof(output).cname
        close = f"{kind.removesuffix(' * *')}_close"
        if kind.endswith(" * *") and hasattr(lib, close):
            getattr(lib, close)(output[0])
    handles.close()


@part()
def functions() -> list[Callable[[], None]]:
    """Each function of the public header, but for those that run Python."""
    names = [name for name in CALLS if not name.endswith("_cuda_engine_open")]
    return [functools.partial(_call_once, name) for name in names]


# ---- PairHMM ------------------------------------------------------------------------------------

Region = tuple[list[Read], list[bytes]]
GAPS = 45, 45, 10


def _usual_region(rnd: random.Random, reads: int = 5, haplotypes: int = 3) -> Region:
    template = bytes(rnd.choices(b"ACGT", k=50))
    made = [Read(simulate.mutate(rnd, template[: 40 - k], 2), 30) for k in range(reads)]
    return made, [simulate.mutate(rnd, template, 2) for _ in range(haplotypes)]


_random = random.Random(4)
REGIONS: dict[str, list[Region]] = {
    "two": [_usual_region(_random) for _ in range(2)],
    # Enough work to start a second thread.
    "large": [_usual_region(_random, 20, 6)] * 6,
    # Outside the range of either precision, and too long for single precision.
    "odd": [
        ([Read(b"A" * (60 - k), 90) for k in range(2)], [b"C" * 70, b"G" * 64]),
        ([Read(b"ACGT" * 130, 30), Read(b"AGGT" * 20, 30)], [b"ACGTAGGT" * 7, b"ACGT" * 12]),
    ],
}


def _tracks(read: Read) -> list[bytes]:
    return [read.bases, *(bytes([q]) * len(read.bases) for q in (read.quals, *GAPS))]


def _exact(regions: list[Region]) -> list[float]:
    known = {
        number: [
            oracle.likelihood(*_tracks(read), haplotype)
            for read in reads
            for haplotype in haplotypes
        ]
        for number, (reads, haplotypes) in {id(region): region for region in regions}.items()
    }
    return [value for region in regions for value in known[id(region)]]


def _batch(regions: list[Region]) -> Batch:
    return concatenated([Batch(read_batch(r, GAPS), haplotype_batch(h)) for r, h in regions])


@part("odd", "large")
class PairHmm:
    """A handle that is opened, computes in single precision and is closed."""

    def __init__(self, regions: str) -> None:
        self.batch = _batch(REGIONS[regions])
        self.pointer = _native_pairhmm.batch_pointer(*self.batch.arrays)
        self.exact = _exact(REGIONS[regions])
        self.options = ffi.new("gkl_shim_pairhmm_options *", {"threads": 2})
        self.handle = ffi.new("gkl_shim_pairhmm **")

    def __call__(self) -> None:
        values = np.full(self.batch.pairs, np.nan)
        call("gkl_shim_pairhmm_open", self.options, self.handle)
        try:
            arguments = self.handle[0], self.pointer, pointer(values), len(values)
            call("gkl_shim_pairhmm_compute", *arguments)
        finally:
            lib.gkl_shim_pairhmm_close(self.handle[0])
        testing.assert_allclose(values, self.exact, rtol=0, atol=1e-5)


@part()
class CudaEngine(PairHmm):
    """The same, with a CUDA engine whose only device reports every result as out of range."""

    def __init__(self) -> None:
        super().__init__("two")
        self.device = ffi.new(
            "gkl_shim_pairhmm_cuda_device *",
            {"multiprocessors": 4, "scratch_bytes": 1 << 24, "memory_bytes": 1 << 30},
        )
        self.engine_options = ffi.new(
            "gkl_shim_pairhmm_cuda_options *",
            {
                "threads": 2,
                "slots": 3,
                "launch_threads": 2,
                "cells": [1 << 12, 1 << 12],
                "device_count": 1,
                "devices": self.device,
                "driver": driver(),
            },
        )
        self.engine = ffi.new("gkl_shim_cuda_engine **")

    def __call__(self) -> None:
        call("gkl_shim_pairhmm_cuda_open", self.engine_options, self.engine)
        values = np.full(self.batch.pairs, np.nan)
        done = ffi.new("gkl_shim_pairhmm_stats *")
        computed = self.engine[0], self.pointer, ffi.NULL, 1, pointer(values), done
        try:
            call("gkl_shim_pairhmm_cuda_compute", *computed)
        except CallError:
            # The device has not failed.
            _native.check(lib.gkl_shim_pairhmm_cuda_compute(*computed))
            raise
        finally:
            testing.assert_allclose(values, self.exact, rtol=0, atol=1e-5)
            lib.gkl_shim_cuda_engine_close(self.engine[0])


# ---- Smith-Waterman -----------------------------------------------------------------------------


@part()
class SmithWaterman:
    """A handle that is opened, aligns and is closed. The same pairs come several times."""

    scores = 3, -1, -4, -3

    def __init__(self) -> None:
        copies = 40
        given = pairs(25, 3, longest=60)
        self.exact = [
            alignment.align(pair.reference, pair.alternative, self.scores, "softclip")
            for pair in given
        ] * copies
        self.kept: list[Any] = []
        fields = [
            field
            for track in ([pair.reference for pair in given], [pair.alternative for pair in given])
            for field in self._ragged(track * copies)
        ]
        self.batch = ffi.new("gkl_shim_smithwaterman_batch *", (len(self.exact), *fields))
        code = OVERHANGS.index("softclip")
        self.parameters = ffi.new("gkl_shim_smithwaterman_parameters *", (*self.scores, code))
        self.room = 2 * sum(len(each) for each in self.kept[1::2])
        self.options = ffi.new("gkl_shim_smithwaterman_options *", {"threads": 2})
        self.handle = ffi.new("gkl_shim_smithwaterman **")

    def _ragged(self, texts: list[bytes]) -> list[Any]:
        self.kept += [
            ffi.new("int64_t[]", [0, *itertools.accumulate(map(len, texts))]),
            ffi.new("uint8_t[]", b"".join(texts)),
        ]
        return self.kept[-2:]

    def __call__(self) -> None:
        count = len(self.exact)
        offsets, ends = np.empty(count, np.int64), np.empty(count + 1, np.int64)
        cigars = np.empty(self.room, np.uint8)
        outputs = *map(pointer, (offsets, ends, cigars)), len(cigars)
        call("gkl_shim_smithwaterman_open", self.options, self.handle)
        try:
            call(
                "gkl_shim_smithwaterman_align",
                *(self.handle[0], self.batch, self.parameters, *outputs),
            )
        finally:
            lib.gkl_shim_smithwaterman_close(self.handle[0])
        text = cigars.tobytes().decode("latin1")
        found = [
            (int(offset), text[first:last])
            for offset, first, last in zip(offsets, ends[:-1], ends[1:], strict=True)
        ]
        assert found == self.exact


# ---- Maximal exact matches ----------------------------------------------------------------------


@part()
class Mem:
    """FASTA, an index of it, its copy from the saved bytes, a search, and the lines of a search."""

    def __init__(self, threads: int = 2, page_letters: int = 40) -> None:
        rnd = random.Random(6)
        self.references = ["".join(rnd.choices("ACGT", k=70)) for _ in range(3)]
        changed = [simulate.mutate(rnd, text.encode(), 3).decode() for text in self.references]
        self.exact = maximal.find(self.references, changed, 8, "mem", "both")
        # Enough letters to start a second thread. They match nothing.
        self.queries = self._text("q", [*changed, *(["A" * 70] * (3000 if threads > 1 else 0))])
        self.reference = self._text("r", self.references)
        self.options = ffi.new(
            "gkl_shim_mem_options *",
            {"threads": threads, "min_length": 8, "page_letters": page_letters},
        )
        self.search = ffi.new(
            "gkl_shim_mem_search *",
            {"min_length": 8, "kind": lib.GKL_SHIM_MEM_ALL, "strands": lib.GKL_SHIM_MEM_BOTH},
        )
        self.threads = threads

    def _text(self, name: str, sequences: list[str]) -> bytes:
        return "".join(f">{name}{k}\n{text}\n" for k, text in enumerate(sequences)).encode()

    def _opened(self, kind: str, function: str, *arguments: Any) -> Any:
        """Return a handle that closes itself, before those that it was opened with."""
        handle = ffi.new(f"gkl_shim_{kind} **")
        call(f"gkl_shim_{function}", *arguments, handle)
        return ffi.gc(handle[0], getattr(lib, f"gkl_shim_{kind}_close"))

    def _parsed(self, text: bytes) -> Any:
        letters = ffi.from_buffer("uint8_t[]", text)
        fasta = self._opened("mem_fasta", "mem_parse", letters, len(text), self.threads)
        both = [ffi.new("gkl_shim_mem_sequences *") for _ in range(2)]
        call("gkl_shim_mem_fasta_sequences", fasta, *both)
        return fasta, *both

    def __call__(self) -> None:
        kept: list[Any] = []  # in the order of opening
        try:
            self._run(kept)
        finally:
            for handle in reversed(kept):
                ffi.release(handle)

    def _run(self, kept: list[Any]) -> None:
        fasta, references, reference_names = self._parsed(self.reference)
        kept.append(fasta)
        fasta, queries, query_names = self._parsed(self.queries)
        kept.append(fasta)
        kept.append(self._opened("mem", "mem_open", self.options, references))
        same = ffi.new("int32_t *")
        call("gkl_shim_mem_is_of", kept[-1], references, same)
        assert same[0] == 1
        pieces, count = ffi.new("gkl_shim_mem_piece[]", 100), ffi.new("int64_t *")
        call("gkl_shim_mem_save", kept[-1], pieces, len(pieces), count)
        saved = b"".join(ffi.buffer(p.bytes, p.size)[:] for p in pieces[0 : count[0]] if p.size)
        given = ffi.from_buffer("uint8_t[]", saved), len(saved), self.threads
        kept.append(self._opened("mem", "mem_load", *given))
        # The copy is searched.
        self._search(kept, kept[-1], queries)
        found = ffi.new("gkl_shim_mem_match[]", lib.gkl_shim_mem_count(kept[-1]))
        call("gkl_shim_mem_copy", kept[-1], found)
        assert [
            (m.query, m.reverse, m.query_start, m.reference, m.reference_start, m.length)
            for m in found
        ] == self.exact
        how = ffi.new("gkl_shim_mem_format *", (reference_names, query_names))
        kept.append(self._opened("mem_lines", "mem_lines_open", kept[-1], how))
        text, size = ffi.new("uint8_t **"), ffi.new("int64_t *", 1)
        lines = 0
        while size[0]:
            call("gkl_shim_mem_lines_next", kept[-1], text, size)
            lines += ffi.buffer(text[0], size[0])[:].count(b"\n") if size[0] else 0
        assert lines == len(self.exact) + 2 * self.queries.count(b">")

    def _search(self, kept: list[Any], index: Any, queries: Any) -> None:
        kept.append(self._opened("mem_matches", "mem_find", index, queries, self.search))


@part()
class MemOnDevice(Mem):
    """The same, but a CUDA engine searches. The CPU searches where the device cannot."""

    def __init__(self) -> None:
        super().__init__(1, 0)
        self.device = ffi.new("gkl_shim_mem_cuda_device *", {"kernels": kernels("mem")})
        self.engine_options = ffi.new(
            "gkl_shim_mem_cuda_options *",
            {
                "memory_bytes": 1 << 24,
                "streams": 1,
                "device_count": 1,
                "devices": self.device,
                "driver": driver(),
            },
        )

    def _search(self, kept: list[Any], index: Any, queries: Any) -> None:
        try:
            kept.append(self._opened("cuda_engine", "mem_cuda_open", self.engine_options))
            self.search.engine = kept[-1]
            super()._search(kept, index, queries)
        except CallError as error:
            if error.args[0] != lib.GKL_SHIM_EUNAVAILABLE or not scarce.scarce_reached():
                raise
            self.search.engine = ffi.NULL
            super()._search(kept, index, queries)


# ---- JNI ----------------------------------------------------------------------------------------


class Jni:
    """Load the library as a JVM does."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.library = ctypes.CDLL(str(paths.library()))
        self.env = scarce_ffi.addressof(scarce, "fake_env")

    def object(self, content: bytes = b"", elements: Any = ()) -> Any:
        parts = content, scarce_ffi.new("struct fake_object *[]", elements)
        made = scarce_ffi.new(
            "struct fake_object *",
            (len(content) or len(elements), scarce_ffi.from_buffer(content), parts[1]),
        )
        self.kept += made, *parts
        return made

    def holders(self, contents: list[list[bytes]]) -> Any:
        """Return an array of objects whose fields are arrays of bytes."""
        made = [self.object(elements=[*map(self.object, content)]) for content in contents]
        return self.object(elements=made)

    def method(self, name: str, *arguments: Any) -> tuple[int, str]:
        """Call a native method. Return its result, and its exception or an empty string."""
        function = ctypes.cast(getattr(self.library, name), ctypes.c_void_p).value or 0
        numbers = (int(scarce_ffi.cast("intptr_t", argument)) for argument in arguments)
        result = ctypes.c_int32(call_address(function, *numbers)).value
        return result, scarce_ffi.string(scarce.fake_pending()).decode()

    def call(self, name: str, *arguments: Any) -> int:
        result, pending = self.method(name, *arguments)
        assert scarce.fake_strings_held() == 0
        if pending or result < 0:
            assert pending in (
                "java/lang/OutOfMemoryError: out of memory",
                "java/lang/OutOfMemoryError: PairHMM: out of memory",
                "java/lang/OutOfMemoryError: PDHMM: out of memory",
                "java/lang/OutOfMemoryError: Smith-Waterman: out of memory",
                *([""] if name == "JNI_OnLoad" else []),
            ), pending
            raise CallError(lib.GKL_SHIM_ENOMEM, "out of memory")
        return result

    def __call__(self) -> None:
        self.call("JNI_OnLoad", scarce_ffi.addressof(scarce, "fake_machine"), 0)


class PairHmmClasses(Jni):
    """Compute with recording and verification on."""

    def __init__(self) -> None:
        super().__init__()
        os.environ["GKL_SHIM_RECORD"] = "recorded.in"
        os.environ["GKL_SHIM_VERIFY"] = "1"
        regions = REGIONS["two"]
        self.exact = [_exact([region]) for region in regions]
        self.given = [self.arguments(*region) for region in regions]

    def arguments(self, reads: list[Read], haplotypes: list[bytes]) -> tuple[Any, ...]:
        """The arguments of compute() for a region, without the results."""
        raise NotImplementedError

    def __call__(self) -> None:
        super().__call__()
        self.initialize()
        for given, exact in zip(self.given, self.exact, strict=True):
            results = np.full(len(exact), np.nan)
            array = scarce_ffi.new("struct fake_object *", {"length": len(results)})
            array.content = scarce_ffi.cast("void *", results.ctypes.data)
            self.compute(*given, array)
            testing.assert_allclose(results, exact, rtol=0, atol=1e-5)

    def initialize(self) -> None:
        raise NotImplementedError

    def compute(self, *arguments: Any) -> None:
        raise NotImplementedError


@part()
class OwnClasses(PairHmmClasses):
    """The native methods of org.gklshim.pairhmm.NativePairHmm."""

    def arguments(self, reads: list[Read], haplotypes: list[bytes]) -> tuple[Any, ...]:
        tracks = *zip(*map(_tracks, reads), strict=True), haplotypes
        sequences = b"".join(b"".join(track) for track in tracks)
        lengths = [*(len(read.bases) for read in reads), *map(len, haplotypes)]
        arrays = sequences, np.array(lengths, np.int32).tobytes()
        return *map(self.object, arrays), len(reads), len(haplotypes)

    def initialize(self) -> None:
        replaced = self.object(b"Intel GKL replaced (agent)\0")
        name = "Java_org_gklshim_pairhmm_NativePairHmm_initialize"
        self.configuration = self.call(name, self.env, 0, 0, 2, replaced)

    def compute(self, *arguments: Any) -> None:
        name = "Java_org_gklshim_pairhmm_NativePairHmm_compute"
        self.call(name, self.env, 0, self.configuration, *arguments)


@part()
class GklClasses(PairHmmClasses):
    """The native methods of GKL's own com.intel.gkl.pairhmm.IntelPairHmm."""

    def arguments(self, reads: list[Read], haplotypes: list[bytes]) -> tuple[Any, ...]:
        return self.holders([*map(_tracks, reads)]), self.holders([[each] for each in haplotypes])

    def initialize(self) -> None:
        holder = self.object()
        name = "Java_com_intel_gkl_pairhmm_IntelPairHmm_initNative"
        self.call(name, self.env, 0, holder, holder, 0, 2)

    def compute(self, *arguments: Any) -> None:
        name = "Java_com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative"
        self.call(name, self.env, 0, *arguments)


@part()
class SmithWatermanClass(Jni):
    """The native method of org.gklshim.smithwaterman.NativeSmithWaterman."""

    def __init__(self) -> None:
        super().__init__()
        os.environ["GKL_SHIM_RECORD_SMITHWATERMAN"] = "recorded.tsv"
        os.environ["GKL_SHIM_VERIFY"] = "1"
        self.sequences = self.object(b"TTACGTACGTTT"), self.object(b"ACGTACGT")

    def __call__(self) -> None:
        super().__call__()
        name = "Java_org_gklshim_smithwaterman_NativeSmithWaterman_announce"
        self.call(name, self.env, 0, self.object(b"Intel GKL replaced (agent)\0"))
        name = "Java_org_gklshim_smithwaterman_NativeSmithWaterman_align"
        cigar = np.zeros(40, np.uint8)
        array = scarce_ffi.new("struct fake_object *", {"length": len(cigar)})
        array.content = scarce_ffi.cast("void *", cigar.ctypes.data)
        try:
            length = self.call(name, self.env, 0, *self.sequences, 200, -150, -260, -11, 0, array)
        except CallError:
            # Java has no result. What comes after the result only warns.
            assert not cigar.any()
            raise
        assert cigar[:length].tobytes() == b"8M"


# ---- Refusals -----------------------------------------------------------------------------------


def limited(calls: Callable[[], None], first: int, mode: str) -> bool:
    """Make a part's calls with one request refused, and all later ones unless the mode is "one".

    Return whether one was refused.
    """
    scarce.scarce_begin(first, mode != "one", mode == "threads")
    Repeated.calls = mode == "one"
    try:
        calls()
    except CallError as error:
        assert mode != "threads"
        assert error.args == (lib.GKL_SHIM_ENOMEM, "out of memory"), error.args
        assert scarce.scarce_reached()
    return bool(scarce.scarce_reached())


def attempt_in_a_process(calls: Callable[[], None], first: int, modes: tuple[str, ...]) -> bool:
    """Make a part's calls in each mode, and then with no request refused.

    Return whether one was refused in the first mode.
    """
    process = os.fork()
    if process == 0:
        signal.alarm(PATIENCE)
        try:
            refused, *_ = [limited(calls, first, mode) for mode in modes]
            scarce.scarce_begin(0, False, False)
            calls()
            os._exit(REFUSED if refused else NONE_REFUSED)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if code not in (REFUSED, NONE_REFUSED):
        raise SystemExit(f"request {first}: the process ends with {code}")
    return code == REFUSED


def main() -> None:
    made = PARTS[sys.argv[1]]()
    call("gkl_shim_cpu_count")  # so that cffi prepares once, not in every process
    for modes in (("all", "one"), ("threads",)):
        count = 0
        for calls in made if isinstance(made, list) else [made]:
            requests = itertools.count(1)
            if isinstance(made, list):
                # One function makes the same two requests for each of 512 parts of the k-mers.
                requests = itertools.chain(range(1, 60), itertools.count(60, 61))
            while attempt_in_a_process(calls, next(requests), modes):
                count += 1
        print(count)
