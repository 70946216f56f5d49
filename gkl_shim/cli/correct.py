"""``gkl-shim correct``: correct sequencing errors in short reads."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click

from gkl_shim.cli.common import _correct_report, _options
from gkl_shim.cli.common._command import subcommand, usage_errors
from gkl_shim.cli.common._progress import progress
from gkl_shim.common._output_files import WrongName, atomic_output, check_outputs
from gkl_shim.correct._files import FilesCorrection, Settings
from gkl_shim.correct._native_correct import METHODS
from gkl_shim.formats.output import open_output

# Files of this many bytes take about a second.
_LONG_INPUT = 1 << 28


@subcommand(
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
    type=_options.WholeRange(11, 31),
    help="The length of the k-mers. Default: half the mean length of the reads, weighted by their "
    "bases, at most 27.",
)
@click.option(
    "--genome-size",
    type=_options.WholeRange(1, 2**40),
    metavar="BASES",
    help="About how long the genome is. A default k that is too short for it becomes longer.",
)
@click.option(
    "--threshold",
    type=_options.WholeRange(2, 2047),
    help="Solid k-mers occur at least this often. Default: the valley of the histogram.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="search",
    show_default=True,
    help="Make the most likely changes (search), or CUDA-EC's loop of votes, to compare (voting).",
)
@click.option(
    "--max-changes",
    type=_options.WholeRange(1, 2**31 - 1),
    help="The most changes of a read. Default: 2, and one more for every 10 bases.",
)
@click.option(
    "--max-window-changes",
    type=_options.WholeRange(1, 2**31 - 1),
    help="The most changes within 20 bases. Default: 4. A base whose quality is above the read's "
    "mean counts as two; one of low quality does not count.",
)
@click.option(
    "--all-or-nothing",
    is_flag=True,
    help="Leave a read wholly as it was unless all its k-mers become solid.",
)
@click.option("--trim", is_flag=True, help="Cut unsolved reads to their longest solid part.")
@click.option("--discard", is_flag=True, help="Leave out unsolved reads, and their mates.")
@_options.memory(
    4,
    "The most memory for counts, in GiB. If it is too small, the files are read several times.",
)
@click.option("--spectrum", metavar="FILE", help="Use a spectrum that --save-spectrum has written.")
@click.option("--save-spectrum", metavar="FILE", help="Write the spectrum to FILE.")
@_options.json_file("a report")
@click.option(
    "--plot",
    metavar="FILE",
    help="Draw the histogram and the threshold: .svg or .png. Needs matplotlib.",
)
@click.option("--force", is_flag=True, hidden=True, expose_value=False)  # it was needed once
@_options.backend
@_options.devices
@_options.threads
def command(
    reads: str,
    mates: str | None,
    output: str,
    output2: str | None,
    json_file: str | None,
    save_spectrum: str | None,
    plot: str | None,
    **given: Any,
) -> None:
    """Correct sequencing errors in short reads.

    READS is FASTQ or FASTA, and may be compressed; - is standard input, with --spectrum only. Pairs
    are two files, or one with --interleaved. The files are read twice: to count k-mers, and to
    correct. OUT has the same format, order, names and qualities. It appears when it is complete.

    A read is unsolved if some of its k-mers stay rare. Its stretches that can be made solid are
    corrected, and the others stay as they were; --all-or-nothing, --trim and --discard ask for
    more. A summary goes to standard error.
    """
    inputs = [reads] if mates is None else [reads, mates]
    outputs = [output] if output2 is None else [output, output2]
    if mates is not None and given["interleaved"]:
        raise click.UsageError("--interleaved is for one file of pairs; leave it out, or MATES")
    if len(inputs) != len(outputs):
        raise click.UsageError("give MATES and --output2 together")
    if given["spectrum"] is not None and (given["k"] or given["threshold"]):
        raise click.UsageError("a --spectrum has its own k and threshold")
    if given["genome_size"] and (given["k"] or given["spectrum"]):
        raise click.UsageError("--genome-size chooses k; do not give both")
    if plot is not None:
        _correct_report.check_plot(plot)
    read = [path for path in (*inputs, given["spectrum"]) if path is not None]
    written = [path for path in (*outputs, json_file, save_spectrum, plot) if path is not None]
    check_outputs(*written, inputs=read)
    _check_inputs(read)
    with usage_errors():
        shown = partial(progress, long=_LONG_INPUT)
        run = FilesCorrection(inputs, Settings(**given), shown)
    spectrum = run.spectrum()
    if save_spectrum is not None:
        spectrum.save(save_spectrum)
    if plot is not None:
        _correct_report.draw(spectrum, plot)
    with ExitStack() as stack:
        report = stack.enter_context(atomic_output(json_file)) if json_file is not None else None
        files = [stack.enter_context(open_output(path, run.settings.threads)) for path in outputs]
        run.correct(spectrum, files)
        if report is not None:
            report.write((json.dumps(_correct_report.report(run, spectrum)) + "\n").encode())
    print(_correct_report.summary(run, spectrum), file=sys.stderr)


def _check_inputs(paths: list[str]) -> None:
    """Refuse an input that is given twice."""
    if paths.count("-") > 1:
        raise click.UsageError("standard input is given twice; name a file instead of -")
    seen: set[Path] = set()
    for path in paths:
        if path == "-":
            continue
        place = Path(path).resolve()
        if place in seen and not place.is_char_device():
            raise WrongName(path, "it is given twice; name another file")
        seen.add(place)
