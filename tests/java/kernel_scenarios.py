"""What tests of all kernels do inside a JVM; tests.java.scenarios explains how they are run."""

from __future__ import annotations

from typing import Any

import jpype

from tests.java import pdhmm_scenarios, scenarios
from tests.java.pdhmm_scenarios import Pdhmm
from tests.java.scenarios import Attempts, PairHmm, java_bytes, java_doubles, scenario

NAMES = {
    "gkl": (
        "com.intel.gkl.pairhmm.IntelPairHmm",
        "com.intel.gkl.pdhmm.IntelPDHMM",
        "com.intel.gkl.smithwaterman.IntelSmithWaterman",
    ),
    "fgkl": (
        "com.fulcrumgenomics.fgkl.pairhmm.FgklPairHmm",
        "com.fulcrumgenomics.fgkl.pdhmm.FgklPdHmm",
        "com.fulcrumgenomics.fgkl.smithwaterman.FgklSmithWaterman",
    ),
}
_SMITHWATERMAN = "org.broadinstitute.gatk.nativebindings.smithwaterman."


class SmithWaterman:
    """A native Smith-Waterman, called as GATK calls it."""

    def __init__(self, name: str) -> None:
        self.instance = jpype.JClass(name)()
        assert self.instance.load(None)

    def align(self, reference: Any, alternative: Any, parameters: Any = (10, -15, -30, -5)) -> Any:
        scores = parameters and jpype.JClass(_SMITHWATERMAN + "SWParameters")(*parameters)
        overhang = jpype.JClass(_SMITHWATERMAN + "SWOverhangStrategy").SOFTCLIP
        found = self.instance.align(reference, alternative, scores, overhang)
        return int(found.alignment_offset), str(found.cigar)


def has_no_native_method(instance: Any) -> bool:
    is_native = jpype.JClass("java.lang.reflect.Modifier").isNative
    methods = instance.getClass().getDeclaredMethods()
    return not any(is_native(method.getModifiers()) for method in methods)


@scenario
def kernels(argument: dict[str, Any]) -> dict[str, Any]:
    """Use all three kernels of a library, and return what each computes."""
    pairhmm_name, pdhmm_name, smithwaterman_name = NAMES[argument["library"]]
    pairhmm = PairHmm(name=pairhmm_name)
    pdhmm = Pdhmm(name=pdhmm_name)
    if argument["library"] == "fgkl":
        pdhmm.instance.setDoublePrecision(True)
    smithwaterman = SmithWaterman(smithwaterman_name)
    reference, alternative = map(java_bytes, argument["smithwaterman"])
    result: dict[str, Any] = {
        "pairhmm": pairhmm.compute(argument["pairhmm"]),
        "pdhmm": pdhmm.compute(argument["pdhmm"]),
        "smithwaterman": smithwaterman.align(reference, alternative),
    }
    instances = (pairhmm.instance, pdhmm.instance, smithwaterman.instance)
    for name, instance in zip(list(result), instances, strict=True):
        if argument["library"] == "fgkl":
            result[name] = (result[name], str(instance.backend()))
        else:
            result[name] = (result[name], has_no_native_method(instance))
    pairhmm.instance.done()
    pdhmm.instance.done()
    smithwaterman.instance.close()
    return result


@scenario
def fgkl_errors(argument: dict[str, Any]) -> dict[str, Any]:
    """Return the exceptions of wrong calls of fgkl's classes, and PairHMM's of Intel's class."""
    pairhmm_name, pdhmm_name, smithwaterman_name = NAMES["fgkl"]
    fgkl = scenarios.errors_of(PairHmm(name=pairhmm_name), argument["pairhmm"])
    intel = scenarios.errors_of(PairHmm(), argument["pairhmm"])
    attempt = Attempts()

    reads, haplotypes = argument["pdhmm"]
    r, h = pdhmm_scenarios.held_reads, pdhmm_scenarios.held_haplotypes
    pdhmm = Pdhmm(name=pdhmm_name)
    call = pdhmm.instance.computeLikelihoods
    output = java_doubles(len(reads) * len(haplotypes))
    attempt("pdhmm: null", call, None, h(haplotypes), output)
    attempt("pdhmm: size", call, r(reads), h(haplotypes), java_doubles(1))
    attempt("pdhmm: no reads", call, r([]), h(haplotypes), java_doubles(0))
    attempt("pdhmm: no haplotypes", call, r(reads), h([]), java_doubles(0))
    fresh = Pdhmm(name=pdhmm_name, initialize=False).instance
    attempt("pdhmm: order", fresh.computeLikelihoods, r(reads), h(haplotypes), output)

    align = SmithWaterman(smithwaterman_name).align
    some = java_bytes(b"ACGT")
    attempt("smithwaterman: null", align, some, None)
    attempt("smithwaterman: parameters", align, some, some, None)
    attempt("smithwaterman: empty", align, some, java_bytes(b""))
    return {"fgkl": fgkl, "intel": intel, "others": attempt.caught}


if __name__ == "__main__":
    scenarios.main()
