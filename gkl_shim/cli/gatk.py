"""``gkl-shim gatk``: run GATK with or without the shim."""

from __future__ import annotations

import shlex

import click

from gkl_shim.cli import _options
from gkl_shim.gatk import run, swaps


@click.command(
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
    which = "stock GATK" if stock else "with the shim"
    click.echo(f"gkl-shim: {which}: {_report(result)}", err=True)
    return result.returncode


def _report(result: run.Run) -> str:
    times = [
        f"{kernel} {seconds:.3f} s, {seconds / result.seconds:.1%}"
        for kernel, seconds in result.kernel_seconds.items()
    ]
    if not times:
        return f"GATK reported no time for {', '.join(run.KERNELS)}; run {result.seconds:.1f} s"
    return f"{'; '.join(times)} of the run's {result.seconds:.1f} s, by GATK's clock"
