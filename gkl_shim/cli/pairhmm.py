"""``gkl-shim pairhmm``: compute the likelihoods of a ``.in`` file."""

from __future__ import annotations

from contextlib import closing

import click

from gkl_shim import _native_pairhmm
from gkl_shim._output_files import atomic_output
from gkl_shim.cli import _options
from gkl_shim.formats.pairhmm_in import Reader
from gkl_shim.pairhmm import PairHMM

# Files of this many bytes take about a second.
_LONG_INPUT = 1 << 25


@click.command(
    name="pairhmm", epilog="Example: gkl-shim pairhmm regions.in.gz -o likelihoods.txt --threads 2"
)
@click.argument("source", metavar="IN")
@_options.output
@_options.backend
@_options.devices
@_options.threads
@click.option(
    "--double",
    is_flag=True,
    help="Compute in double precision: within 1e-8 of the exact value, not 1e-5 to 3e-5.",
)
@_options.build
def command(
    source: str,
    output: str,
    backend: str,
    devices: list[int] | None,
    threads: int,
    double: bool,
    build: str | None,
) -> None:
    """Compute the log10 likelihood of every read given every haplotype of every region in IN.

    IN is in the .in format and may be compressed; - is standard input. A region is a line with the
    numbers R and H, R lines with the bases and the base, insertion, deletion and continuation
    qualities (Phred + 33) of a read, and H lines with a haplotype. To record such files from GATK,
    set GKL_SHIM_RECORD=FILE.

    OUT gets one value a line, ordered by region, then read, then haplotype. The file appears when
    it is complete.
    """
    # The output is opened first, so that an unwritable output fails before the work.
    with atomic_output(output) as file:
        with _options.usage_errors():
            pairhmm = PairHMM(
                backend=backend,  # type: ignore[arg-type]
                devices=devices,
                threads=threads,
                precision="double" if double else "single",
                build=build,
            )
        reader = Reader(source, threads=threads)
        computed = pairhmm.stream_batches(reader)
        # After an error the reader is closed first, to wake the thread that waits for input.
        with (
            closing(computed),
            reader,
            _options.progress(reader, source, _LONG_INPUT) as advance,
        ):
            for _, values in computed:
                for text in _native_pairhmm.format_likelihoods(values, threads):
                    file.write(text)
                advance()
