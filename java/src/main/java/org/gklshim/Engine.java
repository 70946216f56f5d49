package org.gklshim;

/** The native engine, as seen across class loaders. {@link PairHmm} says what the methods do. */
public interface Engine {
    /**
     * Loads the native library.
     *
     * @throws UnsatisfiedLinkError it cannot be loaded
     */
    void load(String path);

    int initialize(boolean useDoublePrecision, int threads, String swap);

    void compute(int configuration, byte[] sequences, int[] lengths, int reads, int haplotypes,
            double[] likelihoods);
}
