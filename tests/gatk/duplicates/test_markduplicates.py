"""MarkDuplicates with gkl-shim writes the files of stock, and fails as stock does."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gkl_shim import paths
from tests.conftest import require_tool
from tests.gatk.conftest import QUICK, Jvm, our_agent
from tests.gatk.duplicates import duplicate_reads

pytestmark = pytest.mark.gatk

GATK = "org.broadinstitute.hellbender.Main"
PICARD = "picard.cmdline.PicardCommandLine"

#: A named pipe that the commands of a JVM may write to, without its suffix.
PIPE = "pipe"

Runs = Callable[[Path, Sequence[str], bool], "Log"]


class Log:
    """What a JVM with several runs has printed."""

    def __init__(self, results: list[str], error: str) -> None:
        self.results = results
        self.ours = re.findall(r"\[gkl-shim[^]]*\] duplicates: (.*)", error)
        self.threads = [line for line in self.ours if re.fullmatch(r"\d+ threads?", line)]
        self.reasons = [line for line in self.ours if line not in self.threads]


@pytest.fixture(scope="module")
def runs(classpath: str, shared: Path) -> Runs:
    """Run commands in one JVM, with the agent or without. They write to the folder "run"."""

    def called(folder: Path, commands: Sequence[str], agent: bool) -> Log:
        (folder / "run").mkdir()
        pipe = folder / f"{PIPE}.bam"
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
        options = [our_agent()] if agent else []
        with (folder / "run" / "from_pipe").open("wb") as copy:
            reader = subprocess.Popen(["cat", str(pipe)], stdout=copy)
        try:
            jvm = Jvm(classpath, shared, "-Xmx1g", *options)
            results, log = jvm(*(command.split("\t") for command in commands))
            log += jvm.close()
        finally:
            reader.kill()
            reader.wait()
        (folder / "run").rename(folder / ("agent" if agent else "stock"))
        return Log(results, log)

    return called


def _command(folder: Path, inputs: Sequence[Path], name: str, options: str = "") -> str:
    """Return a run of GATK's MarkDuplicates."""
    output = folder / "run" / name
    words = [GATK, "MarkDuplicates", *(word for path in inputs for word in ("-I", str(path)))]
    words += ["-O", f"{output}.bam", "-M", f"{output}.txt", *options.split()]
    return "\t".join(words)


def _files(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files. Dates and command lines of metrics are left out."""
    return {
        path.name: re.sub(rb"(?m)^#.*\n", b"", path.read_bytes())
        if path.suffix == ".txt"
        else path.read_bytes()
        for path in folder.iterdir()
    }


def _compare(runs: Runs, folder: Path, commands: Sequence[str]) -> Log:
    """Run commands without and with the agent. All files and results must be equal."""
    stock, agent = runs(folder, commands, False), runs(folder, commands, True)
    assert agent.results == stock.results
    expected, found = _files(folder / "stock"), _files(folder / "agent")
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []
    return agent


def test_files_are_those_of_stock(runs: Runs, tmp_path: Path) -> None:
    """Each option once or twice, each kind of input, and Picard's own command line."""
    groups = ["A", "B", "C", "none"]
    one = duplicate_reads.write(tmp_path / "one.bam", 1, groups, templates=3000)
    two = duplicate_reads.write(tmp_path / "two.bam", 2, ["A", "B"], aligner="2", library="m")
    three = duplicate_reads.write(tmp_path / "three.bam", 3, ["D"])
    name = duplicate_reads.write(tmp_path / "name.bam", 4, ["A", "B"], grouped=True)
    other = duplicate_reads.write(tmp_path / "other.bam", 5, ["C"], grouped=True, aligner="2")
    long = duplicate_reads.long_reads(tmp_path / "long.bam", 6)
    blocks = duplicate_reads.in_odd_blocks(tmp_path / "blocks.bam", long, 7)
    umis = duplicate_reads.write(
        tmp_path / "umis.bam", 8, ["A", "B", "C"], barcodes=["", "AC", "n-N", None]
    )
    strands = duplicate_reads.write(
        tmp_path / "strands.bam", 9, ["A", "B"], barcodes=["A-C", "C-A", "-a--", None], paired=True
    )
    named = duplicate_reads.write(
        tmp_path / "named.bam", 10, ["A"], grouped=True, barcodes=["A-C", "C-A"], paired=True
    )
    many = duplicate_reads.write(tmp_path / "many.bam", 11, [f"G{k}" for k in range(300)])
    header, records = duplicate_reads.text(two)
    listed = [line for line in header if not line.startswith("@PG")] + ["@PG\tID:bwa\tCL:3"]
    unlisted = duplicate_reads.from_text(tmp_path / "unlisted.bam", listed, records)
    by_name = tmp_path / "run" / "sorted.bam"
    sort = [GATK, "SortSam", "-I", str(one), "-O", str(by_name), "-SO", "queryname"]
    picard = [PICARD, "MarkDuplicates", f"I={one}", f"O={tmp_path}/run/picard.bam"]
    grouped = "--ASSUME_SORT_ORDER queryname"
    untouched = "--CLEAR_DT false --ADD_PG_TAG_TO_READS false"
    ends = "--READ_ONE_BARCODE_TAG BX --READ_TWO_BARCODE_TAG BY"
    duplex = "--BARCODE_TAG RX --DUPLEX_UMI true --MOLECULAR_IDENTIFIER_TAG MI"
    commands = [
        "\t".join(sort),
        _command(tmp_path, [one], "plain", "--CREATE_INDEX true --CREATE_MD5_FILE true"),
        _command(tmp_path, [two], "all", "--TAGGING_POLICY All --COMMENT hello"),
        _command(tmp_path, [one], "optical", "--TAGGING_POLICY OpticalOnly"),
        _command(tmp_path, [one], "removed", "--REMOVE_DUPLICATES true --PROGRAM_RECORD_ID bwa"),
        _command(tmp_path, [one], "sequencing", "--REMOVE_SEQUENCING_DUPLICATES true"),
        _command(tmp_path, [one], "names", r"--READ_NAME_REGEX .*:([0-9]+):([0-9]+):([0-9]+)$"),
        _command(tmp_path, [two], "no_names", "--READ_NAME_REGEX null --PROGRAM_RECORD_ID null"),
        _command(
            tmp_path,
            [one],
            "length",
            "--DUPLICATE_SCORING_STRATEGY TOTAL_MAPPED_REFERENCE_LENGTH "
            "--OPTICAL_DUPLICATE_PIXEL_DISTANCE 2500 --ADD_PG_TAG_TO_READS false",
        ),
        _command(tmp_path, [by_name], "by_name", "--TAGGING_POLICY All"),
        _command(tmp_path, [long], "long"),
        _command(tmp_path, [blocks, long], "blocks", "--TAGGING_POLICY All"),
        _command(tmp_path, [name], "grouped", f"{grouped} --REMOVE_SEQUENCING_DUPLICATES true"),
        _command(tmp_path, [one, three], "merged", "--TAGGING_POLICY All"),
        _command(tmp_path, [two, one, three], "renamed", "--CREATE_INDEX true"),
        _command(tmp_path, [many, two], "groups", "--TAGGING_POLICY All"),
        _command(tmp_path, [unlisted], "unlisted"),
        _command(tmp_path, [one, unlisted], "unlisted_renamed", "--TAGGING_POLICY All"),
        _command(tmp_path, [one, unlisted], "unlisted_kept", untouched),
        _command(tmp_path, [two, one], "unset", "--ADD_PG_TAG_TO_READS false"),
        _command(tmp_path, [name, other], "merged_names", grouped),
        _command(tmp_path, [one], "kept", "--CLEAR_DT false --TAGGING_POLICY OpticalOnly"),
        _command(tmp_path, [one, three], "kept_merged", f"{untouched} --TAGGING_POLICY All"),
        _command(tmp_path, [two, one], "kept_renamed", f"{untouched} --CREATE_INDEX true"),
        _command(tmp_path, [name], "kept_names", f"{grouped} {untouched}"),
        _command(
            tmp_path,
            [umis],
            "barcodes",
            "--BARCODE_TAG RX --MOLECULAR_IDENTIFIER_TAG RX --TAGGING_POLICY All",
        ),
        _command(tmp_path, [umis], "ends", f"{ends} --REMOVE_DUPLICATES true"),
        _command(tmp_path, [umis], "molecules", "--BARCODE_TAG RX --MOLECULAR_IDENTIFIER_TAG XM"),
        _command(tmp_path, [strands], "duplex", f"{duplex} {ends} --CREATE_INDEX true"),
        _command(tmp_path, [named], "duplex_names", f"{duplex} {grouped} {untouched}"),
        _command(tmp_path, [strands, umis], "merged_umis", f"--BARCODE_TAG RX {ends}"),
        "\t".join([*picard, f"M={tmp_path}/run/picard.txt", "TAGGING_POLICY=All"]),
    ]
    log = _compare(runs, tmp_path, commands)
    assert log.reasons == []
    assert len(log.threads) == len(commands) - 1
    header, records = duplicate_reads.text(tmp_path / "stock" / "all.bam")
    assert sum("DT:Z:SQ" in record for record in records) > 2
    assert sum("DT:Z:LB" in record for record in records) > 100
    assert sum(line.startswith("@PG\tID:MarkDuplicates.") for line in header) > 2
    singles = [record.split("\t") for record in records if "\tthree\t" in record]
    flags = [int(fields[1]) for fields in singles if not int(fields[1]) & 1]
    assert {bool(flag & 1024) for flag in flags} == {False, True}


def test_faulty_input_and_other_options_are_picards(runs: Runs, tmp_path: Path) -> None:
    """Errors and what is left of the output are stock's, and the log names each reason."""
    good = duplicate_reads.write(tmp_path / "good.bam", 1, ["A", "B"])
    many = duplicate_reads.write(tmp_path / "many.bam", 2, ["A"], templates=4000)
    content = good.read_bytes()
    cut = tmp_path / "cut.bam"
    cut.write_bytes(content[: len(content) // 2])
    header, records = duplicate_reads.text(good)
    middle = len(records) // 2

    def changed(name: str, number: int, edit: Callable[[str], str]) -> Path:
        lines = [*records[:number], edit(records[number]), *records[number + 1 :]]
        return duplicate_reads.from_text(tmp_path / f"{name}.bam", header, lines)

    def ungrouped(line: str) -> str:
        return re.sub(r"\tRG:Z:\w+", "", line)

    paired = next(k for k, line in enumerate(records) if int(line.split("\t")[1]) & 9 == 1)
    # htsjdk's thread that writes finds this fault. If Picard could queue all later records before,
    # it would close the file like a whole one: sometimes there would be an MD5 file.
    many_header, sorted_records = duplicate_reads.text(many)
    swapped = [sorted_records[len(sorted_records) // 2], *sorted_records]
    unsorted = duplicate_reads.from_text(tmp_path / "unsorted.bam", many_header, swapped)
    unplaced = changed(
        "unplaced", len(records) - 1, lambda line: line.replace("\t*\t0\t0\t", "\t*\t0\t9\t", 1)
    )
    # Picard finds this fault before it opens the output, if it is not too far from the first read.
    first = next(k for k, line in enumerate(records) if line.split("\t")[2] == "*")
    ahead, ahead_by_two, ahead_by_three = (
        changed(f"ahead{k}", first + k, lambda line: line.replace("\t*\t0\t0\t", "\t*\t0\t9\t", 1))
        for k in (1, 2, 3)
    )
    # The same, where this record is the first one of the second batch of 256 KiB.
    tail = f"\t*\t0\t0\t{'ACGT' * 5}\t{'I' * 20}\tRG:Z:A"
    edge_lines = [f"r{k:06}\t0\tone\t{1 + k // 2}\t60\t20M{tail}" for k in range(3157)]
    edge_lines += [f"s{k:06}\t4\t*\t0\t{9 * (k == 1)}\t*{tail}" for k in range(3)]
    edge = duplicate_reads.from_text(tmp_path / "edge.bam", header, edge_lines)
    unknown = changed("unknown", middle, lambda line: re.sub("RG:Z:[AB]", "RG:Z:Q", line))
    no_group = changed("no_group", paired, ungrouped)
    short = [line.replace("LN:2000", "LN:500") for line in header]
    beyond = duplicate_reads.from_text(tmp_path / "beyond.bam", short, records)
    lenient = "--VALIDATION_STRINGENCY LENIENT"
    commands = [
        _command(tmp_path, [cut], "cut"),
        _command(tmp_path, [unsorted], "unsorted", "--CREATE_MD5_FILE true"),
        _command(tmp_path, [unplaced], "unplaced"),
        _command(tmp_path, [ahead], "ahead"),
        _command(tmp_path, [edge], "edge"),
        _command(tmp_path, [ahead_by_two], "after"),
        _command(tmp_path, [many, ahead], "merged"),
        _command(tmp_path, [ahead_by_two, many], "merged_by_two"),
        _command(tmp_path, [many, ahead_by_three], "merged_after"),
        _command(tmp_path, [unknown], "unknown"),
        _command(tmp_path, [no_group], "no_group"),
        _command(tmp_path, [beyond], "beyond", lenient),
        _command(tmp_path, [unplaced], "lenient", lenient),
        _command(tmp_path, [tmp_path / "absent.bam"], "absent"),
        _command(tmp_path, [good], "absent/folder"),
        _command(tmp_path, [good], "random", "--DUPLICATE_SCORING_STRATEGY RANDOM"),
        _command(tmp_path, [good], "members", "--TAG_DUPLICATE_SET_MEMBERS true"),
        _command(tmp_path, [good], "barcodes", "--READ_ONE_BARCODE_TAG PG"),
        _command(tmp_path, [good], f"../{PIPE}"),
        _command(tmp_path, [good], "whole"),
        _command(tmp_path, [tmp_path / "run" / "whole.bam"], "whole"),
        "limit\t40000",
        _command(tmp_path, [good], "full_at_end"),
        _command(tmp_path, [many], "full"),
    ]
    log = _compare(runs, tmp_path, commands)
    assert sum(line.startswith("threw: ") for line in log.results) == 16
    assert "File too large" in log.results[-2]
    assert "Write error" in log.results[-1]
    assert len(log.reasons) == 18
    assert all(line.startswith("Picard's own code is used: ") for line in log.reasons)


@pytest.mark.parametrize("setting", ["library", "backend"])
def test_picard_marks_without_our_native_library(
    classpath: str, tmp_path: Path, setting: str
) -> None:
    reads = duplicate_reads.write(tmp_path / "reads.bam", 1, ["A"], templates=50)
    (tmp_path / "run").mkdir()
    words = _command(tmp_path, [reads], "marked").split("\t")
    library = tmp_path / "foreign.so"
    build = [require_tool("cc"), "-shared", "-x", "c", "/dev/null", "-o", str(library)]
    subprocess.run(build, check=True)
    value = {"library": str(library), "backend": "off"}[setting]
    options = [our_agent(), f"-Dgkl.shim.{setting}={value}"]
    command = [require_tool("java"), *QUICK, *options, "-Xmx1g", "-cp", classpath, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    [line] = Log([], done.stderr).reasons
    if setting == "library":
        assert line.startswith(
            "Picard's own code is used: the native library: gkl.shim.library names "
            f"{library}, which is not a library of gkl-shim for Java: it has no 'void "
        )
    else:
        assert line == "Picard's own code is used: gkl.shim.backend=off"
    _, records = duplicate_reads.text(tmp_path / "run" / "marked.bam")
    assert any(int(record.split("\t")[1]) & 1024 for record in records)


def test_a_signal_ends_the_run_as_without_the_agent(classpath: str, tmp_path: Path) -> None:
    header = ["@HD\tVN:1.6\tSO:coordinate", "@SQ\tSN:one\tLN:1000000", "@RG\tID:A\tSM:s\tLB:l"]
    tail = f"60\t20M\t*\t0\t0\t{'ACGT' * 5}\t{'I' * 20}\tRG:Z:A"
    lines = [f"r{k}\t0\tone\t{1 + k // 2}\t{tail}" for k in range(600_000)]
    reads = duplicate_reads.from_text(tmp_path / "reads.bam", header, lines)
    (tmp_path / "run").mkdir()
    words = _command(tmp_path, [reads], "marked", "--CREATE_INDEX true").split("\t")
    agent = our_agent()
    command = [require_tool("java"), *QUICK, agent, "-Xmx1g", "-cp", classpath, *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace") as running:
        assert running.stderr is not None
        log = []
        for line in running.stderr:
            log.append(line)
            if "Reads are assumed to be ordered by" in line:
                running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 128 + signal.SIGINT, "".join(log)[-3000:]
    assert not (tmp_path / "run" / "marked.txt").exists()
    assert "Picard's own code" not in "".join(log)


def test_parts_find_what_picard_and_plain_maps_find(
    classpath: str, checks: Path, tmp_path: Path
) -> None:
    command = [require_tool("java"), *QUICK, "-cp", f"{classpath}:{paths.agent_jar()}:{checks}"]
    command += ["org.gklshim.gatk.duplicates.finding.DuplicatesChecks", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        "names: true",
        *(f"rows of {width}, files left: 0" for width in (1, 4, 5)),
        "mates: true",
        "hashes: true",
        "bins: true",
        "sums: true",
        "faults: true",
        "barcodes: true",
        "runs: true",
    ]
