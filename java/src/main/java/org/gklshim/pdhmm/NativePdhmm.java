package org.gklshim.pdhmm;

/** The class whose native methods are in kernels/jni/native_pdhmm.cpp. */
public final class NativePdhmm implements PdhmmEngine {
    public NativePdhmm() {}

    @Override
    public native int initialize(int threads, String replaced);

    @Override
    public native void compute(int configuration, byte[] sequences, int[] lengths, int reads,
            int haplotypes, double[] likelihoods);
}
