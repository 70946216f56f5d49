"""Our walk finds the regions of GATK's iterator, and leaves reads and numbers as GATK does."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.gatk import data
from tests.conftest import require_tool
from tests.gatk import odd_reads
from tests.gatk.conftest import QUICK_COMPILER

pytestmark = pytest.mark.gatk

Check = Callable[..., list[int]]


@pytest.fixture(scope="module")
def check(classpath: str, tmp_path_factory: pytest.TempPathFactory) -> Check:
    """Compare both ways on a sample. Return the number of evaluated positions of each contig."""
    folder = tmp_path_factory.mktemp("walk")
    jar = paths.agent_jar()
    source = Path(__file__).with_name("WalkChecks.java")
    command = [require_tool("javac"), "-nowarn", "-cp", f"{jar}:{classpath}"]
    subprocess.run([*command, "-d", str(folder), str(source)], check=True)

    def compare(tool: str, sample: data.Sample, *arguments: str) -> list[int]:
        command = [require_tool("java"), "-Xmx2g", QUICK_COMPILER, f"-javaagent:{jar}"]
        command += ["-cp", f"{folder}:{jar}:{classpath}", "org.gklshim.gatk.walk.WalkChecks"]
        command += [tool, "-R", str(sample.reference), "-I", str(sample.reads)]
        command += ["-O", str(folder / "unused.vcf"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        said = re.findall(r"^\w+: .* ([0-9]+) of ([0-9]+) positions evaluated", done.stdout, re.M)
        assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        # GATK evaluates every position, and each contig has some that ours must evaluate.
        assert said and all(0 < int(ours) < int(all_) for ours, all_ in said), done.stdout
        return [int(ours) for ours, _ in said]

    return compare


HAPLOTYPE_CALLER = (
    "",
    "-ERC GVCF",
    "-ploidy 1",
    "-ploidy 5",
    "--min-base-quality-score 6",
    "--min-base-quality-score 25",
    "--max-reads-per-alignment-start 5",
    "--max-reads-per-alignment-start 0",
    "--dragen-mode",
    "--min-assembly-region-size 1 --max-assembly-region-size 60 --assembly-region-padding 10",
    "--active-probability-threshold 0.2 --max-prob-propagation-distance 5",
)
MUTECT2 = ("", "--mitochondria-mode", "--initial-tumor-lod 0", "--callable-depth 3")


@pytest.mark.parametrize("options", HAPLOTYPE_CALLER)
def test_haplotypecaller_on_real_reads(check: Check, chr22: data.Sample, options: str) -> None:
    check("HaplotypeCaller", chr22, *options.split())


@pytest.mark.parametrize("options", MUTECT2)
def test_mutect2_on_real_reads(check: Check, chr22: data.Sample, options: str) -> None:
    check("Mutect2", chr22, *options.split())


@pytest.mark.parametrize("options", HAPLOTYPE_CALLER)
def test_haplotypecaller_on_reads_of_odd_shapes(check: Check, tmp_path: Path, options: str) -> None:
    check("HaplotypeCaller", odd_reads.write(tmp_path, 1, wild=False), *options.split())


@pytest.mark.parametrize("options", MUTECT2)
def test_mutect2_on_reads_of_odd_shapes(check: Check, tmp_path: Path, options: str) -> None:
    check("Mutect2", odd_reads.write(tmp_path, 2, wild=False), *options.split())


@pytest.mark.parametrize("options", MUTECT2)
def test_mutect2_with_a_normal(check: Check, tmp_path: Path, options: str) -> None:
    sample = odd_reads.write(tmp_path, 3, samples=("tumor", "normal"), wild=False)
    check("Mutect2", sample, "-normal", "normal", *options.split())


@pytest.mark.parametrize("tool", ["HaplotypeCaller", "Mutect2"])
def test_intervals_with_gaps(check: Check, tmp_path: Path, tool: str) -> None:
    intervals = (
        *("one:1-300", "one:302-302", "one:310-700", "one:2200-2900"),
        *("one:3400-4200", "one:4300-4301", "one:6500-7000", "two:600-2500"),
    )
    arguments = [word for interval in intervals for word in ("-L", interval)]
    check(tool, odd_reads.write(tmp_path, 4, wild=False), *arguments)


@pytest.mark.parametrize("tool", ["HaplotypeCaller", "Mutect2"])
@pytest.mark.parametrize("seed", range(5, 9))
def test_without_the_filters_of_alignments(
    check: Check, tmp_path: Path, tool: str, seed: int
) -> None:
    """Both end with the same exception at an alignment that GATK does not take."""
    filters = ("GoodCigarReadFilter", "WellformedReadFilter", "MappingQualityReadFilter")
    arguments = [word for name in filters for word in ("--disable-read-filter", name)]
    check(tool, odd_reads.write(tmp_path, seed, wild=seed > 6), *arguments)
