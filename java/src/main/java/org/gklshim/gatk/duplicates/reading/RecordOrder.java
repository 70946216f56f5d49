package org.gklshim.gatk.duplicates.reading;

import static org.gklshim.gatk.records.LittleEndian.integer;
import static org.gklshim.gatk.records.LittleEndian.unsignedByte;
import static org.gklshim.gatk.records.LittleEndian.unsignedShort;

import org.gklshim.gatk.duplicates.UnsuitableException;
import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.Tags;

/** The orders of records by which htsjdk merges files, and that it expects in its output. */
public final class RecordOrder {
    private static final int HI = Tags.name('H', 'I');

    private RecordOrder() {}

    /** Compares the places of records: those without a sequence are last. */
    public static int places(byte[] a, int atA, byte[] b, int atB) {
        int sequenceA = integer(a, atA + 4);
        int sequenceB = integer(b, atB + 4);
        if (sequenceA < 0 || sequenceB < 0) {
            return Boolean.compare(sequenceA < 0, sequenceB < 0);
        }
        return sequenceA != sequenceB
                ? sequenceA - sequenceB : integer(a, atA + 8) - integer(b, atB + 8);
    }

    static int byCoordinate(byte[] a, int atA, byte[] b, int atB) {
        int order = places(a, atA, b, atB);
        if (order != 0) {
            return order;
        }
        int flagsA = unsignedShort(a, atA + 18);
        int flagsB = unsignedShort(b, atB + 18);
        if (((flagsA ^ flagsB) & BamFormat.REVERSE) != 0) {
            return (flagsA & BamFormat.REVERSE) != 0 ? 1 : -1;
        }
        order = names(a, atA, b, atB);
        if (order == 0) {
            order = Integer.compare(flagsA, flagsB);
        }
        if (order == 0) {
            order = unsignedByte(a, atA + 13) - unsignedByte(b, atB + 13);
        }
        // The mate's sequence and place, and the insert size.
        for (int field = 24; order == 0 && field <= 32; field += 4) {
            order = Integer.compare(integer(a, atA + field), integer(b, atB + field));
        }
        return order;
    }

    static int byName(byte[] a, int atA, byte[] b, int atB) {
        int order = names(a, atA, b, atB);
        if (order != 0) {
            return order;
        }
        int flagsA = unsignedShort(a, atA + 18);
        int flagsB = unsignedShort(b, atB + 18);
        order = Boolean.compare((flagsB & BamFormat.PAIRED) != 0,
                (flagsA & BamFormat.PAIRED) != 0);
        if (order == 0 && (flagsA & BamFormat.PAIRED) != 0) {
            if ((flagsA & BamFormat.FIRST) != 0 && (flagsB & BamFormat.SECOND) != 0) {
                return -1;
            }
            if ((flagsA & BamFormat.SECOND) != 0 && (flagsB & BamFormat.FIRST) != 0) {
                return 1;
            }
        }
        for (int flag : new int[] {BamFormat.REVERSE, BamFormat.SECONDARY,
                BamFormat.SUPPLEMENTARY}) {
            if (order == 0) {
                order = Boolean.compare((flagsA & flag) != 0, (flagsB & flag) != 0);
            }
        }
        if (order == 0 && (hasHitIndex(a, atA) || hasHitIndex(b, atB))) {
            throw new UnsuitableException("inputs with the same read and the tag HI");
        }
        return order;
    }

    private static boolean hasHitIndex(byte[] bytes, int at) {
        int length = integer(bytes, at + 20);
        int start = at + BamFormat.FIXED_SIZE + unsignedByte(bytes, at + 12)
                + 4 * unsignedShort(bytes, at + 16) + (length + 1) / 2 + length;
        Tags tags = new Tags();
        return !tags.parse(bytes, start, at + 4 + integer(bytes, at)) || tags.find(HI) >= 0;
    }

    public static int names(byte[] a, int atA, byte[] b, int atB) {
        int sizeA = unsignedByte(a, atA + 12) - 1;
        int sizeB = unsignedByte(b, atB + 12) - 1;
        int startA = atA + BamFormat.FIXED_SIZE;
        int startB = atB + BamFormat.FIXED_SIZE;
        for (int k = 0; k < Math.min(sizeA, sizeB); k++) {
            int order = unsignedByte(a, startA + k) - unsignedByte(b, startB + k);
            if (order != 0) {
                return order;
            }
        }
        return sizeA - sizeB;
    }
}
