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
from tests.gatk.conftest import QUICK

pytestmark = pytest.mark.gatk

Run = tuple[str, data.Sample, str]
"""A tool, a sample, and more arguments."""


@pytest.fixture(scope="module")
def check(classpath: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[Run]], None]:
    """Compare both ways, for several runs in one JVM: its start takes longer than a run."""
    folder = tmp_path_factory.mktemp("walk")
    jar = paths.agent_jar()
    source = Path(__file__).with_name("WalkChecks.java")
    command = [require_tool("javac"), "-nowarn", "-cp", f"{jar}:{classpath}"]
    subprocess.run([*command, "-d", str(folder), str(source)], check=True)

    def compare(runs: list[Run]) -> None:
        command = [require_tool("java"), "-Xmx2g", *QUICK, f"-javaagent:{jar}"]
        command += ["-cp", f"{classpath}:{jar}:{folder}", "org.gklshim.gatk.walk.WalkChecks"]
        for number, (tool, sample, arguments) in enumerate(runs):
            command += ["--and"] if number else []
            command += [tool, "-R", str(sample.reference), "-I", str(sample.reads)]
            command += ["-O", str(folder / f"{number}.vcf"), *arguments.split()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, f"{done.stdout[-5000:]}\n{done.stderr[-3000:]}"
        outputs = done.stdout.split("# ")[1:]
        assert len(outputs) == len(runs)
        for output in outputs:
            said = re.findall(r"^\w+: .* ([0-9]+) of ([0-9]+) positions evaluated", output, re.M)
            # GATK evaluates every position, and each contig has some that ours must evaluate.
            assert said and all(0 < int(ours) < int(all_) for ours, all_ in said), output

    return compare


HAPLOTYPE_CALLER = (
    "",
    "--max-reads-per-alignment-start 5",
    "--min-base-quality-score 25",
    "-ploidy 1",
    "-ploidy 5",
    "--min-base-quality-score 6",
    "--max-reads-per-alignment-start 0",
    "--dragen-mode",
    "--min-assembly-region-size 1 --max-assembly-region-size 60 --assembly-region-padding 10",
    "--active-probability-threshold 0.2 --max-prob-propagation-distance 5",
)
MUTECT2 = ("", "--mitochondria-mode", "--initial-tumor-lod 0", "--callable-depth 3")

Check = Callable[[list[Run]], None]


def test_real_reads(check: Check, chr22: data.Sample) -> None:
    check(
        [
            *(("HaplotypeCaller", chr22, options) for options in HAPLOTYPE_CALLER[:3]),
            ("HaplotypeCaller", chr22, "--dragen-mode -ERC GVCF"),
            *(("Mutect2", chr22, options) for options in MUTECT2[:2]),
        ]
    )


def test_reads_of_odd_shapes(check: Check, tmp_path: Path) -> None:
    germline = odd_reads.write(tmp_path / "1", 1, wild=False)
    tumor = odd_reads.write(tmp_path / "2", 2, wild=False)
    pair = odd_reads.write(tmp_path / "3", 3, samples=("tumor", "normal"), wild=False)
    check(
        [
            *(("HaplotypeCaller", germline, options) for options in HAPLOTYPE_CALLER),
            *(("Mutect2", tumor, options) for options in MUTECT2),
            *(("Mutect2", pair, f"-normal normal {options}") for options in MUTECT2[::3]),
        ]
    )


def test_intervals_with_gaps(check: Check, tmp_path: Path) -> None:
    intervals = (
        *("one:1-300", "one:302-302", "one:310-700", "one:2200-2900"),
        *("one:3400-4200", "one:4300-4301", "one:6500-7000", "two:600-2500"),
    )
    options = " ".join(f"-L {interval}" for interval in intervals)
    sample = odd_reads.write(tmp_path, 4, wild=False)
    check([("HaplotypeCaller", sample, options), ("Mutect2", sample, options)])


def test_without_the_filters_of_alignments(check: Check, tmp_path: Path) -> None:
    """Both end with the same exception at an alignment that GATK does not take."""
    filters = ("GoodCigarReadFilter", "WellformedReadFilter", "MappingQualityReadFilter")
    options = " ".join(f"--disable-read-filter {name}" for name in filters)
    samples = [odd_reads.write(tmp_path / str(seed), seed, wild=seed > 6) for seed in range(5, 9)]
    tools = ("HaplotypeCaller", "Mutect2")
    check([(tool, sample, options) for tool in tools for sample in samples])
