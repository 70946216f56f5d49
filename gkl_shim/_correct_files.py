"""Correct files of reads, and keep what a report says of it."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from gkl_shim._native_correct import Chunk, Options, Totals
from gkl_shim._output_files import own_descriptor
from gkl_shim._read_ahead import read_ahead
from gkl_shim.correct import Backend, Processors, Spectrum, chosen_k
from gkl_shim.errors import FormatError
from gkl_shim.formats.output import OutputFile
from gkl_shim.formats.reads import ReadsFile, chunks_of, pairs_of

__all__ = ["FilesCorrection", "Progress", "Settings"]

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
        self.reads = self.bases = self.written = self.passes = 0

    def spectrum(self) -> Spectrum:
        """Load the spectrum, or count the files' k-mers."""
        settings = self.settings
        if settings.spectrum is not None:
            with self._timed("load"):
                return Spectrum.load(settings.spectrum)
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
            counter = self.processors.counter(
                self._k(), settings.threshold, int(settings.memory * 2**30)
            )
            complete = False
            while not complete:
                self.passes += 1
                for path in self.inputs:
                    with (
                        self._open(path) as file,
                        self._progress(file, path) as advance,
                        closing(read_ahead(chunks_of(file))) as chunks,
                    ):
                        for chunk in chunks:
                            chunk.count(counter)
                            advance()
                complete = counter.end_pass()
            self.counted_by = "cuda" if counter.on_devices else "cpu"
        with self._timed("spectrum"):
            try:
                return Spectrum.from_counter(counter, settings.threshold)
            except ValueError as error:
                # More k-mers are solid than a spectrum has room for.
                raise FormatError(" and ".join(self.inputs), None, str(error)) from None

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

    def _correct_chunk(self, spectrum: Spectrum, chunk: Chunk, options: Options) -> None:
        totals = self.processors.correct(
            spectrum.bytes, chunk.bases, partial(chunk.correct, spectrum.native, options)
        )
        self.totals = Totals(*map(sum, zip(self.totals, totals, strict=True)))
        self.reads += chunk.records
        self.bases += chunk.bases

    def _texts(self, group: list[Chunk]) -> list[Any]:
        """Return what to write of each chunk: arrays of bytes."""
        settings = self.settings
        if not (settings.trim or settings.discard):
            self.written += sum(chunk.records for chunk in group)
            return [chunk.text[: chunk.end] for chunk in group]
        texts = []
        for chunk, mates in zip(group, [*group[1:], group[0]], strict=True):
            text, kept = chunk.selected(
                mates if len(group) == 2 else None,
                settings.interleaved,
                settings.trim,
                settings.discard,
            )
            self.written += kept
            texts.append(text)
        return texts

    def _k(self) -> int:
        if self.settings.k is not None:
            return self.settings.k
        with self._open(self.inputs[0]) as file:
            first = file.next_chunk()
            length = 0 if first is None else first.bases / first.records
            return chosen_k(length, self.settings.genome_size)

    def _open(self, path: str) -> ReadsFile:
        return ReadsFile(path, self.settings.threads)

    @contextlib.contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[stage] = time.perf_counter() - start
