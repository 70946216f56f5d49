"""``gkl-shim bench correct``: measure the speed of read correction, and compare it with Lighter."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import click

from gkl_shim.bench.genomes import Shape, fastq, generated
from gkl_shim.bench.timing import command_rows, shim_command
from gkl_shim.cli.common import _bench, _options
from gkl_shim.cli.common._command import subcommand
from gkl_shim.common import _processor
from gkl_shim.common._naming import naming
from gkl_shim.common._output_files import check_outputs
from gkl_shim.cuda.devices import device_names
from gkl_shim.errors import FormatError
from gkl_shim.formats.reads import ReadsFile, chunks_of

_GENERATED = Shape("generated", letters=1_000_000, reads=300_000, read_length=100, min_length=1,
                   errors=0.005)  # fmt: skip
_LIGHTER_K = 19


@subcommand(
    name="correct",
    short_help="Read correction, beside Lighter.",
    epilog="Example: gkl-shim bench correct reads.fq --genome 5000000",
)
@click.argument("inputs", metavar="[READS]...", nargs=-1)
@click.option(
    "--genome",
    type=_options.WholeRange(1),
    default=_GENERATED.letters,
    show_default=True,
    help="The size of the genome, which Lighter asks for.",
)
@click.option("--rounds", type=_options.WholeRange(1), default=3, show_default=True)
@_bench.json_option
def command(inputs: tuple[str, ...], genome: int, rounds: int, json_file: str | None) -> None:
    """Time `gkl-shim correct` on this machine, and compare it with Lighter.

    Each tool corrects each file of READS as a whole command, with one thread and with all CPUs, and
    gkl-shim also on GPUs if there are any. Without a file, 300,000 reads of a random genome are
    generated. Lighter is compared if it is installed. The tools take turns, and the table shows
    medians.
    """
    check_outputs(json_file, inputs=inputs)
    here = _processor.describe()
    lighter = shutil.which("lighter")
    missing = {} if lighter else {"Lighter": "it is not installed (apt install lighter)"}
    cuda = _bench.cuda_devices(device_names, missing)
    rows: list[dict[str, Any]] = []
    with _bench.progress() as step, tempfile.TemporaryDirectory(prefix="gkl-shim-") as temporary:
        folder = Path(temporary)
        for path in [Path(name).resolve() for name in inputs] or [_generated(folder)]:
            step(f"{path.name}: counting reads")
            reads = _reads(path)
            if not reads:
                raise FormatError(str(path), None, "the file holds no read")
            for threads in sorted({1, here.usable_cpus}):
                step(f"{path.name}, threads: {threads}")
                out = ["-o", str(folder / "ours.fq")]
                given = ["--threads", str(threads), str(path)]
                commands = {"gkl-shim": shim_command("correct", "--backend", "cpu", *out, *given)}
                if cuda:
                    on_gpus = shim_command("correct", "--backend", "cuda", *out, *given)
                    commands["gkl-shim on GPUs"] = on_gpus
                if lighter is not None:
                    options = ["-K", str(_LIGHTER_K), str(genome), "-t", str(threads)]
                    out = ["-od", str(folder / "lighter")]
                    commands["Lighter"] = [lighter, "-r", str(path), *options, *out]
                about = {"input": path.name, "reads": reads, "threads": threads}
                rows += command_rows(about, commands, rounds)
    _bench.publish_commands(json_file, here, cuda, missing, "Read correction", rows)


def _reads(path: Path) -> int:
    with ReadsFile(path, 0) as file:
        return sum(chunk.records for chunk in chunks_of(file))


def _generated(folder: Path) -> Path:
    workload = generated(_GENERATED)
    path = folder / "generated.fq"
    with naming(str(path)):
        path.write_bytes(fastq(workload.queries, workload.offsets))
    return path
