"""Our walk finds the regions of GATK's iterator, and leaves reads and numbers as GATK does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pysam
import pytest

from benchmarks.common import samples
from gkl_shim import paths
from gkl_shim.gatk import data
from tests.conftest import require_tool
from tests.gatk import odd_reads
from tests.gatk.conftest import QUICK, Gatk, command, our_agent
from tests.gatk.regions.test_region_threads import records

pytestmark = pytest.mark.gatk

Run = tuple[str, data.Sample, str]
"""A tool, a sample, and more arguments."""


HAPLOTYPE_CALLER = (
    "",
    "-ploidy 1 --max-reads-per-alignment-start 5 --min-base-quality-score 25",
    "-ploidy 5 --max-reads-per-alignment-start 0 --min-base-quality-score 6",
    "--dragen-mode",
    "--min-assembly-region-size 1 --max-assembly-region-size 60 --assembly-region-padding 10",
    "--active-probability-threshold 0.2 --max-prob-propagation-distance 5",
)
# On noise, GATK assembles many regions for Mutect2, which takes longer than the search for them.
MUTECT2 = "--initial-tumor-lod 0 --callable-depth 3 -L one:1-3500"
PAIR = "-normal normal --callable-depth 3 -L two"


def real_reads(chr22: data.Sample) -> list[Run]:
    return [
        *(("HaplotypeCaller", chr22, options) for options in HAPLOTYPE_CALLER[:2]),
        ("HaplotypeCaller", chr22, "--dragen-mode -ERC GVCF"),
        ("Mutect2", chr22, ""),
    ]


def odd_shapes(folder: Path) -> list[Run]:
    germline = odd_reads.write(folder / "1", 1, wild=False)
    tumor = odd_reads.write(folder / "2", 2, wild=False)
    pair = odd_reads.write(folder / "3", 3, samples=("tumor", "normal"), wild=False)
    return [
        *(("HaplotypeCaller", germline, options) for options in HAPLOTYPE_CALLER),
        ("Mutect2", tumor, MUTECT2),
        ("Mutect2", pair, PAIR),
    ]


def intervals_with_gaps(folder: Path, name: str = "4") -> list[Run]:
    intervals = (
        *("one:1-300", "one:302-302", "one:310-700", "one:2200-2900"),
        *("one:3400-4200", "one:4300-4301", "one:6500-7000", "two:600-2500"),
    )
    options = " ".join(f"-L {interval}" for interval in intervals)
    sample = odd_reads.write(folder / name, 4, wild=False)
    return [("HaplotypeCaller", sample, options), ("Mutect2", sample, options)]


def without_the_filters_of_alignments(folder: Path) -> list[Run]:
    """Both end with the same exception at an alignment that GATK does not take."""
    filters = ("GoodCigarReadFilter", "WellformedReadFilter", "MappingQualityReadFilter")
    options = " ".join(f"--disable-read-filter {name}" for name in filters)
    tame, wild, other = (
        odd_reads.write(folder / str(seed), seed, wild=seed > 6) for seed in (5, 7, 8)
    )
    return [
        ("HaplotypeCaller", tame, options),
        ("HaplotypeCaller", wild, options),
        ("Mutect2", wild, options),
        ("Mutect2", other, options),
    ]


def reads_that_gatk_refuses(folder: Path) -> list[Run]:
    """Without filters, both end at the same place with GATK's exception."""
    options = "--disable-tool-default-read-filters -L one"
    runs = []
    for tool, names in (("HaplotypeCaller", ("one",)), ("Mutect2", ("one", "two"))):
        tame = odd_reads.write(folder / tool, 9, samples=names, wild=False)
        for what in odd_reads.REFUSED:
            spoiled = odd_reads.spoil(tame, what, folder / f"{tool}-{what.replace(' ', '-')}")
            runs.append((tool, spoiled, options))
    return runs


def test_both_ways_find_the_same(
    classpath: str, checks: Path, chr22: data.Sample, tmp_path: Path
) -> None:
    """All runs are in one JVM: its start takes longer than a run."""
    runs = real_reads(chr22)
    for make in (
        odd_shapes,
        intervals_with_gaps,
        without_the_filters_of_alignments,
        reads_that_gatk_refuses,
    ):
        runs += make(tmp_path)
    jar = paths.agent_jar()
    java = [require_tool("java"), "-Xmx2g", *QUICK, f"-javaagent:{jar}"]
    java += ["-cp", f"{classpath}:{jar}:{checks}", "org.gklshim.gatk.walk.WalkChecks"]
    for number, (tool, sample, arguments) in enumerate(runs):
        given = command(tool, sample, tmp_path / f"{number}.vcf", *arguments.split())
        java += ["--and", *given] if number else given
    for tool, sample, arguments in intervals_with_gaps(tmp_path, "joined"):
        java += ["--and", "--joined", *command(tool, sample, tmp_path / "joined.vcf")]
        java += arguments.split()
    done = subprocess.run(java, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, f"{done.stdout[-5000:]}\n{done.stderr[-3000:]}"
    outputs = done.stdout.split("# ")[1:]
    assert [output.startswith("--joined") for output in outputs] == [False] * len(runs) + [True] * 2
    joined = re.findall("^([0-9]+) intervals: ([0-9]+) lines of GATK", done.stdout, re.M)
    assert len(joined) == 2 and all(int(lines) > 10 for _, lines in joined)
    outputs = outputs[: len(runs)]
    for output in outputs:
        said = re.findall(r"^\w+: .* ([0-9]+) of ([0-9]+) positions evaluated", output, re.M)
        # GATK evaluates every position, and each contig has some that ours must evaluate.
        assert said and all(0 < int(ours) < int(all_) for ours, all_ in said), output


def test_a_negative_quality_is_left_to_gatk(gatk: Gatk, chr22: data.Sample) -> None:
    arguments = ("-L", "q:1-2500", "--min-base-quality-score", "-1")
    stock = gatk("HaplotypeCaller", chr22, *arguments)
    ours = gatk("HaplotypeCaller", chr22, *arguments, swap="agent")
    assert "GATK's own code is used: --min-base-quality-score" in ours.log
    assert records(ours.vcf) == records(stock.vcf)


def decoys(chr22: data.Sample, folder: Path, are_covered: bool) -> data.Sample:
    """Return reads whose header has a contig more than the reference, perhaps with reads."""
    path = folder / "decoy.bam"
    with pysam.AlignmentFile(chr22.reads) as source:
        header = source.header.to_dict()
        header["SQ"].append({"SN": "decoy", "LN": 5000})
        with pysam.AlignmentFile(path, "wb", header=header) as target:
            alignments = [read for read in source if not read.is_unmapped and read.pos < 3000]
            for number, _ in enumerate(["q", "decoy"] if are_covered else ["q"]):
                for read in alignments:
                    moved = pysam.AlignedSegment.from_dict(read.to_dict(), target.header)
                    moved.reference_id = moved.next_reference_id = number
                    target.write(moved)
    pysam.index(str(path))
    return data.Sample("decoy", "a contig more than the reference", chr22.reference, path)


def cut(chr22: data.Sample, folder: Path) -> data.Sample:
    """Return the reads with a reference that ends before they do."""
    reference = folder / "short.fa"
    name, sequence = samples.read_fasta(chr22.reference)
    samples.write_reference(reference, {name: sequence[:4000]})
    return data.Sample("short", "a reference that is too short", reference, chr22.reads)


@pytest.mark.parametrize("what", ["covered", "empty", "short"])
def test_what_the_reference_lacks_ends_a_run_as_stock_ends_it(
    gatk: Gatk, chr22: data.Sample, tmp_path: Path, what: str
) -> None:
    """Mutect2 reads the reference where no read is, too, so it fails at an empty contig."""
    sample = cut(chr22, tmp_path) if what == "short" else decoys(chr22, tmp_path, what == "covered")
    ways = (("stock", []), ("threads", [our_agent()]), ("one", [our_agent()]))
    said = []
    for way, agents in ways:
        vcfs = [tmp_path / f"{way}{number}.vcf" for number in range(3)]
        check = ("--disable-sequence-dictionary-validation", "true")
        results, _ = gatk.jvm(*agents)(
            ["random"],
            ["set", "gkl.shim.threads", "1" if way == "one" else "2"],
            command("HaplotypeCaller", sample, vcfs[0], *check),
            command("HaplotypeCaller", sample, vcfs[1], "-ERC", "GVCF", *check),
            command("Mutect2", sample, vcfs[2], *check),
            ["set", "gkl.shim.threads", ""],
        )
        said.append((results, [records(vcf) for vcf in vcfs]))
    fails = {"covered": 3, "empty": 2, "short": 3}
    assert sum(result.startswith("threw: ") for result in said[0][0]) == fails[what]
    assert said[1] == said[0] and said[2] == said[0]
