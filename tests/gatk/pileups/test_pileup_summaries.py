"""Summaries of pileups: tables and counts of filtered reads are stock GATK's."""

from __future__ import annotations

import gzip
import random
import re
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pysam
import pytest

from tests.gatk import odd_reads
from tests.gatk.conftest import our_agent
from tests.gatk.records.test_printed_reads import bam, split

pytestmark = pytest.mark.gatk


def write_sites(reference: Path, path: Path) -> None:
    """Write SNPs of all frequencies, and sites that the tool leaves out."""
    random.seed(1)
    with pysam.FastaFile(str(reference)) as fasta, path.open("w") as file:
        file.write("##fileformat=VCFv4.2\n")
        file.write('##INFO=<ID=AF,Number=A,Type=Float,Description="frequency">\n')
        lengths = dict(zip(fasta.references, fasta.lengths, strict=True))
        for name, length in lengths.items():
            file.write(f"##contig=<ID={name},length={length}>\n")
        file.write("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
        for name, length in lengths.items():
            bases = fasta.fetch(name).upper()
            position = 1
            while (position := position + random.choice((1, 2, 15, 40))) < length - 10:
                ref = bases[position - 1]
                if not set(bases[position - 1 : position + 3]) <= set("ACGT"):
                    continue
                others = [base for base in "ACGT" if base != ref]
                alt, info = random.choice(others), f"AF={random.random() / 3:.3f}"
                match random.randrange(10):
                    case 0:
                        ref, alt = bases[position - 1 : position + 3], ref
                    case 1:
                        alt, info = ",".join(others[:2]), "AF=0.1,0.1"
                    case 2:
                        info = "."
                file.write(f"{name}\t{position}\t.\t{ref}\t{alt}\t.\t.\t{info}\n")


def test_tables_are_stocks(in_one_jvm: Callable[..., str], tmp_path: Path) -> None:
    sample = odd_reads.write(tmp_path / "odd", 11, samples=("tumor", "normal"), wild=False)
    sites = tmp_path / "sites.vcf"
    write_sites(sample.reference, sites)
    unfiltered = ["--disable-tool-default-read-filters", "-RF", "MappedReadFilter"]
    runs: Sequence[Sequence[str]] = (
        ["-L", str(sites)],
        ["-L", "one:200-6000", "-L", "two"],
        ["-L", str(sites), "--minimum-mapping-quality", "0", *unfiltered],
        ["-L", str(sites), "-max-af", "1", "-min-af", "0", "-ip", "5"],
        ["-L", "two", "--max-depth-per-sample", "3"],
        ["-L", str(sites), "-RF", "ReadLengthReadFilter", "--max-read-length", "60"],
        # No read overlaps these sites.
        ["-L", "one:3800-3900"],
    )
    results = []
    for swap in ("stock", "1", "3", "off"):
        tables = [tmp_path / f"{swap}{number}.table" for number in range(len(runs))]
        files = ["-I", str(sample.reads), "-V", str(sites)]
        commands = [["IndexFeatureFile", "-I", str(sites)]] + [
            ["GetPileupSummaries", *files, *run, "-O", str(table)]
            for run, table in zip(runs, tables, strict=True)
        ]
        loaded = tmp_path / f"{swap}.classes"
        setting = "reads" if swap == "off" else "threads"
        agent = [our_agent(), f"-Dgkl.shim.{setting}={swap}"]
        agent.append(f"-Xlog:class+load:file={loaded}")
        log = in_one_jvm(commands, *(agent if swap != "stock" else ()))
        if swap != "stock":
            names = loaded.read_text()
            assert "org.gklshim.gatk.pileups.SitePileups" in names
            assert ("org.gklshim.gatk.records.BamReader" in names) == (swap != "off")
        assert log.count("records: GATK's own code is used") == (1 if swap in ("1", "3") else 0)
        whole = "pileup summaries: GATK's own code is used: --max-depth-per-sample"
        assert log.count(whole) == (swap != "stock")
        sites_alone = log.count("pileup summaries: only at the positions of the intervals")
        assert sites_alone == (0 if swap == "stock" else len(runs) - 1)
        counts = re.findall(r"(\d+) read\(s\) filtered|Processed (\d+) total loci", log)
        results.append(([table.read_text() for table in tables], counts))
    stock = results[0]
    assert min(table.count("\n") for table in stock[0][:-1]) > 20
    assert results[1:] == [stock] * 3


def test_reads_that_gatk_refuses_end_it_where_stock_ends(
    in_one_jvm: Callable[..., str], tmp_path: Path
) -> None:
    """An unmapped read does no harm outside the intervals, and one without qualities does none."""
    sample = odd_reads.write(tmp_path / "odd", 12, wild=False)
    sites = tmp_path / "sites.vcf"
    write_sites(sample.reference, sites)
    spoiled = [
        odd_reads.spoil(sample, what, tmp_path / what.replace(" ", "-"))
        for what in odd_reads.REFUSED
    ]
    # The first record of a second file has a wrong size. It stays in the first block.
    content, broken = gzip.decompress(sample.reads.read_bytes()), tmp_path / "broken.bam"
    pysam.index(str(bam(broken, content)))
    header, (first, *others) = split(content)
    bam(broken, header + struct.pack("<i", 7) + first[4:] + b"".join(others))
    results = []
    for options in ((), (our_agent(),)):
        commands = [["IndexFeatureFile", "-I", str(sites)]]
        tables = []
        both = ["GetPileupSummaries", "-I", str(sample.reads), "-I", str(broken), "-L", "one"]
        commands.append([*both, "-V", str(sites), "-O", str(tmp_path / "both.table")])
        for each in spoiled:
            for chosen in (str(sites), "one"):
                tables.append(tmp_path / f"{len(options)}-{len(tables)}.table")
                command = ["GetPileupSummaries", "-I", str(each.reads), "-V", str(sites), "-L"]
                command += [chosen, "--disable-tool-default-read-filters"]
                commands.append([*command, "-O", str(tables[-1])])
        log = in_one_jvm(commands, *options, failures=8)
        exceptions = re.findall(r"^\S+Exception.*|^\S+\$MalformedRead.*", log, re.MULTILINE)
        results.append((exceptions, [table.read_text() for table in tables]))
    stock, ours = results
    assert len(stock[0]) == 8
    assert ours == stock
