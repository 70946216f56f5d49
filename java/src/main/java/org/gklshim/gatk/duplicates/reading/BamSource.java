package org.gklshim.gatk.duplicates.reading;

import htsjdk.samtools.util.BlockCompressedInputStream;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.Arrays;
import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.Buffers;
import org.gklshim.gatk.records.LittleEndian;

/** The records of a BAM file, in batches. */
public final class BamSource implements Closeable {
    public static final int BATCH_SIZE = 1 << 18;
    private static final int MAX_RECORD_SIZE = 1 << 28;
    private static final byte[] MAGIC = {'B', 'A', 'M', 1};
    /** The first bytes of a BGZF file. */
    private static final byte[] COMPRESSED = {0x1f, (byte) 0x8b, 8, 4};

    private final BlockCompressedInputStream in;
    private final Buffers buffers;
    private long index;
    private boolean isAtEnd;
    /** What was read of the next batch. */
    private byte[] rest = {};
    private int restSize;

    /**
     * Opens a file and skips its header.
     *
     * @param buffers gives the arrays of batches
     * @throws IOException if it is not a BAM file, or cannot be read
     */
    BamSource(File file, Buffers buffers) throws IOException {
        this.buffers = buffers;
        in = new BlockCompressedInputStream(file);
        try {
            skipHeader();
        } catch (Throwable e) {
            in.close();
            throw e;
        }
    }

    /** Returns whether a file begins like a compressed BAM file. Its start says no more. */
    static boolean isCompressed(File file) throws IOException {
        byte[] start = new byte[COMPRESSED.length];
        try (FileInputStream stream = new FileInputStream(file)) {
            return stream.read(start) == start.length && Arrays.equals(start, COMPRESSED);
        }
    }

    private void skipHeader() throws IOException {
        if (!Arrays.equals(bytes(MAGIC.length), MAGIC)) {
            throw new IOException("not a BAM file");
        }
        skip(integer());
        int sequences = integer();
        for (int k = 0; k < sequences; k++) {
            skip(integer());
            integer();
        }
    }

    private int integer() throws IOException {
        return LittleEndian.integer(bytes(4), 0);
    }

    private byte[] bytes(int size) throws IOException {
        byte[] bytes = new byte[size];
        if (read(bytes, 0) < size) {
            throw new IOException("a BAM file that ends too early");
        }
        return bytes;
    }

    private void skip(int size) throws IOException {
        for (int left = size; left != 0;) {
            if (left < 0) {
                throw new IOException("a BAM file with a negative length");
            }
            left -= bytes(Math.min(left, BATCH_SIZE)).length;
        }
    }

    /** Fills an array from an offset on. Returns up to where there are bytes. */
    private int read(byte[] bytes, int offset) throws IOException {
        int end = offset;
        while (end < bytes.length) {
            int size = in.read(bytes, end, bytes.length - end);
            if (size <= 0) {
                isAtEnd = true;
                break;
            }
            end += size;
        }
        return end;
    }

    /**
     * Returns the next records, or null at the end.
     *
     * @throws IOException if the file is damaged
     */
    BamRecords next() throws IOException {
        byte[] bytes = buffers.take(restSize);
        System.arraycopy(rest, 0, bytes, 0, restSize);
        int size = restSize;
        int[] starts = new int[1 << 10];
        while (true) {
            size = read(bytes, size);
            int count = 0;
            int start = 0;
            int needed = 4;
            while (size - start >= 4) {
                needed = LittleEndian.integer(bytes, start);
                if (needed < BamFormat.FIXED_SIZE - 4 || needed > MAX_RECORD_SIZE) {
                    throw new IOException("a record of " + needed + " bytes");
                }
                needed += 4;
                if (size - start < needed) {
                    break;
                }
                if (count + 1 == starts.length) {
                    starts = Arrays.copyOf(starts, 2 * starts.length);
                }
                starts[count++] = start;
                start += needed;
            }
            starts[count] = start;
            if (isAtEnd && start < size) {
                throw new IOException("the last record is not complete");
            }
            if (count > 0) {
                rest = Arrays.copyOfRange(bytes, start, size);
                restSize = rest.length;
                index += count;
                return new BamRecords(bytes, starts, count, index - count);
            }
            if (isAtEnd) {
                return null;
            }
            bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
