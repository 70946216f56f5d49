package org.broadinstitute.gatk.nativebindings.smithwaterman;

/** What happens to letters of the alternative that the reference does not cover. */
public enum SWOverhangStrategy {
    SOFTCLIP,
    INDEL,
    LEADING_INDEL,
    IGNORE
}
