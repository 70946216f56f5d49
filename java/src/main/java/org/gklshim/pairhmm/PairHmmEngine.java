package org.gklshim.pairhmm;

/** The native PairHMM for callers in other class loaders. {@link PairHmm} explains the methods. */
public interface PairHmmEngine {
    /**
     * Prepares the engine.
     *
     * @param replaced what was replaced and how, for the log; null for the self-test
     */
    int initialize(boolean useDoublePrecision, int threads, String replaced);

    void compute(int configuration, byte[] sequences, int[] lengths, int reads, int haplotypes,
            double[] likelihoods);
}
