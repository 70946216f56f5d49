"""Each class of difference is told from the others, on hand-made VCFs."""

from __future__ import annotations

from pathlib import Path

import pytest

from gkl_shim.gatk.compare import Difference, compare
from gkl_shim.validation.differences import Finding, Values, classify, windows
from tests.validation.fake_java import FIRST, HEADER, SECOND

OTHER = SECOND.replace("70.1", "70.3")
DOUBLE = SECOND.replace("70.1", "70.2")


def _find(folder: Path, shim: str, again: tuple[str, ...] = ()) -> list[Finding]:
    """Compare stock's `SECOND` with gkl-shim's record; `again` is what is called again."""

    def write(name: str, text: str) -> Path:
        path = folder / name
        path.write_text(HEADER + FIRST + text)
        return path

    difference = compare(write("stock.vcf", SECOND), write("shim.vcf", shim)).differences
    vcfs = [write(f"again{number}.vcf", text) for number, text in enumerate(again)]
    return classify(difference, 7, vcfs or None, ["gatk -L {interval}"])


def test_a_near_tie(tmp_path: Path) -> None:
    (finding,) = _find(tmp_path, OTHER, (SECOND, OTHER, DOUBLE, DOUBLE))
    assert (finding.kind, finding.reproduced, finding.shard) == ("near tie", True, 7)
    assert finding.fields == {"QUAL": Values("70.1", "70.3", "70.2", "70.2")}
    assert finding.fields["QUAL"].distance == pytest.approx(0.2)
    assert finding.fields["QUAL"].distance_of_precisions == pytest.approx(0.1)
    assert finding.commands == ["gatk -L one:1-5900"]


def test_where_precisions_agree_it_is_no_near_tie(tmp_path: Path) -> None:
    (finding,) = _find(tmp_path, OTHER, (SECOND, OTHER, SECOND, SECOND))
    assert finding.kind == "other"


def test_another_field_of_stock_does_not_make_a_near_tie(tmp_path: Path) -> None:
    deeper = SECOND.replace("DP=8", "DP=7")
    (finding,) = _find(tmp_path, OTHER, (SECOND, OTHER, deeper, deeper))
    assert finding.kind == "other"


def test_a_near_tie_needs_precisions_that_differ_in_all_fields(tmp_path: Path) -> None:
    shim = OTHER.replace("DP=8", "DP=9")
    (finding,) = _find(tmp_path, shim, (SECOND, shim, DOUBLE, DOUBLE))
    assert set(finding.fields) == {"QUAL", "INFO/DP"}
    assert (finding.kind, finding.reproduced) == ("other", True)
    double = DOUBLE.replace("DP=8", "DP=7")
    (finding,) = _find(tmp_path, shim, (SECOND, shim, double, double))
    assert finding.kind == "near tie"


def test_what_is_not_seen_again_is_no_near_tie(tmp_path: Path) -> None:
    (finding,) = _find(tmp_path, OTHER, (SECOND, SECOND, DOUBLE, DOUBLE))
    assert (finding.kind, finding.reproduced) == ("other", False)
    (finding,) = _find(tmp_path, OTHER)
    assert (finding.kind, finding.reproduced) == ("other", False)


@pytest.mark.parametrize(
    ("old", "new"),
    [("1/1", "0/1"), ("PASS", "LowQual"), ("\tC\t", "\tA\t"), ("\t900\t", "\t901\t")],
)
def test_a_call_is_never_a_near_tie(tmp_path: Path, old: str, new: str) -> None:
    shim = SECOND.replace(old, new)
    found = _find(tmp_path, shim, (SECOND, shim, shim, shim))
    assert {finding.kind for finding in found} == {"call"}


def test_a_record_that_only_one_has(tmp_path: Path) -> None:
    (finding,) = _find(tmp_path, "", (SECOND, "", "", ""))
    assert finding.kind == "call"
    assert finding.fields == {"record": Values("yes", "no", "no", "no")}
    assert finding.reproduced


def test_the_order_of_fields(tmp_path: Path) -> None:
    stock = SECOND.replace("DP=8", "DP=8;MQ=60")
    (tmp_path / "stock.vcf").write_text(HEADER + stock)
    (tmp_path / "shim.vcf").write_text(HEADER + SECOND.replace("DP=8", "MQ=60;DP=8"))
    both = [tmp_path / "stock.vcf", tmp_path / "shim.vcf"]
    (finding,) = classify(compare(*both).differences, 0, [*both, *both])
    assert (finding.kind, finding.reproduced) == ("other", True)
    assert list(finding.fields) == ["order of fields"]


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("70.1", "70.4", 0.3), ("99,9,0", "99,7,1", 2), ("T", "A", None), ("1,2", "1", None),
     ("absent", "3", None), (".", "3", None), ("NaN,1", "1,1", None), ("1,NaN", "2,3", None),
     ("inf", "1", None)],
)  # fmt: skip
def test_distances(one: str, other: str, distance: float | None) -> None:
    assert Values(one, other).distance == (None if distance is None else pytest.approx(distance))


def test_windows_are_merged_and_stay_on_their_contig() -> None:
    def at(contig: str, position: int) -> Difference:
        return Difference("", {}, False, (contig, position))

    lengths = {"b": 50_000, "a": 7_000}
    found = windows(
        [at("a", 6_000), at("b", 20_000), at("b", 3_000), at("b", 12_000), at("b", 40_000),
         Difference("header", {}, True)],
        lengths,
    )  # fmt: skip
    assert found == [("b", 1, 25_000), ("b", 35_000, 45_000), ("a", 1_000, 7_000)]
