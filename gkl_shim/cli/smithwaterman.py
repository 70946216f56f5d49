"""``gkl-shim smithwaterman``: align pairs of sequences as GATK does."""

from __future__ import annotations

from typing import get_args

import click

from gkl_shim.cli.common import _options
from gkl_shim.cli.common._command import subcommand, usage_errors
from gkl_shim.cli.common._progress import progress
from gkl_shim.common._output_files import check_outputs
from gkl_shim.formats import smithwaterman_text
from gkl_shim.formats.output import open_output
from gkl_shim.smithwaterman import (
    DANGLING_END,
    HAPLOTYPE_TO_REFERENCE,
    READ_TO_HAPLOTYPE,
    Overhang,
    Parameters,
    SmithWaterman,
)

# Files of this many bytes take about a second.
_LONG_INPUT = 1 << 23

_SETS = {
    "haplotype": HAPLOTYPE_TO_REFERENCE,
    "read": READ_TO_HAPLOTYPE,
    "dangling-end": DANGLING_END,
}


def _scores(text: str) -> Parameters:
    """Return the scores of one of GATK's sets, or of four numbers."""
    if text in _SETS:
        return _SETS[text]
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 4 or not all(-(2**31) <= number < 2**31 for number in numbers):
        raise click.BadParameter(
            f"the scores are {text!r}, not four whole numbers such as 200,-150,-260,-11, nor one "
            f"of {', '.join(_SETS)}"
        )
    return Parameters(*numbers)


@subcommand(
    name="smithwaterman", epilog="Example: gkl-shim smithwaterman pairs.tsv.gz -o alignments.tsv"
)
@click.argument("pairs", metavar="PAIRS.tsv")
@click.option(
    "--scores",
    type=_scores,
    default="haplotype",
    show_default=True,
    metavar="SET|MATCH,MISMATCH,OPEN,EXTEND",
    help="One of GATK's sets, or four numbers. haplotype is 200,-150,-260,-11 (haplotypes to the "
    "reference), read is 10,-15,-30,-5 (reads to haplotypes), and dangling-end is 25,-50,-110,-6.",
)
@click.option(
    "--overhang",
    type=click.Choice(get_args(Overhang)),
    default="softclip",
    show_default=True,
    help="What happens to letters that the reference does not cover: clip them (softclip), count "
    "them as aligned (ignore), or align end to end (indel), at the start only (leading_indel).",
)
@_options.output
@_options.cpu_backend
@_options.threads
@_options.build
def command(
    pairs: str, scores: Parameters, overhang: Overhang, output: str, threads: int, build: str | None
) -> None:
    """Align each pair of sequences with the results of GATK's Java aligner.

    Each line of PAIRS.tsv is a reference, a TAB and an alternative; - is standard input. A line may
    have two more fields, its own scores and overhang strategy. The file may be compressed.

    OUT gets one line for each pair: the position in the reference at which the alternative starts,
    counted from 0, a TAB, and the CIGAR. The file appears when it is complete.
    """
    check_outputs(output, inputs=[pairs])
    # The output is opened first, so that an unwritable output fails before the work.
    with open_output(output, threads) as file:
        with usage_errors():
            made = SmithWaterman(threads=threads, build=build)
        with (
            made as aligner,
            smithwaterman_text.Reader(pairs, scores, overhang, threads) as reader,
            progress(reader, pairs, _LONG_INPUT) as advance,
        ):
            for chunk in reader:
                found = aligner.align(
                    chunk.references, chunk.alternatives, chunk.parameters, chunk.overhang
                )
                file.write(smithwaterman_text.formatted(found, threads))
                advance()
