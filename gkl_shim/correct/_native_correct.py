"""The cffi binding of read correction, with NumPy arrays in and out."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common import _native

if TYPE_CHECKING:
    from gkl_shim.correct._cuda import Engine

#: The methods, in the order of their C constants.
METHODS = ("search", "voting")

Ragged = tuple[NDArray[np.uint8], NDArray[np.int64]]


def k_range() -> tuple[int, int]:
    """Return the least and the greatest k."""
    return _native.constant("correct_least_k"), _native.constant("correct_most_k")


def counts() -> int:
    """Return how many numbers a histogram has."""
    return _native.constant("correct_counts")


class Options(NamedTuple):
    """How reads are corrected."""

    threads: int = 0
    method: str = "search"
    max_changes: int = 0
    max_window_changes: int = 0
    all_or_nothing: bool = False

    def pointer(self, engine: Engine | None) -> Any:
        """Return a ``gkl_shim_correct_options *``. An engine corrects on devices."""
        ffi, _ = _native.library()
        return ffi.new(
            "gkl_shim_correct_options *",
            (
                self.threads,
                METHODS.index(self.method),
                self.max_changes,
                self.max_window_changes,
                self.all_or_nothing,
                ffi.NULL if engine is None else engine.pointer,
            ),
        )


class Information(NamedTuple):
    """What a spectrum consists of."""

    k: int
    threshold: int
    kmers: int
    false_positive_rate: float
    size: int
    slots: NDArray[np.uint32]
    """A view of the spectrum's memory, which it keeps."""


class Totals(NamedTuple):
    """What became of reads."""

    solid: int
    corrected: int
    unsolved: int
    short: int
    bases: int


class Removed(NamedTuple):
    """What --discard and --trim left out of the output."""

    discarded: int = 0
    mates: int = 0
    """Of the discarded reads, those that were left out for their mates alone."""
    discarded_bases: int = 0
    trimmed: int = 0
    trimmed_bases: int = 0


class Counter:
    """Counts k-mers. Its calls may not overlap. After one that failed, it refuses others.

    Parameters
    ----------
    k, threads, memory_bytes, threshold
        As for ``gkl_shim_correct_counter_open``.
    engine
        Counts on the devices of an engine.

    Raises
    ------
    ValueError
        If an option is out of range.
    """

    def __init__(
        self,
        k: int,
        threads: int,
        memory_bytes: int,
        engine: Engine | None = None,
        threshold: int = 2,
    ) -> None:
        self._ffi, self._lib = _native.library()
        self._engine = engine
        on = self._ffi.NULL if engine is None else engine.pointer
        self.pointer = _native.opened(
            "correct_counter", k, threads, memory_bytes, threshold, on, used=engine
        )

    def count(self, reads: Ragged) -> None:
        """Count the k-mers of reads, which are letters and offsets."""
        _native.run(self._lib.gkl_shim_correct_count, self.pointer, batch(reads, None))

    def end_pass(self) -> bool:
        """End a pass. Return whether it was the last; if not, pass all reads again."""
        complete = self._ffi.new("int32_t *")
        _native.run(self._lib.gkl_shim_correct_end_pass, self.pointer, complete)
        if self._engine is not None:
            self._engine.tell_of_losses()
            if not self.on_devices:
                warnings.warn(
                    "gkl-shim: no GPU can count all k-mers; the CPU counts them",
                    RuntimeWarning,
                    stacklevel=2,
                )
                self._engine = None
        return bool(complete[0])

    @property
    def on_devices(self) -> bool:
        """Whether devices count."""
        return bool(self._lib.gkl_shim_correct_cuda_counts(self.pointer))

    def histogram(self) -> tuple[NDArray[np.int64], int]:
        """Return how many k-mers occur once, twice and so on, and the valley."""
        histogram = np.empty(counts(), np.int64)
        valley = self._ffi.new("int32_t *")
        view = self._ffi.from_buffer("int64_t[]", histogram, require_writable=True)
        _native.check(self._lib.gkl_shim_correct_histogram(self.pointer, view, valley))
        return histogram, int(valley[0])


class Spectrum:
    """Solid k-mers. Thread-safe."""

    def __init__(self, pointer: Any) -> None:
        self._ffi, self._lib = _native.library()
        self.pointer = pointer

    @classmethod
    def made(cls, counter: Counter, threshold: int) -> Spectrum:
        """Take the counted k-mers, and make a spectrum. A threshold of 0 means the valley."""
        made = "correct_spectrum_make"
        return cls(
            _native.opened("correct_spectrum", counter.pointer, threshold, by=made, long=True)
        )

    @classmethod
    def loaded(cls, k: int, threshold: int, size: int, slots: NDArray[np.uint32]) -> Spectrum:
        """Make a spectrum from what another one consists of."""
        ffi, _ = _native.library()
        given = ffi.new(
            "gkl_shim_correct_spectrum_info *",
            {
                "k": k,
                "threshold": threshold,
                "size": size,
                "slot_count": len(slots),
                "slots": ffi.from_buffer("uint32_t[]", slots),
            },
        )
        return cls(_native.opened("correct_spectrum", given, by="correct_spectrum_load"))

    def information(self) -> Information:
        """Return what the spectrum consists of."""
        found = self._ffi.new("gkl_shim_correct_spectrum_info *")
        _native.check(self._lib.gkl_shim_correct_spectrum_information(self.pointer, found))
        # The spectrum must outlive the view: the destructor holds it.
        slots = self._ffi.gc(found.slots, lambda _, spectrum=self.pointer: None)
        memory = self._ffi.buffer(slots, found.slot_count * 4)
        return Information(
            found.k,
            found.threshold,
            found.kmers,
            found.false_positive_rate,
            found.size,
            np.frombuffer(memory, np.uint32),
        )

    def correct(
        self,
        reads: Ragged,
        qualities: NDArray[np.uint8] | None,
        options: Options,
        corrected: NDArray[np.uint8],
        states: NDArray[np.uint8],
        begins: NDArray[np.int32],
        ends: NDArray[np.int32],
        engine: Engine | None = None,
    ) -> None:
        """Correct reads, as ``gkl_shim_correct_reads`` describes it."""
        view = self._ffi.from_buffer
        _native.run(
            self._lib.gkl_shim_correct_reads,
            options.pointer(engine),
            self.pointer,
            batch(reads, qualities),
            view("uint8_t[]", corrected, require_writable=True),
            view("uint8_t[]", states, require_writable=True),
            view("int32_t[]", begins, require_writable=True),
            view("int32_t[]", ends, require_writable=True),
        )


class Chunk:
    """The reads of a piece of a FASTQ or FASTA file.

    With ``for_prefilter``, reads may have other letters than ACGTN. Such a chunk cannot be counted
    or corrected.
    """

    def __init__(self, threads: int, for_prefilter: bool = False) -> None:
        self._ffi, self._lib = _native.library()
        self.pointer = _native.opened("correct_chunk", threads, for_prefilter)
        self.text = np.empty(0, np.uint8)
        self.records = self.bases = self.end = 0

    def parse(self, text: NDArray[np.uint8], last: bool, before: int) -> None:
        """Find the complete records of a text. `before` records of the file came before."""
        ffi, numbers = self._ffi, self._ffi.new("int64_t[3]")
        self.text = text
        status = self._lib.gkl_shim_correct_chunk_parse(
            self.pointer,
            ffi.from_buffer("uint8_t[]", text, require_writable=True),
            len(text),
            last,
            before,
            numbers,
            numbers + 1,
            numbers + 2,
        )
        _native.check(status)
        self.records, self.bases, self.end = map(int, numbers)

    @property
    def squares(self) -> float:
        """The sum of the squares of the reads' lengths."""
        return float(self._lib.gkl_shim_correct_chunk_squares(self.pointer))

    def compare_names(self, mates: Chunk | None, before: int, first: int) -> int:
        """Compare the names of mates, which are neighbours if there are no `mates`.

        `before` pairs came before. `first` is the number at the end of the first mates' names so
        far, 1 or 2, or 0 if none has one. The one after these pairs is returned.

        Raises
        ------
        ValueError
            If the names of a pair differ, or the number is another. It has both names.
        """
        other = self._ffi.NULL if mates is None else mates.pointer
        number = self._ffi.new("int32_t *", first)
        _native.check(
            self._lib.gkl_shim_correct_chunk_compare_names(self.pointer, other, before, number)
        )
        return int(number[0])

    def reads(self) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """Return the letters of all reads, one read after another, and their lengths."""
        letters, lengths = np.empty(self.bases, np.uint8), np.empty(self.records, np.int32)
        view = self._ffi.from_buffer
        self._lib.gkl_shim_correct_chunk_reads(
            self.pointer,
            view("uint8_t[]", letters, require_writable=True),
            view("int32_t[]", lengths, require_writable=True),
        )
        return letters, lengths

    def cut(self, records: int) -> None:
        """Keep the first records only."""
        numbers = self._ffi.new("int64_t[2]")
        self._lib.gkl_shim_correct_chunk_cut(self.pointer, records, numbers, numbers + 1)
        self.records, self.bases, self.end = records, *map(int, numbers)

    def count(self, counter: Counter) -> None:
        """Count the reads' k-mers."""
        _native.run(self._lib.gkl_shim_correct_chunk_count, self.pointer, counter.pointer)

    def correct(self, spectrum: Spectrum, options: Options, engine: Engine | None = None) -> Totals:
        """Correct the reads in the text."""
        totals = self._ffi.new("gkl_shim_correct_totals *")
        _native.run(
            self._lib.gkl_shim_correct_chunk_correct,
            self.pointer,
            options.pointer(engine),
            spectrum.pointer,
            totals,
        )
        solid, corrected, unsolved, short = totals.states
        return Totals(solid, corrected, unsolved, short, totals.bases)

    def selected(
        self, mates: Chunk | None, interleaved: bool, trim: bool, discard: bool
    ) -> tuple[NDArray[np.uint8], Removed]:
        """Return the text with unsolved reads trimmed or left out, and what it lacks."""
        ffi, written = self._ffi, self._ffi.new("int64_t *")
        removed = ffi.new("gkl_shim_correct_removed *")
        out = np.empty(max(self.end, 1), np.uint8)
        _native.check(
            self._lib.gkl_shim_correct_chunk_write(
                self.pointer,
                ffi.NULL if mates is None else mates.pointer,
                interleaved,
                trim,
                discard,
                ffi.from_buffer("uint8_t[]", out, require_writable=True),
                written,
                removed,
            )
        )
        return out[: written[0]], Removed(*(getattr(removed, name) for name in Removed._fields))


def batch(reads: Ragged, qualities: NDArray[np.uint8] | None) -> Any:
    """Return a ``gkl_shim_correct_batch *``, which is valid as long as the arrays."""
    ffi, _ = _native.library()
    letters, offsets = reads
    return ffi.new(
        "gkl_shim_correct_batch *",
        (
            len(offsets) - 1,
            ffi.from_buffer("int64_t[]", offsets),
            ffi.from_buffer("uint8_t[]", letters),
            ffi.NULL if qualities is None else ffi.from_buffer("uint8_t[]", qualities),
        ),
    )
