"""A stand-in for Java that answers as GATK would, in a moment.

FAKE_DIFFERENCE says how gkl-shim's VCF differs from stock's, FAKE_LOG lists the runs, and
FAKE_TROUBLE makes the runs whose arguments or JAVA_TOOL_OPTIONS contain FAKE_TROUBLE_AT fail.
Those that contain FAKE_HANG_AT take a minute. FAKE_STOCK and FAKE_SHIM are the lines that stock
GATK and gkl-shim log, in place of those of a run with PairHMM. FAKE_VERSION is Java's version.

The other steps write their arguments, and a file into the folder for temporary files.
FAKE_DIFFERENCE may be the name of a file that gkl-shim writes otherwise.
"""

from __future__ import annotations

import gzip
import itertools
import os
import struct
import sys
import time
import zlib
from pathlib import Path

HEADER = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tNA12878\n"
STOCK = "INFO PairHMM - Total compute time in PairHMM computeLogLikelihoods() : 0.5"
SHIM = "[gkl-shim 1.0] PairHMM: 3 regions, 5 pairs, 100 cells in 0.0210 s, 0.10 GCUPS"
STEPS = {
    "MarkDuplicates": "duplicates: 2 threads",
    "BaseRecalibrator": "recalibration: one thread",
    "ApplyBQSR": "recalibration: 8 threads",
    "GetPileupSummaries": "pileup summaries: only at the positions of the intervals",
}
"""The line of gkl-shim's log about each step that it makes faster."""
OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
LENGTH = 1000
#: The records, if the contig is one interval.
FIRST = "one\t100\t.\tT\tA\t50.6\tPASS\tDP=9\tGT:PL\t0/1:99,0,99\n"
SECOND = "one\t900\t.\tG\tC\t70.1\tPASS\tDP=8\tGT:PL\t1/1:99,9,0\n"


def intervals(shards: int) -> list[str]:
    """Return the lines of the intervals into which the contig is cut."""
    ends = [LENGTH * number // shards for number in range(shards + 1)]
    return [f"one\t{a + 1}\t{b}\t+\t." for a, b in itertools.pairwise(ends)]


def given(arguments: list[str], option: str) -> list[str]:
    """Return the values of an option."""
    return [value for name, value in itertools.pairwise(arguments) if name == option]


def vcf(lines: list[str], difference: str, shim: bool, double: bool) -> str:
    """Return a VCF with two records in an interval, the last of these lines."""
    start, end = map(int, lines[-1].split("\t")[1:3])
    first = FIRST.replace("\t100\t", f"\t{start + 99}\t")
    second = SECOND.replace("\t900\t", f"\t{end - 100}\t")
    more = ""
    if difference == "near tie" and (shim or double):
        second = second.replace("70.1", "70.2")
    if difference == "other" and shim and not double:
        second = second.replace("70.1", "70.3")
    if difference == "call" and shim:
        second = second.replace("1/1", "0/1")
    if difference == "not a number" and shim and not double:
        second = second.replace("DP=8", "DP=NaN")
    if difference == "more records" and shim:
        more = "".join(second.replace(f"{end - 100}", f"{end - 100 + k}") for k in (1, 2, 3))
    return HEADER + first + second + more


def block(content: bytes, level: int = 6) -> bytes:
    """Return a block of a BGZF file."""
    deflate = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = deflate.compress(content) + deflate.flush()
    head = struct.pack("<4BI2BH2BHH", 31, 139, 8, 4, 0, 0, 255, 6, 66, 67, 2, len(data) + 25)
    return head + data + struct.pack("<II", zlib.crc32(content), len(content))


def step(tool: str, arguments: list[str], shim: bool) -> None:
    """Write the files of a step into the working folder."""
    (output,) = given(arguments, "-O")
    text = " ".join(arguments[arguments.index(tool) :]) + "\n"
    files = {output: text}
    if tool == "MarkDuplicates":
        (metrics,) = given(arguments, "-M")
        files[metrics] = f"# Started on: {time.time()}\n{text}"
    if output.endswith(".bam"):
        files["out.bai"] = files["out.bam.md5"] = "follows from the BAM file"
    for name, content in files.items():
        changed = shim and name == os.environ.get("FAKE_DIFFERENCE")
        written = (content + "x\n" * changed).encode()
        if name.endswith(".bam"):
            size = len(written)
            written = block(struct.pack(f"<4si{size}si", b"BAM\1", size, written, 0))
        Path(name).write_bytes(written)
    (temporary,) = (text for text in arguments if text.startswith("-Djava.io.tmpdir="))
    Path(temporary.partition("=")[2], "spilled").write_text("reads")


def main() -> None:
    arguments = sys.argv[1:]
    if arguments == ["-version"]:
        print(f'openjdk version "{os.environ.get("FAKE_VERSION", "17.0.1")}"')
        return
    tool = arguments[arguments.index("org.broadinstitute.hellbender.Main") + 1]
    with Path(os.environ["FAKE_LOG"]).open("a") as log:
        log.write(" ".join(arguments) + "\n")
    shim = any("-javaagent" in os.environ.get(name, "") for name in OPTIONS)
    double = "--native-pair-hmm-use-double-precision" in arguments
    trouble = os.environ.get("FAKE_TROUBLE")
    given_texts = " ".join([*arguments, os.environ.get("JAVA_TOOL_OPTIONS", "")])
    if trouble and os.environ.get("FAKE_TROUBLE_AT", "") in given_texts:
        sys.exit(trouble)
    if os.environ.get("FAKE_HANG_AT", "\n") in given_texts:
        time.sleep(60)
    if tool == "SplitIntervals":
        folder = Path(given(arguments, "-O")[0])
        for number, line in enumerate(intervals(int(given(arguments, "--scatter-count")[0]))):
            text = f"@HD\tVN:1.6\n@SQ\tSN:one\tLN:{LENGTH}\n{line}\n"
            (folder / f"{number:04}-scattered.interval_list").write_text(text)
    elif tool == "Concordance":
        text = "type\tTP\tFP\tFN\tRECALL\tPRECISION\n"
        text += "SNP\t3\t1\t0\t1.0\t0.75\nINDEL\t0\t0\t0\tNaN\tNaN\n"
        Path(given(arguments, "-S")[0]).write_text(text)
    elif tool == "MergeVcfs":
        parts = [gzip.decompress(Path(path).read_bytes()) for path in given(arguments, "-I")]
        records = b"".join(part.removeprefix(HEADER.encode()) for part in parts)
        Path(given(arguments, "-O")[0]).write_bytes(gzip.compress(HEADER.encode() + records))
    elif tool in STEPS:
        step(tool, arguments, shim)
        if shim:
            print(os.environ.get("FAKE_SHIM", f"[gkl-shim 1.0] {STEPS[tool]}"), file=sys.stderr)
    else:
        (output,) = given(arguments, "-O")
        difference, changed = os.environ.get("FAKE_DIFFERENCE", ""), shim
        if tool == "GenotypeGVCFs" and difference == "final call":
            difference, changed = "call", "/gkl-shim/" in output
        lines = [
            line for path in given(arguments, "-L") for line in Path(path).read_text().splitlines()
        ]
        text = vcf(lines or intervals(1), difference, changed, double)
        Path(output).write_bytes(gzip.compress(text.encode()))
        print(os.environ.get("FAKE_STOCK", STOCK), file=sys.stderr)
        if shim:
            print(os.environ.get("FAKE_SHIM", SHIM), file=sys.stderr)
    print("INFO - The Genome Analysis Toolkit (GATK) v9.9", file=sys.stderr)


if __name__ == "__main__":
    main()
