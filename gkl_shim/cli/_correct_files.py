"""Correct the files of ``gkl-shim correct``, and keep what its report says."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from gkl_shim._native_correct import Options, Totals
from gkl_shim._read_ahead import read_ahead
from gkl_shim.cli import _options
from gkl_shim.correct import Backend, Processors, Spectrum, chosen_k
from gkl_shim.errors import FormatError
from gkl_shim.formats.reads import ReadsFile, chunks_of, pairs_of

__all__ = ["FilesCorrection", "Settings"]

# Files of this many bytes take about a second. For smaller ones, a progress bar would only flicker.
_LONG_INPUT = 1 << 28


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


class FilesCorrection:
    """Counts and corrects files, and keeps what the report says."""

    def __init__(self, inputs: list[str], settings: Settings) -> None:
        self.inputs = inputs
        self.settings = settings
        self.processors = Processors(settings.backend, threads=settings.threads)
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
            if path == "-" or (Path(path).exists() and not Path(path).is_file()):
                raise FormatError(
                    "stdin" if path == "-" else path,
                    None,
                    "it is read twice, so it must be a file (or give --spectrum)",
                )
        with self._timed("count"):
            counter = self.processors.counter(
                self._k(), settings.threshold, int(settings.memory * 1e9)
            )
            complete = False
            while not complete:
                self.passes += 1
                for path in self.inputs:
                    with (
                        self._open(path) as (file, advance),
                        closing(read_ahead(chunks_of(file))) as chunks,
                    ):
                        for chunk in chunks:
                            chunk.count(counter)
                            advance()
                complete = counter.end_pass()
            self.counted_by = "cuda" if counter.on_devices else "cpu"
        with self._timed("spectrum"):
            return Spectrum.from_counter(counter, settings.threshold)

    def correct(self, spectrum: Spectrum, outputs: list[BinaryIO]) -> None:
        """Correct all reads, and write them in a background thread."""
        settings = self.settings
        options = Options(
            settings.threads,
            settings.method,
            settings.max_changes or 0,
            settings.max_window_changes or 0,
            settings.all_or_nothing,
        )
        select = settings.trim or settings.discard
        with self._timed("correct"), ExitStack() as stack:
            opened = [stack.enter_context(self._open(path)) for path in self.inputs]
            files = [file for file, _ in opened]
            pairs = len(files) == 2 or settings.interleaved
            # The next records are found while these are corrected. Pairs are cut to fit before.
            groups = pairs_of(files, settings.interleaved) if pairs else _alone(files[0])
            chunks = groups if pairs else stack.enter_context(closing(read_ahead(groups)))
            writer = stack.enter_context(ThreadPoolExecutor(1))
            pending: list[Future[Any]] = []
            for group in chunks:
                for chunk in group:
                    got = self.processors.correct(
                        spectrum, chunk.bases, partial(chunk.correct, spectrum.native, options)
                    )
                    self.totals = Totals(*map(sum, zip(self.totals, got, strict=True)))
                    self.reads += chunk.records
                    self.bases += chunk.bases
                for written in pending:
                    written.result()
                pending = []
                for index, chunk in enumerate(group):
                    text, kept = chunk.text[: chunk.end], chunk.records
                    if select:
                        mates = group[1 - index] if len(group) == 2 else None
                        text, kept = chunk.selected(
                            mates, settings.interleaved, settings.trim, settings.discard
                        )
                    self.written += kept
                    pending.append(writer.submit(outputs[index].write, text))
                for _, advance in opened:
                    advance()
            for written in pending:
                written.result()

    def _k(self) -> int:
        if self.settings.k is not None:
            return self.settings.k
        with self._open(self.inputs[0]) as (file, _):
            first = file.next_chunk()
            length = 0 if first is None else first.bases / first.records
            return chosen_k(length, self.settings.genome_size)

    @contextlib.contextmanager
    def _open(self, path: str) -> Iterator[tuple[ReadsFile, Callable[[], None]]]:
        with (
            ReadsFile(path, self.settings.threads) as file,
            _options.progress(file, path, _LONG_INPUT) as advance,
        ):
            yield file, advance

    @contextlib.contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[stage] = time.perf_counter() - start


def _alone(file: ReadsFile) -> Iterator[list[Any]]:
    for chunk in chunks_of(file):
        yield [chunk]
