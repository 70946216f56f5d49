"""DRAGEN 3.7.8 mode, where GATK computes PDHMM: in Java up to 4.6.2.0, natively from 4.7.0.0."""

from __future__ import annotations

import re

import pytest

from gkl_shim.gatk import compare, data
from tests.gatk.conftest import Gatk

pytestmark = pytest.mark.gatk

# PDHMM in Java takes most of a run, so a part of the reads is enough.
MODE = ("--dragen-378-concordance-mode", "-L", "q:1-3000")


def figures(log: str) -> str:
    """The closing line of PDHMM."""
    (line,) = re.findall(r"\[gkl-shim[^]]*\] PDHMM: (\d+ regions?, .*)", log)
    return str(line)


def test_same_vcf_where_gatk_has_java_only(gatk: Gatk, chr22: data.Sample) -> None:
    stock = gatk("HaplotypeCaller", chr22, *MODE)
    shim = gatk("HaplotypeCaller", chr22, *MODE, swap="agent", alone=True)
    assert "GATK's Java replaced (agent)" in shim.log
    assert not figures(shim.log).startswith("0 ")
    found = compare.compare(stock.vcf, shim.vcf)
    assert found.identical and found.records[0] > 0, str(found)


def test_same_vcf_where_gatk_has_a_native_pdhmm(gatk_470: Gatk, chr22: data.Sample) -> None:
    stock = gatk_470("HaplotypeCaller", chr22, *MODE)
    assert "gkl-0.9.1.jar" in stock.log
    shim = gatk_470("HaplotypeCaller", chr22, *MODE, swap="agent", alone=True)
    assert re.search(r"PDHMM: .* Intel GKL replaced \(agent\)", shim.log)
    assert "GATK's Java" not in shim.log
    assert not figures(shim.log).startswith("0 ")
    found = compare.compare(stock.vcf, shim.vcf)
    assert found.identical and found.records[0] > 0, str(found)


def test_the_library_path_leaves_pdhmm_and_smith_waterman_to_intel(
    gatk_470: Gatk, chr22: data.Sample
) -> None:
    stock = gatk_470("HaplotypeCaller", chr22, *MODE)
    shim = gatk_470("HaplotypeCaller", chr22, *MODE, swap="library-path")
    ours = re.findall(r"\[gkl-shim[^]]*\] ([\w-]+): ", shim.log)
    assert set(ours) == {"PairHMM"}
    assert "Total compute time in native Smith-Waterman" in shim.log
    found = compare.compare(stock.vcf, shim.vcf)
    assert found.identical and found.records[0] > 0, str(found)
