"""Correct files of reads, and keep what a report says of it."""

from __future__ import annotations

import contextlib
import dataclasses
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path
from typing import Any, TypeAlias

from gkl_shim.common._descriptors import own_descriptor
from gkl_shim.common._read_ahead import read_ahead
from gkl_shim.correct import Backend, Spectrum
from gkl_shim.correct._kmer_length import chosen_k
from gkl_shim.correct._native_correct import Chunk, Counter, Options, Removed, Totals
from gkl_shim.correct._processors import Processors
from gkl_shim.errors import FormatError
from gkl_shim.formats.output import OutputFile
from gkl_shim.formats.reads import ReadsFile, chunks_of, pairs_of

#: Shows how much of a file has been read. The callable that it yields updates the display.
Progress: TypeAlias = Callable[[ReadsFile, str], AbstractContextManager[Callable[[], None]]]


@dataclasses.dataclass(frozen=True)
class Settings:
    """The options that say how to correct."""

    interleaved: bool
    k: int | None
    genome_size: int | None
    threshold: int | None
    method: str
    max_changes: int | None
    max_window_changes: int | None
    all_or_nothing: bool
    trim: bool
    discard: bool
    memory: float
    spectrum: str | None
    threads: int
    backend: Backend
    devices: list[int] | None


class _Lengths:
    """The lengths of reads, of which a mean is taken with one weight for each base."""

    def __init__(self) -> None:
        self._bases, self._squares = 0, 0.0

    def add(self, chunk: Chunk) -> None:
        """Add the reads of a chunk."""
        self._bases += chunk.bases
        self._squares += chunk.squares

    @property
    def mean(self) -> float:
        """The mean, or 0 without bases."""
        return self._squares / self._bases if self._bases else 0.0


class FilesCorrection:
    """Counts and corrects files, and keeps what the report says."""

    def __init__(self, inputs: list[str], settings: Settings, progress: Progress) -> None:
        self.inputs = inputs
        self._progress = progress
        self.settings = settings
        self.processors = Processors(settings.backend, settings.devices, settings.threads)
        self.counted_by: str | None = None
        self.seconds: dict[str, float] = {}
        self.totals = Totals(0, 0, 0, 0, 0)
        self.removed = Removed()
        self.reads = self.bases = self.passes = 0
        self._names_differ = False
        self._first_mate = 0  # the number at the end of its name

    def spectrum(self) -> Spectrum:
        """Load the spectrum, or count the files' k-mers."""
        settings = self.settings
        if settings.spectrum is not None:
            with self._timed("load"):
                return Spectrum._load(settings.spectrum, self.processors)
        for path in self.inputs:
            place = Path(path)
            # An open descriptor such as /dev/stdin would go on where it was read to. A folder is
            # refused when it is opened.
            if (
                path == "-"
                or own_descriptor(place) is not None
                or (place.exists() and not place.is_file() and not place.is_dir())
            ):
                raise FormatError(
                    "stdin" if path == "-" else path,
                    None,
                    "it is read twice, so it must be a file with a name (or give --spectrum)",
                )
        with self._timed("count"):
            guess = settings.k or self._chosen_k(self._beginnings())
            counter = self._counter(guess)
            complete, lengths = self._pass(counter)
            k = settings.k or self._chosen_k(lengths)
            if k != guess:  # the files begin with reads of other lengths
                del counter  # to free its memory before another takes some
                counter, complete = self._counter(k), False
            while not complete:
                complete, _ = self._pass(counter)
            self.counted_by = "cuda" if counter.on_devices else "cpu"
        with self._timed("spectrum"):
            try:
                return Spectrum._from_counter(counter, settings.threshold, self.processors)
            except ValueError as error:
                # More k-mers are solid than a spectrum has room for.
                raise FormatError(" and ".join(self.inputs), None, str(error)) from None

    def _counter(self, k: int) -> Counter:
        settings = self.settings
        return self.processors.counter(k, settings.threshold, int(settings.memory * 2**30))

    def _pass(self, counter: Counter) -> tuple[bool, _Lengths]:
        """Count all files once. Return whether this was the last pass, and the lengths."""
        self.passes += 1
        lengths = _Lengths()
        for path in self.inputs:
            with (
                self._open(path) as file,
                self._progress(file, path) as advance,
                closing(read_ahead(chunks_of(file))) as chunks,
            ):
                for chunk in chunks:
                    chunk.count(counter)
                    lengths.add(chunk)
                    advance()
        return counter.end_pass(), lengths

    def _beginnings(self) -> _Lengths:
        """Return the lengths of the reads at the beginning of each file."""
        lengths = _Lengths()
        for path in self.inputs:
            with self._open(path) as file:
                chunk = file.next_chunk()
                if chunk is not None:
                    lengths.add(chunk)
        return lengths

    def _chosen_k(self, lengths: _Lengths) -> int:
        return chosen_k(lengths.mean, self.settings.genome_size)

    def correct(self, spectrum: Spectrum, outputs: list[OutputFile]) -> None:
        """Correct all reads, and write them in a background thread."""
        settings = self.settings
        options = Options(
            settings.threads,
            settings.method,
            settings.max_changes or 0,
            settings.max_window_changes or 0,
            settings.all_or_nothing,
        )
        with self._timed("correct"), ExitStack() as stack:
            files = [stack.enter_context(self._open(path)) for path in self.inputs]
            # The mates' file is read at the same pace.
            advance = stack.enter_context(self._progress(files[0], self.inputs[0]))
            groups = stack.enter_context(closing(self._groups(files)))
            # After an error this comes before `groups` are closed, which waits for their thread.
            for file in files:
                stack.callback(file.stop_reading)
            writer = stack.enter_context(ThreadPoolExecutor(1))
            pending: list[Future[Any]] = []
            for group in groups:
                self._compare_names(group)
                for chunk in group:
                    self._correct_chunk(spectrum, chunk, options)
                for written in pending:
                    written.result()
                texts = self._texts(group)
                pending = [
                    writer.submit(output.write, text)
                    for output, text in zip(outputs, texts, strict=True)
                ]
                advance()
            for written in pending:
                written.result()

    def _groups(self, files: list[ReadsFile]) -> Generator[list[Chunk], None, None]:
        """Yield the next chunk of each file; those of two files have the same number of reads."""
        if len(files) == 2 or self.settings.interleaved:
            return pairs_of(files, self.settings.interleaved)
        # The next records are found while these are corrected. Pairs must be cut to fit before.
        return read_ahead([chunk] for chunk in chunks_of(files[0]))

    def _compare_names(self, group: list[Chunk]) -> None:
        """Warn once if the names of mates differ."""
        paired = len(group) == 2 or self.settings.interleaved
        if not paired or self._names_differ:
            return
        try:
            mates = group[1] if len(group) == 2 else None
            self._first_mate = group[0].compare_names(mates, self.reads // 2, self._first_mate)
        except ValueError as error:
            self._names_differ = True
            warnings.warn(
                f"gkl-shim: {' and '.join(self.inputs)}: mates have different names ({error}); if "
                "one is missing or out of order, --discard leaves out the wrong mates",
                RuntimeWarning,
                stacklevel=2,
            )

    def _correct_chunk(self, spectrum: Spectrum, chunk: Chunk, options: Options) -> None:
        totals = spectrum._correct_chunk(chunk, options)
        self.totals = Totals(*map(sum, zip(self.totals, totals, strict=True)))
        self.reads += chunk.records
        self.bases += chunk.bases

    def _texts(self, group: list[Chunk]) -> list[Any]:
        """Return what to write of each chunk: arrays of bytes."""
        settings = self.settings
        if not (settings.trim or settings.discard):
            return [chunk.text[: chunk.end] for chunk in group]
        texts = []
        for chunk, mates in zip(group, [*group[1:], group[0]], strict=True):
            text, removed = chunk.selected(
                mates if len(group) == 2 else None,
                settings.interleaved,
                settings.trim,
                settings.discard,
            )
            self.removed = Removed(*map(sum, zip(self.removed, removed, strict=True)))
            texts.append(text)
        return texts

    def _open(self, path: str) -> ReadsFile:
        return ReadsFile(path, self.settings.threads)

    @contextlib.contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[stage] = time.perf_counter() - start
