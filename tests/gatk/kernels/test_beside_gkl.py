"""PairHMM of GKL and gkl-shim is called in turns from Java, and their results agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from gkl_shim.bench.beside_gkl import Calls, beside_gkl
from gkl_shim.common import _native
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch
from tests.conftest import require_tool

pytestmark = pytest.mark.gatk

# One region of two reads and two haplotypes.
REGION = "2 2\nACGT IIII NNNN NNNN ++++\nACGG I5II NNNN NNNN ++++\nACGTACGT\nACGGACGG\n"
CELLS = 200 * 8 * 16


@pytest.fixture
def regions(tmp_path: Path) -> Path:
    require_tool("java")
    path = tmp_path / "regions.in"
    path.write_text(REGION * 200)
    return path


@pytest.mark.parametrize(
    ("double_precision", "tolerance", "threads"), [(False, 1e-5, 1), (True, 1e-8, 2)]
)
def test_gkl_and_the_shim_agree(
    regions: Path, threads: int, double_precision: bool, tolerance: float
) -> None:
    require_tool("mvn")
    calls = Calls(0.1, threads, double_precision)
    found = beside_gkl(regions, CELLS, fetch.gkl_classpath(), _native.builds()[0], calls)
    assert found.shim > 0 and found.gkl > 0
    assert found.ratio == pytest.approx(found.shim / found.gkl)
    assert found.largest_difference <= tolerance
    # As in GATK: GKL leaves flush-to-zero on in the thread that initializes it.
    assert found.flush_to_zero


def test_a_class_path_without_gkl_raises(regions: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingComponent, match=r"^GKL in Java: .*IntelPairHmm"):
        beside_gkl(regions, CELLS, str(tmp_path), "portable", Calls(0.1))


def test_without_the_agents_class_there_is_no_comparison(
    regions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_tool("mvn")
    monkeypatch.setenv("GKL_SHIM_BACKEND", "off")
    with pytest.raises(MissingComponent, match="gkl-shim replaces no class"):
        beside_gkl(regions, CELLS, fetch.gkl_classpath(), "portable", Calls(0.1))
