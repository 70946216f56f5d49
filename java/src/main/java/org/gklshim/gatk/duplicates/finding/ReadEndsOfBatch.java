package org.gklshim.gatk.duplicates.finding;

import java.util.LinkedHashMap;
import java.util.Map;
import org.gklshim.gatk.duplicates.reading.BamRecords;
import org.gklshim.gatk.duplicates.reading.Genome;

/** What duplicate marking needs of a batch of records. */
public final class ReadEndsOfBatch {
    /** A record that says nothing about duplicates. */
    static final byte SKIPPED = 0;
    /** A mapped read without a mapped mate. */
    static final byte UNPAIRED = 1;
    static final byte PAIRED = 2;
    /** A record that htsjdk has to look at. */
    static final byte UNUSUAL = 3;

    /** The name of a read tells no place on the flow cell. */
    static final byte NOWHERE = 0;
    static final byte LOCATED = 1;
    /** The name has to be given to Picard. */
    static final byte UNKNOWN = 2;

    public final BamRecords records;
    final byte[] kinds;
    /** The 5' ends, as places of the {@link Genome}. Clipped bases count as aligned. */
    final long[] places;
    final short[] scores;
    final int[] groups;
    final byte[] locations;
    final short[] tiles;
    final int[] x;
    final int[] y;
    /** The hashes of what a read and its mate have in common, if it is paired. */
    final long[] keys;
    /** The values of the tag PG in usual records, each with the first record that has it. */
    final Map<String, Integer> programs = new LinkedHashMap<>();
    /** The number of records before the first one that is not placed, that one included. */
    int count;
    boolean isLast;

    ReadEndsOfBatch(BamRecords records) {
        this.records = records;
        int size = records.count;
        kinds = new byte[size];
        places = new long[size];
        scores = new short[size];
        groups = new int[size];
        locations = new byte[size];
        tiles = new short[size];
        x = new int[size];
        y = new int[size];
        keys = new long[size];
    }
}
