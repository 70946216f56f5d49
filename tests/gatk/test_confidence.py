"""gkl-shim's confidence in the reference is GATK's: sums and records of each region are compared."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.gatk import data
from tests.conftest import require_tool
from tests.gatk import odd_reads
from tests.gatk.conftest import QUICK_COMPILER, check_agent

pytestmark = pytest.mark.gatk

CHECK = "org/gklshim/gatk/confidence/ConfidenceCheck"
CALLS = f"org/gklshim/gatk/confidence/ReferenceConfidence,calculateRefConfidence,{CHECK}"


def test_sums_and_records_are_gatks(
    classpath: str, chr22: data.Sample, deep: data.Sample, tmp_path: Path
) -> None:
    odd = odd_reads.write(tmp_path, 1, wild=False)
    runs = [
        (chr22, ""),
        (chr22, "-ploidy 1 --indel-size-to-eliminate-in-ref-model 3"),
        (odd, ""),
        (odd, "-ploidy 5 --min-base-quality-score 20 --disable-read-filter GoodCigarReadFilter"),
        (deep, "--max-reads-per-alignment-start 0 --indel-size-to-eliminate-in-ref-model 60"),
    ]
    jar = check_agent(tmp_path, classpath, "ConfidenceCheck")
    command = [require_tool("java"), "-Xmx2g", QUICK_COMPILER, f"-javaagent:{paths.agent_jar()}"]
    command += [f"-javaagent:{jar}={CALLS}", "-cp", f"{paths.agent_jar()}:{classpath}"]
    command += [CHECK.replace("/", ".")]
    for sample, options in runs:
        command += ["HaplotypeCaller", "-R", str(sample.reference), "-I", str(sample.reads)]
        command += ["-O", str(tmp_path / "out.g.vcf"), "-ERC", "GVCF", *options.split(), "+"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    found = re.findall(
        r"^compared (\d+) regions, (\d+) positions, (\d+) without reads, (\d+) different$",
        done.stdout,
        re.M,
    )
    counts = [tuple(map(int, line)) for line in found]
    assert len(counts) == len(runs), done.stdout[-3000:]
    assert counts[-1][3] == 0, done.stdout[:3000]
    # Each run has regions, and positions with and without reads.
    before = (0, 0, 0, 0)
    for count in counts:
        assert count[0] > before[0] and count[1] - before[1] > count[2] - before[2], counts
        before = count
