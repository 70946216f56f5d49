"""The shim in a GATK with GKL 0.9.0 and its bindings, as on GATK's master branch."""

from __future__ import annotations

import re

import pytest

from gkl_shim.gatk import compare, data, fetch
from tests.gatk.conftest import SWAPS, Gatk

pytestmark = pytest.mark.gatk


@pytest.fixture(scope="module")
def gatk_090(classpath: str, tmp_path_factory: pytest.TempPathFactory) -> Gatk:
    newer = [
        jar
        for jar in fetch.gkl_classpath("0.9.0").split(":")
        if re.search(r"/(gkl-0\.9\.0|gatk-native-bindings-1\.1\.0)\.jar$", jar)
    ]
    older = re.compile(r"/(gkl|gatk-native-bindings)-[\d.]+\.jar$")
    kept = [jar for jar in classpath.split(":") if not older.search(jar)]
    assert len(newer) == 2 and len(kept) == len(classpath.split(":")) - 2
    return Gatk(":".join([*newer, *kept]), tmp_path_factory.mktemp("gatk-gkl-0.9.0"))


@pytest.mark.parametrize("swap", SWAPS)
def test_the_vcf_is_identical_with_gkl_090(gatk_090: Gatk, chr20: data.Sample, swap: str) -> None:
    stock = gatk_090("HaplotypeCaller", chr20)
    assert "gkl-0.9.0.jar" in stock.log
    shim = gatk_090("HaplotypeCaller", chr20, swap=swap)
    comparison = compare.compare(stock.vcf, shim.vcf)
    assert comparison.identical and comparison.records == (3, 3), str(comparison)
