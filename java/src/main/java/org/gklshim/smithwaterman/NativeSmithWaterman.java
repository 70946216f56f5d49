package org.gklshim.smithwaterman;

/** The class whose native methods are in kernels/jni/native_smithwaterman.cpp. */
public final class NativeSmithWaterman implements SmithWatermanEngine {
    @Override
    public native void announce(String replaced);

    @Override
    public native long align(byte[] reference, byte[] alternative, int match, int mismatch,
            int gapOpen, int gapExtend, int overhang, byte[] cigar);
}
