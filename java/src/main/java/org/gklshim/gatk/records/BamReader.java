package org.gklshim.gatk.records;

import htsjdk.samtools.BAMRecordCodec;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import htsjdk.samtools.SAMSequenceRecord;
import htsjdk.samtools.ValidationStringency;
import htsjdk.samtools.util.BlockCompressedInputStream;
import htsjdk.samtools.util.RuntimeIOException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.gklshim.gatk.Members;

/**
 * The records of a BAM file, or of parts of it, one after another. What is wrong with the file is
 * found by htsjdk, which reads what cannot be read here.
 */
public final class BamReader {
    private static final int SIZE = 4;
    private static final int BUFFER = 1 << 18;
    /** The most bytes of a block. */
    private static final int BLOCK = 1 << 16;
    /** htsjdk reads larger ones. */
    private static final int MAX_RECORD = 1 << 24;

    private final BlockCompressedInputStream file;
    private final BAMRecordCodec ofFile;
    private final BAMRecordCodec ofBytes;
    /** Where each part begins and ends, as virtual file offsets. */
    private final long[] parts;
    private int nextPart;
    /** Where the part ends that is read. */
    private long partEnd = -1;
    /** The same in the buffer, or a larger number. */
    private int partEndInBuffer;

    private byte[] buffer = new byte[BUFFER];
    /** The buffer before. A record may still be there. */
    private byte[] earlier = new byte[BUFFER];
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

    /** A record, and what is known of it. */
    private static final class Entry {
        final BamRecord record;
        boolean isUsual;
        /** Null if htsjdk has not decoded it. */
        SAMRecord decoded;

        Entry(int[] sequenceLengths) {
            record = new BamRecord(sequenceLengths);
        }
    }

    private Entry current;
    /** The record after it. If it cannot be read, nobody gets the current one, as in htsjdk. */
    private Entry ahead;
    private boolean hasStarted;
    private boolean hasAhead;

    /**
     * @param parts the virtual file offsets where each part begins and where it ends
     * @param stream what htsjdk reads the file through
     * @param name the name of the file in htsjdk's messages
     */
    BamReader(BlockCompressedInputStream file, SAMFileHeader header, long[] parts,
            InputStream stream, String name) {
        this.file = file;
        this.parts = parts;
        ofFile = new BAMRecordCodec(header);
        ofFile.setInputStream(stream, name);
        ofBytes = new BAMRecordCodec(header);
        List<SAMSequenceRecord> sequences = header.getSequenceDictionary().getSequences();
        int[] lengths =
                sequences.stream().mapToInt(SAMSequenceRecord::getSequenceLength).toArray();
        current = new Entry(lengths);
        ahead = new Entry(lengths);
    }

    /** Returns the record, if it is usual. */
    public BamRecord record() {
        return current.record;
    }

    /** Returns whether the record is usual. If not, only {@link #decoded} is to be asked. */
    public boolean isUsual() {
        return current.isUsual;
    }

    /** Returns htsjdk's form of the record. */
    public SAMRecord decoded() {
        if (current.decoded == null) {
            current.decoded = decode(current.record);
        }
        return current.decoded;
    }

    private SAMRecord decode(BamRecord record) {
        return decode(ofBytes, record.bytes, record.start, record.end);
    }

    /** Returns htsjdk's form of a record, which begins with its size. */
    static SAMRecord decode(BAMRecordCodec codec, byte[] bytes, int start, int end) {
        codec.setInputStream(new ByteArrayInputStream(bytes, start, end - start));
        return finished(codec.decode());
    }

    private static SAMRecord finished(SAMRecord record) {
        if (record != null) {
            record.setValidationStringency(ValidationStringency.SILENT);
        }
        return record;
    }

    /**
     * Goes to the next record. Returns false if there is none.
     *
     * @throws RuntimeException what htsjdk throws when it reads the record, or the one after it
     */
    public boolean next() {
        try {
            if (!hasStarted) {
                hasStarted = true;
                hasAhead = advance();
            }
            if (!hasAhead) {
                return false;
            }
            Entry free = current;
            current = ahead;
            ahead = free;
            hasAhead = advance();
            return true;
        } catch (IOException e) {
            // As in htsjdk.
            throw new RuntimeIOException(e.getMessage(), e);
        }
    }

    /** Reads the record ahead. Returns false if there is none. */
    private boolean advance() throws IOException {
        ahead.decoded = null;
        while (!isAtEnd) {
            if (next >= partEndInBuffer || next == end && file.getFilePointer() >= partEnd) {
                startPart();
                continue;
            }
            int size = end - next < SIZE ? 0 : LittleEndian.integer(buffer, next);
            if (end - next >= SIZE && (size < BamFormat.FIXED_SIZE - SIZE || size > MAX_RECORD)) {
                return readByHtsjdk();
            }
            if (end - next < SIZE + size || size == 0) {
                // A record may go beyond the end of its part.
                if (isStuck || partEndInBuffer != Integer.MAX_VALUE) {
                    return readByHtsjdk();
                }
                fill(SIZE + size);
                continue;
            }
            ahead.isUsual = ahead.record.parse(buffer, next, next + SIZE + size);
            if (!ahead.isUsual) {
                try {
                    ahead.decoded = decode(ahead.record);
                } catch (RuntimeException e) {
                    return readByHtsjdk();
                }
            }
            next += SIZE + size;
            return true;
        }
        return false;
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
        makeRoom(size);
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

    private void makeRoom(int size) {
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
        }
        int needed = Math.max(size, end - next) + BLOCK;
        // The current record stays where it is.
        byte[] free = earlier != current.record.bytes && earlier.length >= needed
                ? earlier : new byte[Math.max(needed, BUFFER)];
        System.arraycopy(buffer, next, free, 0, end - next);
        earlier = buffer;
        buffer = free;
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

    /** Has htsjdk read the next record from the file. Returns false if there is none. */
    private boolean readByHtsjdk() throws IOException {
        if (next < end || isStuck) {
            goBack();
        }
        clear();
        partEndInBuffer = Integer.MAX_VALUE;
        ahead.isUsual = false;
        ahead.decoded = finished(ofFile.decode());
        isAtEnd = ahead.decoded == null;
        return !isAtEnd;
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
