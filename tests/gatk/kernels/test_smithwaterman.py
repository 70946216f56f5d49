"""With the shim's Smith-Waterman, GATK writes stock's VCF and stock's assembled haplotypes."""

from __future__ import annotations

import gzip
import re
import struct
from pathlib import Path

import pytest

from gkl_shim.gatk import compare, data
from tests.gatk.conftest import Gatk, Output

pytestmark = pytest.mark.gatk

NATIVE = ("--smith-waterman", "FASTEST_AVAILABLE")


def called(
    gatk: Gatk, tool: str, sample: data.Sample, folder: Path, swap: str, *java_options: str
) -> tuple[Output, bytes]:
    """Run a tool, and return its output and the records of its assembled haplotypes."""
    assembled = folder / f"{tool}.{swap}{len(java_options)}.bam"
    arguments = (*NATIVE, "-bamout", str(assembled))
    output = gatk(tool, sample, *arguments, swap=swap, java_options=java_options)
    return output, records(assembled)


def records(bam: Path) -> bytes:
    """The records of a BAM file, without the header, which has the command line in it."""
    content = gzip.decompress(bam.read_bytes())
    assert content[:4] == b"BAM\1"
    at = 8 + struct.unpack_from("<i", content, 4)[0]
    references = struct.unpack_from("<i", content, at)[0]
    at += 4
    for _ in range(references):
        at += 8 + struct.unpack_from("<i", content, at)[0]
    return content[at:]


@pytest.mark.parametrize("tool", ["HaplotypeCaller", "Mutect2"])
def test_same_as_stock(gatk: Gatk, chr22: data.Sample, tool: str, tmp_path: Path) -> None:
    stock, stock_assembled = called(gatk, tool, chr22, tmp_path, "stock")
    # Intel's PairHMM in both: in Mutect2, near ties of its single precision show.
    options = ("-Dgkl.shim.pairhmm=off",)
    shim, assembled = called(gatk, tool, chr22, tmp_path, "agent", *options)
    assert "PairHMM: gkl.shim.pairhmm=off: Intel GKL is used" in shim.log
    counted = re.search(r"Smith-Waterman: (\d+) alignments, (\d+) cells in ", shim.log)
    assert counted is not None and int(counted[1]) > 10, shim.log[-3000:]
    comparison = compare.compare(stock.vcf, shim.vcf)
    assert comparison.identical, str(comparison)
    assert len(assembled) > 10_000
    assert assembled == stock_assembled
