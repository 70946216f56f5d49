package org.gklshim.gatk.duplicates.writing;

import htsjdk.samtools.SAMRecord;
import org.gklshim.gatk.duplicates.RecordMethods;
import org.gklshim.gatk.duplicates.reading.BamRecords;

/** A batch of records with their marks, for the writer. */
public final class MarkedBatch {
    final BamRecords records;
    /** The marked records, without those that are removed or unusual. */
    byte[] bytes;
    /** Where the marked bytes end after each record. */
    final int[] ends;
    final boolean[] isUnusual;
    /** Objects for the marked records, if the writer needs them; null where there is none. */
    SAMRecord[] objects;
    /** How many records of each kind each read group has. */
    final long[] counts;

    MarkedBatch(BamRecords records, int groups, byte[] bytes) {
        this.records = records;
        this.bytes = bytes;
        ends = new int[records.count];
        isUnusual = new boolean[records.count];
        counts = new long[groups * RecordMethods.COUNTS];
    }

    /** Returns where the marked bytes of a record start. They are none if it is not marked. */
    int start(int number) {
        return number == 0 ? 0 : ends[number - 1];
    }
}
