"""``gkl-shim validate``: prove on your own data that calls and files are stock GATK's."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from gkl_shim.cli.common import _options
from gkl_shim.cli.common._command import subcommand
from gkl_shim.cli.common._stages import Stages
from gkl_shim.common import _native
from gkl_shim.common._memory import usable_memory
from gkl_shim.common._output_files import atomic_output, check_outputs, make_folder
from gkl_shim.common._printable import printable
from gkl_shim.gatk import run
from gkl_shim.validation import inputs as input_files
from gkl_shim.validation import page, report, validation
from gkl_shim.validation.jobs import alone
from gkl_shim.validation.modes import CALLER, MODES, MUTECT, Mode
from gkl_shim.validation.runner import Runner
from gkl_shim.validation.steps import STEPS

_FILE = click.Path(path_type=Path)
_HEAP_GIB, _RUN_GIB = 4, 5


@subcommand(
    name="validate",
    epilog="Example: gkl-shim validate -R ref.fa -I sample.bam -L chr20 -- -ploidy 4",
)
@click.option("-R", "--reference", type=_FILE, required=True, help="The reference, as FASTA.")
@click.option(
    "-I",
    "--input",
    "reads",
    type=_FILE,
    required=True,
    multiple=True,
    help="Sorted, indexed reads; may be repeated.",
)
@click.option(
    "-L",
    "--intervals",
    multiple=True,
    help="The intervals to call: a file, or text such as chr20; may be repeated.",
)
@click.option(
    "--tool",
    "tools",
    type=click.Choice([CALLER, MUTECT, *STEPS]),
    multiple=True,
    help=f"A tool; may be repeated. Default: {CALLER}.",
)
@click.option(
    "--mode",
    "names",
    multiple=True,
    type=click.Choice([mode.name for mode in MODES.values() if mode.tool == CALLER]),
    help=f"A mode of {CALLER}; may be repeated. Default: vcf.",
)
@click.option(
    "--known-sites",
    type=_FILE,
    multiple=True,
    help="Known variants for BaseRecalibrator and ApplyBQSR: an indexed VCF or BED file; may be "
    "repeated. Without any, these are skipped.",
)
@click.option(
    "--common-variants",
    type=_FILE,
    help="The sites for GetPileupSummaries, which is skipped without them: an indexed VCF with AF.",
)
@click.option("--truth", type=_FILE, help="The sample's true variants: an indexed VCF.")
@click.option(
    "--confident",
    type=_FILE,
    help="Where the truth is complete: a BED file. Without it, a call that the truth "
    "lacks counts as false wherever it is.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("validation"),
    show_default=True,
    help="The folder for GATK's files, logs and the report. What is finished there is used.",
)
@click.option(
    "--jobs",
    type=_options.WholeRange(1),
    default=None,
    help="Runs of GATK at a time. Default: one for each CPU and each 5 GiB of memory, within the "
    "limits of a container.",
)
@click.option(
    "--shards",
    type=_options.WholeRange(1),
    default=None,
    help="Parts to cut the intervals into. Default: by the reference's length and the CPUs.",
)
@click.option(
    "--java-options",
    metavar="OPTIONS",
    default="",
    help=f"Options for each JVM. Default: -Xmx{_HEAP_GIB}g.",
)
@_options.classpath()
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    reference: Path,
    reads: tuple[Path, ...],
    intervals: tuple[str, ...],
    tools: tuple[str, ...],
    names: tuple[str, ...],
    known_sites: tuple[Path, ...],
    common_variants: Path | None,
    truth: Path | None,
    confident: Path | None,
    output: Path,
    jobs: int | None,
    shards: int | None,
    java_options: str,
    classpath: str | None,
    arguments: tuple[str, ...],
) -> int:
    """Run GATK with and without gkl-shim on your own data, and compare what it writes.

    Of the callers, every record and field is compared, of the other tools the files. ARGUMENTS,
    after --, are more arguments for each tool. The report is OUTPUT/validation.html and
    OUTPUT/validation.json. The exit code is 1 if a call differs (a site, an allele, a FILTER or a
    genotype) or a file of another tool. An interrupted command goes on where it stopped if it is
    given again.
    """
    tools = tools or (CALLER,)
    chosen, steps = _modes(tools, names), [step for step in STEPS.values() if step.tool in tools]
    if confident is not None and truth is None:
        raise click.UsageError("--confident needs --truth")
    for complaint in filter(None, map(input_files.complaint, arguments)):
        raise click.UsageError(complaint)
    try:
        options = shlex.split(java_options)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--java-options") from error
    if not any(option.startswith("-Xmx") for option in options):
        options.append(f"-Xmx{_HEAP_GIB}g")
    inputs = input_files.Inputs(
        reference.absolute(),
        tuple(path.absolute() for path in reads),
        tuple(str(Path(text).absolute()) if Path(text).is_file() else text for text in intervals),
        None if truth is None else truth.absolute(),
        None if confident is None else confident.absolute(),
        arguments,
        tuple(path.absolute() for path in known_sites),
        None if common_variants is None else common_variants.absolute(),
    )
    if not chosen and all(step.lacks_sites(inputs) for step in steps):
        raise click.UsageError(f"{steps[0].tool} needs {steps[0].needs}")
    input_files.check(inputs)
    found = run.find_classpath(classpath)
    make_folder(output)
    text, html = output / "validation.json", output / "validation.html"
    check_outputs(text, html, inputs=inputs.files)
    cpus = _native.cpu_count()
    with alone(output), Stages() as progress:
        runner = Runner(found, options, jobs or _jobs(cpus), progress)
        count = shards or validation.shard_count(inputs, cpus)
        result = validation.validate(inputs, chosen, output.absolute(), count, runner, steps)
    facts = report.document(result)
    with atomic_output(text) as stream:
        stream.write((json.dumps(facts, indent=1, allow_nan=False) + "\n").encode())
    with atomic_output(html) as stream:
        stream.write(page.page(facts).encode())
    for name, mode in facts["modes"].items():
        click.echo(_line(name, mode))
    for tool, step in facts["steps"].items():
        for line in _step_lines(tool, step):
            click.echo(line)
    verdicts = [
        *(["all calls are the same" if result.same_calls else "CALLS DIFFER"] * bool(chosen)),
        *(["all files are the same" if result.same_files else "FILES DIFFER"] * bool(steps)),
    ]
    click.echo(f"{', '.join(verdicts)}; see {printable(str(html))}")
    return 0 if result.same_calls and result.same_files else 1


def _modes(tools: tuple[str, ...], names: tuple[str, ...]) -> list[Mode]:
    if names and CALLER not in tools:
        raise click.UsageError(f"--mode is for {CALLER}; other tools have one mode")
    chosen = [MODES[name] for name in dict.fromkeys(names or ("vcf",))] if CALLER in tools else []
    return [*chosen, *([MODES["mutect2"]] if MUTECT in tools else [])]


def _jobs(cpus: int) -> int:
    return max(1, min(cpus, (usable_memory() >> 30) // _RUN_GIB))


def _line(name: str, mode: dict[str, Any]) -> str:
    final = mode["final_calls"]
    return (
        f"{name}: {mode['records']} records, {mode['identical']} identical, "
        f"{mode['near_ties']} near ties, {mode['other_differences']} other differences, "
        f"{mode['calls_that_differ']} calls differ"
        + (f", {len(final['calls_that_differ'])} final calls differ" if final else "")
    )


def _step_lines(tool: str, step: dict[str, Any]) -> Iterator[str]:
    if step["skipped"]:
        yield f"{tool}: skipped: {step['skipped']}"
    for file in step["files"]:
        yield f"{tool}: {file['name']}: {'' if file['same'] else 'DIFFERS: '}{file['how']}"
