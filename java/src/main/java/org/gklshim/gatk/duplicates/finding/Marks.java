package org.gklshim.gatk.duplicates.finding;

import java.util.Arrays;

/** The places of reads in a file, a bit for each read. */
final class Marks {
    private static final int PAGE_BITS = 20;
    private static final int PAGE_WORDS = 1 << PAGE_BITS - 6;

    private long[][] pages = {};
    private long count;

    /** Marks a read. Returns whether it was not marked yet. */
    boolean set(long index) {
        int page = (int) (index >>> PAGE_BITS);
        if (page >= pages.length) {
            pages = Arrays.copyOf(pages, Math.max(page + 1, 2 * pages.length));
        }
        if (pages[page] == null) {
            pages[page] = new long[PAGE_WORDS];
        }
        int word = (int) (index >>> 6) & PAGE_WORDS - 1;
        boolean isNew = (pages[page][word] & 1L << index) == 0;
        pages[page][word] |= 1L << index;
        count += isNew ? 1 : 0;
        return isNew;
    }

    boolean get(long index) {
        int page = (int) (index >>> PAGE_BITS);
        return page < pages.length && pages[page] != null
                && (pages[page][(int) (index >>> 6) & PAGE_WORDS - 1] & 1L << index) != 0;
    }

    long count() {
        return count;
    }
}
