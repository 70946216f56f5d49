package org.gklshim.gatk.duplicates.finding;

import java.util.Arrays;

/** A set of keys, each of which can be marked. The last word of a key is not negative. */
final class KeySet {
    private static final long ABSENT = -1;

    private final int width;
    private final int mask;
    private final long[] keys;
    private final boolean[] marks;

    /** Makes an empty set with room for some keys of a number of words. */
    KeySet(int size, int width) {
        int slots = Integer.highestOneBit(Math.max(1, size)) << 2;
        this.width = width;
        mask = slots - 1;
        keys = new long[Math.multiplyExact(slots, width)];
        marks = new boolean[slots];
        Arrays.fill(keys, ABSENT);
    }

    /** Returns the slot of a key, or the empty one where it would be. */
    private int slot(long[] words, int at) {
        int slot = (int) Partitions.hash(words, at, at + width) & mask;
        while (!isAbsent(slot) && !isEqual(slot, words, at)) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private boolean isAbsent(int slot) {
        return keys[slot * width + width - 1] == ABSENT;
    }

    private boolean isEqual(int slot, long[] words, int at) {
        for (int k = 0; k < width; k++) {
            if (keys[slot * width + k] != words[at + k]) {
                return false;
            }
        }
        return true;
    }

    void add(long[] words, int at) {
        System.arraycopy(words, at, keys, slot(words, at) * width, width);
    }

    /** Marks the keys that are in the set. */
    void markAll(long[] words) {
        for (int at = 0; at < words.length; at += width) {
            int slot = slot(words, at);
            marks[slot] |= !isAbsent(slot);
        }
    }

    boolean isMarked(long[] words, int at) {
        return marks[slot(words, at)];
    }
}
