"""GATK in a JVM for aarch64, under emulation, writes the VCF that stock GATK writes on x86-64."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gkl_shim.gatk import compare, data
from tests.gatk.conftest import Gatk, command

pytestmark = pytest.mark.gatk

#: Together they use all kernels.
MODES: tuple[tuple[str, ...], ...] = ((), ("--dragen-378-concordance-mode",))


def test_same_vcf_as_stock_on_x86_64(
    gatk: Gatk,
    in_one_jvm: Callable[..., str],
    chr20: data.Sample,
    aarch64_java: list[str],
    aarch64_jar: Path,
    tmp_path: Path,
) -> None:
    vcfs = [tmp_path / f"{number}.vcf" for number in range(len(MODES))]
    commands = [
        command("HaplotypeCaller", chr20, vcf, *options)
        for vcf, options in zip(vcfs, MODES, strict=True)
    ]
    # The emulator compiles Java's machine code a second time, so compiling little is faster.
    java = [*aarch64_java, "-XX:TieredStopAtLevel=1"]
    log = in_one_jvm(commands, f"-javaagent:{aarch64_jar}", java=java)
    for kernel in ("PairHMM", "PDHMM", "Smith-Waterman"):
        lines = [line for line in log.splitlines() if f"] {kernel}: " in line]
        assert f"{kernel}: neon build" in lines[0]
        assert " cells in " in lines[-1], lines
    assert "warning" not in log
    for vcf, options in zip(vcfs, MODES, strict=True):
        stock = gatk("HaplotypeCaller", chr20, *options)
        found = compare.compare(stock.vcf, vcf)
        assert found.identical and found.records[0] > 0, str(found)
