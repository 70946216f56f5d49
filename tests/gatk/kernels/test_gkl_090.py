"""The shim in a GATK with GKL 0.9.0 and its bindings, as on GATK's master branch."""

from __future__ import annotations

from pathlib import Path

import pytest

from gkl_shim.gatk import compare, data
from tests.gatk.conftest import Gatk, with_gkl

pytestmark = pytest.mark.gatk


def test_the_vcf_is_identical_with_gkl_090(
    classpath: str, shared: Path, chr20: data.Sample
) -> None:
    gatk = Gatk(with_gkl(classpath, "0.9.0"), shared)
    stock = gatk("HaplotypeCaller", chr20)
    assert "gkl-0.9.0.jar" in stock.log
    shim = gatk("HaplotypeCaller", chr20, swap="agent")
    comparison = compare.compare(stock.vcf, shim.vcf)
    assert comparison.identical and comparison.records == (3, 3), str(comparison)
