package org.gklshim.pairhmm;

/** The native PairHMM, as seen across class loaders. {@link PairHmm} says what the methods do. */
public interface PairHmmEngine {
    /**
     * Prepares for computing.
     *
     * @param replaced what has been replaced and how, for the log; null for the self-test
     */
    int initialize(boolean useDoublePrecision, int threads, String replaced);

    void compute(int configuration, byte[] sequences, int[] lengths, int reads, int haplotypes,
            double[] likelihoods);
}
