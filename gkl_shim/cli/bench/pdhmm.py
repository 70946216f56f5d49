"""``gkl-shim bench pdhmm``: measure PDHMM's speed, and compare it with GKL's."""

from __future__ import annotations

from typing import Any

import click

from gkl_shim.bench.gatk_kernels import KERNELS
from gkl_shim.cli.common import _bench
from gkl_shim.cli.common._command import subcommand


@subcommand(
    name="pdhmm",
    short_help="PDHMM, beside Intel's GKL.",
    epilog="Example: gkl-shim bench pdhmm recorded.in.pdhmm",
)
@click.argument("inputs", metavar="[INPUT.in]...", nargs=-1)
@_bench.seconds_option(1.0)
@_bench.gkl_option(KERNELS["pdhmm"].GKL_VERSION)
@_bench.json_option
def command(inputs: tuple[str, ...], **options: Any) -> None:
    """Time PDHMM on this machine, and compare it with Intel's GKL.

    Each build of gkl-shim computes each INPUT.in in one call, with one thread and with all CPUs.
    To record such files from GATK, set GKL_SHIM_RECORD=FILE: PDHMM's regions go to FILE.pdhmm.
    Without a file, the input is 20 generated regions, the same ones in every run.

    If GKL is available, gkl-shim and GKL also compute the input in one JVM, with the same
    instruction set and one call for each region, like GATK.

    Engines take turns, and the table shows medians. One GCUPS is 10^9 cells a second. All
    read-by-haplotype cells of the input count, whether they are computed or shared.
    """
    _bench.measure_kernel(KERNELS["pdhmm"], inputs, **options)
