package org.gklshim.gatk.records;

import htsjdk.samtools.BAMRecordCodec;
import htsjdk.samtools.QueryInterval;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.util.BlockCompressedInputStream;
import htsjdk.samtools.util.RuntimeIOException;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Collections;
import org.broadinstitute.hellbender.utils.read.SAMRecordToGATKReadAdapter;
import org.gklshim.gatk.Members;

/**
 * The records of a BAM file, or of parts of it, in batches. What is wrong with the file is found by
 * htsjdk, which reads what cannot be read here.
 */
public final class BamReader implements RecordBatches, Closeable {
    /** The bytes of a batch, unless a record is larger. */
    public static final int BATCH_SIZE = 1 << 18;
    private static final int SIZE = 4;
    /** The most bytes of a block. */
    private static final int BLOCK = 1 << 16;
    /** htsjdk reads larger ones. */
    private static final int MAX_RECORD = 1 << 24;
    private static final byte[] MAGIC = {'B', 'A', 'M', 1};
    /** The first bytes of a BGZF file. */
    private static final byte[] COMPRESSED = {0x1f, (byte) 0x8b, 8, 4};

    private final BlockCompressedInputStream file;
    private final SAMFileHeader header;
    private final int sequences;
    private final BAMRecordCodec ofFile;
    /** The intervals that records must overlap, or null if all count. */
    private final QueryInterval[] queried;
    private final Intervals intervals;
    private final Buffers buffers;
    /** Where each part begins and ends, as virtual file offsets. */
    private final long[] parts;
    private int nextPart;
    /** Where the part ends that is read. */
    private long partEnd = -1;
    /** The same in the buffer, or a larger number. */
    private int partEndInBuffer;

    private byte[] buffer;
    /** Where the next record begins in the buffer, and where the buffer ends. */
    private int next;
    private int end;
    /** Where the byte before the next record is in the file; -1 if the buffer does not have it. */
    private long lastPointer;
    /** Where the blocks in the buffer begin, there and in the file. */
    private int[] blockStarts = new int[16];
    private long[] blockPointers = new long[16];
    private int blocks;
    /** Whether htsjdk must say what comes after the buffer. */
    private boolean isStuck;
    private boolean isAtEnd;
    private long index;
    /** The batch after the one that was returned. */
    private RecordBatch ahead;
    private boolean hasStarted;

    /**
     * @param parts the virtual file offsets where each part begins and where it ends
     * @param stream what htsjdk reads the file through
     * @param name the name of the file in htsjdk's messages
     * @param queried the intervals that records must overlap, or null
     * @param buffers gives the arrays of batches
     */
    BamReader(BlockCompressedInputStream file, SAMFileHeader header, long[] parts,
            InputStream stream, String name, QueryInterval[] queried, Buffers buffers) {
        this.file = file;
        this.header = header;
        this.parts = parts;
        this.queried = queried;
        this.buffers = buffers;
        intervals = queried == null ? null : new Intervals(queried);
        sequences = header.getSequenceDictionary().getSequences().size();
        ofFile = new BAMRecordCodec(header);
        ofFile.setInputStream(stream, name);
        buffer = buffers.take(0);
    }

    /**
     * Opens a file that only this reader reads.
     *
     * @throws IOException if it is not a BAM file, or cannot be read
     */
    public static BamReader open(File path, SAMFileHeader header, Buffers buffers)
            throws IOException {
        BlockCompressedInputStream file = new BlockCompressedInputStream(path);
        try {
            skipHeader(file);
            long[] whole = {file.getFilePointer(), Long.MAX_VALUE};
            return new BamReader(file, header, whole, file, path.getPath(), null, buffers);
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /** Returns whether a file begins like a compressed BAM file. Its start says no more. */
    public static boolean isCompressed(File path) throws IOException {
        byte[] start = new byte[COMPRESSED.length];
        try (FileInputStream stream = new FileInputStream(path)) {
            return stream.read(start) == start.length && Arrays.equals(start, COMPRESSED);
        }
    }

    private static void skipHeader(BlockCompressedInputStream file) throws IOException {
        if (!Arrays.equals(read(file, MAGIC.length), MAGIC)) {
            throw new IOException("not a BAM file");
        }
        read(file, integer(file));
        int count = integer(file);
        for (int k = 0; k < count; k++) {
            read(file, integer(file));
            integer(file);
        }
    }

    private static int integer(BlockCompressedInputStream file) throws IOException {
        return LittleEndian.integer(read(file, 4), 0);
    }

    private static byte[] read(BlockCompressedInputStream file, int size) throws IOException {
        if (size < 0) {
            throw new IOException("a BAM file with a negative length");
        }
        byte[] bytes = new byte[size];
        for (int at = 0; at < size;) {
            int count = file.read(bytes, at, size - at);
            if (count <= 0) {
                throw new IOException("a BAM file that ends too early");
            }
            at += count;
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    @Override
    public Records records() {
        return new Records(header, queried);
    }

    @Override
    public void giveBack(RecordBatch batch) {
        buffers.giveBack(batch.bytes);
    }

    @Override
    public RecordBatch next() {
        if (!hasStarted) {
            hasStarted = true;
            ahead = readBatch();
        }
        RecordBatch batch = ahead;
        if (batch == null || intervals != null && intervals.arePassed()) {
            return null;
        }
        ahead = batch.failure == null ? readBatch() : null;
        if (ahead != null && ahead.failure != null) {
            // htsjdk reads a record before it returns the one before it.
            batch = batch.first(Math.max(0, batch.count - 1), ahead.failure);
            ahead = null;
        }
        if (intervals != null) {
            batch.firstInterval = intervals.first;
            pass(batch);
        }
        return batch;
    }

    /** Finds the first interval that the records of a batch do not pass. */
    private void pass(RecordBatch batch) {
        for (int k = 0; k < batch.count && batch.reads == null; k++) {
            intervals.reached(LittleEndian.integer(batch.bytes, batch.starts[k] + 4),
                    LittleEndian.integer(batch.bytes, batch.starts[k] + 8) + 1);
        }
        for (int k = 0; k < batch.count && batch.reads != null; k++) {
            SAMRecord record = Records.of(batch.reads.get(k));
            intervals.reached(record.getReferenceIndex(), record.getAlignmentStart());
        }
    }

    /** Reads a batch, of a failure alone if the next record cannot be read. */
    private RecordBatch readBatch() {
        try {
            return read();
        } catch (IOException e) {
            // As in htsjdk.
            return failed(new RuntimeIOException(e.getMessage(), e));
        } catch (RuntimeException | Error e) {
            return failed(e);
        }
    }

    private RecordBatch failed(Throwable failure) {
        isAtEnd = true;
        return RecordBatch.of(Collections.emptyList(), 0, index, failure);
    }

    /** Reads records as long as the next one is in the buffer. Returns null at the end. */
    private RecordBatch read() throws IOException {
        int[] starts = new int[1 << 10];
        int count = 0;
        while (!isAtEnd) {
            boolean isPartAtEnd = next >= partEndInBuffer
                    || next == end && file.getFilePointer() >= partEnd;
            int size = isPartAtEnd || end - next < SIZE ? 0 : LittleEndian.integer(buffer, next);
            boolean isHere = size >= BamFormat.FIXED_SIZE - SIZE && size <= MAX_RECORD
                    && end - next >= SIZE + size;
            if (isHere && hasSequences()) {
                if (count + 1 == starts.length) {
                    starts = Arrays.copyOf(starts, 2 * starts.length);
                }
                starts[count++] = next;
                next += SIZE + size;
                starts[count] = next;
            } else if (count > 0) {
                return batch(starts, count);
            } else if (isPartAtEnd) {
                startPart();
            } else if (isHere || size < 0 || size > MAX_RECORD
                    || end - next >= SIZE && size < BamFormat.FIXED_SIZE - SIZE
                    // A record may go beyond the end of its part.
                    || isStuck || partEndInBuffer != Integer.MAX_VALUE) {
                return readByHtsjdk();
            } else {
                fill(SIZE + size);
            }
        }
        return null;
    }

    /** Returns whether the header has the sequences of the next record: htsjdk needs no more. */
    private boolean hasSequences() {
        int reference = LittleEndian.integer(buffer, next + 4);
        int mateReference = LittleEndian.integer(buffer, next + 24);
        return reference >= -1 && reference < sequences
                && mateReference >= -1 && mateReference < sequences;
    }

    /** Makes a batch of the records before the next one. The rest goes to a new buffer. */
    private RecordBatch batch(int[] starts, int count) {
        byte[] bytes = buffer;
        moveRest(Math.max(end - next, BATCH_SIZE));
        index += count;
        return new RecordBatch(bytes, starts, count, index - count);
    }

    private void startPart() throws IOException {
        if (nextPart == parts.length) {
            isAtEnd = true;
            return;
        }
        long start = parts[nextPart++];
        partEnd = parts[nextPart++];
        clear();
        // Only the file's own place decides whether the part is empty.
        partEndInBuffer = Integer.MAX_VALUE;
        file.seek(start);
    }

    private void clear() {
        next = 0;
        end = 0;
        blocks = 0;
        lastPointer = -1;
        isStuck = false;
    }

    /** Reads blocks until a record of a size is in the buffer, and more if there is room. */
    private void fill(int size) {
        if (buffer.length - next < size + BLOCK) {
            byte[] before = buffer;
            moveRest(size + BLOCK);
            buffers.giveBack(before);
        }
        do {
            int before = end;
            try {
                readBlock();
            } catch (IOException | RuntimeException e) {
                // htsjdk gets it, too, when it reads the same again.
                isStuck = true;
            }
            isStuck |= end == before;
        } while (!isStuck && file.getFilePointer() < partEnd && end + BLOCK <= buffer.length);
        isStuck |= end - next < size && file.getFilePointer() >= partEnd;
    }

    /** Moves what was not taken from the buffer to the start of another one. */
    private void moveRest(int size) {
        if (next > 0) {
            lastPointer = pointer(next - 1);
            int first = 0;
            while (first + 1 < blocks && blockStarts[first + 1] <= next) {
                first++;
            }
            for (int k = first; k < blocks; k++) {
                blockStarts[k - first] = blockStarts[k] - next;
                blockPointers[k - first] = blockPointers[k];
            }
            blocks -= first;
            partEndInBuffer -= partEndInBuffer == Integer.MAX_VALUE ? 0 : next;
        }
        byte[] larger = buffers.take(Math.max(size, end - next));
        System.arraycopy(buffer, next, larger, 0, end - next);
        buffer = larger;
        end -= next;
        next = 0;
    }

    private void readBlock() throws IOException {
        long pointer = file.getFilePointer();
        int size = file.available();
        if (size <= 0) {
            return;
        }
        if (blocks == blockStarts.length) {
            blockStarts = Arrays.copyOf(blockStarts, 2 * blocks);
            blockPointers = Arrays.copyOf(blockPointers, 2 * blocks);
        }
        if (end + size > buffer.length) {
            buffer = Arrays.copyOf(buffer, end + size);
        }
        blockStarts[blocks] = end;
        blockPointers[blocks++] = pointer;
        int read = file.read(buffer, end, size);
        partEndInBuffer = partEnd >>> 16 == pointer >>> 16
                ? end + (int) (partEnd - pointer) : Integer.MAX_VALUE;
        end += read;
    }

    /** Returns where a byte of the buffer is in the file. */
    private long pointer(int offset) {
        int block = blocks - 1;
        while (block > 0 && blockStarts[block] > offset) {
            block--;
        }
        return blockPointers[block] + (offset - blockStarts[block]);
    }

    /** Has htsjdk read the next record from the file. Returns null if there is none. */
    private RecordBatch readByHtsjdk() throws IOException {
        if (next < end || isStuck) {
            goBack();
        }
        clear();
        partEndInBuffer = Integer.MAX_VALUE;
        SAMRecord record = ofFile.decode();
        isAtEnd = record == null;
        if (isAtEnd) {
            return null;
        }
        return RecordBatch.of(Collections.singletonList(
                new SAMRecordToGATKReadAdapter(Records.silent(record))), record.getReadLength(),
                index++, null);
    }

    /** Goes back to the next record in the file. */
    private void goBack() throws IOException {
        // htsjdk has no block any more if it could not inflate the next one.
        Members.replace(file, "mCurrentBlock", null);
        // A block that cannot be read is not jumped to: htsjdk would skip it.
        long before = next > 0 ? pointer(next - 1) : lastPointer;
        if (before >= 0) {
            file.seek(before);
            file.read();
        } else if (blocks > 0) {
            file.seek(blockPointers[0]);
        } else {
            file.seek(parts[nextPart - 2]);
        }
    }
}
