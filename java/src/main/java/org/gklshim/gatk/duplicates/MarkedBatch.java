package org.gklshim.gatk.duplicates;

import htsjdk.samtools.SAMRecord;

/** A batch of records with their marks, for the writer. */
final class MarkedBatch {
    /** What is counted for each library. */
    static final int UNMAPPED = 0;
    static final int NOT_PRIMARY = 1;
    static final int UNPAIRED = 2;
    static final int PAIRED = 3;
    static final int UNPAIRED_DUPLICATE = 4;
    static final int PAIRED_DUPLICATE = 5;
    static final int COUNTS = 6;

    final BamRecords records;
    /** Null where the record is removed, or unusual. */
    final SAMRecord[] marked;
    final boolean[] isUnusual;
    /** How many records of each kind each read group has. */
    final long[][] counts;

    MarkedBatch(BamRecords records, int groups) {
        this.records = records;
        marked = new SAMRecord[records.count];
        isUnusual = new boolean[records.count];
        counts = new long[groups][COUNTS];
    }
}
