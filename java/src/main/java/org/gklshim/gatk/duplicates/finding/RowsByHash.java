package org.gklshim.gatk.duplicates.finding;

import java.util.Arrays;

/** The rows of a partition whose hashes other rows have, too. Most rows are alone. */
final class RowsByHash {
    private static final int NONE = -1;

    /** The row before each, of those with its hash. */
    private final int[] before;
    /** The last row of each set of rows. */
    private int[] lasts = new int[16];
    private int sets;
    private int alone;

    RowsByHash(long[] hashes) {
        before = new int[hashes.length];
        // The last row of each hash, from the slot of the hash on.
        int[] slots = new int[Integer.highestOneBit(Math.max(1, hashes.length)) << 2];
        Arrays.fill(slots, NONE);
        for (int row = 0; row < hashes.length; row++) {
            int slot = (int) hashes[row] & slots.length - 1;
            while (slots[slot] != NONE && hashes[slots[slot]] != hashes[row]) {
                slot = slot + 1 & slots.length - 1;
            }
            before[row] = slots[slot];
            slots[slot] = row;
        }
        for (int last : slots) {
            if (last != NONE) {
                add(last);
            }
        }
    }

    private void add(int last) {
        if (before[last] == NONE) {
            alone++;
            return;
        }
        if (sets == lasts.length) {
            lasts = Arrays.copyOf(lasts, 2 * sets);
        }
        lasts[sets++] = last;
    }

    /** Returns how many rows have a hash that no other one has. */
    int alone() {
        return alone;
    }

    /** Returns how many hashes several rows have. */
    int sets() {
        return sets;
    }

    /** Returns the numbers of the rows with such a hash. */
    int[] set(int number) {
        int size = 0;
        for (int row = lasts[number]; row != NONE; row = before[row]) {
            size++;
        }
        int[] rows = new int[size];
        for (int row = lasts[number]; row != NONE; row = before[row]) {
            rows[--size] = row;
        }
        return rows;
    }
}
