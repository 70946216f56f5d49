package htsjdk.samtools.util;

/** Part of htsjdk's class. */
public class BinaryCodec {
    public native void writeBytes(byte[] bytes, int offset, int length);
}
