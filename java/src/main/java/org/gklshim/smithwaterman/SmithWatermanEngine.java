package org.gklshim.smithwaterman;

/** The native aligner for callers in other class loaders. */
public interface SmithWatermanEngine {
    /** Logs once what was replaced and how. Alignments are counted from then on. */
    void announce(String replaced);

    /**
     * Aligns a sequence to a reference.
     *
     * @param overhang the ordinal of the overhang strategy
     * @param cigar receives the CIGAR's text; two bytes for each letter of both sequences
     * @return the offset in the upper 32 bits, and the length of the CIGAR in the lower
     */
    long align(byte[] reference, byte[] alternative, int match, int mismatch, int gapOpen,
            int gapExtend, int overhang, byte[] cigar);
}
