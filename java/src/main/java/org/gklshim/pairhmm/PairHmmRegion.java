package org.gklshim.pairhmm;

import java.util.Arrays;

/**
 * The reads and haplotypes of a region, in the order in which they are added. Arrays are not copied
 * until the region is computed.
 *
 * <p>A thread reuses one object, and the arrays that it packs a region into, for all its regions.
 */
public final class PairHmmRegion {
    private static final String[] READ_TRACKS = {
        "readBases", "readQuals", "insertionGOP", "deletionGOP", "overallGCP"
    };
    private static final int TRACKS = READ_TRACKS.length;
    /** The length of the longest array that a JVM allows. */
    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    /** The tracks of each read in turn, then the haplotypes. */
    private byte[][] arrays = new byte[0][];
    private int reads;
    private int haplotypes;
    private int addedReads;
    private int addedHaplotypes;
    private long readBases;
    private long haplotypeBases;
    private int[] lengths = new int[0];
    private byte[] sequences = new byte[0];

    PairHmmRegion() {}

    /** Makes the region empty, with room for these numbers of reads and haplotypes. */
    void start(int newReads, int newHaplotypes) {
        forget(); // the sequences of a region that was refused
        long count = (long) TRACKS * newReads + newHaplotypes;
        if (count > LONGEST_ARRAY) {
            throw new OutOfMemoryError("PairHMM: a region of " + newReads + " reads and "
                    + newHaplotypes + " haplotypes is too large");
        }
        if (lengths.length < newReads + newHaplotypes) {
            lengths = new int[roomFor(newReads + newHaplotypes)];
        }
        if (arrays.length < count) {
            arrays = new byte[roomFor(count)][];
        }
        // Only now, because forget() needs the arrays to have room for them.
        reads = newReads;
        haplotypes = newHaplotypes;
        readBases = 0;
        haplotypeBases = 0;
    }

    /** Adds a read: its bases, and base, insertion, deletion and continuation qualities. */
    public void addRead(byte[] bases, byte[] quals, byte[] insertion, byte[] deletion,
            byte[] continuation) {
        int length = length(bases, 0);
        if (length == 0) {
            throw new IllegalArgumentException("read " + addedReads + " has no bases");
        }
        int at = TRACKS * addedReads;
        arrays[at] = bases;
        arrays[at + 1] = checked(quals, 1, length);
        arrays[at + 2] = checked(insertion, 2, length);
        arrays[at + 3] = checked(deletion, 3, length);
        arrays[at + 4] = checked(continuation, 4, length);
        lengths[addedReads++] = length;
        readBases += length;
    }

    /** Adds a haplotype: its bases. All reads have been added before. */
    public void addHaplotype(byte[] bases) {
        if (bases == null) {
            throw new NullPointerException(
                    "haplotype " + addedHaplotypes + ": haplotypeBases is null");
        }
        if (bases.length == 0) {
            throw new IllegalArgumentException("haplotype " + addedHaplotypes + " has no bases");
        }
        arrays[TRACKS * reads + addedHaplotypes] = bases;
        lengths[reads + addedHaplotypes++] = bases.length;
        haplotypeBases += bases.length;
    }

    private byte[] checked(byte[] track, int number, int expected) {
        int length = length(track, number);
        if (length != expected) {
            throw new IllegalArgumentException("read " + addedReads + ": " + READ_TRACKS[number]
                    + " has " + length + " values for " + expected + " bases");
        }
        return track;
    }

    private int length(byte[] track, int number) {
        if (track == null) {
            throw new NullPointerException(
                    "read " + addedReads + ": " + READ_TRACKS[number] + " is null");
        }
        return track.length;
    }

    int reads() {
        return reads;
    }

    int haplotypes() {
        return haplotypes;
    }

    /** Returns the lengths of the reads and then of the haplotypes. */
    int[] lengths() {
        return lengths;
    }

    /** Returns each track of all reads in turn, then the haplotypes. */
    byte[] sequences() {
        long size = TRACKS * readBases + haplotypeBases;
        if (size > LONGEST_ARRAY) {
            throw new OutOfMemoryError("PairHMM: a region of " + size + " bytes is too large");
        }
        if (sequences.length < size) {
            sequences = new byte[roomFor(size)];
        }
        int at = 0;
        for (int r = 0; r < reads; r++) {
            int length = lengths[r];
            for (int track = 0; track < TRACKS; track++) {
                System.arraycopy(arrays[TRACKS * r + track], 0, sequences,
                        at + track * (int) readBases, length);
            }
            at += length;
        }
        at = TRACKS * (int) readBases;
        for (int h = 0; h < haplotypes; h++) {
            int length = lengths[reads + h];
            System.arraycopy(arrays[TRACKS * reads + h], 0, sequences, at, length);
            at += length;
        }
        return sequences;
    }

    /** Lets the garbage collector free the arrays that were added. */
    void forget() {
        Arrays.fill(arrays, 0, TRACKS * addedReads, null);
        Arrays.fill(arrays, TRACKS * reads, TRACKS * reads + addedHaplotypes, null);
        addedReads = 0;
        addedHaplotypes = 0;
    }

    /** Returns 1.5 times a size, so that slowly growing regions do not allocate each time. */
    private static int roomFor(long size) {
        return (int) Math.min(LONGEST_ARRAY, size + size / 2 + 1024);
    }
}
