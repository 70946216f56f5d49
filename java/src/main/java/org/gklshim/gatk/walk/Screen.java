package org.gklshim.gatk.walk;

import htsjdk.samtools.CigarOperator;

/**
 * A test which positions cannot be active, made of sums over the reads. GATK looks at the positions
 * that are left, with all their reads. The test may pass a position that is not active, but never
 * rejects one that is.
 *
 * <p>Each base adds to the debit of its position. A base that matches the reference and has a
 * quality over {@link #lowQuality} adds nothing, as most do.
 */
abstract class Screen {
    /** Bases of at most this quality add to the debit even if they match. */
    final int lowQuality;
    /** The debit of a base that matches, by its quality. */
    final long[] match = new long[256];
    /** The debit of a base that does not match, by its quality. */
    final long[] mismatch = new long[256];
    /** The debit of a deleted base. */
    long deletion;

    Screen(int lowQuality) {
        this.lowQuality = lowQuality;
    }

    /** Returns what a base adds if it has an insertion, a deletion or a clip next to it. */
    abstract long edge(CigarOperator neighbour, byte quality);

    /** Returns whether the reads of a sample count. Others cannot make a position active. */
    abstract boolean counts(String sample);

    /**
     * Returns whether a position may be active.
     *
     * @param depth the number of reads that count
     * @param debit the debit of these reads
     */
    abstract boolean mayBeActive(int depth, long debit);

    /** Does what else GATK's test of a position would do, where that test is left out. */
    void skip(int depth) {}
}
