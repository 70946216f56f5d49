"""DRAGEN 3.7.8 mode, where GATK computes PDHMM: in Java up to 4.6.2.0, natively from 4.7.0.0."""

from __future__ import annotations

import re

import pytest

from benchmarks.common import gatk_versions
from gkl_shim.gatk import compare, data
from tests.gatk.conftest import Gatk

pytestmark = pytest.mark.gatk

MODE = "--dragen-378-concordance-mode"


@pytest.fixture(scope="module")
def gatk_470(classpath: str, tmp_path_factory: pytest.TempPathFactory) -> Gatk:
    newer = gatk_versions.classpath("4.7.0.0")
    return Gatk(newer, tmp_path_factory.mktemp("gatk-4.7.0.0"))


def figures(log: str) -> str:
    """The closing line of PDHMM."""
    (line,) = re.findall(r"\[gkl-shim[^]]*\] PDHMM: (\d+ regions?, .*)", log)
    return str(line)


@pytest.mark.parametrize("sample", ["chr20", "chr22"], indirect=True)
def test_same_vcf_where_gatk_has_java_only(gatk: Gatk, sample: data.Sample) -> None:
    stock = gatk("HaplotypeCaller", sample, MODE)
    shim = gatk("HaplotypeCaller", sample, MODE, swap="agent")
    assert "GATK's Java replaced (agent)" in shim.log
    assert not figures(shim.log).startswith("0 ")
    found = compare.compare(stock.vcf, shim.vcf)
    assert found.identical and found.records[0] > 0, str(found)


@pytest.mark.parametrize("sample", ["chr20", "chr22"], indirect=True)
def test_same_vcf_where_gatk_has_a_native_pdhmm(gatk_470: Gatk, sample: data.Sample) -> None:
    stock = gatk_470("HaplotypeCaller", sample, MODE)
    assert "gkl-0.9.1.jar" in stock.log
    shim = gatk_470("HaplotypeCaller", sample, MODE, swap="agent")
    assert re.search(r"PDHMM: .* Intel GKL replaced \(agent\)", shim.log)
    assert "GATK's Java" not in shim.log
    assert not figures(shim.log).startswith("0 ")
    found = compare.compare(stock.vcf, shim.vcf)
    assert found.identical and found.records[0] > 0, str(found)


def test_the_library_path_leaves_pdhmm_and_smith_waterman_to_intel(
    gatk_470: Gatk, chr20: data.Sample
) -> None:
    stock = gatk_470("HaplotypeCaller", chr20, MODE)
    shim = gatk_470("HaplotypeCaller", chr20, MODE, swap="library-path")
    ours = re.findall(r"\[gkl-shim[^]]*\] ([\w-]+): ", shim.log)
    assert set(ours) == {"PairHMM"}
    assert "Total compute time in native Smith-Waterman" in shim.log
    found = compare.compare(stock.vcf, shim.vcf)
    assert found.identical and found.records[0] > 0, str(found)
