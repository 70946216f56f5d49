"""GKL_SHIM_RECORD: what is recorded, and where it can be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.java import regions
from tests.java.conftest import Jvm

REGION = regions.typical(1)


@pytest.mark.parametrize("swap", ["agent", "library-path"])
def test_every_region_is_recorded(
    jvm: Jvm, tmp_path: Path, sample: list[regions.Region], swap: str
) -> None:
    file = tmp_path / "out" / "traffic.in"
    file.parent.mkdir()
    file.write_text("an older one\n")
    setting = {"GKL_SHIM_RECORD": str(file)}
    outcome = jvm("compute", {"regions": sample}, swap=swap, environment=setting)
    assert file.read_text() == "".join(map(regions.recorded, sample))
    assert list(file.parent.iterdir()) == [file]
    high = sum(
        q & 127 > 93 for g in sample for r in g.reads for track in r.tracks()[1:] for q in track
    )
    assert high > 0
    assert outcome.line("every region is recorded").endswith(f"to {file}")
    line = outcome.line(f"{len(sample)} regions recorded")
    assert line.endswith(f"to {file} ({high} qualities above 93 written as 93)")


def test_regions_of_several_threads_do_not_mix(jvm: Jvm, tmp_path: Path) -> None:
    sample = [regions.typical(seed, reads=40, haplotypes=8, length=300) for seed in range(5)]
    file = tmp_path / "traffic.in"
    jvm("many_threads", sample, options=[f"-Dgkl.shim.record={file}"])
    left = file.read_text()
    counts = {}
    for region in map(regions.recorded, sample):
        counts[region[:50]] = left.count(region)
        left = left.replace(region, "")
    assert left == ""
    # Once in each precision, and six times in each of eight threads.
    assert list(counts.values()) == [2 + 6 * 8] * 5


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def test_a_place_that_cannot_be_written_is_one_warning(jvm: Jvm, folder: Path) -> None:
    """Before the first region. tests/common/test_output_files.py has all such places."""
    file = folder / "nowhere" / "traffic.in"
    setting = {"GKL_SHIM_RECORD": str(file)}
    outcome = jvm("compute", {"regions": [REGION]}, environment=setting)
    assert outcome.line("record").split("] ", 1)[1] == (
        f"warning: GKL_SHIM_RECORD: cannot write {file}: No such file or directory; "
        "the run goes on without recording"
    )
    assert len(outcome.result["likelihoods"]) == 1
    assert list(folder.iterdir()) == []


def test_a_property_is_read_as_utf_8(jvm: Jvm, folder: Path) -> None:
    file = folder / "\N{DNA DOUBLE HELIX} \N{LATIN SMALL LETTER E WITH ACUTE}.in"
    option = f"-Dgkl.shim.record={file}"
    outcome = jvm(
        "compute", {"regions": [REGION]}, options=[option], environment={"LC_ALL": "C.UTF-8"}
    )
    assert outcome.line("1 region recorded").endswith(f"to {file}")
    assert list(folder.iterdir()) == [file]


def test_bytes_that_are_not_utf_8_are_escaped(jvm: Jvm) -> None:
    """In a sequence that is too long, a half of a pair, and a letter after the last."""
    wrong = b"\xc0\x8a\xe0\x81\x81\xed\xa0\xbd\xf0\x80\x80\x8a\xf4\x90\x80\x80"
    outcome = jvm(
        "compute", {"regions": [REGION]}, environment={"GKL_SHIM_BUILD": os.fsdecode(wrong)}
    )
    escaped = "".join(f"\\x{byte:02x}" for byte in wrong)
    assert f"GKL_SHIM_BUILD={escaped} is ignored" in outcome.line("GKL_SHIM_BUILD")


def test_no_region_leaves_the_file_unchanged(jvm: Jvm, folder: Path) -> None:
    file = folder / "traffic.in"
    file.write_text("an older one\n")
    outcome = jvm("compute", {"regions": []}, environment={"GKL_SHIM_RECORD": str(file)})
    assert outcome.line("0 regions recorded").endswith("PairHMM: 0 regions recorded")
    assert file.read_text() == "an older one\n"
    assert list(folder.iterdir()) == [file]
