"""What tests of all kernels do inside a JVM; tests.java.scenarios explains how they are run."""

from __future__ import annotations

from typing import Any

import jpype

from tests.java import scenarios
from tests.java.pdhmm_scenarios import Pdhmm
from tests.java.scenarios import PairHmm, java_bytes, scenario

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


def is_ours(instance: Any) -> bool:
    """Intel's classes have native methods, and fgkl's have ``backend()``."""
    is_native = jpype.JClass("java.lang.reflect.Modifier").isNative
    methods = instance.getClass().getDeclaredMethods()
    return not any(
        is_native(each.getModifiers()) or each.getName() == "backend" for each in methods
    )


@scenario
def kernels(argument: dict[str, Any]) -> dict[str, Any]:
    """Use all three kernels of a library, and return what each computes."""
    pairhmm_name, pdhmm_name, smithwaterman_name = NAMES[argument["library"]]
    pairhmm = PairHmm(name=pairhmm_name)
    pdhmm = Pdhmm(name=pdhmm_name)
    smithwaterman = SmithWaterman(smithwaterman_name)
    reference, alternative = map(java_bytes, argument["smithwaterman"])
    result: dict[str, Any] = {
        "pairhmm": pairhmm.compute(argument["pairhmm"]),
        "pdhmm": pdhmm.compute(argument["pdhmm"]),
        "smithwaterman": smithwaterman.align(reference, alternative),
    }
    instances = (pairhmm.instance, pdhmm.instance, smithwaterman.instance)
    for name, instance in zip(list(result), instances, strict=True):
        result[name] = (result[name], is_ours(instance))
    pairhmm.instance.done()
    pdhmm.instance.done()
    smithwaterman.instance.close()
    return result


if __name__ == "__main__":
    scenarios.main()
