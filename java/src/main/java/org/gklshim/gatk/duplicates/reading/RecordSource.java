package org.gklshim.gatk.duplicates.reading;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.BamReader;
import org.gklshim.gatk.records.Buffers;
import org.gklshim.gatk.records.LittleEndian;
import org.gklshim.gatk.records.RecordBatch;

/**
 * The records of one BAM file, or of several in the order in which htsjdk merges them. It asks the
 * same questions of a queue of the same kind, so that ties end in the same way.
 */
public final class RecordSource implements Closeable {
    /** A file, and its next record. */
    private final class Cursor {
        final int file;
        final BamReader source;
        RecordBatch records;
        int number;

        Cursor(int file, BamReader source) {
            this.file = file;
            this.source = source;
        }

        /** Goes to the next record. Returns whether there is one. */
        boolean advance() throws IOException {
            number++;
            if (records == null || number == records.count) {
                if (records != null) {
                    buffers.giveBack(records.bytes);
                }
                records = read(source);
                number = 0;
            }
            return records != null;
        }

        int start() {
            return records.starts[number];
        }

        int size() {
            return records.starts[number + 1] - records.starts[number];
        }
    }

    private final boolean isGrouped;
    private final Buffers buffers;
    private final List<BamReader> sources = new ArrayList<>();
    /** Null if there is one file. */
    private PriorityQueue<Cursor> cursors;
    private ByteBuffer lastName = ByteBuffer.allocate(0);
    private long nameIndex;
    private long index;

    /**
     * Opens files.
     *
     * @param isGrouped whether records of one name are neighbours and are marked together
     * @param buffers gives the arrays of batches
     */
    public RecordSource(Inputs inputs, boolean isGrouped, Buffers buffers) throws IOException {
        this.isGrouped = isGrouped;
        this.buffers = buffers;
        try {
            for (int k = 0; k < inputs.files.size(); k++) {
                sources.add(BamReader.open(inputs.files.get(k), inputs.fileHeaders.get(k),
                        buffers));
            }
            if (sources.size() > 1) {
                startMerging();
            }
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    private void startMerging() throws IOException {
        Comparator<Cursor> order = isGrouped
                ? (a, b) -> RecordOrder.byName(a.records.bytes, a.start(), b.records.bytes,
                        b.start())
                : (a, b) -> RecordOrder.byCoordinate(a.records.bytes, a.start(),
                        b.records.bytes, b.start());
        cursors = new PriorityQueue<>(sources.size(), order);
        for (int k = 0; k < sources.size(); k++) {
            Cursor cursor = new Cursor(k, sources.get(k));
            if (cursor.advance()) {
                cursors.offer(cursor);
            }
        }
    }

    /**
     * Returns the next records, or null at the end.
     *
     * @throws IOException if a file is damaged
     */
    public BamRecords next() throws IOException {
        BamRecords records = cursors == null ? only() : merged();
        if (records != null && isGrouped) {
            records.setNameIndexes(nameIndexes(records));
        }
        return records;
    }

    /** Returns the next records of a file, or null at the end. */
    private static RecordBatch read(BamReader source) throws IOException {
        RecordBatch records = source.next();
        if (records != null && records.isUnusual()) {
            throw new IOException("a record that only htsjdk can read");
        }
        return records;
    }

    private BamRecords only() throws IOException {
        RecordBatch records = read(sources.get(0));
        return records == null ? null : new BamRecords(records.bytes, records.starts,
                records.count, records.firstIndex);
    }

    private BamRecords merged() throws IOException {
        if (cursors.isEmpty()) {
            return null;
        }
        byte[] bytes = buffers.take(cursors.peek().size());
        int[] starts = new int[1 << 10];
        int[] files = new int[starts.length];
        long[] fileIndexes = new long[starts.length];
        int count = 0;
        int end = 0;
        while (!cursors.isEmpty() && end + cursors.peek().size() <= bytes.length) {
            Cursor cursor = cursors.poll();
            if (count + 1 == starts.length) {
                starts = Arrays.copyOf(starts, 2 * count + 2);
                files = Arrays.copyOf(files, 2 * count + 2);
                fileIndexes = Arrays.copyOf(fileIndexes, 2 * count + 2);
            }
            files[count] = cursor.file;
            fileIndexes[count] = cursor.records.firstIndex + cursor.number;
            starts[count++] = end;
            System.arraycopy(cursor.records.bytes, cursor.start(), bytes, end, cursor.size());
            end += cursor.size();
            if (cursor.advance()) {
                cursors.offer(cursor);
            }
        }
        starts[count] = end;
        BamRecords records = new BamRecords(bytes, starts, count, index);
        records.setFiles(files, fileIndexes);
        index += count;
        return records;
    }

    private long[] nameIndexes(BamRecords records) {
        byte[] bytes = records.bytes;
        long[] indexes = new long[records.count];
        for (int k = 0; k < records.count; k++) {
            int start = records.starts[k] + BamFormat.FIXED_SIZE;
            int end = Math.min(records.starts[k + 1],
                    start + LittleEndian.unsignedByte(bytes, records.starts[k] + 12));
            if (!ByteBuffer.wrap(bytes, start, end - start).equals(lastName)) {
                lastName = ByteBuffer.wrap(Arrays.copyOfRange(bytes, start, end));
                nameIndex = records.firstIndex + k;
            }
            indexes[k] = nameIndex;
        }
        return indexes;
    }

    @Override
    public void close() throws IOException {
        for (BamReader source : sources) {
            source.close();
        }
    }
}
