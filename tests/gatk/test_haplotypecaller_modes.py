"""HaplotypeCaller with more output, and in DRAGEN mode."""

from __future__ import annotations

import pytest

from gkl_shim.gatk import data
from tests.gatk.conftest import Gatk, check_near_ties

pytestmark = pytest.mark.gatk


@pytest.mark.parametrize("sample", ["chr22", "deep"], indirect=True)
def test_a_gvcf_differs_only_in_near_ties(gatk: Gatk, sample: data.Sample) -> None:
    check_near_ties(gatk, "HaplotypeCaller", sample, "-ERC", "GVCF")


@pytest.mark.parametrize("sample", ["chr22", "deep"], indirect=True)
def test_dragen_mode_differs_only_in_near_ties(gatk: Gatk, sample: data.Sample) -> None:
    check_near_ties(gatk, "HaplotypeCaller", sample, "--dragen-mode", "true")
