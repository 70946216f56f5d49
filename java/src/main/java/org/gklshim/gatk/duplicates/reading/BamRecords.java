package org.gklshim.gatk.duplicates.reading;

import org.gklshim.gatk.records.RecordBatch;

/** Records of one BAM file or of several, and their order there. */
public final class BamRecords extends RecordBatch {
    /** The place of the first of the neighbours with a record's name. Null if nobody asks. */
    private long[] nameIndexes;
    /** The number of each record's file, and its place there. Null if there is one file. */
    private int[] files;
    private long[] fileIndexes;

    public BamRecords(byte[] bytes, int[] starts, int count, long firstIndex) {
        super(bytes, starts, count, firstIndex);
    }

    void setNameIndexes(long[] indexes) {
        nameIndexes = indexes;
    }

    void setFiles(int[] numbers, long[] indexes) {
        files = numbers;
        fileIndexes = indexes;
    }

    /** Returns the number of each record's file, or null if there is one file. */
    public int[] files() {
        return files;
    }

    /** Returns the number of a record's file. */
    public int file(int record) {
        return files == null ? 0 : files[record];
    }

    /** Returns the place of a record in its file. */
    long fileIndex(int record) {
        return fileIndexes == null ? firstIndex + record : fileIndexes[record];
    }

    /** Returns the places by which records are marked if they are not the records' own, or null. */
    public long[] nameIndexes() {
        return nameIndexes;
    }

    /** Returns the place by which a record is marked: the record's own, or its name's. */
    public long markedIndex(int record) {
        return nameIndexes == null ? firstIndex + record : nameIndexes[record];
    }
}
