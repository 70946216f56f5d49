package htsjdk.samtools.util;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;

/** Part of htsjdk's class. */
public class BlockCompressedInputStream extends InputStream {
    public BlockCompressedInputStream(File file) throws IOException {}

    @Override
    public native int read() throws IOException;

    @Override
    public native int read(byte[] buffer, int offset, int length) throws IOException;
}
