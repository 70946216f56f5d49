"""Correct sequencing errors in short reads by their rare k-mers.

A k-mer that occurs often in the reads is solid: it is in the genome. A k-mer of low count contains
an error, or few reads cover that part of the genome. :class:`Spectrum` holds the solid k-mers of a
data set, and :meth:`Spectrum.correct` makes the most likely changes after which the k-mers of a
read are solid. docs/algorithms/correct.md explains the method and names its sources.
"""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._arguments import INT32_MAX, check_choice, truth, whole_number
from gkl_shim.common._closable import Closable
from gkl_shim.common._output_files import atomic_output
from gkl_shim.common._ragged import ragged
from gkl_shim.correct import _native_correct
from gkl_shim.correct._kmer_length import chosen_k
from gkl_shim.correct._native_correct import Chunk, Counter, Options, Totals
from gkl_shim.correct._processors import Backend, Processors
from gkl_shim.errors import FormatError

__all__ = [
    "CORRECTED",
    "SHORT",
    "SOLID",
    "UNSOLVED",
    "Backend",
    "Corrected",
    "Method",
    "Spectrum",
]

Method: TypeAlias = Literal["search", "voting"]
"""``search`` makes the most likely changes. ``voting`` is CUDA-EC's loop (Shi and others, 2010),
for comparison."""

#: The states of a read: solid as it was; solid now; some k-mers are still weak; shorter than k.
SOLID, CORRECTED, UNSOLVED, SHORT = range(4)

# If a larger share of all k-mers is solid, a warning says so. In 20x of E. coli with a k of 11, a
# share of 2% left a gain of 0.975, 4.5% one of 0.94, and 16% one of 0.85.
_MOST_SOLID = 0.05

# Of a saved spectrum. It changes with the hash of k-mers and with the slots.
_FORMAT = 2


@dataclasses.dataclass(frozen=True)
class Corrected:
    """Corrected reads, and what was changed. Positions are counted from 0."""

    letters: NDArray[np.uint8]
    """The letters of all reads. Those that were not changed keep their case."""
    offsets: NDArray[np.int64]
    """One more than there are reads: read k is ``letters[offsets[k]:offsets[k + 1]]``."""
    states: NDArray[np.uint8]
    """For each read: ``SOLID``, ``CORRECTED``, ``UNSOLVED`` or ``SHORT``."""
    begins: NDArray[np.int32]
    """For each read, where the part begins that is left if it is trimmed: the longest part with
    solid k-mers alone if the read is unsolved and has one, otherwise the whole read."""
    ends: NDArray[np.int32]
    """For each read, where this part ends."""
    changed_reads: NDArray[np.int64]
    """For each changed base, the index of its read. Bases are in the order of `letters`."""
    changed_positions: NDArray[np.int64]
    """For each changed base, its position in the read."""
    changed_from: NDArray[np.uint8]
    """For each changed base, the letter before."""
    changed_to: NDArray[np.uint8]
    """For each changed base, the letter now, in upper case."""

    def read(self, index: int) -> bytes:
        """Return one corrected read."""
        begin, end = self.offsets[index : index + 2]
        return self.letters[begin:end].tobytes()


class Spectrum(Closable):
    """The solid k-mers of a data set. Thread-safe.

    :meth:`from_reads` and :meth:`load` make one.
    """

    def __init__(
        self,
        native: _native_correct.Spectrum,
        histogram: NDArray[np.int64],
        processors: Processors,
    ) -> None:
        self._native: _native_correct.Spectrum | None = native
        self._processors = processors
        self._information = native.information()
        self.histogram = histogram
        """``histogram[c - 1]`` is the number of k-mers that occur c times. The last number includes
        those that occur more often."""
        share = self.kmers / (4**self.k / 2)  # a k-mer and its reverse complement are one
        if share > _MOST_SOLID:
            warnings.warn(
                f"gkl-shim: {share:.0%} of all {self.k}-mers are solid, so k-mers with errors "
                "often pass for right ones; give a longer k, or the genome's size",
                RuntimeWarning,
                stacklevel=3,
            )

    @classmethod
    def from_reads(
        cls,
        reads: Any,
        *,
        k: int | None = None,
        threshold: int | None = None,
        threads: int = 0,
        genome_size: int | None = None,
        backend: Backend = "auto",
        devices: Iterable[int] | None = None,
    ) -> Spectrum:
        """Count the k-mers of reads.

        Parameters
        ----------
        reads
            Sequences of letters (``str``, ``bytes`` or arrays of ``uint8``), or a tuple of all
            letters and an array of offsets, which has one entry more than there are reads. Letters
            are ACGTN in either case.
        k
            11 to 31. The default is half the mean length of the reads, at most 27. A read has as
            much weight in the mean as it has bases.
        threshold
            Solid k-mers occur at least this often: 2 to 2047. The default is the valley of the
            histogram. With the default, a base of high quality is not changed if each k-mer that
            contains it occurs at least 3 times, and 1/64 as often as the median k-mer.
        threads
            The most CPU threads to use; 0 means all that the process may use.
        genome_size
            About how many bases the genome has. A default `k` that is too short for it becomes
            longer.
        backend
            ``"cpu"``, ``"cuda"``, or ``"auto"``, which uses the devices for work that they are
            expected to finish sooner. All give the same reads.
        devices
            The numbers of the CUDA devices to use. The default is all devices.

        Returns
        -------
        Spectrum
            The solid k-mers.

        Raises
        ------
        BackendUnavailable
            If `backend` is ``"cuda"`` and there is no device that can be used.
        MemoryError
            If the k-mers do not fit into memory.
        ValueError
            If an argument is wrong. The message names the read if a letter is none of ACGTN. Also
            if more k-mers are solid than a spectrum has room for, about 4.29 billion.

        Examples
        --------
        >>> spectrum = Spectrum.from_reads(["ACGTTGCAAGCT"] * 5, k=11)
        >>> spectrum.kmers, spectrum.correct(["ACGTTGCATGCT"]).read(0)
        (2, b'ACGTTGCAAGCT')
        """
        letters, offsets = ragged(reads, "reads")
        if k is None:
            lengths = np.diff(offsets).astype(np.float64)
            mean_length = float((lengths**2).sum() / max(lengths.sum(), 1))
            size = None if genome_size is None else whole_number("genome_size", genome_size)
            k = chosen_k(mean_length, size)
        processors = Processors(backend, devices, threads)
        counter = processors.counter(whole_number("k", k, 0, INT32_MAX), threshold)
        complete = False
        while not complete:
            counter.count((letters, offsets))
            complete = counter.end_pass()
        return cls._from_counter(counter, threshold, processors)

    @classmethod
    def _from_counter(
        cls, counter: Counter, threshold: int | None, processors: Processors
    ) -> Spectrum:
        """Make a spectrum after the counter's last pass. This can be done once."""
        wanted = 0 if threshold is None else whole_number("threshold", threshold, 0, INT32_MAX)
        native = _native_correct.Spectrum.made(counter, wanted)
        return cls(native, counter.histogram()[0], processors)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        backend: Backend = "auto",
        devices: Iterable[int] | None = None,
        threads: int = 0,
    ) -> Spectrum:
        """Read a spectrum that :meth:`save` has written. The options are for :meth:`correct`.

        Raises
        ------
        BackendUnavailable
            As for :meth:`from_reads`.
        FormatError
            If the file is not a complete spectrum, or another version of gkl-shim wrote it.
        MemoryError
            If it does not fit into memory.
        OSError
            If the file cannot be read.
        """
        return cls._load(path, Processors(backend, devices, threads))

    @classmethod
    def _load(cls, path: str | Path, processors: Processors) -> Spectrum:
        try:
            with np.load(path, allow_pickle=False) as file:
                facts = json.loads(bytes(file["facts"]).decode())
                slots = np.ascontiguousarray(file["slots"], np.uint32)
                histogram = np.ascontiguousarray(file["histogram"], np.int64)
            if facts["format"] != _FORMAT or histogram.shape != (_native_correct.counts(),):
                raise ValueError("another version has written it")
            native = _native_correct.Spectrum.loaded(
                int(facts["k"]), int(facts["threshold"]), int(facts["size"]), slots
            )
        except Exception as error:
            if isinstance(error, MemoryError) or getattr(error, "filename", None) is not None:
                raise
            # np.load and zipfile raise many types for a damaged file, an OSError among them.
            raise FormatError(
                str(path),
                None,
                "it is not a complete spectrum of this version; make it again with --save-spectrum",
            ) from None
        return cls(native, histogram, processors)

    def save(self, path: str | Path) -> None:
        """Write the spectrum to a file, which appears when it is complete.

        It is a NumPy archive with the arrays ``slots`` (uint32) and ``histogram`` (int64), and
        ``facts`` as JSON in an array of bytes.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        information = self._open().information()
        facts = {
            "format": _FORMAT,
            "k": information.k,
            "threshold": information.threshold,
            "size": information.size,
        }
        with atomic_output(path) as file:
            np.savez(
                file,
                facts=np.frombuffer(json.dumps(facts).encode(), np.uint8),
                slots=information.slots,
                histogram=self.histogram,
            )

    def _open(self) -> _native_correct.Spectrum:
        if self._native is None:
            raise ValueError("this Spectrum is closed")
        return self._native

    def close(self) -> None:
        """Release memory and devices. Calls that are running in other threads finish."""
        self._information = self._information._replace(slots=np.zeros(0, np.uint32))
        self._native = None
        self._processors.close()

    @property
    def k(self) -> int:
        """The length of the k-mers."""
        return self._information.k

    @property
    def threshold(self) -> int:
        """How often a solid k-mer occurs at least."""
        return self._information.threshold

    @property
    def kmers(self) -> int:
        """The number of solid k-mers."""
        return self._information.kmers

    @property
    def false_positive_rate(self) -> float:
        """The share of absent k-mers that are taken for solid ones, estimated from the slots."""
        return self._information.false_positive_rate

    @property
    def bytes(self) -> int:
        """The memory that the spectrum takes, in bytes."""
        return self._information.slots.nbytes

    def correct(
        self,
        reads: Any,
        qualities: Any = None,
        *,
        method: Method = "search",
        max_changes: int | None = None,
        threads: int = 0,
        max_window_changes: int | None = None,
        all_or_nothing: bool = False,
    ) -> Corrected:
        """Correct reads.

        Parameters
        ----------
        reads
            As for :meth:`from_reads`.
        qualities
            A quality for each letter, as FASTQ has it: the Phred score plus 33. Bytes or an array
            of ``uint8`` for all letters, or a sequence for each read. Of two equally short ways to
            correct a read, the one that changes bases of lower quality wins.
        method
            ``"search"`` or ``"voting"``.
        max_changes
            The most changes of a read. The default is 2, and one more for every 10 bases.
        threads
            As for :meth:`from_reads`.
        max_window_changes
            The most changes within 20 bases. The default is 4. A base whose quality is above the
            read's mean counts as two. One whose quality is below 7/8 of the mean does not count,
            nor does an N.
        all_or_nothing
            Leave a read as it was unless all its k-mers become solid. By default, only its
            stretches that cannot be made solid stay as they were.

        Returns
        -------
        Corrected
            The corrected reads, in the same order.

        Raises
        ------
        MemoryError
            If the results do not fit into memory.
        ValueError
            If an argument is wrong.
        """
        check_choice("method", method, Method)
        options = Options(
            whole_number("threads", threads, 0, INT32_MAX),
            method,
            _limit("max_changes", max_changes),
            _limit("max_window_changes", max_window_changes),
            truth("all_or_nothing", all_or_nothing),
        )
        native = self._open()
        letters, offsets = ragged(reads, "reads")
        letters = letters[: offsets[-1]]
        quality = None if qualities is None else _qualities(qualities, offsets)
        count = len(offsets) - 1
        corrected, states = np.empty_like(letters), np.empty(count, np.uint8)
        begins, ends = np.empty(count, np.int32), np.empty(count, np.int32)
        arrays = (corrected, states, begins, ends)
        self._processors.correct(
            self.bytes,
            len(letters),
            lambda engine: native.correct((letters, offsets), quality, options, *arrays, engine),
        )
        at = np.flatnonzero(corrected != letters)
        which = np.searchsorted(offsets, at, side="right") - 1
        return Corrected(
            corrected,
            offsets.copy(),  # they may be the caller's own array
            states,
            begins,
            ends,
            which,
            at - offsets[which],
            letters[at],
            corrected[at],
        )

    def _correct_chunk(self, chunk: Chunk, options: Options) -> Totals:
        """Correct the reads of a chunk in place."""
        call = partial(chunk.correct, self._open(), options)
        return self._processors.correct(self.bytes, chunk.bases, call)


def _limit(name: str, value: Any) -> int:
    return 0 if value is None else whole_number(name, value, 1, INT32_MAX)


def _qualities(value: Any, offsets: NDArray[np.int64]) -> NDArray[np.uint8]:
    if isinstance(value, (bytes, bytearray, memoryview, np.ndarray)):
        joined, _ = ragged((value, np.array([0])), "qualities")
        if len(joined) != offsets[-1]:
            raise ValueError(f"qualities: {len(joined)} of them, but {offsets[-1]} letters")
        return joined
    joined, ends = ragged(value, "qualities")
    if not np.array_equal(ends, offsets):
        raise ValueError("qualities: their lengths are not those of the reads")
    return joined
