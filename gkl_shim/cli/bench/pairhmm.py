"""``gkl-shim bench pairhmm``: measure PairHMM's speed, and compare it with GATK's GKL."""

from __future__ import annotations

from typing import Any

import click

from gkl_shim.bench.gatk_kernels import KERNELS
from gkl_shim.cli.common import _bench
from gkl_shim.cli.common._command import subcommand


@subcommand(
    name="pairhmm",
    short_help="PairHMM, beside Intel's GKL.",
    epilog="Example: gkl-shim bench pairhmm --json bench.json recorded.in",
)
@click.argument("inputs", metavar="[INPUT.in]...", nargs=-1)
@_bench.seconds_option(1.0)
@_bench.gkl_option()
@_bench.json_option
def command(inputs: tuple[str, ...], **options: Any) -> None:
    """Time PairHMM on this machine, and compare it with Intel's GKL.

    Each build of gkl-shim computes each INPUT.in in one call, in single and double precision, with
    one thread and with all CPUs. The GPU does the same, if there is one and CuPy is installed. To
    record such files from GATK, set GKL_SHIM_RECORD=FILE. Without a file, the input is 100
    generated regions like HaplotypeCaller's, the same ones in every run. The GPU then also computes
    generated regions of one haplotype each, beside the CPU. One TCUPS is 1,000 GCUPS.

    If GKL is available, gkl-shim and GKL also compute the input in one JVM, with one call for each
    region, like GATK.

    Engines take turns, and the table shows medians. One GCUPS is 10^9 cells a second. All
    read-by-haplotype cells of the input count, whether they are computed or shared.
    """
    _bench.measure_kernel(KERNELS["pairhmm"], inputs, **options)
