"""The cffi binding of PairHMM, with NumPy arrays in and out."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common import _native

# Likelihoods formatted in one call. All threads have work, and the text stays in cache.
_LIKELIHOODS_A_CALL = 1 << 16


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
    # Every microsecond counts here: a small region is computed in a few dozen microseconds.
    cffi = _cffi()
    address, numbers, letters = cffi.address, cffi.numbers, cffi.letters
    return cffi.new(
        cffi.batch,
        (
            len(region_reads) - 1,
            address(numbers, region_reads),
            address(numbers, region_haplotypes),
            address(numbers, read_offsets),
            *[address(letters, track) for track in read_tracks],
            address(numbers, haplotype_offsets),
            address(letters, haplotype_bases),
        ),
    )


def batches_pointer(batches: list[tuple[Any, ...]]) -> Any:
    """Return a ``gkl_shim_pairhmm_batch *`` to an array of batches; see :func:`batch_pointer`."""
    cffi = _cffi()
    return cffi.new(cffi.batches, [batch_pointer(*arrays)[0] for arrays in batches])


class _Cffi(NamedTuple):
    """The cffi functions and types for a batch; looking up types by name is slow."""

    new: Any
    address: Any
    batch: Any
    batches: Any
    numbers: Any
    letters: Any
    values: Any


@functools.cache
def _cffi() -> _Cffi:
    ffi, _ = _native.library()
    names = ("gkl_shim_pairhmm_batch *", "gkl_shim_pairhmm_batch[]", "int64_t[]", "uint8_t[]",
             "double[]")  # fmt: skip
    return _Cffi(ffi.new, ffi.from_buffer, *map(ffi.typeof, names))


def precision_code(precision: str) -> int:
    """Return the C constant for ``"single"`` or ``"double"``."""
    return _native.constant(precision)


def conventions_code(as_gkl: bool) -> int:
    """Return the C constant for GKL's conventions or for the strict ones."""
    return _native.constant("as_gkl" if as_gkl else "strict")


class Engine(_native.CpuEngine):
    """The CPU engine of PairHMM or of PDHMM."""

    def compute(self, batch: Any, out: NDArray[np.float64], long: bool = False) -> None:
        """Fill `out` with the log10 likelihood of every pair.

        Parameters
        ----------
        batch
            A pointer from :func:`batch_pointer`, of this module or of PDHMM's.
        out
            C-contiguous, shape (pairs,).
        long
            Let signal handlers run meanwhile, which costs a microsecond.

        Raises
        ------
        ValueError
            If the engine refuses the batch, with the engine's message.
        MemoryError
            If the engine cannot allocate its tables.
        """
        function = getattr(self._lib, f"gkl_shim_{self._kind}_compute")
        cffi = _cffi()
        arguments = (self._handle, batch, cffi.address(cffi.values, out, True), len(out))
        _native.check(_native.interruptible(function, *arguments) if long else function(*arguments))

    def statistics(self) -> dict[str, int | float]:
        """Return the fields of the engine's statistics by name."""
        function = getattr(self._lib, f"gkl_shim_{self._kind}_statistics")
        return statistics(function, self._handle, self._kind)


class CpuEngine(Engine):
    """The CPU engine of PairHMM."""

    _kind = "pairhmm"

    def __init__(
        self, threads: int, precision: str, build: str | None, *, as_gkl: bool = False
    ) -> None:
        super().__init__(
            build,
            threads,
            precision=precision_code(precision),
            conventions=conventions_code(as_gkl),
        )


def statistics(function: Any, engine: Any, kind: str = "pairhmm") -> dict[str, int | float]:
    """Call a statistics function, and return the fields of its struct by name."""
    ffi, _ = _native.library()
    name = f"gkl_shim_{kind}_stats"
    stats = ffi.new(f"{name} *")
    _native.check(function(engine, stats))
    return {field: getattr(stats, field) for field, _ in ffi.typeof(name).fields}


@dataclasses.dataclass(frozen=True, slots=True)
class RegionText:
    """The regions that :func:`parse_regions` found in a text."""

    arrays: tuple[Any, ...]
    """The complete regions, as the arguments of :func:`batch_pointer`."""
    flags: NDArray[np.uint8]
    """The flags of the haplotypes' letters. Empty if the format has none."""
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


def parse_regions(
    text: bytearray, size: int, longest_line: int, threads: int = 0, kind: str = "pairhmm"
) -> RegionText:
    """Parse the regions in the first `size` bytes of a text in the ``.in`` format.

    Parameters
    ----------
    kind
        ``"pdhmm"`` for the format with flags.
    """
    ffi, lib = _native.library()
    content = ffi.from_buffer("uint8_t[]", text)
    lines, whole = ffi.new("int64_t *"), ffi.new("int64_t *")
    _native.check(lib.gkl_shim_count_lines(content, size, threads, lines, whole))
    letters = np.empty(whole[0], np.uint8)
    offsets = np.empty(2 * lines[0] + 4, np.int64)
    letters_pointer = ffi.from_buffer("uint8_t[]", letters, require_writable=True)
    offsets_pointer = ffi.from_buffer("int64_t[]", offsets, require_writable=True)
    out = ffi.new(f"gkl_shim_{kind}_text *")
    status = getattr(lib, f"gkl_shim_{kind}_parse")(
        content, size, longest_line, threads, offsets_pointer, letters_pointer, out
    )
    fault = _native.refusal(status)
    # Nobody changes these arrays later, so a stream need not copy them.
    letters.setflags(write=False)
    offsets.setflags(write=False)

    def numbers(pointer: Any, count: int) -> NDArray[np.int64]:
        first = pointer - offsets_pointer
        return offsets[first : first + count]

    def bytes_(pointer: Any, count: int) -> NDArray[np.uint8]:
        first = pointer - letters_pointer
        return letters[first : first + count]

    found = out.text if kind == "pdhmm" else out
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
        bytes_(out.haplotype_flags, haplotype_offsets[-1]) if kind == "pdhmm" else letters[:0],
        found.lines,
        found.used,
        found.unfinished if found.unfinished >= 0 else None,
        found.missing_reads,
        found.missing_haplotypes,
        fault,
    )


def format_likelihoods(values: NDArray[np.float64], threads: int = 0) -> Iterator[memoryview]:
    """Format a line for each value, as :func:`repr` does.

    Yields
    ------
    memoryview
        The text of many lines. The next text overwrites it.
    """
    ffi, lib = _native.library()
    most = min(len(values), _LIKELIHOODS_A_CALL)
    text = np.empty(lib.GKL_SHIM_PAIRHMM_LINE_BYTES * most, np.uint8)
    size = ffi.new("int64_t *")
    for first in range(0, len(values), _LIKELIHOODS_A_CALL):
        part = values[first : first + _LIKELIHOODS_A_CALL]
        _native.check(
            lib.gkl_shim_pairhmm_format(
                ffi.from_buffer("double[]", part),
                len(part),
                threads,
                ffi.from_buffer("uint8_t[]", text, require_writable=True),
                size,
            )
        )
        yield text[: size[0]].data
