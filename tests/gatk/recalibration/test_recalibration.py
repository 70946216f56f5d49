"""Base quality score recalibration in arrays and threads: stock's reports and BAM files."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from gkl_shim.gatk import data
from tests.conftest import alone, once, require_tool
from tests.gatk.conftest import our_agent
from tests.gatk.recalibration import recalibration_reads

pytestmark = pytest.mark.gatk

AGENT = our_agent()
THREE = {"gkl.shim.threads": "3"}

#: Options of BaseRecalibrator. {0} is the sample's folder.
COUNTING = {
    "plain": "",
    "bed": "--known-sites {0}/sites.bed",
    "context": "--mismatches-context-size 5 --indels-context-size 4",
    "tail": "--low-quality-tail 11 --preserve-qscores-less-than 2 --mismatches-context-size 1 "
    "--default-base-qualities 20 --force-platform solid --quantizing-levels 5",
    "low": "--preserve-qscores-less-than 0",
    "intervals": "-L one:100-3000 -L two -ip 20",
    "filters": "--disable-read-filter NotDuplicateReadFilter "
    "--disable-read-filter MappingQualityNotZeroReadFilter",
    "another-filter": "--read-filter ReadLengthReadFilter --max-read-length 90",
    "original": "--use-original-qualities",
    "indels": "--compute-indel-bqsr-tables",
}
#: Those with which GATK does all the work.
GATKS_OWN = {"indels": "--compute-indel-bqsr-tables"}


def counting(sample: data.Sample, output: Path, options: str = "") -> list[str]:
    """Return a command of BaseRecalibrator."""
    folder = sample.reads.parent
    files = ("-R", sample.reference, "-I", sample.reads, "--known-sites", folder / "sites.vcf")
    words = options.format(folder).split()
    return ["BaseRecalibrator", *map(str, files), "-O", str(output), *words]


def index(sample: data.Sample) -> list[list[str]]:
    folder = sample.reads.parent
    return [["IndexFeatureFile", "-I", str(folder / f"sites.{end}")] for end in ("vcf", "bed")]


@pytest.fixture(scope="session")
def reads(shared: Path) -> data.Sample:
    return once(shared / "recalibration", lambda folder: recalibration_reads.write(folder, 1))


@pytest.fixture(scope="session")
def stocks(reads: data.Sample, in_one_jvm: Callable[..., str], shared: Path) -> Path:
    """A folder with stock's reports, and its log."""

    def make(folder: Path) -> Path:
        commands = [*index(reads)]
        commands += [counting(reads, folder / n, options) for n, options in COUNTING.items()]
        (folder / "log").write_text(in_one_jvm(commands))
        return folder

    return once(shared / "recalibration-stock", make)


def said(log: str) -> list[str]:
    """Return what a log says of filtered, of recalibrated and of faulty reads."""
    patterns = (r"\d+ read.* filtered .*|able to recalibrate .*", "Ignoring SAM validation error.*")
    return re.findall(patterns[0], log) + sorted(re.findall(patterns[1], log))


def test_reports_are_stocks(
    reads: data.Sample, stocks: Path, in_one_jvm: Callable[..., str], tmp_path: Path
) -> None:
    commands = [counting(reads, tmp_path / name, words) for name, words in COUNTING.items()]
    log = in_one_jvm(commands, AGENT, properties=THREE)
    for name in COUNTING:
        assert (tmp_path / name).read_bytes() == (stocks / name).read_bytes(), name
    assert log.count("recalibration: 3 threads") == len(COUNTING) - len(GATKS_OWN)
    for reason in GATKS_OWN.values():
        assert f"recalibration: GATK's own code is used: {reason}" in log
    assert said(log) == said((stocks / "log").read_text())
    assert len(set(said(log))) > 10


#: Read groups, the number of reads, their length, options, and a heap that stock needs, in MB.
HEAPS = {
    "groups": (300, 3000, 20, "", 250),
    "cycles": (4, 4000, 150, "--maximum-cycle-value 100000", 400),
}


@pytest.mark.parametrize("name", HEAPS)
def test_counts_fit_into_stocks_heap(
    in_one_jvm: Callable[..., str], tmp_path: Path, name: str
) -> None:
    groups, count, length, options, heap = HEAPS[name]
    made = recalibration_reads.write_groups(tmp_path, groups=groups, count=count, length=length)
    tables = tmp_path / "stock.table", tmp_path / "our.table"
    in_one_jvm([index(made)[0], counting(made, tables[0], options)], f"-Xmx{heap}m")
    log = in_one_jvm(
        [counting(made, tables[1], options)], AGENT, f"-Xmx{heap * 11 // 10}m",
        properties={"gkl.shim.threads": "16"},
    )  # fmt: skip
    assert tables[1].read_bytes() == tables[0].read_bytes()
    said = "the heap is small for the counts of 16 threads: they go to GATK's tables on the way"
    assert log.count(said) == (name == "groups")
    assert "recalibration: 16 threads" in log


#: Options of ApplyBQSR, and the name of its output.
APPLYING = {
    "plain.bam": "--create-output-bam-md5",
    "levels.bam": "--quantize-quals 4",
    "no-levels.bam": "--quantize-quals 0 --create-output-bam-index false",
    "static.bam": "--static-quantized-quals 20 --static-quantized-quals 10",
    "down.bam": "--static-quantized-quals 10 --static-quantized-quals 30 --round-down-quantized",
    "one.bam": "--static-quantized-quals 25 --global-qscore-prior 15.5",
    "low.bam": "--preserve-qscores-less-than 2",
    "emit.bam": "--emit-original-quals",
    "text.sam": "--emit-original-quals",
    "original.bam": "--use-original-qualities --emit-original-quals",
    "original-from-text.bam": "--use-original-qualities -I {0}/reads.sorted.sam",
    "intervals.bam": "-L one:100-3000 -L two",
    "missing.bam": "--allow-missing-read-group -bqsr {0}/other.table",
    "filters.bam": "--read-filter NotDuplicateReadFilter",
    "another-filter.bam": "--read-filter ReadLengthReadFilter --max-read-length 90",
    "lenient.bam": "--read-validation-stringency LENIENT",
    "from-text.bam": "--emit-original-quals -I {0}/reads.sorted.sam",
    "from-cram.bam": "--emit-original-quals -I {0}/reads.cram",
    "cram.cram": "-I {0}/reads.cram",
    "two.bam": "-I {0}/reads.bam -I {0}/reads.sorted.sam",
}


def applying(sample: data.Sample, table: Path, output: Path, options: str) -> list[str]:
    """Return a command of ApplyBQSR. The options may name other files."""
    words = options.format(sample.reads.parent).split()
    words += [] if "-I" in words else ["-I", str(sample.reads)]
    words += [] if "-bqsr" in words else ["-bqsr", str(table)]
    return ["ApplyBQSR", "-R", str(sample.reference), "-O", str(output), *words]


@pytest.fixture(scope="session")
def stocks_reads(
    reads: data.Sample, stocks: Path, in_one_jvm: Callable[..., str], shared: Path
) -> Path:
    """A folder with stock's BAM files, and its log. Their headers name a folder that is gone."""
    folder = reads.reads.parent

    def make(made: Path) -> Path:
        text = folder / "reads.sorted.sam"
        words = [require_tool("samtools"), "view", "-h", "-o", str(text), str(reads.reads)]
        subprocess.run(words, check=True)
        words = [words[0], "view", "-C", "-T", str(reads.reference), "--write-index", "-o"]
        subprocess.run([*words, str(folder / "reads.cram"), str(reads.reads)], check=True)
        table = (stocks / "plain").read_text().replace("\nunit ", "\nelse ")
        (folder / "other.table").write_text(table)
        apply_all(reads, stocks, in_one_jvm, made, APPLYING)
        return made

    return once(shared / "recalibration-stock-reads", make)


def apply_all(
    sample: data.Sample,
    stocks: Path,
    in_one_jvm: Callable[..., str],
    folder: Path,
    runs: dict[str, str],
    *java: str,
    others: Sequence[list[str]] = (),
    **how: Any,
) -> str:
    """Run other commands and ApplyBQSR, and move its output to a folder. Return the log.

    The headers have the command with the output's name, so all runs write to the same folder.
    """
    folder.mkdir(exist_ok=True)
    place = stocks.parent / "recalibrated"
    with alone(stocks.parent / "recalibrated-lock"):
        place.mkdir()
        commands = [
            applying(sample, stocks / "plain", place / n, options) for n, options in runs.items()
        ]
        log = in_one_jvm([*others, *commands], *java, **how)
        for path in list(place.iterdir()):
            path.rename(folder / path.name)
        place.rmdir()
    (folder / "log").write_text(log)
    return log


def test_recalibrated_reads_are_stocks(
    reads: data.Sample,
    stocks: Path,
    stocks_reads: Path,
    in_one_jvm: Callable[..., str],
    tmp_path: Path,
) -> None:
    log = apply_all(reads, stocks, in_one_jvm, tmp_path, APPLYING, AGENT, properties=THREE)
    made = sorted(path.name for path in tmp_path.iterdir() if path.name != "log")
    assert made == sorted(path.name for path in stocks_reads.glob("*.*"))
    for name in made:
        assert (tmp_path / name).read_bytes() == (stocks_reads / name).read_bytes(), name
    assert log.count("recalibration: 3 threads") == len(APPLYING)
    assert said(log) == said((stocks_reads / "log").read_text())
    sizes = {path.stat().st_size for path in tmp_path.glob("*.bam")}
    assert len(sizes) >= len(APPLYING) - 3


def test_one_thread_writes_what_stock_writes(
    reads: data.Sample,
    stocks: Path,
    stocks_reads: Path,
    in_one_jvm: Callable[..., str],
    tmp_path: Path,
) -> None:
    tables, bams = ("plain", "original"), ("plain.bam", "original.bam")
    others = [counting(reads, tmp_path / name, COUNTING[name]) for name in tables]
    runs = {name: APPLYING[name] for name in bams}
    # The class of GATK that calls us serves copies of records, too, which are off.
    options = (AGENT, "-Dgkl.shim.threads=1", "-Dgkl.shim.reads=off")
    log = apply_all(reads, stocks, in_one_jvm, tmp_path, runs, *options, others=others)
    assert log.count("recalibration: one thread") == len(others) + len(runs)
    for folder, names in ((stocks, tables), (stocks_reads, bams)):
        for name in names:
            assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def damaged(sample: data.Sample, folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the options of runs that fail: with a file that is cut off, a header without
    platforms, reads that are too long, original qualities that are too few, and a broken line among
    the known sites."""
    cut = folder / "cut.bam"
    cut.write_bytes(sample.reads.read_bytes()[:-20_000])
    samtools = require_tool("samtools")
    text = subprocess.run(
        [samtools, "view", "-h", str(sample.reads)], capture_output=True, text=True, check=True
    ).stdout
    # No read that would be left to GATK for another reason.
    kept = [
        line
        for line in text.splitlines()
        if line[0] == "@"
        or (re.fullmatch(r"\d+M", line.split("\t")[5]) and not re.search(r":[HB]:", line))
    ]
    assert sum(line[0] != "@" for line in kept) > 50
    bare, few = folder / "bare.bam", folder / "few.bam"
    no_platform = [line.replace("\tPL:ILLUMINA", "") for line in kept]
    original = [
        re.sub(r"\tOQ:Z:[^\t]*", "", line) + "\tOQ:Z:III" * (line[0] != "@") for line in kept
    ]
    for path, changed in ((bare, no_platform), (few, original)):
        command = [samtools, "view", "-b", "-o", str(path), "-"]
        subprocess.run(command, input="\n".join(changed) + "\n", text=True, check=True)
        subprocess.run([samtools, "index", str(path)], check=True)
    lines = (sample.reads.parent / "sites.vcf").read_text().splitlines()
    lines[len(lines) // 2] = lines[len(lines) // 2].replace("\t", " ", 3)
    broken = folder / "broken.vcf"
    broken.write_text("\n".join(lines) + "\n")
    (folder / "broken.vcf.idx").write_bytes((sample.reads.parent / "sites.vcf.idx").read_bytes())
    return {
        "cut": ("-I", str(cut)),
        "platform": ("-I", str(bare)),
        "long": ("-I", str(sample.reads), "--maximum-cycle-value", "60"),
        "few": ("-I", str(few), "--use-original-qualities"),
        "sites": ("-I", str(sample.reads), "--known-sites", str(broken)),
    }


def errors(log: str) -> list[str]:
    """Return the exceptions of a log, with their messages. The numbers of lines are left out: they
    count all lines that were read until then, some of them several times."""
    log = re.sub(r"Line \d+:", "Line:", log)
    return re.findall(
        r"^(?:[a-z]+\.)+[A-Za-z$]*(?:Exception|Error|UserException\$\w+)\b.*", log, re.M
    )


def test_runs_that_fail_say_and_leave_what_stocks_do(
    reads: data.Sample,
    stocks: Path,
    stocks_reads: Path,
    in_one_jvm: Callable[..., str],
    tmp_path: Path,
) -> None:
    """ApplyBQSR's input is cut off, or a read group is not in the table."""
    assert stocks_reads.is_dir()
    files = ("-R", str(reads.reference), "--known-sites", str(reads.reads.parent / "sites.vcf"))
    others = [
        ["BaseRecalibrator", *files, "-O", str(tmp_path / "table"), *options]
        for options in damaged(reads, tmp_path).values()
    ]
    runs = {"cut.bam": f"-I {tmp_path}/cut.bam", "missing.bam": "-bqsr {0}/other.table"}
    count = len(others) + len(runs)
    stock, ours = (
        apply_all(
            reads, stocks, in_one_jvm, folder, runs, *agents, others=others, failures=count,
            properties=properties,
        )
        for folder, agents, properties in (
            (tmp_path / "stock", (), {}),
            (tmp_path / "ours", (AGENT,), THREE),
        )
    )  # fmt: skip
    assert errors(ours) == errors(stock)
    # Both tools name the file that is cut off.
    assert len(set(errors(stock))) == count - 1
    assert ours.count("recalibration: 3 threads") == count - 1
    assert "recalibration: one thread: a read group without a platform" in ours
    for name in runs:
        left = [(tmp_path / way / name).read_bytes() for way in ("stock", "ours")]
        assert left[0] == left[1], name
    assert (tmp_path / "ours" / "cut.bam").stat().st_size > 50_000


@pytest.fixture(scope="module")
def trouble(checks: Path) -> str:
    """The option of an agent that makes our threads sleep or fail."""
    package = "org/gklshim/gatk/recalibration"
    return f"-javaagent:{checks}={package}/ReadArrays,take,{package}/RecalibrationTroubleCalls"


def test_threads_that_sleep_at_random_change_nothing(
    reads: data.Sample,
    stocks: Path,
    stocks_reads: Path,
    in_one_jvm: Callable[..., str],
    trouble: str,
    tmp_path: Path,
) -> None:
    runs = {name: APPLYING[name] for name in ("plain.bam", "another-filter.bam")}
    table = tmp_path / "table"
    log = apply_all(
        reads, stocks, in_one_jvm, tmp_path, runs, AGENT, trouble, others=[counting(reads, table)],
        properties={"gkl.shim.threads": "8", "test.sleep": "20"},
    )  # fmt: skip
    assert log.count("recalibration: 8 threads") == 3
    assert table.read_bytes() == (stocks / "plain").read_bytes()
    for name in runs:
        assert (tmp_path / name).read_bytes() == (stocks_reads / name).read_bytes(), name


@pytest.mark.parametrize("error", ["exception", "memory"])
def test_a_read_that_fails_ends_a_run_as_in_one_thread(
    reads: data.Sample,
    stocks: Path,
    in_one_jvm: Callable[..., str],
    trouble: str,
    tmp_path: Path,
    error: str,
) -> None:
    """The reads before the failure are written, and none after it."""
    words = [require_tool("samtools"), "view", str(reads.reads)]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    failing = lines[1500].split("\t")[0]
    for count in (1, 4):
        properties = {"gkl.shim.threads": str(count), "test.error": error}
        properties |= {"test.fail": failing, "test.sleep": "20"}
        folder, table = tmp_path / str(count), tmp_path / "table"
        log = apply_all(
            reads, stocks, in_one_jvm, folder, {"plain.bam": ""}, AGENT, trouble,
            others=[counting(reads, table)], failures=2, properties=properties,
        )  # fmt: skip
        assert log.count("for the test") >= 2
        assert not table.exists()
    ours = (tmp_path / "4" / "plain.bam").read_bytes()
    assert ours == (tmp_path / "1" / "plain.bam").read_bytes()
    written = subprocess.run(
        [require_tool("samtools"), "view", "-c", str(tmp_path / "4" / "plain.bam")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert 1300 < int(written.stdout) <= 1500
