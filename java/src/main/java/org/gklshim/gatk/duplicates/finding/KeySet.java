package org.gklshim.gatk.duplicates.finding;

import java.util.Arrays;

/** A set of numbers that are not negative, each of which can be marked. */
final class KeySet {
    private static final long ABSENT = -1;

    private final long[] keys;
    private final boolean[] marks;

    /** Makes an empty set with room for some numbers. */
    KeySet(int size) {
        int slots = Integer.highestOneBit(Math.max(1, size)) << 2;
        keys = new long[slots];
        marks = new boolean[slots];
        Arrays.fill(keys, ABSENT);
    }

    /** Returns the slot of a number, or the empty one where it would be. */
    private int slot(long key) {
        int slot = (int) Partitions.hash(key) & keys.length - 1;
        while (keys[slot] != key && keys[slot] != ABSENT) {
            slot = slot + 1 & keys.length - 1;
        }
        return slot;
    }

    void add(long key) {
        keys[slot(key)] = key;
    }

    /** Marks the numbers that are in the set. */
    void markAll(long[] numbers) {
        for (long number : numbers) {
            int slot = slot(number);
            marks[slot] |= keys[slot] == number;
        }
    }

    boolean isMarked(long key) {
        return marks[slot(key)];
    }
}
