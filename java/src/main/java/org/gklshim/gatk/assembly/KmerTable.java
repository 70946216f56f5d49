package org.gklshim.gatk.assembly;

import java.util.Arrays;

/**
 * The distinct k-mers of a text, numbered from 1.
 *
 * <p>A k-mer and the next base determine the next k-mer. So the table remembers successors, and
 * looks up a k-mer by its hash only where a successor is not known yet: most reads are like the
 * reference.
 */
final class KmerTable {
    private static final int FACTOR = 0x01000193;
    private static final int SPREAD = 0x9e3779b9;
    /** The number of a base from 0 to 3; -1 for another letter. */
    private static final byte[] BASES = new byte[256];

    static {
        Arrays.fill(BASES, (byte) -1);
        for (int k = 0; k < 4; k++) {
            BASES["ACGT".charAt(k)] = (byte) k;
        }
    }

    private final int kmerSize;
    /** The factor of a k-mer's first base in its hash. */
    private final int firstFactor;
    private final Sequences sequences;
    private byte[] text;
    /** The k-mer that starts at a position of the text, if {@link #add} has seen it. */
    int[] kmers = {};
    int count;
    /** How many k-mers occur twice in a read. */
    int repeats;

    /** Where a k-mer is in the text. */
    int[] positions = new int[1024];
    private int[] hashes = new int[1024];
    /** Four for each k-mer. */
    private int[] successors = new int[4 * 1024];
    /** The last read that has a k-mer, from 1; negative if it, or an earlier one, has it twice. */
    private int[] lastReads = new int[1024];
    private int[] slots = new int[4 * 1024];

    KmerTable(Sequences sequences, int kmerSize) {
        this.kmerSize = kmerSize;
        this.sequences = sequences;
        int factor = 1;
        for (int k = 1; k < kmerSize; k++) {
            factor *= FACTOR;
        }
        firstFactor = factor;
    }

    /** Adds the k-mers of a read. */
    void add(int read) {
        int start = sequences.readStarts[read];
        int end = sequences.readEnd(read);
        if (end - start < kmerSize) {
            return;
        }
        text = sequences.text;
        if (kmers.length < end) {
            kmers = Arrays.copyOf(kmers, sequences.length);
        }
        int hash = 0;
        for (int k = start; k < start + kmerSize; k++) {
            hash = hash * FACTOR + text[k];
        }
        int kmer = find(start, hash);
        countIn(read + 1, kmer);
        kmers[start] = kmer;
        for (int last = start + kmerSize; last < end; last++) {
            int base = BASES[text[last] & 0xff];
            int next = base < 0 ? 0 : successors[4 * kmer + base];
            if (next == 0) {
                int first = last - kmerSize;
                next = find(first + 1,
                        (hashes[kmer] - text[first] * firstFactor) * FACTOR + text[last]);
                if (base >= 0) {
                    successors[4 * kmer + base] = next;
                }
            }
            kmer = next;
            countIn(read + 1, kmer);
            kmers[last - kmerSize + 1] = kmer;
        }
    }

    /** Returns whether a k-mer occurs twice in a read. */
    boolean isRepeated(int kmer) {
        return lastReads[kmer] < 0;
    }

    private void countIn(int read, int kmer) {
        int last = lastReads[kmer];
        if (last == read) {
            lastReads[kmer] = -1;
            repeats++;
        } else if (last >= 0) {
            lastReads[kmer] = read;
        }
    }

    /** Returns the number of the k-mer at a position, which it may get now. */
    private int find(int position, int hash) {
        int mask = slots.length - 1;
        int slot = hash * SPREAD >>> 8 & mask;
        for (int kmer; (kmer = slots[slot]) != 0; slot = slot + 1 & mask) {
            if (hashes[kmer] == hash && isAt(positions[kmer], position)) {
                return kmer;
            }
        }
        int kmer = ++count;
        if (kmer == positions.length) {
            grow();
        }
        positions[kmer] = position;
        hashes[kmer] = hash;
        insert(kmer);
        return kmer;
    }

    private boolean isAt(int one, int other) {
        for (int k = 0; k < kmerSize; k++) {
            if (text[one + k] != text[other + k]) {
                return false;
            }
        }
        return true;
    }

    private void insert(int kmer) {
        int mask = slots.length - 1;
        int slot = hashes[kmer] * SPREAD >>> 8 & mask;
        while (slots[slot] != 0) {
            slot = slot + 1 & mask;
        }
        slots[slot] = kmer;
    }

    private void grow() {
        int size = 2 * positions.length;
        positions = Arrays.copyOf(positions, size);
        hashes = Arrays.copyOf(hashes, size);
        successors = Arrays.copyOf(successors, 4 * size);
        lastReads = Arrays.copyOf(lastReads, size);
        slots = new int[4 * size];
        for (int kmer = 1; kmer < count; kmer++) {
            insert(kmer);
        }
    }
}
