"""Files that GATK could not read are refused before anything runs, with what to do."""

from __future__ import annotations

import gzip
import os
from dataclasses import replace
from pathlib import Path

import pytest

from gkl_shim.errors import FormatError, MissingComponent
from gkl_shim.validation.inputs import Inputs, check, checksums, reference_bases
from gkl_shim.validation.validation import shard_count


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    (tmp_path / "r.fa").write_text(">one\nACGT\n")
    (tmp_path / "r.fa.fai").write_text("one\t4\t5\t60\t61\n")
    (tmp_path / "r.dict").write_text("@HD\tVN:1.6\n")
    (tmp_path / "s.bam").write_bytes(b"x")
    (tmp_path / "s.bai").write_bytes(b"x")
    (tmp_path / "t.vcf").write_text("##contig=<ID=one,length=4>\n#CHROM\none\t1\n")
    (tmp_path / "t.vcf.idx").write_bytes(b"x")
    (tmp_path / "c.bed").write_text("one\t0\t4\n")
    return Inputs(
        tmp_path / "r.fa", (tmp_path / "s.bam",), (), tmp_path / "t.vcf", tmp_path / "c.bed"
    )


def test_whole_inputs(inputs: Inputs) -> None:
    check(inputs)
    assert reference_bases(inputs.reference) == 4


@pytest.mark.parametrize(
    ("bases", "cpus", "intervals", "shards"),
    [
        (1_000, 8, (), 1),
        (3_000_000, 8, (), 3),
        (3_000_000, 2, (), 2),
        (3_100_000_000, 8, (), 155),
        (3_100_000_000, 200, (), 200),
        (3_100_000_000, 8, ("chr20",), 8),
        (1_000, 8, ("one",), 1),
    ],
)
def test_shards_are_as_many_as_the_cpus_and_as_1_to_20_megabases_need(
    inputs: Inputs, bases: int, cpus: int, intervals: tuple[str, ...], shards: int
) -> None:
    inputs.reference.with_name("r.fa.fai").write_text(f"one\t{bases}\t5\t60\t61\n")
    assert shard_count(replace(inputs, intervals=intervals), cpus) == shards


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("r.fa.fai", "r.fa.fai: missing; run `samtools faidx "),
        ("r.dict", "r.dict: missing; run `gatk CreateSequenceDictionary -R "),
        ("s.bai", "s.bam: it has no index; run `samtools index "),
        ("t.vcf.idx", "t.vcf: it has no index; run `gatk IndexFeatureFile -I "),
    ],
)
def test_a_missing_companion(inputs: Inputs, name: str, message: str) -> None:
    (inputs.reference.parent / name).unlink()
    with pytest.raises(MissingComponent) as error:
        check(inputs)
    assert f"{inputs.reference.parent}/{message}" in str(error.value)


def test_commands_are_quoted_for_a_shell(inputs: Inputs) -> None:
    reads = inputs.reads[0].rename(inputs.reads[0].with_name("my reads.bam"))
    with pytest.raises(MissingComponent) as error:
        check(replace(inputs, reads=(reads,)))
    assert f"run `samtools index '{reads}'`" in str(error.value)


@pytest.mark.parametrize("name", ["r.fa", "s.bam", "t.vcf", "c.bed"])
def test_a_missing_file(inputs: Inputs, name: str) -> None:
    path = inputs.reference.parent / name
    path.unlink()
    with pytest.raises(FileNotFoundError) as error:
        check(inputs)
    assert error.value.filename == str(path)


def test_a_pipe_is_refused(inputs: Inputs) -> None:
    """To compute its checksum would take the bytes that GATK needs."""
    reads = inputs.reads[0]
    reads.unlink()
    os.mkfifo(reads)
    writer = os.open(reads, os.O_RDWR)  # so that opening it does not wait
    try:
        with pytest.raises(MissingComponent, match=r"s\.bam: not a regular file; ") as error:
            check(inputs)
    finally:
        os.close(writer)
    assert str(error.value).startswith(str(reads))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.vcf", "#CHROM\ntwo\t1\n", 't.vcf:2: contig "two" is not in '),
        (
            "t.vcf",
            "##contig=<ID=two>\n#CHROM\none\t1\n",
            't.vcf:3: the header has no line of contig "one"',
        ),
        ("t.vcf", "#CHROM\n", "t.vcf: it has no records"),
        ("c.bed", "@HD\tVN:1.6\n", "c.bed:1: this is an interval list; give a BED file"),
        ("c.bed", "track x\nchr1\t0\t4\n", 'c.bed:2: contig "chr1" is not in '),
        ("r.fa.fai", "one\n", "r.fa.fai:1: not a line of an index"),
    ],
)
def test_a_file_of_another_reference(inputs: Inputs, name: str, text: str, message: str) -> None:
    (inputs.reference.parent / name).write_text(text)
    with pytest.raises(FormatError) as error:
        check(inputs)
    assert message in str(error.value)


def test_a_truncated_truth(inputs: Inputs) -> None:
    truth = inputs.reference.parent / "t.vcf.gz"
    lines = b"".join(b"#%d\n" % number for number in range(100_000))
    truth.write_bytes(gzip.compress(lines)[:5000])
    truth.with_name("t.vcf.gz.tbi").write_bytes(b"x")
    with pytest.raises(FormatError, match="damaged gzip data"):
        check(replace(inputs, truth=truth))


def test_checksums_are_computed_again_only_if_a_file_changes(inputs: Inputs) -> None:
    kept = inputs.reference.parent / "sums.json"
    before = checksums(inputs.files, kept)
    assert before[str(inputs.reads[0])].startswith("2d711642b726b04401627ca9fbac32f5")
    stat = inputs.reads[0].stat()
    inputs.reads[0].write_bytes(b"y")
    os.utime(inputs.reads[0], ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert checksums(inputs.files, kept) == before
    os.utime(inputs.reads[0], ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    after = checksums(inputs.files, kept)
    assert after[str(inputs.reads[0])].startswith("a1fce4363854ff888cff4b8e7875d600")


@pytest.mark.parametrize("text", ["[]", "3", "x", '{"NAME": 3}', '{"NAME": {"sha256": 3}}'])
def test_checksums_in_another_shape_are_computed_again(inputs: Inputs, text: str) -> None:
    reads, kept = inputs.reads[0], inputs.reference.parent / "sums.json"
    kept.write_text(text.replace("NAME", str(reads)))
    assert checksums([reads], kept)[str(reads)].startswith("2d711642b726b04401627ca9fbac32f5")


def test_files_named_in_arguments_have_checksums(inputs: Inputs, tmp_path: Path) -> None:
    known = tmp_path / "known.vcf"
    known.write_text("x")
    assert known in replace(inputs, arguments=("-D", str(known), "x" * 5000)).files
