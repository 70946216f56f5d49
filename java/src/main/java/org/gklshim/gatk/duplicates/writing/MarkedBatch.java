package org.gklshim.gatk.duplicates.writing;

import htsjdk.samtools.SAMRecord;
import org.gklshim.gatk.duplicates.reading.BamRecords;

/** A batch of records with their marks, for the writer. */
final class MarkedBatch {
    /** The mark of a record that is left to htsjdk. The others are those of DuplicateSets. */
    static final byte IS_UNUSUAL = 4;

    /** What is counted for each read group. */
    static final int COUNT_UNMAPPED = 0;
    static final int COUNT_NOT_PRIMARY = 1;
    static final int COUNT_UNPAIRED = 2;
    static final int COUNT_PAIRED = 3;
    static final int COUNT_UNPAIRED_DUPLICATES = 4;
    static final int COUNT_PAIRED_DUPLICATES = 5;
    static final int COUNTS = 6;

    final BamRecords records;
    /** The marked records, without those that are removed or unusual. */
    final byte[] bytes;
    /** Where the marked bytes end after each record. */
    final int[] ends;
    final byte[] marks;
    /** Objects for the marked records, if the writer needs them; null where there is none. */
    SAMRecord[] objects;
    /** How many records of each kind each read group has. */
    final long[] counts;

    MarkedBatch(BamRecords records, int groups, byte[] bytes) {
        this.records = records;
        this.bytes = bytes;
        ends = new int[records.count];
        marks = new byte[records.count];
        counts = new long[groups * COUNTS];
    }

    /** Returns where the marked bytes of a record start. They are none if it is not marked. */
    int start(int number) {
        return number == 0 ? 0 : ends[number - 1];
    }
}
