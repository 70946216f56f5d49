package org.gklshim.gatk.records;

/** The part of an alignment that is not in an adaptor, for GATK's pileups. */
public final class Adaptor {
    /** The boundary of a read without an adaptor. */
    public static final int NONE = Integer.MIN_VALUE;
    /** GATK keeps the adaptors of fragments that are longer than this. */
    private static final int LONGEST_FRAGMENT = 100;

    private Adaptor() {}

    /** Returns the first position of an alignment that is not in an adaptor. */
    public static int first(int start, int boundary, int fragment, boolean isReverse) {
        return isReverse && isLeftOut(boundary, fragment) ? Math.max(start, boundary + 1) : start;
    }

    /** Returns the last position of an alignment that is not in an adaptor. */
    public static int last(int end, int boundary, int fragment, boolean isReverse) {
        return !isReverse && isLeftOut(boundary, fragment) ? Math.min(end, boundary - 1) : end;
    }

    private static boolean isLeftOut(int boundary, int fragment) {
        return boundary != NONE && fragment <= LONGEST_FRAGMENT;
    }
}
