package org.gklshim.gatk.duplicates;

/**
 * The native methods for the records of BAM files. kernels/internal/gkl_shim_internal.h describes
 * their arrays.
 */
public interface RecordMethods {
    /**
     * Opens a run, which several threads can use.
     *
     * @param tags two letters each, or null
     * @param texts the read groups and programs that files list; null for records without the tag
     * @param newTexts the texts that take their places, or null
     * @param files the number of the file of each text
     * @param groups the number of each read group; -1 for programs
     * @return the number of the run
     */
    long open(int options, String[] tags, String[] sequences, int[] lengths, String[] texts,
            String[] newTexts, int[] files, int[] groups);

    /** Closes a run, unless it is closed. */
    void close(long run);

    /** Returns the most bytes by which a record becomes longer when it is marked. */
    long growth(long run);

    /** Returns the hash of the key that mates have in common. */
    int keyHash(byte[] key);

    /**
     * Finds what duplicate marking needs of records.
     *
     * @param starts where each record begins, and where the last one ends
     * @param files the number of each record's file, or null
     * @param rows gets a row for each record
     */
    void readEnds(long run, byte[] bytes, int[] starts, int[] files, int[] rows);

    /**
     * Marks and writes records.
     *
     * @param marks those of each record. Native code adds which records are unusual
     * @param marked gets the marked records
     * @param ends gets where the marked bytes end after each record
     * @param counts for each read group, how many reads of each kind there are
     */
    void mark(long run, byte[] bytes, int[] starts, int[] files, byte[] marks, byte[] marked,
            int[] ends, long[] counts);
}
