"""``gkl-shim pdhmm``: compute the likelihoods of partially determined haplotypes."""

from __future__ import annotations

from contextlib import closing

import click

from gkl_shim.cli.common import _options
from gkl_shim.cli.common._command import subcommand, usage_errors
from gkl_shim.cli.common._progress import progress
from gkl_shim.common._output_files import check_outputs
from gkl_shim.common._read_ahead import read_ahead
from gkl_shim.formats.output import open_output
from gkl_shim.formats.pdhmm_in import Reader
from gkl_shim.pairhmm import _native_pairhmm
from gkl_shim.pdhmm import PDHMM

# Files of this many bytes take about a second.
_LONG_INPUT = 1 << 25


@subcommand(name="pdhmm", epilog="Example: gkl-shim pdhmm regions.in.gz -o likelihoods.txt")
@click.argument("source", metavar="IN")
@_options.output
@_options.cpu_backend
@_options.threads
@_options.build
def command(source: str, output: str, threads: int, build: str | None) -> None:
    """Compute the log10 likelihood of every read given every haplotype of every region in IN.

    IN has regions as in `gkl-shim pairhmm`, but a haplotype's line has a second field: the flags of
    its letters, two hexadecimal digits a letter, as in GATK's PartiallyDeterminedHaplotype. To
    record such files from GATK, set GKL_SHIM_RECORD=FILE: PDHMM's regions go to FILE.pdhmm.

    OUT gets one value a line, ordered by region, then read, then haplotype. The file appears when
    it is complete.
    """
    check_outputs(output, inputs=[source])
    with open_output(output, threads) as file:
        with usage_errors():
            pdhmm = PDHMM(threads=threads, build=build)
        reader = Reader(source, threads=threads)
        batches = read_ahead(iter(reader))
        with closing(batches), reader, progress(reader, source, _LONG_INPUT) as advance:
            for batch in batches:
                for text in _native_pairhmm.format_likelihoods(pdhmm.compute(batch), threads):
                    file.write(text)
                advance()
