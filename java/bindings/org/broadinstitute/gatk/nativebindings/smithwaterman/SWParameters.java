package org.broadinstitute.gatk.nativebindings.smithwaterman;

/** The scores. Penalties are negative. */
public class SWParameters {
    private final int matchValue;
    private final int mismatchPenalty;
    private final int gapOpenPenalty;
    private final int gapExtendPenalty;

    public SWParameters(int matchValue, int mismatchPenalty, int gapOpenPenalty,
            int gapExtendPenalty) {
        this.matchValue = matchValue;
        this.mismatchPenalty = mismatchPenalty;
        this.gapOpenPenalty = gapOpenPenalty;
        this.gapExtendPenalty = gapExtendPenalty;
    }

    public int getMatchValue() {
        return matchValue;
    }

    public int getMismatchPenalty() {
        return mismatchPenalty;
    }

    public int getGapOpenPenalty() {
        return gapOpenPenalty;
    }

    public int getGapExtendPenalty() {
        return gapExtendPenalty;
    }
}
