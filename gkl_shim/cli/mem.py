"""``gkl-shim mem``: MUMmer's maximal exact matches, with mummer's options and output."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import closing
from pathlib import Path

import click

from gkl_shim.cli.common import _options
from gkl_shim.cli.common._command import subcommand, usage_errors
from gkl_shim.cli.common._mummer import Report, flag, kind_of
from gkl_shim.cli.common._progress import progress
from gkl_shim.common._output_files import check_outputs
from gkl_shim.formats.mem_fasta import BlockSize, QueryReader, read_reference
from gkl_shim.formats.output import open_output
from gkl_shim.mem import Backend, Index, Strands
from gkl_shim.mem._native_mem import Fasta

# Files of this many bytes take about a second. For smaller ones, a progress bar would only flicker.
_LONG_INPUT = 1 << 25


@subcommand(
    name="mem",
    context_settings={"help_option_names": ["-h", "-help", "--help"]},
    epilog="Example: gkl-shim mem -maxmatch -b -l 50 reference.fa query1.fa.gz query2.fa.gz",
)
@click.argument("reference", metavar="REFERENCE.fa")
@click.argument("queries", metavar="QUERIES.fa...", nargs=-1, required=True)
@flag("-maxmatch", help="All matches.")
@flag("-mum", help="Matches whose letters occur once in the reference and once in the query.")
@flag("-mumreference", help="Matches whose letters occur once in the reference (the default).")
@flag("-mumcand", help="The same as -mumreference.")
@click.option(
    "-l",
    "min_length",
    type=_options.WholeRange(1, 2**62),
    default=20,
    show_default=True,
    help="The shortest match.",
)
@flag("-n", "nucleotides_only", help="Match only the letters a, c, g and t, in either case.")
@flag("-b", "both", help="Search the queries and their reverse complements.")
@flag("-r", "reverse", help="Search only the reverse complements of the queries.")
@flag("-s", "substrings", help="Write the letters of each match.")
@flag("-c", "original_positions", help="Give the positions of reverse matches in the given query.")
@flag("-F", "four_columns", help="Write the reference's name even if it has one sequence.")
@flag("-L", "lengths", help="Write each query's length in its header.")
@click.option(
    "-threads",
    "-qthreads",
    "--threads",
    type=_options.WholeRange(0, 2**31 - 1),
    default=0,
    help="The most CPU threads to use. Default: as many as the process may use.",
)
@click.option("-save", metavar="FILE", help="Also write the index of the reference to FILE.")
@click.option("-load", metavar="FILE", help="Read the index of REFERENCE.fa from a FILE of -save.")
@_options.memory(8, "The most memory for the index, in GiB. Larger references are cut into pages.")
@click.option(
    "--page-letters",
    type=_options.WholeRange(0, 2**62),
    default=0,
    help="The most letters of a page. Default: as many as --memory allows.",
)
@click.option("-v", "--verbose", is_flag=True, help="Write pages, times and memory to stderr.")
@_options.backend
@_options.devices
@_options.output
def command(
    reference: str,
    queries: tuple[str, ...],
    min_length: int,
    nucleotides_only: bool,
    both: bool,
    reverse: bool,
    threads: int,
    save: str | None,
    load: str | None,
    memory: float,
    page_letters: int,
    verbose: bool,
    backend: Backend,
    devices: list[int] | None,
    output: str,
    **flags: bool,
) -> None:
    """Find the maximal exact matches between a reference and queries, as mummer does.

    The files are FASTA, and may be compressed; - is standard input. The options are those of
    MUMmer 3.23, and -threads, -save and -load of MUMmer 4.
    """
    kind = kind_of(flags)
    if both and reverse:
        raise click.UsageError("give one of -b and -r")
    if flags["original_positions"] and not (both or reverse):
        raise click.UsageError("-c needs -b or -r")
    if (reference, *queries).count("-") > 1:
        raise click.UsageError("only one of the inputs can be standard input")
    strands: Strands = "both" if both else "reverse" if reverse else "forward"
    report = Report(verbose)
    check_outputs(output, save, inputs=[reference, *queries, load])
    # What does not exist or is a folder fails before the work.
    for source in (reference, *queries):
        if source != "-" and stat.S_ISDIR(Path(source).stat().st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), source)
    with open_output(output, threads) as file:
        subject = read_reference(reference, threads)
        report.add("reading")
        with usage_errors():
            if load:
                index = Index.load(load, threads=threads, backend=backend, devices=devices)
                _check_loaded(index, load, subject, min_length, nucleotides_only)
            else:
                index = Index(
                    subject.sequences,
                    min_length=min_length,
                    nucleotides_only=nucleotides_only,
                    threads=threads,
                    memory=int(memory * 2**30),
                    page_letters=page_letters,
                    query_letters=_letters(queries) * (1 + both),
                    backend=backend,
                    devices=devices,
                )
        report.add("index")
        size = BlockSize(index.information.resident)
        for source in queries:
            with (
                closing(QueryReader(source, threads, size)) as reader,
                progress(reader, source, _LONG_INPUT) as advance,
            ):
                for block in reader:
                    report.add("reading")
                    found = 0
                    for matches in index.in_parts(block.sequences, min_length, kind, strands):
                        report.add("matches")
                        for lines in matches.lines(subject.names, block.names, **flags):
                            file.write(lines)
                        report.add("output")
                        found += len(matches)
                    size.adapt(found)
                    advance()
        if save:
            index.save(save)
            report.add("saving")
    report.print(index)


def _letters(queries: tuple[str, ...]) -> int:
    """Return about how many letters the files have, or 0 if one cannot tell."""
    paths = [Path(source) for source in queries]
    if not all(path.is_file() for path in paths):
        return 0
    return sum(path.stat().st_size * (4 if path.suffix == ".gz" else 1) for path in paths)


def _check_loaded(
    index: Index, path: str, reference: Fasta, min_length: int, nucleotides_only: bool
) -> None:
    known = index.information
    if known.min_length > min_length:
        reason = f"is for matches of {known.min_length} letters or more"
    elif known.nucleotides_only != nucleotides_only:
        reason = f"was made with{'' if known.nucleotides_only else 'out'} -n"
    elif not index.is_of(reference.sequences):
        reason = "is of another reference"
    else:
        return
    raise click.ClickException(f"{path}: this index {reason}; make it again with -save")
