"""A stand-in for Java that answers as GATK would, in a moment.

FAKE_DIFFERENCE says how gkl-shim's VCF differs from stock's, FAKE_LOG lists the runs, and
FAKE_TROUBLE makes the runs whose arguments contain FAKE_TROUBLE_AT fail. FAKE_STOCK and FAKE_SHIM
are the lines that stock GATK and gkl-shim log, in place of those of a run with PairHMM.
FAKE_VERSION is Java's version.
"""

from __future__ import annotations

import gzip
import os
import sys
import time
from pathlib import Path

HEADER = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tNA12878\n"
FIRST = "one\t100\t.\tT\tA\t50.6\tPASS\tDP=9\tGT:PL\t0/1:99,0,99\n"
STOCK = "INFO PairHMM - Total compute time in PairHMM computeLogLikelihoods() : 0.5"
SHIM = "[gkl-shim 1.0] PairHMM: 3 regions, 5 pairs, 100 cells in 0.0210 s, 0.10 GCUPS"
SECOND = "one\t900\t.\tG\tC\t70.1\tPASS\tDP=8\tGT:PL\t1/1:99,9,0\n"


def vcf(difference: str, shim: bool, double: bool) -> str:
    second = SECOND
    if difference == "near tie" and (shim or double):
        second = second.replace("70.1", "70.2")
    if difference == "other" and shim and not double:
        second = second.replace("70.1", "70.3")
    if difference == "call" and shim:
        second = second.replace("1/1", "0/1")
    if difference == "not a number" and shim and not double:
        second = second.replace("DP=8", "DP=NaN")
    if difference == "more records" and shim:
        second += "".join(SECOND.replace("900", position) for position in ("901", "902", "903"))
    return HEADER + FIRST + second


def main() -> None:
    arguments = sys.argv[1:]
    if arguments == ["-version"]:
        print(f'openjdk version "{os.environ.get("FAKE_VERSION", "17.0.1")}"')
        return
    tool = arguments[arguments.index("org.broadinstitute.hellbender.Main") + 1]
    with Path(os.environ["FAKE_LOG"]).open("a") as log:
        log.write(" ".join(arguments) + "\n")
    shim = "-javaagent" in os.environ.get("JAVA_TOOL_OPTIONS", "")
    double = "--native-pair-hmm-use-double-precision" in arguments
    trouble = os.environ.get("FAKE_TROUBLE")
    if trouble and os.environ.get("FAKE_TROUBLE_AT", "") in " ".join(arguments):
        if trouble == "hang":
            time.sleep(60)
        sys.exit(f"{trouble}")
    if tool == "SplitIntervals":
        folder = Path(arguments[arguments.index("-O") + 1])
        for number in range(int(arguments[arguments.index("--scatter-count") + 1])):
            text = "@HD\tVN:1.6\n@SQ\tSN:one\tLN:1000\none\t1\t1000\t+\t.\n"
            (folder / f"{number:04}-scattered.interval_list").write_text(text)
    elif tool == "Concordance":
        text = "type\tTP\tFP\tFN\tRECALL\tPRECISION\n"
        text += "SNP\t3\t1\t0\t1.0\t0.75\nINDEL\t0\t0\t0\tNaN\tNaN\n"
        Path(arguments[arguments.index("-S") + 1]).write_text(text)
    elif tool == "MergeVcfs":
        source = Path(arguments[arguments.index("-I") + 1])
        Path(arguments[arguments.index("-O") + 1]).write_bytes(source.read_bytes())
    else:
        if tool == "GenotypeGVCFs" and os.environ.get("FAKE_DIFFERENCE") == "final call":
            shim = "/gkl-shim/" in arguments[arguments.index("-O") + 1]
            os.environ["FAKE_DIFFERENCE"] = "call"
        text = vcf(os.environ.get("FAKE_DIFFERENCE", ""), shim, double)
        Path(arguments[arguments.index("-O") + 1]).write_bytes(gzip.compress(text.encode()))
        print(os.environ.get("FAKE_STOCK", STOCK), file=sys.stderr)
        if shim:
            print(os.environ.get("FAKE_SHIM", SHIM), file=sys.stderr)
    print("INFO - The Genome Analysis Toolkit (GATK) v9.9", file=sys.stderr)


if __name__ == "__main__":
    main()
