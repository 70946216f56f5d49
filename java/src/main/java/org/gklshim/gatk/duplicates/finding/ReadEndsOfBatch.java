package org.gklshim.gatk.duplicates.finding;

import org.gklshim.gatk.duplicates.RecordEngine;
import org.gklshim.gatk.duplicates.reading.BamRecords;

/** What duplicate marking needs of a batch of records, from {@link RecordEngine#readEnds}. */
public final class ReadEndsOfBatch {
    public final BamRecords records;
    /** The rows of the records. */
    final long[] rows;
    /** The programs by their values. */
    String[] programs;
    /** The number of records before the first one that is not placed, that one included. */
    int count;
    boolean isLast;

    ReadEndsOfBatch(BamRecords records) {
        this.records = records;
        count = records.count;
        rows = new long[RecordEngine.ROW * count];
    }

    long get(int record, int number) {
        return rows[record * RecordEngine.ROW + number];
    }

    int kind(int record) {
        return (int) get(record, RecordEngine.KIND) & RecordEngine.KINDS;
    }

    /** Returns whether the name of a read has its place on the flow cell. */
    boolean isLocated(int record) {
        return (get(record, RecordEngine.KIND) & RecordEngine.LOCATED) != 0;
    }

    /** Returns the value of the program; -1 if nobody asks, or htsjdk has to look at the record. */
    int program(int record) {
        return (int) (get(record, RecordEngine.KIND) >> 32);
    }
}
