"""The shim in a GATK with GKL 0.9.0 and its bindings, as on GATK's master branch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gkl_shim.gatk import compare, data, fetch
from tests.gatk.conftest import Gatk

pytestmark = pytest.mark.gatk


def test_the_vcf_is_identical_with_gkl_090(
    classpath: str, shared: Path, chr20: data.Sample
) -> None:
    newer = [
        jar
        for jar in fetch.gkl_classpath("0.9.0").split(":")
        if re.search(r"/(gkl-0\.9\.0|gatk-native-bindings-1\.1\.0)\.jar$", jar)
    ]
    older = re.compile(r"/(gkl|gatk-native-bindings)-[\d.]+\.jar$")
    kept = [jar for jar in classpath.split(":") if not older.search(jar)]
    assert len(newer) == 2 and len(kept) == len(classpath.split(":")) - 2
    gatk = Gatk(":".join([*newer, *kept]), shared)
    stock = gatk("HaplotypeCaller", chr20)
    assert "gkl-0.9.0.jar" in stock.log
    shim = gatk("HaplotypeCaller", chr20, swap="agent")
    comparison = compare.compare(stock.vcf, shim.vcf)
    assert comparison.identical and comparison.records == (3, 3), str(comparison)
