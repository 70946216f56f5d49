package org.gklshim.gatk.duplicates;

import static org.gklshim.gatk.records.BamFormat.DELETION;
import static org.gklshim.gatk.records.BamFormat.DIFFERENT;
import static org.gklshim.gatk.records.BamFormat.EQUAL;
import static org.gklshim.gatk.records.BamFormat.FIRST;
import static org.gklshim.gatk.records.BamFormat.HARD_CLIP;
import static org.gklshim.gatk.records.BamFormat.INSERTION;
import static org.gklshim.gatk.records.BamFormat.MATCH;
import static org.gklshim.gatk.records.BamFormat.MATE_REVERSE;
import static org.gklshim.gatk.records.BamFormat.MATE_UNMAPPED;
import static org.gklshim.gatk.records.BamFormat.PAIRED;
import static org.gklshim.gatk.records.BamFormat.PROPER_PAIR;
import static org.gklshim.gatk.records.BamFormat.SECOND;
import static org.gklshim.gatk.records.BamFormat.SECONDARY;
import static org.gklshim.gatk.records.BamFormat.SKIP;
import static org.gklshim.gatk.records.BamFormat.SOFT_CLIP;
import static org.gklshim.gatk.records.BamFormat.SUPPLEMENTARY;
import static org.gklshim.gatk.records.BamFormat.UNMAPPED;
import static org.gklshim.gatk.records.LittleEndian.integer;
import static org.gklshim.gatk.records.LittleEndian.unsignedByte;
import static org.gklshim.gatk.records.LittleEndian.unsignedShort;

import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.Tags;

/**
 * The fields of a BAM record that is held as bytes. {@link #parse} also tells whether the record is
 * a usual one, in which htsjdk finds no fault. The others are left to htsjdk.
 *
 * <p>The format is section 4.2 of the SAM specification.
 */
final class RecordView {
    static final int RG = Tags.name('R', 'G');
    static final int PG = Tags.name('P', 'G');
    static final int DT = Tags.name('D', 'T');

    /** What only paired reads may have. */
    private static final int PAIR_FLAGS =
            PROPER_PAIR | MATE_UNMAPPED | MATE_REVERSE | FIRST | SECOND;
    private static final int MAX_INSERT_SIZE = 1 << 28;

    byte[] bytes;
    int start;
    int end;
    int reference;
    /** From 1. 0 if there is none. */
    int position;
    int nameLength;
    int mappingQuality;
    int bin;
    int cigarCount;
    int flags;
    int length;
    int mateReference;
    int matePosition;
    int insertSize;
    int basesStart;
    int qualitiesStart;
    int tagsStart;
    /** How many bases of the reference the alignment covers. */
    int span;
    /** How many bases are clipped at the start and at the end, soft or hard. */
    int clippedStart;
    int clippedEnd;

    private final int[] sequenceLengths;

    RecordView(int[] sequenceLengths) {
        this.sequenceLengths = sequenceLengths;
    }

    /** Reads a record. Returns whether it is a usual one. If not, fields may be wrong. */
    boolean parse(byte[] from, int offset) {
        bytes = from;
        start = offset;
        end = offset + 4 + integer(bytes, offset);
        reference = integer(bytes, offset + 4);
        position = integer(bytes, offset + 8) + 1;
        nameLength = unsignedByte(bytes, offset + 12);
        mappingQuality = unsignedByte(bytes, offset + 13);
        bin = unsignedShort(bytes, offset + 14);
        cigarCount = unsignedShort(bytes, offset + 16);
        flags = unsignedShort(bytes, offset + 18);
        length = integer(bytes, offset + 20);
        mateReference = integer(bytes, offset + 24);
        matePosition = integer(bytes, offset + 28) + 1;
        insertSize = integer(bytes, offset + 32);
        int cigarStart = offset + BamRecords.FIXED_SIZE + nameLength;
        basesStart = cigarStart + 4 * cigarCount;
        if (nameLength == 0 || length < 0 || length > end - start || basesStart > end) {
            return false;
        }
        qualitiesStart = basesStart + (length + 1) / 2;
        tagsStart = qualitiesStart + length;
        return tagsStart <= end && bytes[cigarStart - 1] == 0 && isPlaceUsual()
                && areFlagsUsual() && isCigarUsual(cigarStart);
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    boolean isPrimary() {
        return (flags & (SECONDARY | SUPPLEMENTARY)) == 0;
    }

    /** Returns the bin of the index that the record is in, as htsjdk finds it. */
    int computeBin() {
        int first = position - 1;
        int last = has(UNMAPPED) ? first : position + span - 2;
        if (last < 0) {
            last = first;
        }
        return BamFormat.bin(first, last);
    }

    private boolean isPlaceUsual() {
        return isPlace(reference, position) && isPlace(mateReference, matePosition)
                && Math.abs((long) insertSize) <= MAX_INSERT_SIZE;
    }

    private boolean isPlace(int sequence, int place) {
        if (sequence == -1) {
            return place == 0;
        }
        return sequence >= 0 && sequence < sequenceLengths.length && place >= 1
                && place <= sequenceLengths[sequence];
    }

    private boolean areFlagsUsual() {
        if (has(PAIRED)) {
            if (!has(FIRST | SECOND) || mateReference == -1 && !has(MATE_UNMAPPED)) {
                return false;
            }
        } else if (has(PAIR_FLAGS) || mateReference != -1) {
            return false;
        }
        if (has(UNMAPPED)) {
            return isPrimary() && mappingQuality == 0 && cigarCount == 0;
        }
        return reference >= 0 && cigarCount > 0;
    }

    /** Clips are at the ends, and no two insertions or deletions are neighbours. */
    private boolean isCigarUsual(int cigarStart) {
        span = 0;
        clippedStart = 0;
        clippedEnd = 0;
        int bases = 0;
        int before = -1;
        boolean isAligned = false;
        for (int k = 0; k < cigarCount; k++) {
            int element = integer(bytes, cigarStart + 4 * k);
            int size = element >>> 4;
            int operator = element & 0xf;
            if (size == 0) {
                return false;
            }
            switch (operator) {
                case MATCH: case EQUAL: case DIFFERENT:
                    span += size;
                    bases += size;
                    break;
                case INSERTION:
                    bases += size;
                    break;
                case DELETION: case SKIP:
                    span += size;
                    break;
                case SOFT_CLIP: case HARD_CLIP:
                    if (operator == SOFT_CLIP) {
                        bases += size;
                    }
                    if (isAligned) {
                        clippedEnd += size;
                    } else {
                        clippedStart += size;
                    }
                    break;
                default:
                    return false;
            }
            boolean isClip = operator == SOFT_CLIP || operator == HARD_CLIP;
            boolean isIndel = operator == INSERTION || operator == DELETION;
            if (span < 0 || bases < 0 || clippedStart < 0 || clippedEnd < 0
                    || isIndel && (before == INSERTION || before == DELETION)
                    || isClip && before == operator
                    || isClip && !isAligned && before == SOFT_CLIP
                    || isClip && isAligned && before == HARD_CLIP
                    || operator == HARD_CLIP && k > 0 && k < cigarCount - 1
                    || !isClip && clippedEnd > 0) {
                return false;
            }
            isAligned |= !isClip;
            before = operator;
        }
        if (has(UNMAPPED)) {
            return true;
        }
        // The long CIGAR of a read with more than 65,535 elements is in a tag.
        boolean isInTag = cigarCount == 2 && before == SKIP && clippedStart == length;
        return isAligned && !isInTag && (length == 0 || bases == 0 || bases == length)
                && (long) position + span - 1 <= sequenceLengths[reference];
    }
}
