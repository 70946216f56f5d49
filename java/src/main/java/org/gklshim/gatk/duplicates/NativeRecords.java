package org.gklshim.gatk.duplicates;

/** The class whose native methods are in kernels/jni/native_duplicates.cpp. */
public final class NativeRecords implements RecordMethods {
    @Override
    public native void readEnds(byte[] bytes, int[] starts, int count, int[] files, long[] facts,
            byte[] letters, int[] texts, int from, int[] stop, long[] rows);

    @Override
    public native void mark(byte[] bytes, int[] starts, int count, int[] files, long[] facts,
            byte[] letters, int[] texts, int from, int[] stop, long first, long[] indexes,
            long base, long[] duplicates, long[] optical, byte[] marked, int[] ends,
            boolean[] unusual, long[] counts);
}
