"""``gkl-shim gatk``: run GATK with or without the shim."""

from __future__ import annotations

import shlex

import click

from gkl_shim.cli.common import _options
from gkl_shim.cli.common._command import subcommand
from gkl_shim.gatk import kernel_times, run, swaps


@subcommand(
    name="gatk",
    context_settings={
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
        "help_option_names": ["-h", "--help"],
    },
    epilog="Example: gkl-shim gatk HaplotypeCaller -R ref.fa -I reads.bam -O out.vcf",
)
@click.option("--stock", is_flag=True, help="Run stock GATK, without the shim.")
@_options.classpath()
@click.option(
    "--java-options",
    metavar="OPTIONS",
    default="",
    help="Options for the JVM, for example '-Xmx8g'.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, required=True)
def command(
    stock: bool, classpath: str | None, java_options: str, arguments: tuple[str, ...]
) -> int:
    """Run GATK with ARGUMENTS, and report how long PairHMM, PDHMM and Smith-Waterman took.

    The exit code is the one of GATK.
    """
    try:
        options = shlex.split(java_options)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--java-options") from error
    swap = swaps.STOCK if stock else swaps.agent()
    found = run.find_classpath(classpath)
    result = run.gatk(arguments, found, swap, java_options=options, echo=True)
    click.echo(f"gkl-shim: {_report(result)}", err=True)
    return result.returncode


def _report(result: run.Run) -> str:
    stock = result.swap == swaps.STOCK
    which, clock = ("stock GATK", "GATK") if stock else ("with the shim", "gkl-shim")
    whole = f"{result.seconds:.1f} s"
    seconds = result.kernel_seconds
    if not seconds:
        kernels = ", ".join(kernel_times.KERNELS)
        return f"{which}: {clock} reported no time for {kernels}; run {whole}"
    if result.region_threads > 1:
        # Sums over threads are no share of the run: they can be longer than it.
        times = "; ".join(f"{kernel} {took:.3f} s" for kernel, took in seconds.items())
        return (
            f"{which}: {times}, by {clock}'s clock, summed over {result.region_threads} threads "
            f"that call regions; run {whole}"
        )
    shares = "; ".join(
        f"{kernel} {took:.3f} s, {took / result.seconds:.1%}" for kernel, took in seconds.items()
    )
    return f"{which}: {shares} of the run's {whole}, by {clock}'s clock"
