"""Samples of real reads, which have the right reads in the right places, and simulated ones."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pysam
import pytest

from benchmarks.common import real_samples
from benchmarks.common.simulated_samples import mutated_copies, random_sequence, simulate
from gkl_shim.errors import FormatError, MissingComponent
from gkl_shim.gatk import run
from tests.conftest import require_tool

LETTERS = "ACGTTGCATT" * 10
WINDOW_START = 1001
HEADER = {"HD": {"VN": "1.6", "SO": "coordinate"}, "SQ": [{"SN": "c", "LN": 5000}]}
FIRST, SECOND = 0x63, 0x93
#: Name, flag, position and the mate's position, from 1. All reads have ten bases.
READS = (
    ("outside", FIRST, 995, 1050),
    ("both", FIRST, 1001, 1091),
    ("one", FIRST, 1020, 1095),
    ("unmapped", 0x49, 1030, 1030),
    ("unmapped", 0x85, 1030, 1030),
    ("twice", FIRST, 1040, 1060),
    ("twice", FIRST | 0x800, 1045, 1060),
    ("outside", SECOND, 1050, 995),
    ("twice", SECOND, 1060, 1040),
    ("both", SECOND, 1091, 1001),
    ("one", SECOND, 1095, 1020),
)


@pytest.fixture
def window(tmp_path: Path) -> real_samples.Window:
    reference = tmp_path / "window.fa"
    reference.write_text(f">c:{WINDOW_START}-{WINDOW_START + len(LETTERS) - 1}\n{LETTERS}\n")
    bam = tmp_path / "reads.bam"
    with pysam.AlignmentFile(bam, "wb", header=HEADER) as file:
        for name, flag, position, mate in READS:
            read = pysam.AlignedSegment(file.header)
            read.query_name, read.flag = name, flag
            read.reference_id = read.next_reference_id = 0
            read.reference_start, read.next_reference_start = position - 1, mate - 1
            read.query_sequence, read.query_qualities = "ACGTTGCATT", [30] * 10
            read.cigar = () if flag & 4 else ((0, 10),)
            read.set_tags([("XX", 1), ("NM", 0)])
            file.write(read)
    pysam.index(str(bam))
    return real_samples.Window(bam, reference)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Stand in for GATK: HaplotypeCaller finds a SNP, and Picard writes an empty file."""
    commands: list[list[str]] = []

    def gatk(command: list[str], classpath: str) -> SimpleNamespace:
        commands.append(command)
        output = Path(command[command.index("-O") + 1])
        output.write_text("#CHROM\nt1\t21\t.\tA\tG\nt1\t31\t.\tA\tC,*\n")
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(run, "gatk", gatk)
    return commands


def reads(file: Path) -> list[tuple[str, str, int, int]]:
    with pysam.AlignmentFile(file) as bam:
        assert bam.check_index()
        return [
            (str(r.query_name), str(r.reference_name), r.reference_start + 1,
             r.next_reference_start + 1)
            for r in bam
        ]  # fmt: skip


def test_pairs_inside_the_window_are_in_every_copy(window, calls, tmp_path) -> None:
    sample = real_samples.make("real-300kb", tmp_path, window, "classpath")
    expected = []
    for copy in range(3):
        for name, start, mate in (("both", 1, 91), ("twice", 40, 60), ("twice", 60, 40),
                                  ("both", 91, 1)):  # fmt: skip
            expected.append((f"c{copy}_0_{name}", f"t{copy + 1}", start, mate))
    assert reads(sample.reads) == expected
    with pysam.AlignmentFile(sample.reads) as bam:
        assert {tuple(sorted(read.get_tags())) for read in bam} == {(("NM", 0), ("RG", "r1"))}
        assert bam.header.to_dict()["RG"][0]["SM"] == "real"
    assert sample.reference.read_text().count(LETTERS[:60]) == 3
    # An existing sample is not made again.
    before = len(calls)
    real_samples.make("real-300kb", tmp_path, window, "classpath")
    assert len(calls) == before


def test_a_normal_gets_every_second_pair(window, calls, tmp_path) -> None:
    sample = real_samples.make("real-2mb-normal", tmp_path, window, "classpath")
    assert sample.normal is not None
    assert {name.split("_")[2] for name, *_ in reads(sample.reads)} == {"both"}
    assert {name.split("_")[2] for name, *_ in reads(sample.normal)} == {"twice"}


def test_what_a_window_must_be(window, calls, tmp_path) -> None:
    window.reference.write_text(f">c\n{LETTERS}\n")
    with pytest.raises(FormatError, match="c: not CONTIG:START-END"):
        real_samples.make("real-300kb", tmp_path, window, "classpath")
    window.reference.write_text(f">c:3001-3100\n{LETTERS}\n")
    with pytest.raises(FormatError, match="no pair of reads lies in c:3001-3100"):
        real_samples.make("real-300kb", tmp_path, window, "classpath")


def test_gatk_fails(window, monkeypatch, tmp_path) -> None:
    failed = SimpleNamespace(returncode=3, complaint="it failed")
    monkeypatch.setattr(run, "gatk", lambda *given: failed)
    with pytest.raises(MissingComponent, match="GATK could not call it: it failed"):
        real_samples.make("real-300kb", tmp_path, window, "classpath")


def test_mutated_copies() -> None:
    sequence = random_sequence(100_000, seed=1)
    one, other = mutated_copies(sequence, 1e-3, seed=2)
    assert (one, other) == mutated_copies(sequence, 1e-3, seed=2)
    assert len({sequence, one, other}) == 3
    assert mutated_copies(sequence, 0, seed=2) == (sequence, sequence)
    assert mutated_copies("NNNN", 1, seed=2) == ("NNNN", "NNNN")


def test_simulate(tmp_path: Path) -> None:
    for tool in ("art_illumina", "bwa", "samtools"):
        require_tool(tool)
    sequence = random_sequence(3000, seed=3)
    texts = []
    for attempt in ("one", "other"):
        folder = tmp_path / attempt
        sample = simulate(folder, "made", sequence, 40, threads=1 + len(texts))
        view = ["samtools", "view", str(sample.reads)]
        texts.append(subprocess.run(view, capture_output=True, text=True, check=True).stdout)
        assert sorted(path.name for path in folder.iterdir()) == [
            "made.bam",
            "made.bam.bai",
            "made.dict",
            "made.fa",
            "made.fa.fai",
        ]
    assert texts[0] == texts[1]
    lines = [line.split("\t") for line in texts[0].splitlines()]
    depth = sum(len(fields[9]) for fields in lines) / len(sequence)
    assert 30 < depth < 45
    assert all(fields[2] == "made" for fields in lines)
