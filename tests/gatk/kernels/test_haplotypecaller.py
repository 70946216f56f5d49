"""With the shim, HaplotypeCaller gets GKL's likelihoods and writes stock GATK's VCF.

Also with GKL 0.9.0, on aarch64, and with little memory beyond the heap.
"""

from __future__ import annotations

import math
import re
import subprocess
import zipfile
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import pytest

from gkl_shim.gatk import compare, data
from tests.conftest import require_tool
from tests.gatk.conftest import QUICK, SWAPS, Gatk, Jvm, command, our_agent, with_gkl

pytestmark = pytest.mark.gatk

# All swaps on a small sample, but only one on the large samples, to save time.
CASES = [*(("chr22", swap) for swap in SWAPS), ("deep", "agent"), ("genome", "agent")]


@pytest.mark.parametrize(("sample", "swap"), CASES, indirect=["sample"])
def test_vcf_and_likelihoods_are_those_of_stock_gatk(
    gatk: Gatk, sample: data.Sample, swap: str
) -> None:
    stock = gatk("HaplotypeCaller", sample, likelihoods=True)
    shim = gatk("HaplotypeCaller", sample, swap=swap, likelihoods=True)
    comparison = compare.compare(stock.vcf, shim.vcf)
    assert comparison.identical, str(comparison)
    assert comparison.records[0] > 0
    # Likelihoods show more than an equal VCF.
    assert stock.likelihoods is not None and shim.likelihoods is not None
    assert compare_likelihoods(stock.likelihoods, shim.likelihoods, 1e-5) > 100


def test_chr20_has_the_known_calls(gatk: Gatk, chr20: data.Sample) -> None:
    records = gatk("HaplotypeCaller", chr20, swap="agent").vcf.read_text()
    calls = [line.split("\t")[:5] for line in records.splitlines() if not line.startswith("#")]
    assert [(chrom, int(pos), ref, alt) for chrom, pos, _, ref, alt in calls] == [
        ("20", 224941, "T", "A"),
        ("20", 224971, "G", "A"),
        ("20", 225058, "A", "G"),
    ]


def test_the_vcf_is_identical_in_double_precision(gatk: Gatk, chr20: data.Sample) -> None:
    double = ("--native-pair-hmm-use-double-precision", "true")
    stock = gatk("HaplotypeCaller", chr20, *double, likelihoods=True)
    shim = gatk("HaplotypeCaller", chr20, *double, swap="agent", likelihoods=True)
    assert compare.compare(stock.vcf, shim.vcf).identical
    assert stock.likelihoods is not None and shim.likelihoods is not None
    assert compare_likelihoods(stock.likelihoods, shim.likelihoods, 1e-8) > 100


def test_a_negative_number_of_threads(gatk: Gatk, chr20: data.Sample, tmp_path: Path) -> None:
    """OpenMP ends the JVM when the first region is computed, and so do we."""
    for swap in ("stock", "agent"):
        output = tmp_path / f"{swap}.vcf"
        arguments = ["--native-pair-hmm-threads", "-1"]
        result = gatk.run(command("HaplotypeCaller", chr20, output, *arguments), swap)
        assert result.returncode == 1
        assert "libgomp: Out of memory" in result.log.decode().splitlines()[-1]
        assert output.read_bytes() == b""


def test_gatk_in_a_class_loader_that_ours_does_not_see(
    gatk: Gatk, checks: Path, chr20: data.Sample, tmp_path: Path
) -> None:
    """As in a Spark executor. The kernels are ours there; classes that call GATK's are not."""
    with zipfile.ZipFile(checks) as jar:
        jar.extract("ChildLoader.class", tmp_path)
    output = tmp_path / "out.vcf"
    java = [require_tool("java"), *QUICK, our_agent(), "-cp", tmp_path]
    tool = command("HaplotypeCaller", chr20, output)
    done = subprocess.run(
        [*java, "ChildLoader", gatk.classpath, *tool], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    stock = gatk("HaplotypeCaller", chr20)
    comparison = compare.compare(stock.vcf, output)
    assert comparison.identical, str(comparison)
    assert "Intel GKL replaced (agent)" in done.stderr
    parts = ("regions", "assembly graphs", "finding active regions", "likelihoods of alleles")
    reason = "GATK's own code is used: GATK has its own class loader"
    assert all(f"] {part}: {reason}\n" in done.stderr for part in parts)


def compare_likelihoods(one: Path, other: Path, tolerance: float) -> int:
    """Compare all likelihoods that GATK received in two runs, and return their number."""
    count = 0
    with one.open() as lines, other.open() as other_lines:
        for number, (line, other_line) in enumerate(zip_longest(lines, other_lines), 1):
            assert line is not None and other_line is not None, "one file has more lines"
            if line == other_line:
                count += not line.startswith("#")
                continue
            case, _, likelihood = line.rpartition(" ")
            other_case, _, other_likelihood = other_line.rpartition(" ")
            assert case == other_case, f"line {number}: not the same read and haplotype"
            value, other_value = float(likelihood), float(other_likelihood)
            # Both are printed with seven digits, so each is off by up to half of the last.
            last_digit = 10.0 ** (math.floor(math.log10(abs(value))) - 6)
            difference = abs(value - other_value)
            assert difference <= tolerance + 1.001 * last_digit, (
                f"line {number}: {value} against {other_value}: {case}"
            )
            count += 1
    return count


def test_the_vcf_is_identical_with_gkl_090(
    classpath: str, shared: Path, chr20: data.Sample
) -> None:
    gatk = Gatk(with_gkl(classpath, "0.9.0"), shared)
    stock = gatk("HaplotypeCaller", chr20)
    assert "gkl-0.9.0.jar" in stock.log
    shim = gatk("HaplotypeCaller", chr20, swap="agent")
    comparison = compare.compare(stock.vcf, shim.vcf)
    assert comparison.identical and comparison.records == (3, 3), str(comparison)


#: Together they use all kernels.
MODES: tuple[tuple[str, ...], ...] = ((), ("--dragen-378-concordance-mode",))


def test_on_aarch64_the_vcf_is_stocks_on_x86_64(
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


HEAP = 600


def test_memory_beyond_the_heap_stays_under_500_mb(
    classpath: str, shared: Path, deep: data.Sample, tmp_path: Path
) -> None:
    """Pipelines leave 500 MB (the mitochondrial one) or 1 GB (WARP) of a container for it."""
    # The whole heap is resident from the start. So the rest of the memory is not Java's.
    java = [require_tool("java"), our_agent(), "-XX:+AlwaysPreTouch"]
    jvm = Jvm(classpath, shared, f"-Xms{HEAP}m", f"-Xmx{HEAP}m", java=java)
    for options in MODES:
        (result,), log = jvm(command("HaplotypeCaller", deep, tmp_path / "out.vcf", *options))
        assert result.startswith("returned: "), log[-3000:]
        beyond = jvm.peak_mb() - HEAP
        print(f"{beyond} MB beyond the heap")
        assert 0 < beyond < 500
    log = jvm.close()
    assert re.search(r" PairHMM: \d+ regions", log) and re.search(r" PDHMM: \d+ regions", log)
