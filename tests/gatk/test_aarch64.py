"""GATK in a JVM for aarch64, under emulation, writes the VCF that stock GATK writes on x86-64."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gkl_shim.gatk import compare, data
from tests.gatk.conftest import Gatk

pytestmark = pytest.mark.gatk

MODES = {
    "default": ((), {"PairHMM", "Smith-Waterman"}),
    "DRAGEN 3.7.8": (("--dragen-378-concordance-mode",), {"PDHMM", "Smith-Waterman"}),
}


@pytest.mark.parametrize("mode", MODES)
def test_same_vcf_as_stock_on_x86_64(
    gatk: Gatk,
    chr20: data.Sample,
    aarch64_java: list[str],
    aarch64_jar: Path,
    tmp_path: Path,
    mode: str,
) -> None:
    options, kernels = MODES[mode]
    vcf = tmp_path / "aarch64.vcf"
    # The emulator compiles Java's machine code a second time, so compiling little is faster.
    command = [*aarch64_java, "-XX:TieredStopAtLevel=1", f"-javaagent:{aarch64_jar}"]
    command += ["-cp", gatk.classpath, "org.broadinstitute.hellbender.Main", "HaplotypeCaller"]
    command += ["-R", str(chr20.reference), "-I", str(chr20.reads), "-O", str(vcf), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    for kernel in kernels:
        lines = [line for line in done.stderr.splitlines() if f"] {kernel}: " in line]
        assert f"{kernel}: neon build" in lines[0]
        assert " cells in " in lines[-1], lines
    assert "warning" not in done.stderr
    stock = gatk("HaplotypeCaller", chr20, *options)
    found = compare.compare(stock.vcf, vcf)
    assert found.identical and found.records[0] > 0, str(found)
