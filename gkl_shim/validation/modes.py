"""The tools and modes of GATK that can be validated."""

from __future__ import annotations

from dataclasses import dataclass

CALLER, MUTECT = "HaplotypeCaller", "Mutect2"

STOCK, SHIM, STOCK_DOUBLE, SHIM_DOUBLE = "stock", "gkl-shim", "stock-double", "gkl-shim-double"
"""The variants of a run. Folders have these names."""

DOUBLE = ("--native-pair-hmm-use-double-precision", "true")
"""The arguments that make PairHMM compute in double precision, stock's and gkl-shim's."""


@dataclass(frozen=True)
class Mode:
    """A tool of GATK, its arguments, and the tool that makes its final calls."""

    name: str
    tool: str
    arguments: tuple[str, ...] = ()
    last_tool: str | None = None
    """Makes calls of what `tool` has written, if that are not calls yet."""


MODES = {
    mode.name: mode
    for mode in (
        Mode("vcf", CALLER),
        Mode("gvcf", CALLER, ("-ERC", "GVCF"), "GenotypeGVCFs"),
        Mode("dragen", CALLER, ("--dragen-mode", "true")),
        Mode("dragen378", CALLER, ("--dragen-378-concordance-mode", "true")),
        Mode("mutect2", MUTECT, (), "FilterMutectCalls"),
    )
}
"""All modes by name. Mutect2 has one."""
