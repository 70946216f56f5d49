package org.gklshim.gatk.recalibration;

import java.util.Arrays;
import java.util.BitSet;
import org.gklshim.gatk.records.BamRecord;
import org.gklshim.gatk.records.Tags;

/** The bases, qualities and read group of a record, in arrays that are used again for the next. */
final class ReadArrays {
    /** The letters of the lowest and of the highest quality. */
    static final int FIRST_QUALITY = 33;
    private static final int LAST_QUALITY = 126;

    private static final int OQ = Tags.name('O', 'Q');

    /** The codes of two bases, for a byte of a BAM file. */
    private static final byte[] FIRST = new byte[256];
    private static final byte[] SECOND_OF_BYTE = new byte[256];

    static {
        byte[] codes = new byte[16];
        Arrays.fill(codes, BaseCodes.OTHER);
        codes[1] = 0;
        codes[2] = 1;
        codes[4] = 2;
        codes[8] = 3;
        for (int k = 0; k < 256; k++) {
            FIRST[k] = codes[k >> 4];
            SECOND_OF_BYTE[k] = codes[k & 15];
        }
    }

    /** The record that was taken. Its tags are parsed. */
    BamRecord record;
    int length;
    /** The bases, as {@link BaseCodes}. */
    byte[] codes = new byte[0];
    /** Holds the qualities that count from {@link #qualitiesStart} on. */
    byte[] qualities;
    int qualitiesStart;
    /** The number of the read group in the header. */
    int readGroup;

    private final ReadHeader header;
    private final boolean usesOriginal;
    private byte[] original = new byte[0];

    /**
     * Creates arrays without a record.
     *
     * @param usesOriginal whether the qualities in the tag OQ count, if a record has them
     */
    ReadArrays(ReadHeader header, boolean usesOriginal) {
        this.header = header;
        this.usesOriginal = usesOriginal;
    }

    /** Returns whether GATK's tables have the qualities of a part, and one is above the tail's. */
    boolean hasPlainQualities(int from, int to, int tailQuality) {
        int highest = 0;
        int all = 0;
        for (int k = from; k < to; k++) {
            int quality = qualities[qualitiesStart + k];
            highest = Math.max(highest, quality);
            all |= quality;
        }
        return all >= 0 && highest <= CovariateCounts.MAX_QUALITY && highest > tailQuality;
    }

    /** Returns how many different qualities a part has. They are plain. */
    int qualities(int from, int to) {
        BitSet found = new BitSet();
        for (int k = from; k < to; k++) {
            found.set(qualities[qualitiesStart + k]);
        }
        return found.cardinality();
    }

    /**
     * Takes a usual record. Returns false if GATK has to look at it: if its length is not that of
     * its CIGAR, it has no qualities, the header does not have its read group, or it has an
     * operator N, tags that cannot be read without doubt, or original qualities that are not one
     * for each base.
     */
    boolean take(BamRecord from) {
        record = from;
        length = record.length;
        if (!record.hasQualities() || !record.hasPlainLength() || !takeTags()) {
            return false;
        }
        if (codes.length < length) {
            codes = new byte[length];
        }
        byte[] bytes = record.bytes;
        int bases = record.basesStart;
        for (int k = 0; k + 1 < length; k += 2) {
            int pair = bytes[bases + (k >> 1)] & 0xff;
            codes[k] = FIRST[pair];
            codes[k + 1] = SECOND_OF_BYTE[pair];
        }
        if ((length & 1) != 0) {
            codes[length - 1] = FIRST[bytes[bases + (length >> 1)] & 0xff];
        }
        return true;
    }

    /** Takes the read group, and the qualities that count. Returns false if a tag is unusual. */
    private boolean takeTags() {
        if (!record.findReadGroup() || record.groupStart < 0) {
            return false;
        }
        byte[] bytes = record.bytes;
        qualities = bytes;
        qualitiesStart = record.qualitiesStart;
        readGroup = header.readGroup(bytes, record.groupStart, record.groupEnd);
        Tags tags = record.tags;
        int text = usesOriginal ? tags.find(OQ) : -1;
        return readGroup >= 0 && (text < 0 || bytes[tags.starts[text]] == 'Z'
                && takeOriginal(bytes, tags.starts[text] + 1, tags.ends[text] - 1));
    }

    /**
     * Takes the text of original qualities. An empty one does not count. Returns false if it is not
     * one letter for each base, or a letter stands for no quality.
     */
    private boolean takeOriginal(byte[] text, int from, int to) {
        if (from == to) {
            return true;
        }
        if (to - from != length) {
            return false;
        }
        if (original.length < length) {
            original = new byte[length];
        }
        for (int k = 0; k < length; k++) {
            int letter = text[from + k];
            if (letter < FIRST_QUALITY || letter > LAST_QUALITY) {
                return false;
            }
            original[k] = (byte) (letter - FIRST_QUALITY);
        }
        qualities = original;
        qualitiesStart = 0;
        return true;
    }
}
