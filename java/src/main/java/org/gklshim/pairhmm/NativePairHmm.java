package org.gklshim.pairhmm;

import org.gklshim.hmm.RegionEngine;

/** The class whose native methods are in kernels/jni/native_regions.cpp. */
public final class NativePairHmm implements RegionEngine {
    @Override
    public native int initialize(boolean useDoublePrecision, int threads, String replaced);

    @Override
    public native void compute(int configuration, byte[] sequences, int[] lengths, int reads,
            int haplotypes, double[] likelihoods);
}
