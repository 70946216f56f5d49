package org.gklshim.gatk.records;

import java.util.List;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/**
 * Consecutive records of an input: as bytes of a BAM file, or as GATK's reads.
 *
 * <p>A record begins with its size, which does not count these four bytes.
 */
public class RecordBatch {
    private static final int[] NONE = {0};
    /** How much of the heap a base of a read needs, roughly. */
    private static final int BYTES_A_BASE = 32;
    /** How much of the heap a byte of a record needs, with what is made of it, roughly. */
    private static final int BYTES_A_BYTE = 4;

    /** Holds the records, unless they came as reads. */
    public final byte[] bytes;
    /** Where the records begin, and where the last one ends. */
    public final int[] starts;
    public final int count;
    /** The place in the input of the first record, counted from 0. */
    public final long firstIndex;
    /** The records as GATK's reads; null if they are bytes. */
    final List<GATKRead> reads;
    /** How much of the heap the records need, with what is made of them, roughly. */
    final long weight;
    /** What is thrown when somebody asks for the record after these; null if nothing is. */
    final Throwable failure;
    /** The first of the reader's intervals that the records before these have not passed. */
    int firstInterval;

    /** Makes a batch of bytes. */
    public RecordBatch(byte[] bytes, int[] starts, int count, long firstIndex) {
        this(bytes, starts, count, firstIndex, null, (long) bytes.length * BYTES_A_BYTE, null);
    }

    private RecordBatch(byte[] bytes, int[] starts, int count, long firstIndex,
            List<GATKRead> reads, long weight, Throwable failure) {
        this.bytes = bytes;
        this.starts = starts;
        this.count = count;
        this.firstIndex = firstIndex;
        this.reads = reads;
        this.weight = weight;
        this.failure = failure;
    }

    /** Makes a batch of reads that have this many bases in all. */
    static RecordBatch of(List<GATKRead> reads, long bases, long firstIndex, Throwable failure) {
        return new RecordBatch(new byte[0], NONE, reads.size(), firstIndex, reads,
                bases * BYTES_A_BASE, failure);
    }

    /** Returns a batch of the first records. */
    RecordBatch first(int fewer, Throwable newFailure) {
        return new RecordBatch(bytes, starts, fewer, firstIndex, reads, weight, newFailure);
    }

    /** Returns whether the reader has left these records to htsjdk, or found a fault. */
    public boolean isUnusual() {
        return reads != null || failure != null;
    }
}
