package org.gklshim.gatk.duplicates.finding;

import java.util.Arrays;

/** Reads whose mates were not seen yet, by their keys and the sequences of their mates. */
final class PendingReads {
    private static final int FIRST_SIZE = 1 << 8;

    /** The number of an entry plus 1, from the slot of its hash on; 0 if the slot is empty. */
    private int[] slots = new int[2 * FIRST_SIZE];
    private int[] hashes = new int[FIRST_SIZE];
    private byte[][] keys = new byte[FIRST_SIZE][];
    private int[] mateSequences = new int[FIRST_SIZE];
    private long[] words = new long[FIRST_SIZE * ReadEnd.WORDS];
    /** The numbers of entries that are free, and were used before. */
    private int[] free = new int[FIRST_SIZE];
    private int freeCount;
    private int size;

    int size() {
        return size;
    }

    void clear() {
        if (size > 0) {
            Arrays.fill(slots, 0);
            Arrays.fill(keys, null);
            size = 0;
        }
        freeCount = 0;
    }

    /** Removes a read, and puts it into an object. Returns false if there is none. */
    boolean remove(int mateSequence, MateKey key, ReadEnd read) {
        int slot = find(mateSequence, key);
        int entry = slots[slot] - 1;
        if (entry < 0) {
            return false;
        }
        read.read(words, entry * ReadEnd.WORDS);
        keys[entry] = null;
        free[freeCount++] = entry;
        size--;
        closeGap(slot);
        return true;
    }

    /** Adds a read. It takes the place of one with the same key and sequence of the mate. */
    void put(MateKey key, ReadEnd read) {
        if (size == hashes.length) {
            grow();
        }
        int slot = find(read.mateSequence, key);
        int entry = slots[slot] - 1;
        if (entry < 0) {
            entry = freeCount > 0 ? free[--freeCount] : size;
            slots[slot] = entry + 1;
            hashes[entry] = key.hash;
            keys[entry] = key.copy();
            mateSequences[entry] = read.mateSequence;
            size++;
        }
        read.write(words, entry * ReadEnd.WORDS);
    }

    /** Returns the slot of a key, or the empty one where it would be. */
    private int find(int mateSequence, MateKey key) {
        int slot = key.hash & slots.length - 1;
        while (slots[slot] != 0) {
            int entry = slots[slot] - 1;
            if (hashes[entry] == key.hash && mateSequences[entry] == mateSequence
                    && key.equals(keys[entry])) {
                break;
            }
            slot = slot + 1 & slots.length - 1;
        }
        return slot;
    }

    /** Empties a slot, and moves others so that each is found from the slot of its hash on. */
    private void closeGap(int slot) {
        int mask = slots.length - 1;
        int gap = slot;
        for (int at = gap + 1 & mask; slots[at] != 0; at = at + 1 & mask) {
            int wanted = hashes[slots[at] - 1] & mask;
            if ((at - wanted & mask) >= (at - gap & mask)) {
                slots[gap] = slots[at];
                gap = at;
            }
        }
        slots[gap] = 0;
    }

    private void grow() {
        int larger = 2 * size;
        hashes = Arrays.copyOf(hashes, larger);
        keys = Arrays.copyOf(keys, larger);
        mateSequences = Arrays.copyOf(mateSequences, larger);
        words = Arrays.copyOf(words, larger * ReadEnd.WORDS);
        free = Arrays.copyOf(free, larger);
        slots = new int[2 * larger];
        // No entry is free.
        for (int entry = 0; entry < size; entry++) {
            int slot = hashes[entry] & slots.length - 1;
            while (slots[slot] != 0) {
                slot = slot + 1 & slots.length - 1;
            }
            slots[slot] = entry + 1;
        }
    }
}
