package htsjdk.samtools.util;

import htsjdk.samtools.seekablestream.SeekableStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;

/** Part of htsjdk's class, with fields that the agent opens, and what the agent adds. */
public class BlockCompressedInputStream extends InputStream {
    public BlockCompressedInputStream(File file) throws IOException {}

    public InputStream mStream;
    public SeekableStream mFile;
    public DecompressedBlock mCurrentBlock;
    public long mStreamOffset;
    public BlockGunzipper blockGunzipper;
    public Object gklShim;

    public native DecompressedBlock nextBlock$original(byte[] buffer);

    public native void seek$original(long pointer) throws IOException;

    public native void close$original() throws IOException;

    public native long getFilePointer();

    public native void seek(long pointer) throws IOException;

    @Override
    public native int available() throws IOException;

    @Override
    public native int read() throws IOException;

    /** Part of htsjdk's class, with fields that the agent opens. */
    public static class DecompressedBlock {
        public byte[] mBlock;
        public long mBlockAddress;

        public DecompressedBlock(long address, byte[] bytes, int compressedSize) {}

        public DecompressedBlock(long address, int compressedSize, Exception exception) {}
    }

    @Override
    public native int read(byte[] buffer, int offset, int length) throws IOException;
}
