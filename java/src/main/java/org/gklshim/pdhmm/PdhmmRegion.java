package org.gklshim.pdhmm;

import java.util.ArrayList;
import java.util.List;

/**
 * The reads and haplotypes of a region, in the order in which they are added. Arrays are not copied
 * until the region is computed.
 */
public final class PdhmmRegion {
    private static final String[] READ_TRACKS = {
        "read bases", "base qualities", "insertion qualities", "deletion qualities",
        "continuation qualities"
    };
    private static final String[] HAPLOTYPE_TRACKS = {"haplotype bases", "flags"};

    private final List<byte[][]> reads = new ArrayList<>();
    private final List<byte[][]> haplotypes = new ArrayList<>();

    /** Adds a read: its bases, and base, insertion, deletion and continuation qualities. */
    public void addRead(byte[] bases, byte[] quals, byte[] insertion, byte[] deletion,
            byte[] continuation) {
        reads.add(checked("read", reads.size(), READ_TRACKS, bases, quals, insertion, deletion,
                continuation));
    }

    /** Adds a haplotype: its bases and their flags. */
    public void addHaplotype(byte[] bases, byte[] flags) {
        haplotypes.add(checked("haplotype", haplotypes.size(), HAPLOTYPE_TRACKS, bases,
                flags));
    }

    // Makes the sequence's name for an error only, because this runs for every read.
    private static byte[][] checked(String kind, int index, String[] titles, byte[]... tracks) {
        for (int i = 0; i < tracks.length; i++) {
            if (tracks[i] == null) {
                throw new NullPointerException(
                        kind + " " + index + ": its " + titles[i] + " are null");
            }
            if (tracks[i].length != tracks[0].length) {
                throw new IllegalArgumentException(kind + " " + index + " has "
                        + tracks[i].length + " " + titles[i] + " for " + tracks[0].length + " "
                        + titles[0]);
            }
        }
        if (tracks[0].length == 0) {
            throw new IllegalArgumentException(kind + " " + index + " has no bases");
        }
        return tracks;
    }

    int reads() {
        return reads.size();
    }

    int haplotypes() {
        return haplotypes.size();
    }

    /** Returns the lengths of the reads and then of the haplotypes. */
    int[] lengths() {
        int[] lengths = new int[reads.size() + haplotypes.size()];
        int i = 0;
        for (byte[][] read : reads) {
            lengths[i++] = read[0].length;
        }
        for (byte[][] haplotype : haplotypes) {
            lengths[i++] = haplotype[0].length;
        }
        return lengths;
    }

    /** Returns each track of all reads in turn, then each track of all haplotypes. */
    byte[] sequences() {
        long size = size(reads) + size(haplotypes);
        // The longest array that a JVM allows.
        if (size > Integer.MAX_VALUE - 8) {
            throw new OutOfMemoryError("PDHMM: a region of " + size + " bytes is too large");
        }
        byte[] sequences = new byte[(int) size];
        pack(haplotypes, sequences, pack(reads, sequences, 0));
        return sequences;
    }

    private static long size(List<byte[][]> tracks) {
        long size = 0;
        for (byte[][] sequence : tracks) {
            size += (long) sequence.length * sequence[0].length;
        }
        return size;
    }

    private static int pack(List<byte[][]> tracks, byte[] sequences, int from) {
        int at = from;
        for (int track = 0; !tracks.isEmpty() && track < tracks.get(0).length; track++) {
            for (byte[][] sequence : tracks) {
                int length = sequence[track].length;
                System.arraycopy(sequence[track], 0, sequences, at, length);
                at += length;
            }
        }
        return at;
    }
}
