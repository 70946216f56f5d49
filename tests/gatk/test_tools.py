"""The other tools of GATK that call the native PairHMM."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from gkl_shim.gatk import compare, data, run
from tests.gatk.conftest import SWAPS, Gatk, check_near_ties

pytestmark = pytest.mark.gatk


@pytest.mark.parametrize("sample", ["chr22", "deep"], indirect=True)
def test_mutect2_differs_only_in_near_ties(gatk: Gatk, sample: data.Sample) -> None:
    check_near_ties(gatk, "Mutect2", sample)


@pytest.mark.parametrize("sample", ["chr20", "chr22"], indirect=True)
def test_ramped_haplotype_caller_differs_only_in_near_ties(gatk: Gatk, sample: data.Sample) -> None:
    check_near_ties(gatk, "RampedHaplotypeCaller", sample)


def test_filter_alignment_artifacts_gives_the_same_vcf(
    gatk: Gatk, chr22: data.Sample, tmp_path: Path
) -> None:
    image = tmp_path / "q.img"
    made = run.gatk(
        ["BwaMemIndexImageCreator", "-I", str(chr22.reference), "-O", str(image)], gatk.classpath
    )
    assert made.returncode == 0, made.complaint
    calls = str(gatk("Mutect2", chr22).vcf)
    arguments = ("-V", calls, "--bwa-mem-index-image", str(image))
    # This tool has no option for double precision, so near ties cannot be measured.
    stock = gatk("FilterAlignmentArtifacts", chr22, *arguments)
    shim = gatk("FilterAlignmentArtifacts", chr22, *arguments, swap="agent")
    comparison = compare.compare(stock.vcf, shim.vcf)
    assert comparison.identical and comparison.records[0] > 0, str(comparison)


def test_haplotype_caller_spark_differs_only_in_near_ties(gatk: Gatk, chr20: data.Sample) -> None:
    check_near_ties(gatk, "HaplotypeCallerSpark", chr20, "--spark-master", "local[2]")
    spark = gatk("HaplotypeCallerSpark", chr20, "--spark-master", "local[2]", swap="agent")
    walker = gatk("HaplotypeCaller", chr20, likelihoods=True)
    assert compare.compare(walker.vcf, spark.vcf).same_calls


def test_reads_pipeline_spark_differs_only_in_near_ties(gatk: Gatk, chr20: data.Sample) -> None:
    known = str(gatk("HaplotypeCaller", chr20, likelihoods=True).vcf)
    arguments = ("--known-sites", known, "--spark-master", "local[2]")
    check_near_ties(gatk, "ReadsPipelineSpark", chr20, *arguments)


@pytest.mark.parametrize("swap", SWAPS)
def test_check_jni_finds_nothing_in_our_classes(gatk: Gatk, chr20: data.Sample, swap: str) -> None:
    options = ("-Xcheck:jni", "-XX:+DisplayVMOutputToStderr")
    stock = gatk("HaplotypeCaller", chr20, java_options=options)
    shim = gatk("HaplotypeCaller", chr20, swap=swap, java_options=options)
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
