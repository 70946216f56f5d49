package org.gklshim.gatk.records;

import htsjdk.samtools.SAMRecord;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.broadinstitute.hellbender.utils.SimpleInterval;

/**
 * The records of a stream that pass GATK's filters, in batches. A thread reads and tests them, ahead
 * of the one that takes them.
 */
final class FilteredRecords implements AutoCloseable {
    /** One that is read, one that is written, and those that wait to be. */
    private static final int BATCHES = 6;

    /** Records, and what is wrong after them. */
    static final class Batch {
        /** GATK's progress meter is told of as many reads at once. */
        static final int SIZE = 1000;

        int count;
        /** One record after another, from its size on. */
        byte[] bytes = new byte[1 << 19];
        final int[] starts = new int[SIZE];
        final int[] ends = new int[SIZE];
        final int[] references = new int[SIZE];
        final int[] positions = new int[SIZE];
        final int[] lastPositions = new int[SIZE];
        final boolean[] areUnmapped = new boolean[SIZE];
        /** htsjdk's form of each record that is not usual, which has none of the above. */
        final SAMRecord[] decoded = new SAMRecord[SIZE];
        /** GATK's interval of the last record of a full batch; null if it has no place. */
        SimpleInterval place;
        /** Whether no batch comes after it. */
        boolean isLast;
        /** What was thrown after these records, or null. */
        Throwable failure;
        private int used;

        private void clear() {
            Arrays.fill(decoded, 0, count, null);
            count = 0;
            used = 0;
        }

        private void add(SAMRecord record) {
            decoded[count++] = record;
        }

        private void add(BamRecord record) {
            int size = record.end - record.start;
            if (size > bytes.length - used) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, used + size));
            }
            System.arraycopy(record.bytes, record.start, bytes, used, size);
            LittleEndian.putShort(bytes, used + BamFormat.BIN, record.bin());
            starts[count] = used;
            used += size;
            ends[count] = used;
            references[count] = record.reference;
            positions[count] = record.position;
            lastPositions[count] = record.lastPosition();
            areUnmapped[count++] = record.has(BamFormat.UNMAPPED);
        }
    }

    private final BamReader records;
    private final RecordFilters filters;
    private final Lock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<Batch> waiting = new ArrayDeque<>(BATCHES);
    private final Queue<Batch> free = new ArrayDeque<>(BATCHES);
    private Batch taken;
    private boolean isClosed;
    /** Whether a thread reads. There is none if the system refuses one. */
    private boolean isThreadRunning;

    FilteredRecords(BamReader records, RecordFilters filters) {
        this.records = records;
        this.filters = filters;
        while (free.size() < BATCHES) {
            free.add(new Batch());
        }
        Thread thread = new Thread(this::readAll, "gkl-shim reads");
        thread.setDaemon(true);
        isThreadRunning = true;
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            isThreadRunning = false;
        }
    }

    /** Returns the next batch, which is valid until the next call. There must be one. */
    Batch take() {
        lock.lock();
        try {
            if (taken != null) {
                free.add(taken);
            }
            while (isThreadRunning && waiting.isEmpty()) {
                changed.awaitUninterruptibly();
            }
            changed.signalAll();
            taken = waiting.isEmpty() ? read(free.remove()) : waiting.remove();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private void readAll() {
        try {
            for (Batch batch = freeBatch(); batch != null;) {
                handOn(read(batch));
                batch = batch.isLast ? null : freeBatch();
            }
        } finally {
            lock.lock();
            isThreadRunning = false;
            changed.signalAll();
            lock.unlock();
        }
    }

    /** Waits for a batch that is free. Returns null if nobody wants more. */
    private Batch freeBatch() {
        lock.lock();
        try {
            while (free.isEmpty() && !isClosed) {
                changed.awaitUninterruptibly();
            }
            return isClosed ? null : free.remove();
        } finally {
            lock.unlock();
        }
    }

    private void handOn(Batch batch) {
        lock.lock();
        try {
            waiting.add(batch);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the thread reads no more. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
            while (isThreadRunning) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private Batch read(Batch batch) {
        batch.clear();
        try {
            while (batch.count < Batch.SIZE && !batch.isLast) {
                batch.isLast = !records.next();
                if (!batch.isLast && filters.test(records)) {
                    add(batch);
                }
            }
            if (batch.count == Batch.SIZE) {
                batch.place = place(records.decoded());
            }
        } catch (Throwable e) {
            batch.failure = e;
            batch.isLast = true;
        }
        return batch;
    }

    private void add(Batch batch) {
        if (records.isUsual()) {
            batch.add(records.record());
        } else {
            // GATK asks each read for its place before it is written. A faulty CIGAR fails there.
            place(records.decoded());
            batch.add(records.decoded());
        }
    }

    private static SimpleInterval place(SAMRecord record) {
        String contig = record.getReferenceName();
        int start = record.getAlignmentStart();
        int end = record.getAlignmentEnd();
        return !record.getReadUnmappedFlag() && record.getReferenceIndex() >= 0 && start > 0
                && end >= start ? new SimpleInterval(contig, start, end) : null;
    }
}
