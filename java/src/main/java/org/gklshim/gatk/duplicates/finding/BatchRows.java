package org.gklshim.gatk.duplicates.finding;

import org.gklshim.gatk.duplicates.RecordMethods;
import org.gklshim.gatk.duplicates.reading.BamRecords;

/** What duplicate marking needs of a batch of records, from {@link RecordMethods#readEnds}. */
public final class BatchRows {
    public final BamRecords records;
    /** The rows of the records. */
    final long[] rows;
    /** The programs by their values. */
    String[] programs;
    /** The number of records before the first one that is not placed, that one included. */
    int count;
    boolean isLast;

    BatchRows(BamRecords records) {
        this.records = records;
        count = records.count;
        rows = new long[RecordMethods.ROW * count];
    }

    long get(int record, int number) {
        return rows[record * RecordMethods.ROW + number];
    }

    int kind(int record) {
        return (int) get(record, RecordMethods.KIND) & RecordMethods.KINDS;
    }

    /** Returns whether the name of a read has its place on the flow cell. */
    boolean isLocated(int record) {
        return (get(record, RecordMethods.KIND) & RecordMethods.LOCATED) != 0;
    }

    /** Returns the value of the program; -1 if nobody asks, or htsjdk has to look at the record. */
    int program(int record) {
        return (int) (get(record, RecordMethods.KIND) >> 32);
    }
}
