package org.broadinstitute.gatk.nativebindings.smithwaterman;

/** An alignment. */
public final class SWNativeAlignerResult {
    public final String cigar;
    public final int alignment_offset;

    public SWNativeAlignerResult(String cigar, int alignment_offset) {
        this.cigar = cigar;
        this.alignment_offset = alignment_offset;
    }
}
