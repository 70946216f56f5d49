package org.gklshim.gatk.blocks;

import htsjdk.samtools.util.BinaryCodec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * A block on its way to a file: its bytes, and what they become. The format is section 4.1, "The
 * BGZF compression format", of the SAM specification.
 */
final class DeflatedBlock {
    /** The header without the last two bytes, the length of the block minus 1. */
    private static final byte[] HEADER = {
        31, (byte) 139, 8, 4, 0, 0, 0, 0, 0, (byte) 255, 6, 0, 66, 67, 2, 0,
    };
    private static final int HEADER_LENGTH = HEADER.length + 2;
    private static final int FOOTER_LENGTH = 8;

    /** What is to be deflated. */
    byte[] bytes;
    int length;
    private final byte[] deflated;
    private int deflatedLength;
    private int crc;

    /**
     * Creates a block without content.
     *
     * @param length the most bytes that are to be deflated
     * @param deflatedLength the most bytes that they may become; if they become more, they are stored
     *     without compression
     */
    DeflatedBlock(int length, int deflatedLength) {
        bytes = new byte[length];
        deflated = new byte[deflatedLength];
    }

    /** Deflates the bytes with one of these deflaters, or stores them if they do not get shorter. */
    DeflatedBlock deflate(CodecPool<Deflater> deflaters) {
        Deflater deflater = deflaters.take();
        try {
            deflater.reset();
            // If another one is needed, it is not this one, which is given back after it.
            return StreamAddress.matters(deflater, bytes) ? deflate(deflaters) : deflate(deflater);
        } finally {
            deflaters.giveBack(deflater);
        }
    }

    private DeflatedBlock deflate(Deflater deflater) {
        if (!fits(deflater)) {
            Deflater storer = new Deflater(Deflater.NO_COMPRESSION, true);
            try {
                if (!fits(storer)) {
                    throw new IllegalStateException("a block that cannot be stored");
                }
            } finally {
                storer.end();
            }
        }
        CRC32 sum = new CRC32();
        sum.update(bytes, 0, length);
        crc = (int) sum.getValue();
        return this;
    }

    /** Deflates the bytes with a deflater that was reset. Returns whether the result fits. */
    private boolean fits(Deflater deflater) {
        deflater.setInput(bytes, 0, length);
        deflater.finish();
        deflatedLength = deflater.deflate(deflated, 0, deflated.length);
        return deflater.finished();
    }

    /** Writes the deflated block. Returns its length in the file. */
    int write(BinaryCodec file) {
        int total = HEADER_LENGTH + deflatedLength + FOOTER_LENGTH;
        ByteBuffer ends = ByteBuffer.allocate(HEADER_LENGTH + FOOTER_LENGTH)
                .order(ByteOrder.LITTLE_ENDIAN);
        ends.put(HEADER).putShort((short) (total - 1)).putInt(crc).putInt(length);
        file.writeBytes(ends.array(), 0, HEADER_LENGTH);
        file.writeBytes(deflated, 0, deflatedLength);
        file.writeBytes(ends.array(), HEADER_LENGTH, FOOTER_LENGTH);
        return total;
    }
}
