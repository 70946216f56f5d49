"""``gkl-shim bench``: measure the speed of this machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import click

from gkl_shim.bench import lone, pairhmm
from gkl_shim.bench.regions import regions
from gkl_shim.cli.common import _bench, _options
from gkl_shim.cli.common._command import Group, subcommand
from gkl_shim.common import _output_files, _processor
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import gkl
from gkl_shim.pairhmm import Batch, PairHMM
from gkl_shim.pairhmm._copies import concatenated

_GENERATED_REGIONS = 100


@click.group(name="bench", cls=Group, epilog="Example: gkl-shim bench pairhmm --seconds 2")
def command() -> None:
    """Measure the speed of this machine."""


@subcommand(
    name="pairhmm",
    short_help="PairHMM, beside Intel's GKL.",
    epilog="Example: gkl-shim bench pairhmm --json bench.json recorded.in",
)
@click.argument("inputs", metavar="[INPUT.in]...", nargs=-1)
@_bench.seconds_option(1.0)
@click.option(
    "--gkl",
    "classpath",
    metavar="CLASSPATH",
    callback=_options.entries,
    help="The jars of GKL and of GATK's native bindings, or a GATK package jar. Default: the GATK "
    "that `gkl-shim demo` has fetched.",
)
@_bench.json_option
def pairhmm_command(
    inputs: tuple[str, ...], seconds: float, classpath: str | None, json_file: str | None
) -> None:
    """Time PairHMM on this machine, and compare it with Intel's GKL.

    Each build of gkl-shim computes each INPUT.in in one call, in single and double precision, with
    one thread and with all CPUs. The GPU does the same, if there is one and CuPy is installed. To
    record such files from GATK, set GKL_SHIM_RECORD=FILE. Without a file, the input is 100
    generated regions like HaplotypeCaller's, the same ones in every run. The GPU then also computes
    generated regions of one haplotype each, beside the CPU. One TCUPS is 1,000 GCUPS.

    If GKL is available, GKL and gkl-shim's best build also compute the input in JVMs, with one call
    for each region, like GATK.

    Engines take turns, and the table shows medians. One GCUPS is 10^9 cells a second. All
    read-by-haplotype cells of the input count, whether they are computed or shared.
    """
    _output_files.check_outputs(json_file, inputs=inputs)
    batches = {name: _read(name) for name in inputs} or {"generated": regions(_GENERATED_REGIONS)}
    here = _processor.describe()
    missing: dict[str, str] = {}
    classpath, absent = gkl.classpath(classpath)
    if absent is not None:
        missing["GKL"] = absent
    cuda = _bench.cuda_devices(_devices, missing)
    with _bench.progress() as step:
        speeds = pairhmm.measure(batches, here, bool(cuda), classpath, seconds, step)
        more = {"one_haplotype": lone.measure(step)} if cuda and not inputs else {}
    version = None if classpath is None else gkl.version(classpath)
    figures = {
        "gkl": version,
        "rows": [dataclasses.asdict(speed) for speed in speeds],
        **{name: table.rows for name, table in more.items()},
    }
    tables = [pairhmm.table(speeds, version), *more.values()]
    _bench.publish(json_file, here, cuda, missing, tables, figures)


command.add_command(pairhmm_command)


def _read(path: str) -> Batch:
    with pairhmm_in.Reader(path) as reader:
        return concatenated(list(reader))


def _devices() -> Sequence[str]:
    with PairHMM(backend="cuda") as engine:
        return engine.devices
