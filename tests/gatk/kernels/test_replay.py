"""The replay calls GKL and the shim in turns, and their results agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from gkl_shim.errors import FormatError, MissingComponent
from gkl_shim.gatk import fetch
from gkl_shim.gatk.replay import Calls, replay, stock_and_shim
from tests.conftest import require_tool

pytestmark = pytest.mark.gatk

# One region of two reads and two haplotypes.
REGION = "2 2\nACGT IIII NNNN NNNN ++++\nACGG I5II NNNN NNNN ++++\nACGTACGT\nACGGACGG\n"


@pytest.fixture(scope="module")
def gkl() -> str:
    require_tool("java")
    require_tool("mvn")
    return fetch.gkl_classpath()


@pytest.fixture
def regions(tmp_path: Path) -> Path:
    path = tmp_path / "regions.in"
    path.write_text(REGION * 200)
    return path


@pytest.mark.parametrize(
    ("double_precision", "tolerance", "threads"), [(False, 1e-5, 1), (True, 1e-8, 2)]
)
def test_gkl_and_the_shim_agree_in_a_replay(
    gkl: str, regions: Path, threads: int, double_precision: bool, tolerance: float
) -> None:
    calls = Calls(0.1, threads, double_precision)
    result = replay(regions, stock_and_shim(gkl), calls)
    assert (result.regions, result.pairs, result.cells) == (200, 800, 200 * 8 * 16)
    assert list(result.engines) == ["stock", "shim"]
    for engine in result.engines.values():
        assert engine.gcups > 0
        assert engine.largest_difference <= tolerance
        assert engine.infinite_in_one == 0
    assert result.engines["stock"].largest_difference == 0
    # As in GATK: GKL leaves flush-to-zero on in the thread that initializes it.
    assert result.engines["stock"].flush_to_zero


def test_a_class_path_may_hold_folders(gkl: str, tmp_path: Path) -> None:
    for jar in gkl.split(":"):
        (tmp_path / Path(jar).name).symlink_to(jar)
    jars = stock_and_shim(f"{tmp_path}/*")["stock"].split(":")
    assert sorted(jars) == sorted(str(tmp_path / Path(jar).name) for jar in gkl.split(":"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: no regions"),
        ("1\n", ":1: not two counts"),
        ("1 1\nACGT IIII NNNN NNNN\nACGT\n", ":2: not 5 fields"),
        ("999999999 1\nACGT IIII NNNN NNNN ++++\n", ":3: not 5 fields"),
        ("1 1\nACGT IIII NNN NNNN ++++\nACGT\n", ":2: tracks of unequal length"),
        ("1 2\nACGT IIII NNNN NNNN ++++\nACGT\n", ":4: not 1 fields"),
    ],
)
def test_wrong_regions_are_refused(gkl: str, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.in"
    path.write_text(text)
    small = Calls(environment={"JAVA_TOOL_OPTIONS": "-Xmx256m"})
    with pytest.raises(FormatError) as error:
        replay(path, {"stock": gkl}, small)
    assert str(error.value) == f"{path}{message}"


def test_a_missing_file_raises(gkl: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        replay(tmp_path / "none.in", {"stock": gkl})


def test_a_class_path_without_gkl_raises(regions: Path, tmp_path: Path) -> None:
    require_tool("java")
    with pytest.raises(MissingComponent, match="IntelPairHmm"):
        replay(regions, {"stock": str(tmp_path)})
