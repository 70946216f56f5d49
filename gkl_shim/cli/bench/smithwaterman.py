"""``gkl-shim bench smithwaterman``: measure its speed, and compare it with GATK's GKL."""

from __future__ import annotations

from typing import Any

import click

from gkl_shim.bench.gatk_kernels import KERNELS
from gkl_shim.cli.common import _bench
from gkl_shim.cli.common._command import subcommand


@subcommand(
    name="smithwaterman",
    short_help="Smith-Waterman, beside Intel's GKL.",
    epilog="Example: gkl-shim bench smithwaterman --seconds 2",
)
@click.argument("inputs", metavar="[PAIRS.tsv]...", nargs=-1)
@_bench.seconds_option(1.0)
@_bench.gkl_option()
@_bench.json_option
def command(inputs: tuple[str, ...], **options: Any) -> None:
    """Time Smith-Waterman on this machine, and compare it with Intel's GKL.

    Each build of gkl-shim aligns the pairs of each PAIRS.tsv (see `gkl-shim smithwaterman`) in one
    call, with one thread and with all CPUs. Without a file, the pairs are generated, like GATK's:
    haplotypes with the reference, reads with haplotypes, and dangling ends.

    If GKL is available, gkl-shim and GKL also align the pairs in one JVM, with one call for each
    pair, like GATK.

    Engines take turns, and the table shows medians. One GCUPS is 10^9 cells a second.
    """
    _bench.measure_kernel(KERNELS["smithwaterman"], inputs, **options)
