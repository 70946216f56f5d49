"""The comparison of VCF files finds every difference, and tells calls from other fields."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from gkl_shim.errors import FormatError
from gkl_shim.gatk.compare import compare

HEADER = "##fileformat=VCFv4.2\n"
COLUMNS = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tNA12878\n"
FIRST = "20\t100\t.\tT\tA\t50.6\tPASS\tDP=9;MQ=60.00\tGT:PL\t0/1:99,0,99\n"
SECOND = "20\t200\t.\tG\tC\t70.1\t.\tDP=8\tGT:PL\t1/1:99,9,0\n"


@pytest.fixture
def vcf(tmp_path: Path):
    def write(text: str, name: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_headers_are_not_compared(vcf) -> None:
    one = vcf(HEADER + COLUMNS + FIRST + SECOND, "one.vcf")
    other = vcf("##fileformat=VCFv4.2\n##source=x\n" + COLUMNS + FIRST + SECOND, "other.vcf")
    comparison = compare(one, other)
    assert comparison.identical and comparison.same_calls
    assert comparison.records == (2, 2)
    assert str(comparison) == "identical, 2 records"


def test_a_gzipped_file_is_compared(vcf, tmp_path: Path) -> None:
    one = vcf(HEADER + COLUMNS + FIRST, "one.vcf")
    other = tmp_path / "other.vcf.gz"
    other.write_bytes(gzip.compress(one.read_bytes(), mtime=0))
    assert compare(one, other).identical


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("50.6", "50.7", "QUAL 50.6 | 50.7"),
        ("DP=9", "DP=10", "INFO/DP 9 | 10"),
        ("DP=9;MQ=60.00", "MQ=60.00;DP=9", "order of fields"),
        (";MQ=60.00", "", "INFO/MQ 60.00 | absent"),
        ("\t.\tT", "\trs1\tT", "ID . | rs1"),
        ("99,0,99", "99,0,98", "NA12878/PL 99,0,99 | 99,0,98"),
        ("0/1:99,0,99", "0/1", "NA12878/PL 99,0,99 | absent"),
    ],
)
def test_another_field_differs_but_not_the_call(vcf, old: str, new: str, name: str) -> None:
    one = vcf(HEADER + COLUMNS + FIRST + SECOND, "one.vcf")
    other = vcf(HEADER + COLUMNS + FIRST.replace(old, new) + SECOND, "other.vcf")
    comparison = compare(one, other)
    assert not comparison.identical
    assert comparison.same_calls
    assert len(comparison.differences) == 1
    assert "20:100 T>A: " in str(comparison) and name in str(comparison)


@pytest.mark.parametrize(
    "records",
    [
        FIRST.replace("0/1", "1/1") + SECOND,
        FIRST.replace("PASS", "LowQual") + SECOND,
        FIRST.replace("\tA\t", "\tG\t") + SECOND,
        FIRST.replace("\t100\t", "\t101\t") + SECOND,
        FIRST,
        FIRST + FIRST + SECOND,
        SECOND + FIRST,
        "",
    ],
)
def test_a_different_call_is_found(vcf, records: str) -> None:
    one = vcf(HEADER + COLUMNS + FIRST + SECOND, "one.vcf")
    other = vcf(HEADER + COLUMNS + records, "other.vcf")
    for comparison in (compare(one, other), compare(other, one)):
        assert not comparison.identical
        assert not comparison.same_calls


@pytest.mark.parametrize("columns", [8, 9])
def test_sites_without_samples(vcf, columns: int) -> None:
    """FORMAT may be absent, or be there without a sample."""

    def sites(*lines: str) -> str:
        return HEADER + "".join(
            "\t".join(line.rstrip("\n").split("\t")[:columns]) + "\n" for line in lines
        )

    one = vcf(sites(COLUMNS, FIRST, SECOND), "one.vcf")
    assert compare(one, vcf(sites(COLUMNS, FIRST, SECOND), "same.vcf")).identical
    other = compare(one, vcf(sites(COLUMNS, FIRST.replace("DP=9", "DP=10"), SECOND), "other.vcf"))
    assert other.same_calls
    assert "INFO/DP 9 | 10" in str(other)


@pytest.mark.parametrize("zipped", [False, True])
def test_other_line_ends(tmp_path: Path, zipped: bool) -> None:
    one, other = tmp_path / "one.vcf", tmp_path / "other.vcf"
    text = (HEADER + COLUMNS + FIRST + SECOND).encode()
    for path, lines in ((one, text), (other, text.replace(b"\n", b"\r\n"))):
        path.write_bytes(gzip.compress(lines) if zipped else lines)
    comparison = compare(one, other)
    assert [found.columns for found in comparison.differences] == [
        {"NA12878/PL": (values, values + "\r")} for values in ("99,0,99", "99,9,0")
    ]
    assert comparison.identical_records == 0


def test_a_repeated_field_hides_none(vcf) -> None:
    def changed(old: str, new: str, name: str) -> Path:
        return vcf(HEADER + COLUMNS + FIRST.replace(old, new), name)

    one = changed("DP=9", "TLOD=9;TLOD=1", "one.vcf")
    comparison = compare(one, changed("DP=9", "TLOD=8;TLOD=1", "other.vcf"))
    assert [found.columns for found in comparison.differences] == [{"INFO/TLOD": ("9", "8")}]
    comparison = compare(one, changed("DP=9", "TLOD=9;TLOD=2", "another.vcf"))
    assert [found.columns for found in comparison.differences] == [{"INFO/TLOD (2)": ("1", "2")}]
    one = changed("GT:PL\t0/1", "GT:GT:PL\t0/1:0/1", "genotypes.vcf")
    comparison = compare(one, changed("GT:PL\t0/1", "GT:GT:PL\t0/1:1/1", "others.vcf"))
    assert [found.columns for found in comparison.differences] == [
        {"NA12878/GT (2)": ("0/1", "1/1")}
    ]
    assert not comparison.same_calls


def test_other_samples(vcf) -> None:
    one = vcf(HEADER + COLUMNS + FIRST, "one.vcf")
    other = vcf(HEADER + COLUMNS.replace("NA12878", "NA12879") + FIRST, "other.vcf")
    assert not compare(one, other).same_calls


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: not VCF"),
        (HEADER, ":1: not VCF"),
        (HEADER + FIRST, ":2: a record before"),
        (HEADER + COLUMNS + FIRST.replace("\tGT:PL", ""), ":3: 9 columns"),
        (HEADER + COLUMNS + "20\t100\n", ":3: 2 columns"),
    ],
)
def test_a_file_that_is_not_vcf_is_refused(vcf, text: str, message: str) -> None:
    good = vcf(HEADER + COLUMNS + FIRST, "good.vcf")
    with pytest.raises(FormatError) as error:
        compare(good, vcf(text, "bad.vcf"))
    assert f"bad.vcf{message}" in str(error.value)


def test_an_extra_record_is_one_difference(vcf) -> None:
    lines = [FIRST.replace("\t100\t", f"\t{position}\t") for position in range(100, 600)]
    one = vcf(HEADER + COLUMNS + "".join(lines), "one.vcf")
    for missing in (0, 250, 499):
        rest = "".join(lines[:missing] + lines[missing + 1 :])
        comparison = compare(one, vcf(HEADER + COLUMNS + rest, "other.vcf"))
        (difference,) = comparison.differences
        assert difference.columns == {"record": ("yes", "no")}
        assert difference.place == ("20", 100 + missing)
        assert comparison.records == (500, 499)


def test_another_order_beside_an_extra_record(vcf) -> None:
    lines = [FIRST.replace("\t100\t", f"\t{position}\t") for position in range(100, 110)]
    one = vcf(HEADER + COLUMNS + "".join(lines), "one.vcf")
    moved = [*lines[1:6], lines[7], lines[6], *lines[8:]]
    comparison = compare(one, vcf(HEADER + COLUMNS + "".join(moved), "other.vcf"))
    assert [list(found.columns) for found in comparison.differences] == [["record"], ["order"]]
    assert not comparison.same_calls


def test_a_truncated_gzip_is_refused(vcf, tmp_path: Path) -> None:
    good = vcf(HEADER + COLUMNS + FIRST, "good.vcf")
    cut = tmp_path / "cut.vcf.gz"
    lines = (FIRST.replace("\t100\t", f"\t{position}\t") for position in range(10_000))
    cut.write_bytes(gzip.compress((HEADER + COLUMNS + "".join(lines)).encode())[:5000])
    with pytest.raises(FormatError, match=r"cut.vcf.gz: the gzip data are cut off"):
        compare(good, cut)
