"""PrintReads: files, counts of filtered reads and errors are stock GATK's."""

from __future__ import annotations

import gzip
import random
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pysam
import pytest

from gkl_shim.gatk import data
from tests.conftest import require_tool
from tests.gatk.conftest import our_agent
from tests.gatk.recalibration import recalibration_reads
from tests.gatk.recalibration.test_recalibration import errors

pytestmark = pytest.mark.gatk

UNFILTERED = "--disable-tool-default-read-filters"
#: The options of runs, and whether records are copied as bytes.
RUNS = {
    "default": ("", True),
    "all": ("--disable-tool-default-read-filters --create-output-bam-index false", True),
    "filtered": (
        "-RF MappingQualityReadFilter --minimum-mapping-quality 20 --maximum-mapping-quality 100 "
        "-RF NotDuplicateReadFilter -RF MateOnSameContigOrNoMappedMateReadFilter "
        "-RF GoodCigarReadFilter -RF NonZeroReferenceLengthAlignmentReadFilter",
        True,
    ),
    "pairs": (
        "-RF PairedReadFilter -RF FirstOfPairReadFilter -RF NotProperlyPairedReadFilter "
        "-RF NonZeroFragmentLengthReadFilter -RF MappedReadFilter",
        True,
    ),
    "lines": (
        "--disable-tool-default-read-filters -RF PrimaryLineReadFilter -RF SeqIsStoredReadFilter "
        "-RF PassesVendorQualityCheckReadFilter -RF MatchingBasesAndQualsReadFilter "
        "-RF HasReadGroupReadFilter -RF ReadLengthEqualsCigarLengthReadFilter",
        True,
    ),
    "inverted": ("-XRF MappedReadFilter", False),
    "interval": ("-L one:500-3000 -L two", True),
}


def bam(path: Path, content: bytes) -> Path:
    """Compress the content of a BAM file."""
    with pysam.BGZFile(str(path), "wb") as file:
        file.write(content)
    return path


def split(content: bytes) -> tuple[bytes, list[bytes]]:
    """Divide the content of a BAM file into its header and its records."""
    (text,) = struct.unpack_from("<i", content, 4)
    place = 8 + text
    (sequences,) = struct.unpack_from("<i", content, place)
    place += 4
    for _ in range(sequences):
        place += 8 + struct.unpack_from("<i", content, place)[0]
    header, records = content[:place], []
    while place < len(content):
        end = place + 4 + struct.unpack_from("<i", content, place)[0]
        records.append(content[place:end])
        place = end
    return header, records


def beyond_the_contig(records: list[bytes]) -> list[bytes]:
    """Move mapped reads, so that some end behind the contig, and some begin there."""
    moved = []
    for record in records:
        reference, position = struct.unpack_from("<ii", record, 4)
        flag = struct.unpack_from("<H", record, 18)[0]
        if reference == 0 and position > 8700 and not flag & 4:
            record = record[:8] + struct.pack("<i", position + 250) + record[12:]
        moved.append(record)
    return moved


def inputs(sample: data.Sample, folder: Path) -> dict[str, Path]:
    """Write files that can be read."""
    content = gzip.decompress(sample.reads.read_bytes())
    header, records = split(content)
    assert len(records) > 2000
    unsorted = header.replace(b"SO:coordinate", b"SO:unknown   ", 1)
    shuffled = random.Random(1).sample(records, len(records))
    text = header.replace(b"@RG", b"@CO")
    return {
        "odd": sample.reads,
        "empty": bam(folder / "empty.bam", header),
        "unsorted": bam(folder / "unsorted.bam", unsorted + b"".join(shuffled)),
        "no groups": bam(folder / "groups.bam", text + content[len(text) :]),
        "beyond": bam(folder / "beyond.bam", header + b"".join(beyond_the_contig(records))),
    }


def cigar_in_a_tag(neighbour: bytes) -> bytes:
    """Return a record at the place of another one, with a short CIGAR where a long one is put."""
    body = neighbour[4:12] + struct.pack("<BBHHHiiii", 2, 60, 0, 2, 0, 20, -1, -1, 0) + b"r\0"
    body += struct.pack("<II", 20 << 4 | 4, 20 << 4 | 3) + bytes([17] * 10 + [30] * 20)
    body += b"CGBI" + struct.pack("<II", 1, 20 << 4)
    return struct.pack("<i", len(body)) + body


def damaged(sample: data.Sample, folder: Path) -> dict[str, Path]:
    """Write files that end a run."""
    whole = sample.reads.read_bytes()
    header, records = split(gzip.decompress(whole))
    starts = [place.start() for place in re.finditer(rb"\x1f\x8b\x08\x04.{8}BC", whole, re.S)]
    assert len(starts) > 5
    middle, later = starts[2], starts[4]
    files = {
        "cut": whole[:-20_000],
        "cut between blocks": whole[:later],
        "no end": whole[: starts[-1]],
        "end in the middle": whole[:later] + whole[starts[-1] :] + whole[later:],
        "corrupt": whole[: middle + 500] + bytes(40) + whole[middle + 540 :],
        "no block": whole[:middle] + bytes(20) + whole[middle + 20 :],
    }
    half = len(records) // 2
    for name, size in (("small", 7), ("large", 1 << 22), ("negative", -5)):
        record = struct.pack("<i", size) + records[half][4:]
        changed = [*records[:half], record, *records[half + 1 :]]
        files[f"{name} size"] = bam(folder / "made.bam", header + b"".join(changed)).read_bytes()
    for name, place, value in (("sequence", 4, 77), ("mate", 24, 77), ("length", 20, 1 << 20)):
        record = records[half][:place] + struct.pack("<i", value) + records[half][place + 4 :]
        changed = [*records[:half], record, *records[half + 1 :]]
        files[name] = bam(folder / "made.bam", header + b"".join(changed)).read_bytes()
    with_tag = [*records[:half], cigar_in_a_tag(records[half]), *records[half:]]
    files["cigar"] = bam(folder / "made.bam", header + b"".join(with_tag)).read_bytes()
    swapped = [*records[:half], records[half + 300], *records[half:]]
    files["order"] = bam(folder / "made.bam", header + b"".join(swapped)).read_bytes()
    result = {}
    for name, content in files.items():
        result[name] = folder / f"{name.replace(' ', '-')}.bam"
        result[name].write_bytes(content)
    return result


def said(log: str) -> list[str]:
    """Return the counts of reads in a log."""
    return re.findall(r"\d+ (?:read\(s\)|total reads) filtered.*|Processed \d+ total", log)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> data.Sample:
    return recalibration_reads.write(tmp_path_factory.mktemp("printed"), 21, count=4000)


def printing(reads: Path, output: Path, options: str = "") -> list[str]:
    command = ["PrintReads", "-I", str(reads), "-O", str(output)]
    return [*command, "--add-output-sam-program-record", "false", *options.split()]


def test_files_are_stocks(
    sample: data.Sample, in_one_jvm: Callable[..., str], tmp_path: Path
) -> None:
    files = inputs(sample, tmp_path)
    runs = [(sample.reads, *run) for run in RUNS.values()]
    runs += [(path, "--create-output-bam-md5", True) for path in files.values()]
    runs += [(path, "--disable-tool-default-read-filters", True) for path in files.values()]
    logs, folders = {}, {}
    for way in ("stock", "1", "3"):
        folder = folders[way] = tmp_path / way
        folder.mkdir()
        commands = [
            printing(reads, folder / f"{number}.bam", options)
            for number, (reads, options, _) in enumerate(runs)
        ]
        commands.append(printing(sample.reads, folder / "text.sam"))
        agent = [our_agent(), f"-Dgkl.shim.threads={way}"]
        # The class of GATK that calls us serves recalibration, too.
        agent += ["-Dgkl.shim.recalibration=off"] if way == "3" else []
        logs[way] = in_one_jvm(commands, *(agent if way != "stock" else ()))
    stock = {path.name: path for path in folders["stock"].iterdir()}
    assert len(stock) > 2 * len(runs)
    for way in ("1", "3"):
        assert said(logs[way]) == said(logs["stock"])
        copied = logs[way].count("records: copied without decoding")
        assert copied == sum(is_copied for *_, is_copied in runs)
        for reason in (r"\S+Negate", "an output that is not BAM"):
            assert len(re.findall(f"GATK's own code is used: {reason}", logs[way])) == 1
        assert {path.name for path in folders[way].iterdir()} == set(stock)
        for name, path in stock.items():
            ours = folders[way] / name
            if name.endswith(".bam"):
                contents = [gzip.decompress(file.read_bytes()) for file in (path, ours)]
                assert contents[0] == contents[1], (way, name)
            elif name.endswith(".md5"):
                digest = ["md5sum", str(ours.with_suffix(""))]
                expected = subprocess.run(digest, capture_output=True, text=True, check=True)
                assert expected.stdout.split()[0] == ours.read_text(), (way, name)
            elif name.endswith(".bai"):
                bams = (file.with_suffix(".bam").read_bytes() for file in (path, ours))
                # The blocks of some runs differ, with the same content.
                assert ours.read_bytes() == path.read_bytes() or len(set(bams)) == 2, (way, name)
            else:
                assert ours.read_text() == path.read_text(), (way, name)
    sizes = {path.stat().st_size for path in folders["stock"].glob("*.bam")}
    assert len(sizes) > len(RUNS)


def test_runs_that_fail_say_and_leave_what_stocks_do(
    sample: data.Sample, in_one_jvm: Callable[..., str], tmp_path: Path
) -> None:
    files = damaged(sample, tmp_path)
    ends_early = {"cut between blocks", "no end", "end in the middle"}
    results = {}
    for way in ("stock", "1", "3"):
        folder = tmp_path / way
        folder.mkdir()
        commands = [
            printing(path, folder / path.name, UNFILTERED if name == "cigar" else "")
            for name, path in files.items()
        ]
        agent = (our_agent(), f"-Dgkl.shim.threads={way}")
        failures = len(commands) - len(ends_early)
        log = in_one_jvm(commands, *(agent if way != "stock" else ()), failures=failures)
        if way != "stock":
            assert log.count("records: copied without decoding") == len(commands)
        # The last run fails in the writer's thread, and may read all its input before that shows.
        counts = said(log)[: 2 * len(ends_early)]
        results[way] = (errors(log.replace(str(folder), "")), counts)
        for name, path in files.items():
            left = (folder / path.name).read_bytes()
            is_whole = left.endswith(bytes.fromhex("1b0003") + bytes(9))
            # htsjdk completes the file if the input ends a run, and may do so if the output does.
            if name == "order":
                assert not is_whole or way == "stock", way
            else:
                assert is_whole, (way, name)
                content = gzip.decompress(left)
                results[way] += (content,)
    assert results["1"] == results["stock"]
    assert results["3"] == results["stock"]
    assert len(set(results["stock"][0])) > 6


def test_other_inputs_are_left_to_gatk(
    sample: data.Sample, in_one_jvm: Callable[..., str], tmp_path: Path
) -> None:
    """A file that is sorted by name, not in htsjdk's order, several files, and a text file."""
    samtools = require_tool("samtools")
    by_name, text, copy = (tmp_path / name for name in ("name.bam", "text.sam", "copy.bam"))
    copy.write_bytes(sample.reads.read_bytes())
    subprocess.run([samtools, "sort", "-n", "-o", by_name, sample.reads], check=True)
    subprocess.run([samtools, "view", "-h", "-o", text, sample.reads], check=True)
    results = []
    for way in ("stock", "ours"):
        folder = tmp_path / way
        folder.mkdir()
        commands = [
            printing(by_name, folder / "name.bam"),
            printing(text, folder / "text.bam"),
            printing(sample.reads, folder / "two.bam", f"-I {copy}"),
        ]
        agent = (our_agent(), "-Dgkl.shim.threads=2")
        log = in_one_jvm(commands, *(agent if way == "ours" else ()), failures=1)
        assert log.count("records: GATK's own code is used") == (3 if way == "ours" else 0)
        bams = [gzip.decompress((folder / f"{name}.bam").read_bytes()) for name in ("text", "two")]
        results.append((errors(log.replace(str(folder), "")), said(log), bams))
    assert results[0] == results[1]
