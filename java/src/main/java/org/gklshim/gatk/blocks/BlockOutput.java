package org.gklshim.gatk.blocks;

import htsjdk.samtools.util.BlockCompressedOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Writing of files of compressed blocks. */
public final class BlockOutput {
    private BlockOutput() {}

    /** Takes the place of the method of {@link BlockCompressedOutputStream}. */
    public static int deflateBlock(BlockCompressedOutputStream file) {
        OutputBlocks blocks = OutputBlocks.of(file);
        if (blocks == null) {
            return file.deflateBlock$original();
        }
        blocks.add();
        // Nobody uses the length of the block, which is not known yet.
        return 0;
    }

    /** Takes the place of the method of {@link BlockCompressedOutputStream}. */
    public static void flush(BlockCompressedOutputStream file) throws IOException {
        OutputBlocks blocks = OutputBlocks.of(file);
        if (blocks == null) {
            file.flush$original();
        } else {
            blocks.flush();
        }
    }

    /** Takes the place of the method of {@link BlockCompressedOutputStream}. */
    public static void close(BlockCompressedOutputStream file, boolean writeTerminatorBlock)
            throws IOException {
        // If this fails, the blocks in flight stay: who closes again writes them.
        file.close$original(writeTerminatorBlock);
        OutputBlocks blocks = OutputBlocks.begun(file);
        if (blocks != null) {
            blocks.end();
        }
    }

    /** Takes the place of the method of {@link BlockCompressedOutputStream}. */
    public static long getFilePointer(BlockCompressedOutputStream file) {
        OutputBlocks blocks = OutputBlocks.begun(file);
        if (blocks != null) {
            blocks.writeForAddress();
        }
        return file.getFilePointer$original();
    }

    /** Takes the place of the method of {@link BlockCompressedOutputStream}. */
    public static void addIndexer(BlockCompressedOutputStream file, OutputStream index) {
        OutputBlocks blocks = OutputBlocks.begun(file);
        if (blocks != null) {
            blocks.writeAll();
        }
        file.addIndexer$original(index);
    }
}
