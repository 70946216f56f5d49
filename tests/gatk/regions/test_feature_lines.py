"""Lines of features that cannot be read end a run of several threads where they end stock GATK's.

A thread reads ahead of its queries, from other positions than stock GATK does. The oracle is stock
GATK: its outcome, the text of its exception with the line number, and the records before it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pysam
import pytest

from benchmarks.common import samples
from gkl_shim.gatk import data
from tests.gatk.conftest import Gatk, Jvm, command, our_agent

pytestmark = pytest.mark.gatk

#: The lines have text like this, so that a file is longer than what a reader's first buffer holds.
FILLER = "N" * 1000


@pytest.fixture(scope="module")
def jvm(classpath: str, shared: Path) -> Iterator[Jvm]:
    made = Jvm(classpath, shared, our_agent(), "-Dgkl.shim.log=debug")
    yield made
    made.close()


def lines(sample: data.Sample, step: int) -> list[str]:
    """Return a line for a SNP at each position that is a multiple of the step."""
    name, sequence = samples.read_fasta(sample.reference)
    made = []
    for position in range(step, len(sequence), step):
        base = sequence[position - 1].upper()
        other = "ACGT"[("ACGT".find(base) + 1) % 4]
        info = f"AF=0.001;TEXT={FILLER}"
        made.append(f"{name}\t{position}\trs{position}\t{base}\t{other}\t.\tPASS\t{info}\n")
    return made


def damaged(line: str, kind: str) -> str:
    """Return a line that GATK's codec refuses, of the same length."""
    contig, position, name, base, other, *rest = line.split("\t")
    if kind == "reference":
        base = "R"
    elif kind == "alternative":
        other = "R"
    elif kind == "no alternative":
        other, rest[-1] = "", "." + rest[-1]
    else:
        position = "x" + position[1:]
    return "\t".join([contig, position, name, base, other, *rest])


Features = Callable[..., Path]


@pytest.fixture
def features(gatk: Gatk, chr22: data.Sample, tmp_path: Path) -> Features:
    """Write a file of features with an index. A line at a position is damaged afterwards, so the
    indices of a text file do not depend on it."""
    header = "##fileformat=VCFv4.2\n" + "".join(
        f"##INFO=<ID={name},Number={number},Type={kind},Description=none>\n"
        for name, number, kind in (("AF", "A", "Float"), ("TEXT", "1", "String"))
    )
    columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
    header += f"##contig=<ID=q,length={len(samples.read_fasta(chr22.reference)[1])}>\n" + columns

    def index(file: Path) -> None:
        (outcome,), log = gatk.jvm()(["IndexFeatureFile", "-I", str(file)])
        assert outcome.startswith("returned: "), log

    def made(
        position: int = 0, kind: str = "reference", name: str = "f.vcf", step: int = 10
    ) -> Path:
        file = tmp_path / name
        rows = lines(chr22, step)
        if not file.exists() and name.endswith(".vcf"):
            file.write_text(header + "".join(rows))
            index(file)
        if position:
            rows[position // step - 1] = damaged(rows[position // step - 1], kind)
        plain = tmp_path / "plain.vcf"
        plain.write_text(header + "".join(rows))
        if name.endswith(".vcf"):
            file.write_bytes(plain.read_bytes())
        else:
            pysam.tabix_compress(str(plain), str(file), force=True)
            pysam.tabix_index(str(file), preset="vcf", force=True)
        return file

    return made


Compare = Callable[..., str]


@pytest.fixture
def compare(gatk: Gatk, jvm: Jvm, chr22: data.Sample, tmp_path: Path) -> Compare:
    """Run a tool with stock GATK and with several threads. Return the outcome of both."""

    def outcome(jvm: Jvm, threads: int, words: list[str]) -> tuple[str, list[str], str]:
        output = tmp_path / "out.vcf"
        run = command(words[0], chr22, output, *words[1:])
        (result,), log = jvm(["random"], ["set", "gkl.shim.threads", str(threads)], run)
        # Engines number their objects.
        text = re.sub("@[0-9a-f]+", "", result)
        found = [line for line in output.read_text().splitlines() if not line.startswith("##")]
        return text, found, log

    def compared(*words: str, threads: tuple[int, ...] = (2, 8)) -> str:
        stock, records, _ = outcome(gatk.jvm(), 1, list(words))
        for count in threads:
            text, found, log = outcome(jvm, count, list(words))
            assert f"regions: {count} threads" in log, log[-3000:]
            assert (text, found) == (stock, records), (words, count)
        return stock

    return compared


#: Alleles that no read has differ in the last digits, so both runs use Java's PairHMM.
JAVA = ("--pair-hmm-implementation", "LOGLESS_CACHING")
PLACES = ("-L", "q:1000-2500", "-L", "q:5000-6500", "-L", "q:9000-10500")
#: Before, inside and behind the intervals, and everything that a thread may read ahead.
POSITIONS = (500, 1500, 2400, 2800, 3100, 3500, 4700, 5600, 7000, 7600, 9500, 10800, 11300, 12000)


@pytest.mark.parametrize(
    ("tool", "option"),
    [
        ("HaplotypeCaller", "--dbsnp"),
        ("HaplotypeCaller", "--comp"),
        ("HaplotypeCaller", "--alleles"),
        ("HaplotypeCaller", "--population-callset"),
        ("Mutect2", "--germline-resource"),
        ("Mutect2", "--panel-of-normals"),
        ("Mutect2", "--alleles"),
    ],
)
def test_a_line_that_cannot_be_read_ends_the_run_where_stock_reads_it(
    compare: Compare, features: Features, tool: str, option: str
) -> None:
    given = option == "--alleles"
    words = (*PLACES, *(JAVA if given else ()))
    step = 100 if given else 10
    outcomes = [
        compare(tool, option, str(features(position, step=step)), *words) for position in POSITIONS
    ]
    assert any(text.startswith("returned: ") for text in outcomes)
    assert any("line number" in text for text in outcomes)


@pytest.mark.parametrize("kind", ["alternative", "no alternative", "position"])
def test_each_kind_of_line(compare: Compare, features: Features, kind: str) -> None:
    outcomes = [
        compare("HaplotypeCaller", "--dbsnp", str(features(position, kind)), *PLACES, threads=(8,))
        for position in (2800, 3100, 5600)
    ]
    assert {text.split(":")[0] for text in outcomes} == {"returned", "threw"}


def test_compressed_and_truncated_files(compare: Compare, features: Features) -> None:
    name = "f.vcf.gz"
    for position in (2800, 3100, 7000):
        file = str(features(position, name=name))
        compare("HaplotypeCaller", "--dbsnp", file, *PLACES)
    whole = features(name=name)
    for size in (0.6, 0.8, 0.95):
        cut = whole.with_name(f"cut{size}.vcf.gz")
        cut.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * size)])
        shutil.copy(f"{whole}.tbi", f"{cut}.tbi")
        compare("HaplotypeCaller", "--dbsnp", str(cut), *PLACES)


def test_a_file_without_an_index(compare: Compare, features: Features) -> None:
    file = features()
    Path(f"{file}.idx").unlink()
    assert "must support random access" in compare(
        "HaplotypeCaller", "--dbsnp", str(file), *PLACES, threads=(8,)
    )


def test_two_files_whose_lines_are_read_in_turn(compare: Compare, features: Features) -> None:
    """The number of a line counts the lines of its file that were read before."""
    other = str(features(name="other.vcf"))
    for position in (5600, 7000):
        file = str(features(position))
        words = ["--germline-resource", other, "--panel-of-normals", file]
        compare("Mutect2", *words, *PLACES, threads=(3,))
