package org.gklshim.pdhmm;

/** The native PDHMM for callers in other class loaders. {@link Pdhmm} explains the methods. */
public interface PdhmmEngine {
    /**
     * Prepares the engine.
     *
     * @param replaced what was replaced and how, for the log; null for the self-test
     */
    int initialize(int threads, String replaced);

    void compute(int configuration, byte[] sequences, int[] lengths, int reads, int haplotypes,
            double[] likelihoods);
}
