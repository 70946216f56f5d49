package org.gklshim.gatk.duplicates;

/** The class whose native methods are in kernels/jni/native_duplicates.cpp. */
public final class NativeRecords implements RecordMethods {
    @Override
    public native long open(int options, String[] tags, String[] sequences, int[] lengths,
            String[] texts, String[] newTexts, int[] files, int[] groups);

    @Override
    public native void close(long run);

    @Override
    public native long growth(long run);

    @Override
    public native int keyHash(byte[] key);

    @Override
    public native void readEnds(long run, byte[] bytes, int[] starts, int[] files, int[] rows);

    @Override
    public native void mark(long run, byte[] bytes, int[] starts, int[] files, byte[] marks,
            byte[] marked, int[] ends, long[] counts);
}
