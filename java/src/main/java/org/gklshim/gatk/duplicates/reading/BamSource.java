package org.gklshim.gatk.duplicates.reading;

import htsjdk.samtools.util.BlockCompressedInputStream;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.Arrays;
import org.gklshim.gatk.bam.BlockReader;
import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.LittleEndian;

/** The records of a BAM file, in batches: those that begin in a run of blocks. */
public final class BamSource implements Closeable {
    /** The room in front of a run, for the start of its first record. */
    private static final int ROOM = 1 << 14;
    /** How large the arrays of runs are. */
    public static final int BATCH_SIZE = ROOM + BlockReader.RUN_SIZE;
    private static final int MAX_RECORD_SIZE = 1 << 28;
    private static final int MAX_SKIPPED = 1 << 16;
    private static final byte[] MAGIC = {'B', 'A', 'M', 1};
    /** The first bytes of a BGZF file. */
    private static final byte[] COMPRESSED = {0x1f, (byte) 0x8b, 8, 4};

    private final BlockReader blocks;
    private final Buffers buffers;
    private long index;
    /** How many bytes of the first run are no records. */
    private int skipped;
    /** The start of a record of which the next run has the end. */
    private byte[] rest = {};

    /**
     * Opens a file and skips its header.
     *
     * @param buffers gives the arrays of batches
     * @throws IOException if it is not a BAM file, or cannot be read
     */
    BamSource(File file, Buffers buffers) throws IOException {
        this.buffers = buffers;
        try (BlockCompressedInputStream in = new BlockCompressedInputStream(file)) {
            skipHeader(in);
            long pointer = in.getFilePointer();
            skipped = (int) (pointer & 0xffff);
            blocks = new BlockReader(file, pointer >>> 16, () -> buffers.take(0), ROOM);
        }
    }

    /** Returns whether a file begins like a compressed BAM file. Its start says no more. */
    static boolean isCompressed(File file) throws IOException {
        byte[] start = new byte[COMPRESSED.length];
        try (FileInputStream stream = new FileInputStream(file)) {
            return stream.read(start) == start.length && Arrays.equals(start, COMPRESSED);
        }
    }

    private static void skipHeader(BlockCompressedInputStream in) throws IOException {
        if (!Arrays.equals(bytes(in, MAGIC.length), MAGIC)) {
            throw new IOException("not a BAM file");
        }
        skip(in, integer(in));
        int sequences = integer(in);
        for (int k = 0; k < sequences; k++) {
            skip(in, integer(in));
            integer(in);
        }
    }

    private static int integer(BlockCompressedInputStream in) throws IOException {
        return LittleEndian.integer(bytes(in, 4), 0);
    }

    private static byte[] bytes(BlockCompressedInputStream in, int size) throws IOException {
        byte[] bytes = new byte[size];
        if (in.read(bytes, 0, size) < size) {
            throw new IOException("a BAM file that ends too early");
        }
        return bytes;
    }

    private static void skip(BlockCompressedInputStream in, int size) throws IOException {
        for (int left = size; left != 0;) {
            if (left < 0) {
                throw new IOException("a BAM file with a negative length");
            }
            left -= bytes(in, Math.min(left, MAX_SKIPPED)).length;
        }
    }

    /**
     * Returns the next records, or null at the end.
     *
     * @throws IOException if the file is damaged
     */
    BamRecords next() throws IOException {
        for (byte[] run; (run = blocks.next()) != null;) {
            int start = ROOM + skipped - rest.length;
            int end = ROOM + blocks.size();
            byte[] bytes = run;
            if (start < 0) {
                bytes = new byte[end - start];
                System.arraycopy(run, ROOM, bytes, rest.length, end - ROOM);
                buffers.giveBack(run);
                end -= start;
                start = 0;
            }
            skipped = 0;
            System.arraycopy(rest, 0, bytes, start, rest.length);
            BamRecords records = records(bytes, start, end);
            rest = Arrays.copyOfRange(bytes, records.starts[records.count], end);
            if (records.count > 0) {
                index += records.count;
                return records;
            }
            buffers.giveBack(bytes);
        }
        if (rest.length > 0) {
            throw new IOException("the last record is not complete");
        }
        return null;
    }

    /** Finds the records that are complete. */
    private BamRecords records(byte[] bytes, int from, int to) throws IOException {
        int[] starts = new int[1 << 10];
        int count = 0;
        int start = from;
        while (to - start >= 4) {
            int size = LittleEndian.integer(bytes, start);
            if (size < BamFormat.FIXED_SIZE - 4 || size > MAX_RECORD_SIZE) {
                throw new IOException("a record of " + size + " bytes");
            }
            if (to - start - 4 < size) {
                break;
            }
            if (count + 1 == starts.length) {
                starts = Arrays.copyOf(starts, 2 * starts.length);
            }
            starts[count++] = start;
            start += 4 + size;
        }
        starts[count] = start;
        return new BamRecords(bytes, starts, count, index);
    }

    @Override
    public void close() throws IOException {
        blocks.close();
    }
}
