"""``gkl-shim pairhmm``: compute the likelihoods of a ``.in`` file."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing
from itertools import chain
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gkl_shim.cli.common import _options
from gkl_shim.cli.common._command import subcommand, usage_errors
from gkl_shim.cli.common._progress import progress
from gkl_shim.common._output_files import check_outputs
from gkl_shim.common._read_ahead import read_ahead
from gkl_shim.formats.output import open_output
from gkl_shim.formats.pairhmm_in import Reader
from gkl_shim.pairhmm import Backend, Batch, PairHMM, _native_pairhmm
from gkl_shim.pairhmm._stream import Item, bundled

# Files of this many bytes take about a second.
_LONG_INPUT = 1 << 25


@subcommand(
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
    help="Compute in double precision: within 1e-8 of the exact value, not 1e-5 to 6e-5.",
)
@_options.build
def command(
    source: str,
    output: str,
    backend: Backend,
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
    check_outputs(output, inputs=[source])
    # The output is opened first, so that an unwritable output fails before the work.
    with open_output(output, threads) as file:
        reader = Reader(source, threads=threads)
        computed = _computed(
            reader,
            backend=backend,
            devices=devices,
            threads=threads,
            precision="double" if double else "single",
            build=build,
        )
        # After an error the reader is closed first, to wake the thread that waits for input.
        with (
            closing(computed),
            reader,
            progress(reader, source, _LONG_INPUT) as advance,
        ):
            for _, values in computed:
                for text in _native_pairhmm.format_likelihoods(values, threads):
                    file.write(text)
                advance()


def _computed(
    reader: Reader, backend: Backend, **options: Any
) -> Generator[tuple[Batch, NDArray[np.float64]], None, None]:
    """Open the engine, and yield each batch with its likelihoods."""
    batches: Iterable[Batch] = reader
    if backend == "cuda":
        # Devices take a while to open. The regions of the first call to them are read meanwhile.
        first = read_ahead(bundled(map(Item, reader)))
        batches = chain.from_iterable(bundle.batches for bundle in first)
    with usage_errors():
        pairhmm = PairHMM(backend=backend, **options)
    yield from pairhmm.stream_batches(batches)
