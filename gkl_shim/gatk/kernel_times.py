"""Read the times of the kernels in the log of a run of GATK.

There are two clocks. GATK's counts what its own thread does: where gkl-shim calls regions in
threads, it misses the alignments of all other threads. gkl-shim's counts the calls of all threads,
and is in the lines that it logs when the JVM ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

KERNELS = ("PairHMM", "PDHMM", "Smith-Waterman")
"""What gkl-shim replaces, by the names in its log."""

# GATK's clock for PDHMM calls it PairHMM too, but another class writes the line.
_COMPUTE_TIME = re.compile(
    rb"(?:\b(PDPairHMM) +- )?Total compute time in "
    rb"(PairHMM computeLogLikelihoods\(\)|(?:native|java) Smith-Waterman) : ([\d.eE+-]+)"
)
# The total leaves out a native PDHMM.
_NATIVE_PDHMM_TIME = re.compile(
    rb"\bVectorLoglessPairPDHMM +- Time spent in "
    rb"(setup for JNI call|JNI call|post-processing) : ([\d.eE+-]+)"
)
_CLOSING = re.compile(
    rb"^\[gkl-shim[^]]*\] (PairHMM|PDHMM|Smith-Waterman): .*?(\d+) cells in ([\d.]+) s\b", re.M
)
_TO_GPU = re.compile(rb"^\[gkl-shim[^]]*\] PairHMM: GKL_SHIM_BACKEND=cuda: ", re.M)
_ON_GPU = re.compile(rb"^\[gkl-shim[^]]*\] PairHMM: .*; (\d+) pairs on (.+)$", re.M)
_REGION_THREADS = re.compile(rb"^\[gkl-shim[^]]*\] regions: (\d+) threads", re.M)


@dataclass(frozen=True)
class Totals:
    """What gkl-shim computed with a kernel."""

    cells: int
    seconds: float
    """From a call into the native library to its return, summed over calls and threads."""


def by_gatk(log: bytes) -> dict[str, float]:
    """Return the seconds of each kernel for which GATK reports a time.

    They include what GATK does before and after it calls the kernel. Smith-Waterman's are rounded
    to hundredths.
    """
    found = {}
    for pdhmm, what, seconds in _COMPUTE_TIME.findall(log):
        aligner = what.endswith(b"Smith-Waterman")
        found["PDHMM" if pdhmm else "Smith-Waterman" if aligner else "PairHMM"] = float(seconds)
    native = dict(_NATIVE_PDHMM_TIME.findall(log))
    if native:
        found["PDHMM"] = found.get("PDHMM", 0.0) + sum(map(float, native.values()))
    return {name: found[name] for name in KERNELS if name in found}


def aligns_in_java(log: bytes) -> bool:
    """Return whether GATK's own Java code aligned, which gkl-shim does not replace.

    That is what ``--smith-waterman JAVA`` asks for, the default before GATK 4.5.
    """
    return b"Total compute time in java Smith-Waterman" in log


def by_gkl_shim(log: bytes) -> dict[str, Totals]:
    """Return the totals of each kernel that gkl-shim computed, from its last lines in the log."""
    found: dict[str, Totals] = {}
    for name, cells, seconds in _CLOSING.findall(log):
        before = found.get(name.decode(), Totals(0, 0.0))
        found[name.decode()] = Totals(before.cells + int(cells), before.seconds + float(seconds))
    return {name: found[name] for name in KERNELS if name in found}


def goes_to_gpu(log: bytes) -> bool:
    """Return whether gkl-shim was told to compute all of PairHMM on a GPU."""
    return _TO_GPU.search(log) is not None


def pairs_on_gpu(log: bytes) -> dict[str, int]:
    """Return how many pairs of a read and a haplotype GPUs computed, by the GPUs' names."""
    found: dict[str, int] = {}
    for pairs, names in _ON_GPU.findall(log):
        name = names.decode()
        found[name] = found.get(name, 0) + int(pairs)
    return found


def region_threads(log: bytes) -> int:
    """Return how many threads called regions, according to gkl-shim's lines in the log."""
    return max(map(int, _REGION_THREADS.findall(log)), default=1)
