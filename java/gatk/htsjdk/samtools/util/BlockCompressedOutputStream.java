package htsjdk.samtools.util;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.Deflater;

/** Part of htsjdk's class, with fields that the agent opens, and what the agent adds. */
public class BlockCompressedOutputStream extends OutputStream {
    public BinaryCodec codec;
    public byte[] uncompressedBuffer;
    public int numUncompressedBytes;
    public byte[] compressedBuffer;
    public Deflater deflater;
    public long mBlockAddress;
    public GZIIndex.GZIIndexer indexer;
    public Object gklShim;

    public native long getFilePointer();

    public native int deflateBlock$original();

    public native void flush$original() throws IOException;

    public native void close$original(boolean writeTerminatorBlock) throws IOException;

    public native long getFilePointer$original();

    public native void addIndexer$original(OutputStream stream);

    @Override
    public native void write(int b) throws IOException;
}
