package htsjdk.samtools.util;

import java.io.InputStream;

/** Part of htsjdk's class. */
public class BinaryCodec {
    public native InputStream getInputStream();

    public native String getInputFileName();

    public native void writeBytes(byte[] bytes, int offset, int length);
}
