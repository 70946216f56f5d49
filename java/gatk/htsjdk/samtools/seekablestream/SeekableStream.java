package htsjdk.samtools.seekablestream;

import java.io.IOException;
import java.io.InputStream;

/** Part of htsjdk's class. */
public abstract class SeekableStream extends InputStream {
    public abstract void seek(long position) throws IOException;
}
