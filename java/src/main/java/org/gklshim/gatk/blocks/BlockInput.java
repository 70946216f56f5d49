package org.gklshim.gatk.blocks;

import htsjdk.samtools.util.BlockCompressedInputStream;
import htsjdk.samtools.util.BlockCompressedInputStream.DecompressedBlock;
import java.io.IOException;

/** Reading of files of compressed blocks. */
public final class BlockInput {
    private BlockInput() {}

    /** Takes the place of the method of {@link BlockCompressedInputStream}. */
    public static DecompressedBlock nextBlock(BlockCompressedInputStream file, byte[] unused) {
        InputBlocks blocks = InputBlocks.of(file);
        return blocks == null ? file.nextBlock$original(unused) : blocks.next(unused);
    }

    /** Takes the place of the method of {@link BlockCompressedInputStream}. */
    public static void seek(BlockCompressedInputStream file, long pointer) throws IOException {
        InputBlocks blocks = InputBlocks.begun(file);
        if (blocks == null) {
            file.seek$original(pointer);
        } else {
            blocks.seek(pointer);
        }
    }

    /** Takes the place of the method of {@link BlockCompressedInputStream}. */
    public static void close(BlockCompressedInputStream file) throws IOException {
        InputBlocks blocks = InputBlocks.begun(file);
        if (blocks != null) {
            blocks.end();
        }
        file.close$original();
    }
}
