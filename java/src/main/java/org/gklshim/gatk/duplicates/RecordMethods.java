package org.gklshim.gatk.duplicates;

/**
 * What native code does with the records of a batch. Its arrays are those of the C interface, which
 * kernels/internal/gkl_shim_internal.h describes.
 */
public interface RecordMethods {
    /** The numbers of the row of a record. */
    int KIND = 0;
    int PLACE = 1;
    int LOCATION = 2;
    int REST = 3;
    int HASH = 4;
    int BARCODE = 5;
    int END_BARCODES = 6;
    int ROW = 7;

    /** The kind of a record that says nothing about duplicates. */
    int SKIPPED = 0;
    /** A mapped read without a mapped mate. */
    int UNPAIRED = 1;
    int PAIRED = 2;
    /** A record that htsjdk has to look at. */
    int UNUSUAL = 3;
    int KINDS = 3;
    /** Added to a kind if the name has a place on the flow cell. */
    int LOCATED = 4;

    /** Why a call has stopped, and at which record. */
    int REASON = 0;
    int RECORD = 1;
    /** The tag of an unknown text, and where it is in the bytes. */
    int TEXT_OF = 2;
    int TEXT_START = 3;
    int TEXT_LENGTH = 4;
    /** How many bytes the output must have. */
    int NEEDED = 5;
    int STOP = 6;

    int DONE = 0;
    int UNKNOWN_TEXT = 1;
    int OUTSIDE = 2;
    int NO_ROOM = 3;
    int UNPLACED = 4;

    /** What is counted for each read group. */
    int COUNT_UNMAPPED = 0;
    int COUNT_NOT_PRIMARY = 1;
    int COUNT_UNPAIRED = 2;
    int COUNT_PAIRED = 3;
    int COUNT_UNPAIRED_DUPLICATES = 4;
    int COUNT_PAIRED_DUPLICATES = 5;
    int COUNTS = 6;

    /**
     * Writes the rows of records from a number on.
     *
     * @param starts where each record begins, and where the last one ends
     * @param files the number of each record's file, or null
     * @param facts from {@link Facts}
     * @param stop gets where the call has stopped
     */
    void readEnds(byte[] bytes, int[] starts, int count, int[] files, long[] facts, byte[] letters,
            int[] texts, int from, int[] stop, long[] rows);

    /**
     * Marks and writes records from a number on.
     *
     * @param first the place in the file of the first record
     * @param indexes the places by which records are marked, or null
     * @param base the place of the first mark
     * @param optical null if nobody asks
     * @param ends gets where the marked bytes end after each record
     */
    void mark(byte[] bytes, int[] starts, int count, int[] files, long[] facts, byte[] letters,
            int[] texts, int from, int[] stop, long first, long[] indexes, long base,
            long[] duplicates, long[] optical, byte[] marked, int[] ends, boolean[] unusual,
            long[] counts);
}
