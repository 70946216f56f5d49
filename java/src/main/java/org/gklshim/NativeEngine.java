package org.gklshim;

/**
 * The class that the native library is bound to. {@link NativeLibrary} defines it in a class loader
 * of its own: the library also exports the natives of Intel's classes, and bound to GATK's class
 * loader it would answer for those where they stay in place.
 */
public final class NativeEngine implements Engine {
    public NativeEngine() {}

    @Override
    public void load(String path) {
        System.load(path);
    }

    @Override
    public native int initialize(boolean useDoublePrecision, int threads, String swap);

    @Override
    public native void compute(int configuration, byte[] sequences, int[] lengths, int reads,
            int haplotypes, double[] likelihoods);
}
