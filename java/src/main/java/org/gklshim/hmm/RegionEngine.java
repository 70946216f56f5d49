package org.gklshim.hmm;

/** The native PairHMM or PDHMM. {@link RegionAlgorithm} explains the methods. */
public interface RegionEngine {
    /**
     * Prepares the engine.
     *
     * @param useDoublePrecision ignored by PDHMM, which has double precision alone
     * @param replaced what was replaced and how, for the log; null for the self-test
     */
    int initialize(boolean useDoublePrecision, int threads, String replaced);

    void compute(int configuration, byte[] sequences, int[] lengths, int reads, int haplotypes,
            double[] likelihoods);
}
