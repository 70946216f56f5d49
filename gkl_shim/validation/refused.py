"""The arguments for GATK that ``gkl-shim validate`` cannot pass on."""

from __future__ import annotations

from gkl_shim.validation.inputs import option_name

_EXCLUSIONS = {"XL", "exclude-intervals", "ixp", "interval-exclusion-padding"}
# What gkl-shim gives itself or would not see, what all shards would write to at once, what leaves
# GATK's times out of the log, and what calls nothing.
_REFUSED = {
    "R", "reference", "I", "input", "O", "output", "L", "intervals", "ip", "interval-padding",
    "isr", "interval-set-rule", *_EXCLUSIONS, "native-pair-hmm-use-double-precision",
    "arguments_file",
    "bamout", "bam-output", "f1r2-tar-gz", "graph", "graph-output", "activity-profile-out",
    "assembly-region-out", "pair-hmm-results-file", "pdhmm-results-file",
    "debug-assembly-variants-out", "debug-genotyper-output", "haplotype-debug-histogram-output",
    "permutect-training-dataset", "permutect-test-dataset", "mutect3-dataset",
    "debug-assembly-region-state", "alm-path",
    "verbosity",
    # Of Picard's tools, and of the other steps.
    "REFERENCE_SEQUENCE", "INPUT", "OUTPUT", "M", "METRICS_FILE", "TMP_DIR", "CREATE_INDEX",
    "CREATE_MD5_FILE", "create-output-bam-md5", "OBM", "bqsr", "bqsr-recal-file", "known-sites",
    "V", "variant",
    "h", "help", "version",
}  # fmt: skip


def complaint(argument: str) -> str | None:
    """Return why an argument cannot be given, or None."""
    name = option_name(argument)
    if name not in _REFUSED:
        return None
    remedy = "; give the remaining intervals with -L, before --" * (name in _EXCLUSIONS)
    return f"{argument}: it cannot be given after --{remedy}"
