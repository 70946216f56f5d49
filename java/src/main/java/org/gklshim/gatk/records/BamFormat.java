package org.gklshim.gatk.records;

/** Numbers of the BAM format: section 4.2 of the SAM specification. */
public final class BamFormat {
    /** The bytes of a record before its name. The first four are the size of all that follows. */
    public static final int FIXED_SIZE = 36;

    private BamFormat() {}

    /** Where the bin of a record is. */
    public static final int BIN = 14;

    // The flags of a record.
    public static final int PAIRED = 0x1;
    public static final int PROPER_PAIR = 0x2;
    public static final int UNMAPPED = 0x4;
    public static final int MATE_UNMAPPED = 0x8;
    public static final int REVERSE = 0x10;
    public static final int MATE_REVERSE = 0x20;
    public static final int FIRST = 0x40;
    public static final int SECOND = 0x80;
    public static final int SECONDARY = 0x100;
    public static final int QC_FAIL = 0x200;
    public static final int DUPLICATE = 0x400;
    public static final int SUPPLEMENTARY = 0x800;

    // The operators of an alignment.
    public static final int MATCH = 0;
    public static final int INSERTION = 1;
    public static final int DELETION = 2;
    public static final int SKIP = 3;
    public static final int SOFT_CLIP = 4;
    public static final int HARD_CLIP = 5;
    public static final int EQUAL = 7;
    public static final int DIFFERENT = 8;

    /** Returns the smallest bin that has both positions, which count from 0. */
    public static int bin(int first, int last) {
        for (int shift = 14, bins = 4681; shift < 29; shift += 3) {
            if (first >> shift == last >> shift) {
                return bins + (first >> shift);
            }
            bins = bins - 1 >> 3;
        }
        return 0;
    }
}
