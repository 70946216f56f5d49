package org.gklshim.gatk.duplicates.reading;

/**
 * Records of a BAM file as bytes, and their order in the file.
 *
 * <p>A record begins with its size, which does not count these four bytes.
 */
public final class BamRecords {
    public final byte[] bytes;
    /** Where the records begin, and where the last one ends. */
    public final int[] starts;
    public final int count;
    /** The place in the file of the first record, counted from 0. */
    public final long firstIndex;
    /** The place of the first of the neighbours with a record's name. Null if nobody asks. */
    private long[] nameIndexes;
    /** The number of each record's file, and its place there. Null if there is one file. */
    private int[] files;
    private long[] fileIndexes;

    public BamRecords(byte[] bytes, int[] starts, int count, long firstIndex) {
        this.bytes = bytes;
        this.starts = starts;
        this.count = count;
        this.firstIndex = firstIndex;
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
