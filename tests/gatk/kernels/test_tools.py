"""GVCFs, DRAGEN mode, and the other tools of GATK that call the native PairHMM, or the native
Smith-Waterman, whose assembled haplotypes are stock's, too."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from gkl_shim.gatk import compare, data
from tests.gatk.conftest import Gatk, command, our_agent
from tests.gatk.records.test_printed_reads import split

pytestmark = pytest.mark.gatk


@pytest.mark.parametrize(
    ("tool", "sample", "arguments"),
    [
        ("HaplotypeCaller", "deep", ("-ERC", "GVCF")),
        ("HaplotypeCaller", "chr22", ("--dragen-mode", "true")),
        ("Mutect2", "chr22", ()),
        ("Mutect2", "chr22", ("--mitochondria-mode", "-L", "q:1-2500")),
        ("RampedHaplotypeCaller", "chr22", ()),
        ("HaplotypeCallerSpark", "chr20", ("--spark-master", "local[2]")),
    ],
    indirect=["sample"],
)
def test_a_tool_differs_only_in_near_ties(
    gatk: Gatk, tool: str, sample: data.Sample, arguments: tuple[str, ...]
) -> None:
    """For a few records that are near ties, GKL gives different values in single and in double
    precision. The shim must make GKL's calls, and may differ from GKL in no more records than
    the two precisions do."""
    stock = gatk(tool, sample, *arguments)
    shim = gatk(tool, sample, *arguments, swap="agent")
    found = compare.compare(stock.vcf, shim.vcf)
    assert found.records[0] > 0
    assert found.same_calls, str(found)
    if found.differences:
        double = gatk(tool, sample, *arguments, "--native-pair-hmm-use-double-precision", "true")
        allowed = compare.compare(stock.vcf, double.vcf)
        differing = "\n".join(map(str, found.differences))
        assert len(found.differences) <= len(allowed.differences), differing
        print(f"{len(found.differences)} of {found.records[0]} records differ:\n{differing}")


def test_filter_alignment_artifacts_gives_the_same_vcf(
    gatk: Gatk, chr22: data.Sample, tmp_path: Path
) -> None:
    image = tmp_path / "q.img"
    index = ["BwaMemIndexImageCreator", "-I", str(chr22.reference), "-O", str(image)]
    gatk.jvm()(index)
    calls = str(gatk("Mutect2", chr22).vcf)
    arguments = ("-V", calls, "--bwa-mem-index-image", str(image))
    # This tool has no option for double precision, so near ties cannot be measured.
    stock = gatk("FilterAlignmentArtifacts", chr22, *arguments)
    shim = gatk("FilterAlignmentArtifacts", chr22, *arguments, swap="agent")
    comparison = compare.compare(stock.vcf, shim.vcf)
    assert comparison.identical and comparison.records[0] > 0, str(comparison)


def test_check_jni_finds_nothing_in_our_classes(gatk: Gatk, chr20: data.Sample) -> None:
    options = ("-Xcheck:jni", "-XX:+DisplayVMOutputToStderr")
    stock = gatk("HaplotypeCaller", chr20, "-L", "20:224900-225000", java_options=options)
    shim = gatk("HaplotypeCaller", chr20, swap="agent", java_options=options)
    # GKL's own warnings show that the check is on.
    assert _warnings(stock.log, "com.intel.gkl.pairhmm")
    assert not _warnings(shim.log, "com.intel.gkl.pairhmm", "org.gklshim")


def _warnings(log: str, *packages: str) -> list[str]:
    """Return the JVM's JNI warnings and errors whose innermost frame is in one of the packages."""
    lines = log.splitlines()
    return [
        f"{line} {frame.strip()}"
        for line, frame in pairwise(lines)
        if line.startswith(("WARNING", "FATAL ERROR"))
        and frame.strip().startswith(tuple(f"at {package}" for package in packages))
    ]


def test_haplotypes_are_stocks(
    in_one_jvm: Callable[..., str], chr22: data.Sample, tmp_path: Path
) -> None:
    """With Intel's PairHMM in both: in Mutect2, near ties of its single precision show."""
    tools = ("HaplotypeCaller", "Mutect2")
    agent = (our_agent(), "-Dgkl.shim.pairhmm=off")
    stock, ours = (tmp_path / swap for swap in ("stock", "ours"))
    for folder, options in ((stock, ()), (ours, agent)):
        folder.mkdir()
        log = in_one_jvm(
            [
                command(tool, chr22, folder / f"{tool}.vcf", "-bamout", f"{folder}/{tool}.bam",
                        "--smith-waterman", "FASTEST_AVAILABLE")
                for tool in tools
            ],
            *options,
        )  # fmt: skip
    assert "PairHMM: Intel GKL is used: gkl.shim.pairhmm=off" in log
    counted = re.search(r"Smith-Waterman: (\d+) alignments, (\d+) cells in ", log)
    assert counted is not None and int(counted[1]) > 20, log[-3000:]
    for tool in tools:
        comparison = compare.compare(stock / f"{tool}.vcf", ours / f"{tool}.vcf")
        assert comparison.identical, str(comparison)
        # Each header has the command line in it.
        expected, found = (
            split(gzip.decompress((folder / f"{tool}.bam").read_bytes()))[1]
            for folder in (stock, ours)
        )
        assert len(b"".join(expected)) > 10_000
        assert found == expected
