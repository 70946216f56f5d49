package org.gklshim.hmm;

import java.util.Arrays;

/**
 * The reads and haplotypes of a region of PairHMM or PDHMM, in the order in which they are added.
 * Their arrays are not copied until the region is computed.
 *
 * <p>A thread reuses one object, and the arrays that it packs a region into, for all its regions.
 */
public final class Region {
    private static final String[] READ_TRACKS = {
        "readBases", "readQuals", "insertionGOP", "deletionGOP", "overallGCP"
    };
    private static final int TRACKS = READ_TRACKS.length;
    /** The length of the longest array that a JVM allows. */
    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    private final String algorithm;
    private final String[] haplotypeTracks;
    /** The tracks of each read in turn, then the tracks of each haplotype. */
    private byte[][] arrays = new byte[0][];
    private int reads;
    private int haplotypes;
    private int addedReads;
    private int addedHaplotypes;
    private long readBases;
    private long haplotypeBases;
    private int[] lengths = new int[0];
    private byte[] sequences = new byte[0];

    /**
     * Makes an empty region.
     *
     * @param algorithm its name, for errors
     * @param haplotypeTracks the names of a haplotype's arrays, for errors
     */
    public Region(String algorithm, String... haplotypeTracks) {
        this.algorithm = algorithm;
        this.haplotypeTracks = haplotypeTracks;
    }

    /** Makes the region empty, with room for these numbers of reads and haplotypes. */
    public void start(int newReads, int newHaplotypes) {
        forget(); // the sequences of a region that was refused
        long count = (long) TRACKS * newReads + (long) haplotypeTracks.length * newHaplotypes;
        if (count > LONGEST_ARRAY) {
            throw new OutOfMemoryError(algorithm + ": a region of " + newReads + " reads and "
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
    public void addRead(byte[]... tracks) {
        lengths[addedReads] = add("read ", addedReads, READ_TRACKS, TRACKS * addedReads, tracks);
        readBases += lengths[addedReads++];
    }

    /** Adds a haplotype: its tracks, bases first. All reads have been added before. */
    public void addHaplotype(byte[]... tracks) {
        int at = TRACKS * reads + tracks.length * addedHaplotypes;
        int length = add("haplotype ", addedHaplotypes, haplotypeTracks, at, tracks);
        lengths[reads + addedHaplotypes++] = length;
        haplotypeBases += length;
    }

    /** Keeps the arrays of a sequence from a place on. Returns the sequence's length. */
    private int add(String kind, int index, String[] names, int at, byte[][] tracks) {
        for (int t = 0; t < tracks.length; t++) {
            if (tracks[t] == null) {
                throw new NullPointerException(kind + index + ": " + names[t] + " is null");
            }
            int length = tracks[0].length;
            if (length == 0) {
                throw new IllegalArgumentException(kind + index + " has no bases");
            }
            if (tracks[t].length != length) {
                throw new IllegalArgumentException(kind + index + ": " + names[t] + " has "
                        + tracks[t].length + " values for " + length + " bases");
            }
            arrays[at + t] = tracks[t];
        }
        return tracks[0].length;
    }

    public int reads() {
        return reads;
    }

    public int haplotypes() {
        return haplotypes;
    }

    /** Returns the lengths of the reads and then of the haplotypes. */
    public int[] lengths() {
        return lengths;
    }

    /** Returns each track of all reads in turn, then each track of all haplotypes. */
    public byte[] sequences() {
        long size = TRACKS * readBases + haplotypeTracks.length * haplotypeBases;
        if (size > LONGEST_ARRAY) {
            throw new OutOfMemoryError(
                    algorithm + ": a region of " + size + " bytes is too large");
        }
        if (sequences.length < size) {
            sequences = new byte[roomFor(size)];
        }
        pack(0, 0, reads, TRACKS, 0, (int) readBases);
        pack(TRACKS * reads, reads, haplotypes, haplotypeTracks.length, TRACKS * (int) readBases,
                (int) haplotypeBases);
        return sequences;
    }

    /** Copies `count` sequences, the first one's arrays and length given by their indices. */
    private void pack(int array, int length, int count, int tracks, int to, int trackBytes) {
        int at = to;
        for (int i = 0; i < count; i++) {
            int bases = lengths[length + i];
            for (int t = 0; t < tracks; t++) {
                System.arraycopy(arrays[array + tracks * i + t], 0, sequences,
                        at + t * trackBytes, bases);
            }
            at += bases;
        }
    }

    /** Lets the garbage collector free the arrays that were added. */
    public void forget() {
        int first = TRACKS * reads;
        Arrays.fill(arrays, 0, TRACKS * addedReads, null);
        Arrays.fill(arrays, first, first + haplotypeTracks.length * addedHaplotypes, null);
        addedReads = 0;
        addedHaplotypes = 0;
    }

    /** Returns 1.5 times a size, so that slowly growing regions do not allocate each time. */
    private static int roomFor(long size) {
        return (int) Math.min(LONGEST_ARRAY, size + size / 2 + 1024);
    }
}
