"""``gkl-shim prefilter``: report which read-segment pairs are within a number of edits."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gkl_shim.cli.common import _options
from gkl_shim.cli.common._command import subcommand, usage_errors
from gkl_shim.cli.common._progress import progress
from gkl_shim.common._output_files import atomic_output, check_outputs
from gkl_shim.errors import PairError
from gkl_shim.formats.output import open_output
from gkl_shim.formats.prefilter_text import Pairs, TextReader, read_contigs, read_reads
from gkl_shim.prefilter import MAX_EDITS, Prefilter, Summary, _native_prefilter, summarize

# Files of this many bytes take about a second.
_LONG_INPUT = 1 << 31


@subcommand(
    name="prefilter",
    epilog="Examples: gkl-shim prefilter pairs.tsv.gz -e 5 -o edits.tsv; gkl-shim prefilter "
    "--reads reads.fq.gz --reference ref.fa.gz --candidates candidates.tsv -e 5",
)
@click.argument("pairs", metavar="[PAIRS.tsv]", required=False)
@click.option("--reads", metavar="FILE", help="The reads for --candidates, in FASTQ or FASTA.")
@click.option("--reference", metavar="FILE", help="The reference for --candidates, in FASTA.")
@click.option(
    "--candidates",
    metavar="FILE",
    help="Lines of read, contig, position and optional strand, separated by TABs.",
)
@click.option(
    "-e",
    "--max-edits",
    type=_options.WholeRange(0, MAX_EDITS),
    required=True,
    help="The threshold. Pairs with at most this many edits pass.",
)
@click.option(
    "--method",
    type=click.Choice(["exact", "gatekeeper"]),
    default="exact",
    show_default=True,
    help="Compute the edit distance, or GateKeeper-GPU's estimate of it.",
)
@click.option(
    "--mode",
    type=click.Choice(["global", "infix", "prefix"]),
    default="global",
    show_default=True,
    help="Align the whole read with the whole segment (global), with any part of it (infix), or "
    "with a part at its start (prefix).",
)
@_options.output
@_options.json_file("the summary")
@click.option(
    "--undefined",
    type=click.Choice(["undefined", "reject"]),
    default="undefined",
    show_default=True,
    help="The verdict for a pair with a letter other than ACGT, in OUT and in the summary.",
)
@_options.backend
@_options.threads
@_options.devices
@click.option(
    "--encode",
    type=click.Choice(["auto", "host", "device"]),
    default="auto",
    show_default=True,
    help="With CUDA: where to encode letters in two bits a base.",
)
@_options.build
def command(
    pairs: str | None,
    reads: str | None,
    reference: str | None,
    candidates: str | None,
    output: str,
    json_file: str | None,
    undefined: str,
    threads: int,
    **options: Any,
) -> None:
    """Report which read-segment pairs are within --max-edits edits.

    Each line of PAIRS.tsv is a read, a TAB and a segment; - is standard input.

    A mapper's candidates are given with --reads, --reference and --candidates instead. Each line of
    candidates has the index of the read in its file, the name of the contig, the position in the
    contig, and optionally + or -. Indices and positions count from 0. A segment is as long as the
    read. With infix it extends by --max-edits bases at both ends, with prefix at its end. It never
    extends beyond the contig. All files may be compressed.

    OUT gets one line for each pair: its edits (-1 above the threshold, -2 undefined), a TAB, and
    its verdict: pass, reject or undefined. The file appears when it is complete. A summary goes to
    standard error: how many pairs have each verdict.
    """
    form = (reads, reference, candidates)
    if (pairs is None) == (candidates is None) or len({value is None for value in form}) == 2:
        raise click.UsageError(
            "give either PAIRS.tsv or all of --reads, --reference and --candidates"
        )
    if options["method"] == "gatekeeper" and options["mode"] != "global":
        raise click.UsageError("--method gatekeeper supports only --mode global")
    if [reads, reference, candidates].count("-") > 1:
        raise click.UsageError("only one of the inputs can be standard input")
    check_outputs(output, json_file, inputs=[pairs, *form])
    source = candidates or pairs or ""
    total = Summary(0, 0, 0, 0)
    with ExitStack() as outputs:
        # Outputs are opened first, so that an unwritable output fails before the work.
        summary = outputs.enter_context(atomic_output(json_file)) if json_file is not None else None
        file = outputs.enter_context(open_output(output, threads))
        with (
            TextReader(source, threads=threads) as reader,
            progress(reader, source, _LONG_INPUT) as advance,
        ):
            # The first pairs are read while devices open.
            chunks = reader.pairs() if candidates is None else None
            with usage_errors():
                made = Prefilter(threads=threads, **options)
            with made as prefilter:
                if chunks is not None:
                    computed = _pairs(prefilter, reader, chunks)
                else:
                    computed = _candidates(prefilter, reader, str(reads), str(reference), threads)
                for edits in computed:
                    file.write(_native_prefilter.format_edits(edits, undefined == "reject"))
                    total += summarize(edits)
                    advance()
        if undefined == "reject":
            rejected = total.rejected + total.undefined
            total = dataclasses.replace(total, rejected=rejected, undefined=0)
        if summary is not None:
            report = {**dataclasses.asdict(total), "acceptance_rate": total.acceptance_rate}
            if not total.pairs:
                report["acceptance_rate"] = None
            summary.write((json.dumps(report) + "\n").encode())
    rate = f" ({total.acceptance_rate:.2%})" if total.pairs else ""
    print(
        f"{total.pairs} pairs: {total.accepted} accepted{rate}, {total.rejected} rejected, "
        f"{total.undefined} undefined",
        file=sys.stderr,
    )


def _pairs(
    prefilter: Prefilter, reader: TextReader, chunks: Iterator[Pairs]
) -> Iterator[NDArray[np.int16]]:
    for chunk in chunks:
        with _named(reader, chunk.first_line):
            yield prefilter.edits(chunk.reads, chunk.segments)


def _candidates(
    prefilter: Prefilter, reader: TextReader, reads: str, reference: str, threads: int
) -> Iterator[NDArray[np.int16]]:
    names, contigs, contig_lengths = read_contigs(reference, threads)
    queries, read_lengths = read_reads(reads, threads)
    resident = prefilter.resident(queries, contigs)
    for chunk in reader.candidates(read_lengths, names, contig_lengths):
        with _named(reader, chunk.first_line):
            yield resident.edits(chunk.reads, chunk.positions, chunk.contigs, chunk.reverse)


@contextmanager
def _named(reader: TextReader, first_line: int) -> Iterator[None]:
    """Add the file and the line to the error for a pair that cannot be computed."""
    try:
        yield
    except PairError as error:
        raise reader.error(first_line + error.index, error.message) from None
