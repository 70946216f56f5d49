"""``gkl-shim smithwaterman``: align pairs of sequences as GATK does."""

from __future__ import annotations

from typing import Any, get_args

import click

from gkl_shim._files import atomic_output
from gkl_shim.cli import _options
from gkl_shim.formats import smithwaterman_text
from gkl_shim.smithwaterman import (
    DANGLING_END,
    HAPLOTYPE_TO_REFERENCE,
    READ_TO_HAPLOTYPE,
    Overhang,
    Parameters,
    SmithWaterman,
)

# Files of this many bytes take about a second. For smaller ones, a progress bar would only flicker.
_LONG_INPUT = 1 << 23

_SETS = {
    "haplotype": HAPLOTYPE_TO_REFERENCE,
    "read": READ_TO_HAPLOTYPE,
    "dangling-end": DANGLING_END,
}


class _Scores(click.ParamType[Parameters]):
    """The name of one of GATK's sets, or four numbers."""

    name = "scores"

    def convert(self, value: Any, param: Any, ctx: Any) -> Parameters:
        """Convert the option's text into numbers."""
        if isinstance(value, Parameters):
            return value
        if value in _SETS:
            return _SETS[value]
        try:
            return smithwaterman_text.parse_parameters(value)
        except ValueError as error:
            self.fail(f"{error}, nor one of {', '.join(_SETS)}", param, ctx)


@click.command(
    name="smithwaterman", epilog="Example: gkl-shim smithwaterman pairs.tsv.gz -o alignments.tsv"
)
@click.argument("pairs", metavar="PAIRS.tsv")
@click.option(
    "--scores",
    type=_Scores(),
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
@_options.threads
@click.option(
    "--build",
    metavar="NAME",
    help="The CPU engine build: avx512, avx2, neon or portable. Default: the best for this CPU. "
    "All builds give the same results.",
)
def command(
    pairs: str, scores: Parameters, overhang: Overhang, output: str, threads: int, build: str | None
) -> None:
    """Align each pair of sequences with the results of GATK's Java aligner.

    Each line of PAIRS.tsv is a reference, a TAB and an alternative; - is standard input. A line may
    have two more fields, its own scores and overhang strategy. The file may be compressed.

    OUT gets one line for each pair: the position in the reference at which the alternative starts,
    counted from 0, a TAB, and the CIGAR. The file appears when it is complete.
    """
    # The output is opened first, so that an unwritable output fails before the work.
    with (
        atomic_output(output) as file,
        smithwaterman_text.Reader(pairs, scores, overhang) as reader,
        _options.progress(reader, pairs, _LONG_INPUT) as advance,
    ):
        aligner = SmithWaterman(threads, build)
        for chunk in reader:
            found = aligner.align(
                chunk.references, chunk.alternatives, chunk.parameters, chunk.overhang
            )
            file.write(smithwaterman_text.formatted(found))
            advance()
