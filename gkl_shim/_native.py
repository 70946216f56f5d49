"""Call the native library through cffi, with NumPy arrays in and out."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gkl_shim
from gkl_shim import paths
from gkl_shim.errors import BackendUnavailable, MissingComponent

__all__ = ["PairHmmEngine", "PrefilterEngine", "RegionText", "Sequences", "batch_pointer",
           "batches_pointer", "builds", "check", "check_shape", "conventions_code", "copy",
           "cpu_count", "encode", "format_edits", "format_likelihoods", "library", "method_code",
           "mode_code", "opened",
           "pairhmm_statistics", "parse_candidates", "parse_pairs", "parse_regions",
           "precision_code", "sequences_pointer", "version"]  # fmt: skip

# The longest line that gkl_shim_prefilter_format writes, in bytes.
_EDITS_LINE_BYTES = 13

# Likelihoods formatted in one call. All threads have work, and the text stays in cache.
_LIKELIHOODS_A_CALL = 1 << 16

_load_lock = threading.Lock()
_loaded: tuple[Any, Any] | None = None


def library() -> tuple[Any, Any]:
    """Return the cffi instance and the library, which the first call loads.

    Raises
    ------
    MissingComponent
        If the library or its binding does not exist, or the system cannot load it.
    """
    global _loaded
    if _loaded is not None:
        return _loaded
    with _load_lock:
        if _loaded is None:
            path = paths.library()
            ffi = importlib.import_module(f"gkl_shim.{paths.binding().stem}").ffi
            try:
                opened = ffi.dlopen(str(path))
            except OSError as error:
                raise _unusable(path, f"does not load: {_reason(error, path)}") from error
            if paths.library_is_chosen():
                _check_version(ffi, opened, path)
            _loaded = ffi, opened
        return _loaded


def _check_version(ffi: Any, opened: Any, path: Path) -> None:
    """Refuse a file that is not the native library of this version of gkl-shim."""
    absent = []
    for name in dir(opened):
        try:
            getattr(opened, name)
        except ffi.error:
            absent.append(name)
    if "gkl_shim_version" in absent:
        raise _unusable(path, "is no library of gkl-shim: it has no gkl_shim_version()")
    found = ffi.string(opened.gkl_shim_version()).decode()
    if found != gkl_shim.__version__:
        raise _unusable(path, f"is of version {found}; this is gkl-shim {gkl_shim.__version__}")
    if absent:
        raise _unusable(path, f"is another build of gkl-shim: it has no {absent[0]}()")


def _unusable(path: Path, reason: str) -> MissingComponent:
    if paths.library_is_chosen():
        return MissingComponent(
            f"GKL_SHIM_LIBRARY names {path}, which {reason} (without it the installed one is used)"
        )
    return MissingComponent(f"the native library {path} {reason}; reinstall gkl-shim")


def _reason(error: OSError, path: Path) -> str:
    """Return the dynamic linker's message without the path, which it repeats."""
    return str(error).removeprefix(f"cannot load library '{path}': ").removeprefix(f"{path}: ")


def version() -> str:
    """Return the library's version."""
    ffi, lib = library()
    return str(ffi.string(lib.gkl_shim_version()).decode())


def cpu_count() -> int:
    """Return how many CPUs the affinity mask and control group let this process use."""
    _, lib = library()
    return int(lib.gkl_shim_cpu_count())


def builds() -> tuple[str, ...]:
    """Return the engine builds that this CPU can run, best first."""
    ffi, lib = library()
    return tuple(ffi.string(lib.gkl_shim_builds()).decode().split())


def batch_pointer(
    region_reads: NDArray[np.int64],
    region_haplotypes: NDArray[np.int64],
    read_offsets: NDArray[np.int64],
    read_tracks: tuple[Any, ...],
    haplotype_offsets: NDArray[np.int64],
    haplotype_bases: Any,
) -> Any:
    """Return a ``gkl_shim_pairhmm_batch *`` to C-contiguous arrays, which must outlive it.

    Parameters
    ----------
    read_tracks
        The bases, and the base, insertion, deletion and continuation qualities.
    """
    arrays = (region_reads, region_haplotypes, read_offsets, read_tracks, haplotype_offsets,
              haplotype_bases)  # fmt: skip
    return batches_pointer([arrays])


def batches_pointer(batches: list[tuple[Any, ...]]) -> Any:
    """Return a ``gkl_shim_pairhmm_batch *`` to an array of batches; see :func:`batch_pointer`."""
    # Every microsecond counts here: a GPU computes a region in a few dozen microseconds.
    new, batch, address, numbers, letters = _cffi_constructors()
    return new(
        batch,
        [
            (
                len(region_reads) - 1,
                address(numbers, region_reads),
                address(numbers, region_haplotypes),
                address(numbers, read_offsets),
                *[address(letters, track) for track in read_tracks],
                address(numbers, haplotype_offsets),
                address(letters, haplotype_bases),
            )
            for region_reads, region_haplotypes, read_offsets, read_tracks, haplotype_offsets,
            haplotype_bases in batches
        ],
    )  # fmt: skip


@functools.cache
def _cffi_constructors() -> tuple[Any, ...]:
    """Return the cffi functions and types for a batch; looking up types by name is slow."""
    ffi, _ = library()
    types = map(ffi.typeof, ("gkl_shim_pairhmm_batch[]", "int64_t[]", "uint8_t[]"))
    batches, numbers, letters = types
    return ffi.new, batches, ffi.from_buffer, numbers, letters


def _last_error() -> str:
    """Return the library's last error message, which may quote arbitrary bytes of an input."""
    ffi, lib = library()
    return str(ffi.string(lib.gkl_shim_last_error()).decode(errors="backslashreplace"))


def check(status: int) -> None:
    """Raise the exception for a status other than ``GKL_SHIM_OK``, with the library's message."""
    _, lib = library()
    if status == lib.GKL_SHIM_OK:
        return
    message = _last_error()
    if status == lib.GKL_SHIM_ENOMEM:
        raise MemoryError(message)
    if status == lib.GKL_SHIM_EUNAVAILABLE:
        raise BackendUnavailable(message)
    if status == lib.GKL_SHIM_EINTERNAL:
        raise RuntimeError(message)
    raise ValueError(message)


def check_shape(batch: Any) -> None:
    """Check the offsets of a batch and the engine's limits.

    Parameters
    ----------
    batch
        A pointer from :func:`batch_pointer`.

    Raises
    ------
    ValueError
        If the library refuses the batch, with the library's message.
    """
    _, lib = library()
    check(lib.gkl_shim_pairhmm_check(batch))


def opened(kind: str, *arguments: Any) -> Any:
    """Open a ``gkl_shim_<kind> *``. Python closes it when the last reference is gone.

    Parameters
    ----------
    kind
        The word in ``gkl_shim_<kind>_open`` and ``gkl_shim_<kind>_close``.
    *arguments
        The arguments of the open function, without the handle.

    Raises
    ------
    BackendUnavailable, MemoryError, ValueError
        If the open function fails, with the library's message.
    """
    ffi, lib = library()
    handle = ffi.new(f"gkl_shim_{kind} **")
    check(getattr(lib, f"gkl_shim_{kind}_open")(*arguments, handle))
    return ffi.gc(handle[0], getattr(lib, f"gkl_shim_{kind}_close"))


def precision_code(precision: str) -> int:
    """Return the C constant for ``"single"`` or ``"double"``."""
    _, lib = library()
    return int({"single": lib.GKL_SHIM_SINGLE, "double": lib.GKL_SHIM_DOUBLE}[precision])


def conventions_code(as_gkl: bool) -> int:
    """Return the C constant for GKL's conventions or for the strict ones."""
    _, lib = library()
    return int(lib.GKL_SHIM_AS_GKL if as_gkl else lib.GKL_SHIM_STRICT)


def pairhmm_statistics(function: Any, engine: Any) -> dict[str, int | float]:
    """Call a statistics function, and return the ``gkl_shim_pairhmm_stats`` fields by name."""
    ffi, _ = library()
    stats = ffi.new("gkl_shim_pairhmm_stats *")
    function(engine, stats)
    return {name: getattr(stats, name) for name, _ in ffi.typeof("gkl_shim_pairhmm_stats").fields}


class _CpuEngine:
    """Owns the handle of a native CPU engine, and closes it when the last reference is gone.

    It is thread-safe, and releases the interpreter lock while the engine computes.

    Raises
    ------
    BackendUnavailable
        If this CPU cannot run `build`.
    ValueError
        If an option is out of range.
    """

    _kind: str

    def __init__(self, build: str | None, **options: int) -> None:
        self._ffi, self._lib = library()
        name = self._ffi.NULL
        if build is not None:
            name = self._ffi.new("char[]", build.encode(errors="surrogateescape"))
        given = self._ffi.new(f"gkl_shim_{self._kind}_options *", {**options, "build": name})
        self._handle = opened(self._kind, given)

    @property
    def build(self) -> str:
        """The name of the build in use."""
        name = getattr(self._lib, f"gkl_shim_{self._kind}_build")(self._handle)
        return str(self._ffi.string(name).decode())


class PairHmmEngine(_CpuEngine):
    """The CPU engine of PairHMM."""

    _kind = "pairhmm"

    def __init__(
        self, threads: int, precision: str, build: str | None, *, as_gkl: bool = False
    ) -> None:
        super().__init__(
            build,
            threads=threads,
            precision=precision_code(precision),
            conventions=conventions_code(as_gkl),
        )

    def compute(self, batch: Any, out: NDArray[np.float64]) -> None:
        """Fill `out` with the log10 likelihood of every pair.

        Parameters
        ----------
        batch
            A pointer from :func:`batch_pointer`.
        out
            C-contiguous, shape (pairs,).

        Raises
        ------
        ValueError
            If the engine refuses the batch, with the engine's message.
        MemoryError
            If the engine cannot allocate its tables.
        """
        values = self._ffi.from_buffer("double[]", out, require_writable=True)
        check(self._lib.gkl_shim_pairhmm_compute(self._handle, batch, values, len(out)))

    def complete(self, batch: Any, out: NDArray[np.float64]) -> None:
        """Compute only the pairs that are NaN in `out`, in double precision.

        The arguments and exceptions are the same as for :meth:`compute`.
        """
        values = self._ffi.from_buffer("double[]", out, require_writable=True)
        check(self._lib.gkl_shim_pairhmm_complete(self._handle, batch, values, len(out)))

    def statistics(self) -> dict[str, int | float]:
        """Return the fields of the engine's ``gkl_shim_pairhmm_stats`` by name."""
        return pairhmm_statistics(self._lib.gkl_shim_pairhmm_statistics, self._handle)


@dataclasses.dataclass(frozen=True, slots=True)
class Sequences:
    """A ``gkl_shim_prefilter_sequences`` of one-dimensional C-contiguous arrays, and its count."""

    count: int
    size: int
    """The number of bases in the buffer."""
    letters: NDArray[np.uint8] | None = None
    low: NDArray[np.uint32] | None = None
    high: NDArray[np.uint32] | None = None
    undefined: NDArray[np.uint32] | None = None
    starts: NDArray[np.int64] | None = None
    """Where each sequence starts. None if sequence k starts at k * `stride`."""
    stride: int = 0
    lengths: NDArray[np.int32] | None = None
    """The length of each sequence. None if all have the length `length`."""
    length: int = 0


def method_code(method: str) -> int:
    """Return the C constant for ``"exact"`` or ``"gatekeeper"``."""
    _, lib = library()
    return int(
        {
            "exact": lib.GKL_SHIM_PREFILTER_EXACT,
            "gatekeeper": lib.GKL_SHIM_PREFILTER_GATEKEEPER,
        }[method]
    )


def mode_code(mode: str) -> int:
    """Return the C constant for ``"global"``, ``"infix"`` or ``"prefix"``."""
    _, lib = library()
    return int(
        {
            "global": lib.GKL_SHIM_PREFILTER_GLOBAL,
            "infix": lib.GKL_SHIM_PREFILTER_INFIX,
            "prefix": lib.GKL_SHIM_PREFILTER_PREFIX,
        }[mode]
    )


class PrefilterEngine(_CpuEngine):
    """The CPU engine of the pre-alignment filter."""

    _kind = "prefilter"

    def __init__(
        self, threads: int, method: str, mode: str, max_edits: int, build: str | None
    ) -> None:
        super().__init__(
            build,
            threads=threads,
            method=method_code(method),
            mode=mode_code(mode),
            max_edits=max_edits,
        )

    def compute(self, reads: Sequences, segments: Sequences, out: NDArray[np.int16]) -> None:
        """Fill `out` with the edits of every pair: -1 above the threshold, -2 if undefined.

        Raises
        ------
        ValueError
            If the engine refuses the sequences, with the engine's message.
        MemoryError
            If the engine cannot allocate its tables.
        """
        status = self._lib.gkl_shim_prefilter_compute(
            self._handle,
            reads.count,
            sequences_pointer(reads),
            sequences_pointer(segments),
            self._ffi.from_buffer("int16_t[]", out, require_writable=True),
        )
        check(status)


def sequences_pointer(sequences: Sequences) -> Any:
    """Return a ``gkl_shim_prefilter_sequences *``. It does not keep the arrays alive."""
    ffi, _ = library()
    struct = ffi.new("gkl_shim_prefilter_sequences *")
    for field in ("letters", "low", "high", "undefined", "starts", "lengths"):
        array = getattr(sequences, field)
        if array is not None:
            setattr(struct, field, ffi.from_buffer(f"{array.dtype}_t[]", array))
    for field in ("size", "stride", "length"):
        setattr(struct, field, getattr(sequences, field))
    return struct


def copy(arrays: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]], threads: int = 0) -> None:
    """Copy bytes with several threads. `arrays` holds (target, source) pairs of equal size."""
    ffi, lib = library()
    targets = [ffi.from_buffer("uint8_t[]", target, require_writable=True) for target, _ in arrays]
    sources = [ffi.from_buffer("uint8_t[]", source) for _, source in arrays]
    sizes = [len(source) for _, source in arrays]
    if sizes != [len(target) for target, _ in arrays]:
        raise ValueError("arrays of unequal sizes")
    check(
        lib.gkl_shim_copy(
            len(arrays),
            ffi.new("uint8_t *[]", targets),
            ffi.new("uint8_t *[]", sources),
            ffi.new("int64_t[]", sizes),
            threads,
        )
    )


def encode(
    letters: NDArray[np.uint8],
    low: NDArray[np.uint32],
    high: NDArray[np.uint32],
    undefined: NDArray[np.uint32],
    threads: int = 0,
) -> bool:
    """Encode letters as bit planes, and return whether any letter is undefined."""
    ffi, lib = library()
    planes = (
        ffi.from_buffer("uint32_t[]", plane, require_writable=True)
        for plane in (low, high, undefined)
    )
    text = ffi.from_buffer("uint8_t[]", letters)
    found = ffi.new("int32_t *")
    check(lib.gkl_shim_prefilter_encode(text, len(letters), threads, *planes, found))
    return bool(found[0])


@dataclasses.dataclass(frozen=True, slots=True)
class RegionText:
    """The regions that :func:`parse_regions` found in a text."""

    arrays: tuple[Any, ...]
    """The complete regions, as the arguments of :func:`batch_pointer`."""
    lines: int
    """The number of lines before the end of the last complete region, or before a wrong line."""
    used: int
    """The number of bytes before the end of the last complete region."""
    unfinished: int | None
    """The first line, counted from 0, of an incomplete region at the end of the text, or None."""
    missing_reads: int
    """The number of reads that the incomplete region lacks."""
    missing_haplotypes: int
    fault: str | None
    """What is wrong with the line after the first `lines` lines, or None."""


def parse_regions(text: bytearray, size: int, longest_line: int, threads: int = 0) -> RegionText:
    """Parse the regions in the first `size` bytes of a text in the ``.in`` format."""
    ffi, lib = library()
    content = ffi.from_buffer("uint8_t[]", text)
    lines, whole = ffi.new("int64_t *"), ffi.new("int64_t *")
    check(lib.gkl_shim_count_lines(content, size, threads, lines, whole))
    letters = np.empty(whole[0], np.uint8)
    offsets = np.empty(2 * lines[0] + 4, np.int64)
    letters_pointer = ffi.from_buffer("uint8_t[]", letters, require_writable=True)
    offsets_pointer = ffi.from_buffer("int64_t[]", offsets, require_writable=True)
    found = ffi.new("gkl_shim_pairhmm_text *")
    status = lib.gkl_shim_pairhmm_parse(
        content,
        size,
        longest_line,
        threads,
        offsets_pointer,
        letters_pointer,
        found,
    )
    fault = _last_error() if status == lib.GKL_SHIM_EINVAL else None
    if fault is None:
        check(status)

    def numbers(pointer: Any, count: int) -> NDArray[np.int64]:
        first = pointer - offsets_pointer
        return offsets[first : first + count]

    def bytes_(pointer: Any, count: int) -> NDArray[np.uint8]:
        first = pointer - letters_pointer
        return letters[first : first + count]

    batch = found.batch
    region_reads = numbers(batch.region_reads, batch.regions + 1)
    region_haplotypes = numbers(batch.region_haplotypes, batch.regions + 1)
    read_offsets = numbers(batch.read_offsets, region_reads[-1] + 1)
    haplotype_offsets = numbers(batch.haplotype_offsets, region_haplotypes[-1] + 1)
    tracks = (batch.read_bases, batch.base_quals, batch.insertion_quals, batch.deletion_quals,
              batch.continuation_quals)  # fmt: skip
    return RegionText(
        (
            region_reads,
            region_haplotypes,
            read_offsets,
            tuple(bytes_(track, read_offsets[-1]) for track in tracks),
            haplotype_offsets,
            bytes_(batch.haplotype_bases, haplotype_offsets[-1]),
        ),
        found.lines,
        found.used,
        found.unfinished if found.unfinished >= 0 else None,
        found.missing_reads,
        found.missing_haplotypes,
        fault,
    )


def parse_pairs(
    text: NDArray[np.uint8],
    threads: int,
    read_starts: NDArray[np.int64],
    read_lengths: NDArray[np.int32],
    segment_starts: NDArray[np.int64],
    segment_lengths: NDArray[np.int32],
) -> tuple[int, int, str | None]:
    """Parse whole lines of pairs, until the text ends or the arrays are full.

    Returns
    -------
    pairs, used, fault
        The number of pairs, the number of bytes parsed, and what is wrong with the next line, or
        None.
    """
    outputs = (read_starts, read_lengths, segment_starts, segment_lengths)
    return _parse("gkl_shim_prefilter_parse_pairs", text, threads, (), outputs)


def parse_candidates(
    text: NDArray[np.uint8],
    threads: int,
    reads: int,
    names: list[bytes],
    lengths: NDArray[np.int64],
    read_indices: NDArray[np.int32],
    contig_indices: NDArray[np.int32],
    positions: NDArray[np.int64],
    reverse: NDArray[np.uint8],
) -> tuple[int, int, str | None]:
    """Parse whole lines of candidates. It returns the same values as :func:`parse_pairs`."""
    ffi, _ = library()
    offsets = np.zeros(len(names) + 1, np.int64)
    np.cumsum([len(name) for name in names], out=offsets[1:])
    joined = ffi.new("char[]", b"".join(names))
    contigs = ffi.new(
        "gkl_shim_prefilter_contigs *",
        (
            len(names),
            joined,
            ffi.from_buffer("int64_t[]", offsets),
            ffi.from_buffer("int64_t[]", lengths),
        ),
    )
    outputs = (read_indices, contig_indices, positions, reverse)
    return _parse("gkl_shim_prefilter_parse_candidates", text, threads, (reads, contigs), outputs)


def _parse(
    function: str,
    text: NDArray[np.uint8],
    threads: int,
    inputs: tuple[Any, ...],
    outputs: tuple[NDArray[Any], ...],
) -> tuple[int, int, str | None]:
    ffi, lib = library()
    lines, used = ffi.new("int64_t *"), ffi.new("int64_t *")
    status = getattr(lib, function)(
        ffi.from_buffer("uint8_t[]", text),
        len(text),
        len(outputs[0]),
        threads,
        *inputs,
        *(ffi.from_buffer(f"{o.dtype}_t[]", o, require_writable=True) for o in outputs),
        lines,
        used,
    )
    if status == lib.GKL_SHIM_EINVAL:
        return int(lines[0]), int(used[0]), _last_error()
    check(status)
    return int(lines[0]), int(used[0]), None


def format_edits(edits: NDArray[np.int16], reject_undefined: bool) -> memoryview:
    """Format a line ``edits TAB verdict`` for each pair."""
    ffi, lib = library()
    text = np.empty(_EDITS_LINE_BYTES * len(edits), np.uint8)
    size = lib.gkl_shim_prefilter_format(
        ffi.from_buffer("int16_t[]", edits),
        len(edits),
        reject_undefined,
        ffi.from_buffer("uint8_t[]", text, require_writable=True),
    )
    return text[:size].data


def format_likelihoods(values: NDArray[np.float64], threads: int = 0) -> Iterator[memoryview]:
    """Format a line for each value, as :func:`repr` does.

    Yields
    ------
    memoryview
        The text of many lines. The next text overwrites it.
    """
    ffi, lib = library()
    most = min(len(values), _LIKELIHOODS_A_CALL)
    text = np.empty(lib.GKL_SHIM_PAIRHMM_LINE_BYTES * most, np.uint8)
    size = ffi.new("int64_t *")
    for first in range(0, len(values), _LIKELIHOODS_A_CALL):
        part = values[first : first + _LIKELIHOODS_A_CALL]
        check(
            lib.gkl_shim_pairhmm_format(
                ffi.from_buffer("double[]", part),
                len(part),
                threads,
                ffi.from_buffer("uint8_t[]", text, require_writable=True),
                size,
            )
        )
        yield text[: size[0]].data
