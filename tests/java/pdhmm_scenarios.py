"""What the tests of PDHMM do inside a JVM; tests.java.scenarios explains how they are run.

A region is a list of reads (bases and four quality tracks) and a list of haplotypes (bases and
flags), all bytes.
"""

from __future__ import annotations

import threading
from typing import Any

import jpype
import numpy as np

from tests.java import scenarios
from tests.java.scenarios import Attempts, java_bytes, java_doubles, scenario

_BINDINGS = "org.broadinstitute.gatk.nativebindings.pdhmm."
_READ = ("readBases", "readQuals", "insertionGOP", "deletionGOP", "overallGCP")
_HAPLOTYPE = ("haplotypeBases", "haplotypePDBases")

Region = tuple[list[tuple[bytes, ...]], list[tuple[bytes, bytes]]]


class Pdhmm:
    """A native PDHMM, by default GKL's, called as GATK calls it."""

    def __init__(
        self,
        threads: int = 8,
        *,
        initialize: bool = True,
        name: str = "com.intel.gkl.pdhmm.IntelPDHMM",
    ) -> None:
        self.instance = jpype.JClass(name)()
        assert self.instance.load(None)
        if initialize:
            arguments = jpype.JClass(_BINDINGS + "PDHMMNativeArguments")()
            arguments.maxNumberOfThreads = threads
            for name in ("AVXLevel", "OpenMPSetting"):
                kind = jpype.JClass(_BINDINGS + "PDHMMNativeArguments$" + name)
                field = {"AVXLevel": "avxLevel", "OpenMPSetting": "openMPSetting"}[name]
                setattr(arguments, field, kind.FASTEST_AVAILABLE)
            arguments.setMaxMemoryInMB(1024)
            self.instance.initialize(arguments)

    @property
    def is_ours(self) -> bool:
        names = {str(m.getName()) for m in self.instance.getClass().getDeclaredMethods()}
        return "computeLikelihoodsNative" not in names

    def compute(self, region: Region) -> list[float]:
        reads, haplotypes = region
        output = java_doubles(len(reads) * len(haplotypes))
        self.instance.computeLikelihoods(held_reads(reads), held_haplotypes(haplotypes), output)
        return [float(value) for value in output]

    def compute_flat(self, pairs: list[tuple[bytes, ...]]) -> list[float]:
        return [float(value) for value in self.instance.computePDHMM(*flat(pairs))]


def held(kind: str, fields: tuple[str, ...], sequences: list[tuple[bytes, ...]]) -> Any:
    holder = jpype.JClass(_BINDINGS + kind)
    array = jpype.JArray(holder)(len(sequences))
    for index, sequence in enumerate(sequences):
        made = holder()
        for field, track in zip(fields, sequence, strict=True):
            setattr(made, field, java_bytes(track))
        array[index] = made
    return array


def held_reads(reads: list[tuple[bytes, ...]]) -> Any:
    return held("ReadDataHolder", _READ, reads)


def held_haplotypes(haplotypes: list[tuple[bytes, bytes]]) -> Any:
    return held("HaplotypeDataHolder", _HAPLOTYPE, haplotypes)  # type: ignore[arg-type]


def flat(pairs: list[tuple[bytes, ...]]) -> list[Any]:
    """The arguments of computePDHMM for pairs of five tracks of a read and two of a haplotype."""
    longest_read = max(len(pair[0]) for pair in pairs)
    longest = max(len(pair[5]) for pair in pairs)
    order = (5, 6, 0, 1, 2, 3, 4)
    sizes = [longest, longest, *[longest_read] * 5]
    tracks = [
        java_bytes(b"".join(pair[track].ljust(size, b"\0") for pair in pairs))
        for track, size in zip(order, sizes, strict=True)
    ]
    lengths = [
        jpype.JArray(jpype.JLong)(np.array([len(pair[track]) for pair in pairs], np.int64))
        for track in (5, 0)
    ]
    return [*tracks, *lengths, len(pairs), longest, longest_read]


@scenario
def compute(regions: list[Region]) -> dict[str, Any]:
    """Every region's likelihoods through both methods, and whose class computed them."""
    pdhmm = Pdhmm()
    results = [pdhmm.compute(region) for region in regions]
    pairs = [[(*read, *h) for read in reads for h in haplotypes] for reads, haplotypes in regions]
    flat_results = [pdhmm.compute_flat(some) for some in pairs]
    pdhmm.instance.done()
    again = pdhmm.compute(regions[0])
    return {
        "likelihoods": results, "flat": flat_results, "again": again, "ours": pdhmm.is_ours
    }  # fmt: skip


@scenario
def errors(region: Region) -> dict[str, tuple[str, str]]:
    """The exception of each wrong call; after them all, a right call still works."""
    pdhmm = Pdhmm()
    expected = pdhmm.compute(region)
    reads, haplotypes = region
    pairs = len(reads) * len(haplotypes)
    attempt = Attempts()

    def spoiled(array: Any, field: str | None, value: Any) -> Any:
        if field is None:
            array[0] = value
        else:
            setattr(array[0], field, value)
        return array

    call = pdhmm.instance.computeLikelihoods
    r, h = lambda: held_reads(reads), lambda: held_haplotypes(haplotypes)
    out = java_doubles(pairs)
    attempt("reads null", call, None, h(), out)
    attempt("haplotypes null", call, r(), None, out)
    attempt("output null", call, r(), h(), None)
    attempt("output short", call, r(), h(), java_doubles(pairs - 1))
    attempt("output long", call, r(), h(), java_doubles(pairs + 1))
    attempt("no reads", call, held_reads([]), h(), java_doubles(0))
    attempt("no haplotypes", call, r(), held_haplotypes([]), java_doubles(0))
    attempt("read null", call, spoiled(r(), None, None), h(), out)
    attempt("haplotype null", call, r(), spoiled(h(), None, None), out)
    for field in _READ:
        attempt(f"{field} null", call, spoiled(r(), field, None), h(), out)
        attempt(f"{field} short", call, spoiled(r(), field, java_bytes(b"A")), h(), out)
    for field in _HAPLOTYPE:
        attempt(f"{field} null", call, r(), spoiled(h(), field, None), out)
        attempt(f"{field} short", call, r(), spoiled(h(), field, java_bytes(b"A")), out)
    attempt("empty read", call, held_reads([(b"",) * 5, *reads[1:]]), h(), out)
    attempt("empty haplotype", call, r(), held_haplotypes([(b"", b""), *haplotypes[1:]]), out)
    negative = bytes([0x80]) * len(reads[0][0])
    attempt("negative gap", call, spoiled(r(), "overallGCP", java_bytes(negative)), h(), out)
    long = 32_769
    attempt("long read", call, held_reads([(b"A" * long,) * 5]), held_haplotypes(haplotypes[:1]),
            java_doubles(1))  # fmt: skip
    long = 262_145
    attempt("long haplotype", call, held_reads(reads[:1]),
            held_haplotypes([(b"A" * long, bytes(long))]), java_doubles(1))  # fmt: skip
    attempt("not initialized", Pdhmm(initialize=False).instance.computeLikelihoods, r(), h(), out)

    good = [(*reads[0], *haplotypes[0])]
    call = pdhmm.instance.computePDHMM
    for place in range(9):
        arguments = flat(good)
        arguments[place] = None
        attempt(f"flat {place} null", call, *arguments)
        arguments = flat(good)
        arguments[place] = java_bytes(b"") if place < 7 else jpype.JArray(jpype.JLong)(2)
        attempt(f"flat {place} short", call, *arguments)
    for place in (9, 10, 11):
        arguments = flat(good)
        arguments[place] = 0
        attempt(f"flat {place} zero", call, *arguments)
    for place in (7, 8):
        for length in (0, -1, 1 << 40):
            arguments = flat(good)
            arguments[place][0] = length
            attempt(f"flat {place} {length}", call, *arguments)
    assert pdhmm.compute(region) == expected
    return attempt.caught


@scenario
def threads(argument: tuple[list[Region], int]) -> list[list[list[float]]]:
    """Several threads compute at the same time, each with its own instance."""
    regions, count = argument
    results: list[Any] = [None] * count

    def work(index: int) -> None:
        pdhmm = Pdhmm(threads=1 + index % 3)
        results[index] = [pdhmm.compute(region) for region in regions]

    workers = [threading.Thread(target=work, args=(index,)) for index in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return results


@scenario
def whose(name: str) -> bool:
    """Whether a class of GATK is ours, which extends another one."""
    kind = jpype.JClass(name).class_
    return str(kind.getSuperclass().getSimpleName()) == "PDPairHMM"


if __name__ == "__main__":
    scenarios.main()
