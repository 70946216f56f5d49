"""``gkl-shim correct``: correct sequencing errors in short reads."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import click

from gkl_shim._files import atomic_output, check_outputs
from gkl_shim._native_correct import METHODS, Options, Totals
from gkl_shim.cli import _options
from gkl_shim.correct import Backend, Processors, Spectrum, chosen_k
from gkl_shim.errors import FormatError
from gkl_shim.formats.reads import ReadsFile, chunks_of, pairs_of

# Files of this many bytes take about a second. For smaller ones, a progress bar would only flicker.
_LONG_INPUT = 1 << 28
# The fastest level. Its files are a little larger than those of the usual one.
_GZIP_LEVEL = 1


@click.command(
    name="correct",
    epilog="Examples: gkl-shim correct reads.fq.gz -o corrected.fq.gz; "
    "gkl-shim correct r1.fq r2.fq -o c1.fq --output2 c2.fq --json report.json",
)
@click.argument("reads", metavar="READS")
@click.argument("mates", metavar="[MATES]", required=False)
@_options.output
@click.option("--output2", metavar="OUT2", help="The output file of MATES.")
@click.option("--interleaved", is_flag=True, help="READS holds pairs: each read, then its mate.")
@click.option(
    "-k",
    type=click.IntRange(11, 31),
    help="The length of the k-mers. Default: half the mean length of the first reads, at most 27.",
)
@click.option(
    "--threshold",
    type=click.IntRange(2, 2047),
    help="Solid k-mers occur at least this often. Default: the valley of the histogram.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="search",
    show_default=True,
    help="Make the fewest changes (search), or CUDA-EC's loop of votes, for comparison (voting).",
)
@click.option(
    "--max-changes",
    type=click.IntRange(1, 2**31 - 1),
    help="The most changes of a read. Default: 2, and one more for every 10 bases.",
)
@click.option("--trim", is_flag=True, help="Cut unsolved reads to their longest solid part.")
@click.option("--discard", is_flag=True, help="Leave out unsolved reads, and their mates.")
@click.option(
    "--memory",
    type=click.FloatRange(0.001, 2**20),
    default=4,
    show_default=True,
    metavar="GB",
    help="The most memory for counts. If it is too small, the files are read several times.",
)
@click.option("--spectrum", metavar="FILE", help="Use a spectrum that --save-spectrum has written.")
@click.option("--save-spectrum", metavar="FILE", help="Write the spectrum to FILE.")
@click.option(
    "--json", "json_file", metavar="FILE", help="Write a report to FILE; - is standard output."
)
@click.option("--plot", metavar="FILE", help="Draw the histogram and the threshold: .svg or .png.")
@click.option("--force", is_flag=True, help="Replace outputs that exist.")
@_options.backend
@_options.threads
def command(
    reads: str,
    mates: str | None,
    output: str,
    output2: str | None,
    json_file: str | None,
    save_spectrum: str | None,
    plot: str | None,
    force: bool,
    **given: Any,
) -> None:
    """Correct sequencing errors in short reads.

    READS is FASTQ or FASTA, and may be compressed; - is standard input, with --spectrum only. Pairs
    are two files, or one with --interleaved. The files are read twice: to count k-mers, and to
    correct. OUT has the same format, order, names and qualities, and is compressed if its name ends
    with .gz. It appears when it is complete.

    Reads that cannot be made free of rare k-mers keep their bases there. A summary goes to standard
    error.
    """
    inputs = [reads] if mates is None else [reads, mates]
    outputs = [output] if output2 is None else [output, output2]
    if len(inputs) != len(outputs):
        raise click.UsageError("give MATES and --output2 together")
    if mates is not None and given["interleaved"]:
        raise click.UsageError("--interleaved is for one file of pairs")
    if given["spectrum"] is not None and (given["k"] or given["threshold"]):
        raise click.UsageError("a --spectrum has its own k and threshold")
    written = [*outputs, json_file, save_spectrum, plot]
    _check_paths(inputs, [path for path in written if path not in (None, "-")], force)
    check_outputs(*written)
    run = _Run(inputs, _Settings(**given))
    spectrum = run.spectrum()
    if save_spectrum is not None:
        spectrum.save(save_spectrum)
    if plot is not None:
        _draw(spectrum, plot)
    with ExitStack() as stack:
        report = stack.enter_context(atomic_output(json_file)) if json_file is not None else None
        files = [stack.enter_context(_output(path, run.settings.threads)) for path in outputs]
        run.correct(spectrum, files)
        if report is not None:
            report.write((json.dumps(run.report(spectrum)) + "\n").encode())
    print(run.summary(spectrum), file=sys.stderr)


@dataclasses.dataclass(frozen=True)
class _Settings:
    """The options that say how to correct."""

    interleaved: bool
    k: int | None
    threshold: int | None
    method: str
    max_changes: int | None
    trim: bool
    discard: bool
    memory: float
    spectrum: str | None
    threads: int
    backend: Backend


class _Run:
    """Counts and corrects files, and keeps what the report says."""

    def __init__(self, inputs: list[str], settings: _Settings) -> None:
        self.inputs = inputs
        self.settings = settings
        self.processors = Processors(settings.backend, threads=settings.threads)
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
            counter = self.processors.counter(self._k(), int(settings.memory * 1e9))
            complete = False
            while not complete:
                self.passes += 1
                for path in self.inputs:
                    with self._open(path) as (file, advance):
                        for chunk in chunks_of(file):
                            chunk.count(counter)
                            advance()
                complete = counter.end_pass()
        with self._timed("spectrum"):
            return Spectrum.from_counter(counter, settings.threshold)

    def correct(self, spectrum: Spectrum, outputs: list[BinaryIO]) -> None:
        """Correct all reads, and write them in a background thread."""
        settings = self.settings
        options = Options(settings.threads, settings.method, settings.max_changes or 0)
        select = settings.trim or settings.discard
        with self._timed("correct"), ExitStack() as stack:
            opened = [stack.enter_context(self._open(path)) for path in self.inputs]
            files = [file for file, _ in opened]
            pairs = len(files) == 2 or settings.interleaved
            chunks = pairs_of(files, settings.interleaved) if pairs else _alone(files[0])
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

    def report(self, spectrum: Spectrum) -> dict[str, Any]:
        """Return what --json writes."""
        states = dict(zip(Totals._fields, self.totals, strict=True))
        return {
            "reads": self.reads,
            "bases": self.bases,
            "reads_written": self.written,
            "bases_changed": states.pop("bases"),
            "reads_by_state": states,
            "method": self.settings.method,
            "k": spectrum.k,
            "threshold": spectrum.threshold,
            "solid_kmers": spectrum.kmers,
            "spectrum_bytes": spectrum.bytes,
            "false_positive_rate": spectrum.false_positive_rate,
            "counting_passes": self.passes,
            "histogram": spectrum.histogram.tolist(),
            "seconds": self.seconds,
        }

    def summary(self, spectrum: Spectrum) -> str:
        """Return a line for people."""
        return (
            f"{self.reads} reads: {self.totals.corrected} corrected, {self.totals.unsolved} "
            f"unsolved, {self.totals.bases} bases changed (k {spectrum.k}, threshold "
            f"{spectrum.threshold}, {spectrum.kmers} solid k-mers)"
        )

    def _k(self) -> int:
        if self.settings.k is not None:
            return self.settings.k
        with self._open(self.inputs[0]) as (file, _):
            first = file.next_chunk()
            return chosen_k(0 if first is None else first.bases / first.records)

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


def _check_paths(inputs: list[str], outputs: list[str | None], force: bool) -> None:
    """Refuse an output that is an input or another output, or that exists."""
    seen = {Path(path).resolve() for path in inputs}
    for path in map(str, outputs):
        place = Path(path).resolve()
        if place in seen and not place.is_char_device():
            raise FormatError(path, None, "it is given twice; name another output")
        seen.add(place)
        if place.is_file() and not force:
            raise FormatError(path, None, "it exists; name another output, or give --force")


@contextlib.contextmanager
def _output(path: str, threads: int) -> Iterator[BinaryIO]:
    with atomic_output(path) as file:
        if not path.endswith(".gz"):
            yield file
            return
        # Imported late, because xopen imports every decompressor.
        from xopen import xopen

        with xopen(file, "wb", format="gz", compresslevel=_GZIP_LEVEL, threads=threads) as zipped:
            yield zipped


def _draw(spectrum: Spectrum, path: str) -> None:
    """Draw the histogram up to three times the genome's peak."""
    try:
        import matplotlib
    except ImportError:
        raise click.ClickException("--plot needs matplotlib: pip install matplotlib") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    counts = spectrum.histogram
    peak = spectrum.threshold + int(counts[spectrum.threshold - 1 : -1].argmax())
    shown = min(len(counts) - 1, max(3 * peak, 20))
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(range(1, shown + 1), counts[:shown], drawstyle="steps-mid")
    axes.axvline(spectrum.threshold - 0.5, linestyle="--", color="black")
    axes.text(spectrum.threshold, counts[:shown].max(), f" solid from {spectrum.threshold}")
    axes.set_yscale("symlog")
    axes.set_xlabel(f"times that a {spectrum.k}-mer occurs")
    axes.set_ylabel("k-mers")
    with atomic_output(path) as file:
        figure.savefig(file, format="png" if path.endswith(".png") else "svg")
    pyplot.close(figure)
